"""Instructions that numba does not generate by itself, written for LLVM, which fits them to the machine.

Each has a twin in plain Python, which says what it does and runs where the JIT is off.

numba's cache does not notice changes in this file: whoever makes one also touches
``compression_bounds.py``, ``counting.py``, ``parameters.py`` and ``text.py``, whose kernels have these
instructions compiled into them.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

__all__ = ["WORD", "count_ones", "equal_bytes", "load_word", "log"]

# Rows in a word of a bitmap.
WORD = 64
# log 2 in two parts, the first with so few digits that its products with an exponent are exact.
LOG_2_HIGH, LOG_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
# The bits of sqrt(1/2): numbers from there to sqrt(2) have the exponent 0.
HALF_ROOT_BITS = 0x3FE6A09E667F3BCD
# What a double adds to its exponent, which is kept above the 52 bits of its digits.
BIAS, DIGITS = 1023, 52


def count_ones(word: Any) -> int:
    """Return how many bits of a word are set."""
    return int(word).bit_count()


@intrinsic
def _ones_by_instruction(_: Any, word: Any) -> Any:  # pragma: no cover, it runs in the compiler
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


@overload(count_ones, strict=False)
def _compiled_ones(word: Any) -> Any:  # pragma: no cover, it runs in the compiler
    by_instruction: Any = _ones_by_instruction
    return lambda word: by_instruction(word)


def equal_bytes(values: Any, start: int, value: int) -> Any:
    """Return a word: which of the 64 bytes from ``start`` on have the value."""
    same = np.packbits(values[start : start + WORD] == value, bitorder="little")
    return np.uint64(int.from_bytes(same.tobytes(), "little"))


@intrinsic
def _equal_by_instruction(_: Any, values: Any, start: Any, value: Any) -> Any:  # pragma: no cover, likewise
    if values.layout != "C":
        raise TypingError("Bytes that are compared together must be contiguous.")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bytes_ = ir.VectorType(ir.IntType(8), WORD)
        address = builder.gep(context.make_array(values)(context, builder, arguments[0]).data, [arguments[1]])
        found = builder.load(builder.bitcast(address, bytes_.as_pointer()))
        # The bytes of some rows of a column start anywhere; LLVM would assume the alignment of a vector.
        found.align = 1
        # LLVM's idiom for a vector that repeats one number: it becomes a single instruction.
        anything = ir.Constant(bytes_, ir.Undefined)
        first = builder.insert_element(
            anything, builder.trunc(arguments[2], ir.IntType(8)), ir.Constant(ir.IntType(32), 0)
        )
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
        wanted = builder.shuffle_vector(first, anything, everywhere)
        return builder.bitcast(builder.icmp_unsigned("==", found, wanted), ir.IntType(64))

    return types.uint64(values, types.int64, types.int64), generate


@overload(equal_bytes, strict=False)
def _compiled_equal(values: Any, start: Any, value: Any) -> Any:  # pragma: no cover, likewise
    by_instruction: Any = _equal_by_instruction
    return lambda values, start, value: by_instruction(values, start, value)


def load_word(values: Any, start: int) -> Any:
    """Return the eight bytes from ``start`` on as a number, the first of them the lowest."""
    return np.uint64(int.from_bytes(values[start : start + 8].tobytes(), "little"))


@intrinsic
def _load_by_instruction(_: Any, values: Any, start: Any) -> Any:  # pragma: no cover, likewise
    if values.layout != "C":
        raise TypingError("Bytes that are loaded together must be contiguous.")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = builder.gep(context.make_array(values)(context, builder, arguments[0]).data, [arguments[1]])
        # Like the bytes above, a word may start anywhere.
        return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(values, types.int64), generate


@overload(load_word, strict=False)
def _compiled_load(values: Any, start: Any) -> Any:  # pragma: no cover, likewise
    by_instruction: Any = _load_by_instruction
    return lambda values, start: by_instruction(values, start)


def log(x: float) -> float:
    """Return the logarithm of a positive normal number, within two units in the last place.

    x = 2^m · y with sqrt(1/2) ≤ y < sqrt(2), and log y = 2 artanh((y-1)/(y+1)) as a series. A library
    function would be called number by number; these instructions let a loop take several at once. Of other
    numbers it returns anything.
    """
    return math.log(x) if x > 0.0 else math.nan


@intrinsic
def _log_by_instructions(_: Any, x: Any) -> Any:  # pragma: no cover, likewise
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, real = ir.IntType(64), ir.DoubleType()

        def add(a: Any, b: Any) -> Any:
            # Rounded together with a product where the machine can: faster, and more exact.
            return builder.fadd(a, b, flags=("contract",))

        def multiply(a: Any, b: Any) -> Any:
            return builder.fmul(a, b, flags=("contract",))

        bits = builder.bitcast(arguments[0], word)
        # m plus the bias, so that no shift and no conversion has to mind a sign.
        biased = builder.lshr(builder.sub(bits, word(HALF_ROOT_BITS - (BIAS << DIGITS))), word(DIGITS))
        scale = builder.shl(builder.sub(biased, word(BIAS)), word(DIGITS))
        y = builder.bitcast(builder.sub(bits, scale), real)
        # A small whole number in the last digits of 2^52 is that many more than 2^52.
        raised = builder.or_(biased, word((BIAS + DIGITS) << DIGITS))
        m = builder.fsub(builder.bitcast(raised, real), real(2.0**DIGITS + BIAS))
        less = builder.fsub(y, real(1.0))
        z = builder.fdiv(less, builder.fadd(less, real(2.0)))
        q = builder.fmul(z, z)
        series = real(2.0 / 21.0)
        for power in range(19, 2, -2):
            series = add(real(2.0 / power), multiply(q, series))
        series = multiply(multiply(z, q), series)
        small = add(series, multiply(m, real(LOG_2_LOW)))
        return add(multiply(m, real(LOG_2_HIGH)), add(multiply(z, real(2.0)), small))

    return types.float64(types.float64), generate


@overload(log, strict=False)
def _compiled_log(x: Any) -> Any:  # pragma: no cover, likewise
    by_instructions: Any = _log_by_instructions
    return lambda x: by_instructions(x)
