"""Instructions that numba does not generate by itself, written for LLVM, which fits them to the machine.

Each has a twin in plain Python, which says what it does and runs where the JIT is off.

numba's cache does not notice changes in this file: whoever makes one also touches
``compression_bounds.py``, ``counting.py``, ``inference.py``, ``log_pool.py``, ``parameters.py`` and
``text.py``, whose kernels have these instructions compiled into them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from skcredal._arrays import AnyArray, FloatArray

__all__ = ["LANES", "WORD", "add_4_rows", "count_ones", "equal_bytes", "load_word", "log", "sum_4", "sum_8"]

# Untyped, as all of numba's code generation.
cgutils: Any = _cgutils

# Rows in a word of a bitmap.
WORD = 64
# The most classes summed at once; so many numbers may be read beyond the end of a cell.
LANES = 8
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


def _vector_sum(lanes: int) -> Callable[..., None]:
    """Return a function that sums the entries of some cells of one row for so many classes at once.

    numba leaves the few classes of a cell to scalar instructions, which is half as fast; so the sum is
    written as vector instructions, which LLVM fits to the machine at hand. Two partial sums hide the latency
    of the addition. Numbers beyond the last class are added as well, and ignored.
    """

    def vector_sum(
        table: FloatArray, begin: int, cells: AnyArray, r: int, window: int, size: int, sums: FloatArray
    ) -> None:
        for c in range(lanes):
            sums[r, c] = 0.0
            for j in range(window, window + size):
                sums[r, c] += table[begin + int(cells[r, j]) + c]

    # The rest runs inside the compiler, and not at all without it.
    @intrinsic
    def compiled(  # pragma: no cover
        _: Any, table: Any, begin: Any, cells: Any, r: Any, window: Any, size: Any, sums: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def array(position: int) -> tuple[Any, Any]:
                struct = context.make_array(signature.args[position])(context, builder, arguments[position])
                return struct.data, cgutils.unpack_tuple(builder, struct.shape)[-1]

            word, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), lanes)
            zero, one, two = (ir.Constant(word, number) for number in range(3))
            (entries, _), (offsets, stride), (out, width) = array(0), array(2), array(6)
            line = builder.gep(entries, [arguments[1]])
            offsets = builder.gep(offsets, [builder.add(builder.mul(arguments[3], stride), arguments[4])])
            n_cells = arguments[5]
            # An addition waits for the one before it, unless that went into the other sum.
            partial = [cgutils.alloca_once_value(builder, ir.Constant(vector, None)) for _ in range(2)]

            def add(j: Any, total: Any) -> None:
                # Unsigned, as ``cells`` is: extended with the sign, half of the tables would be out of reach.
                offset = builder.zext(builder.load(builder.gep(offsets, [j])), word)
                source = builder.bitcast(builder.gep(line, [offset]), vector.as_pointer())
                builder.store(builder.fadd(builder.load(total), builder.load(source, align=8)), total)

            even = builder.sub(n_cells, builder.and_(n_cells, one))
            with cgutils.for_range_slice(builder, zero, even, two, intp=word) as (j, _):
                add(j, partial[0])
                add(builder.add(j, one), partial[1])
            with builder.if_then(builder.icmp_signed("<", even, n_cells)):
                add(even, partial[0])
            target = builder.bitcast(
                builder.gep(out, [builder.mul(arguments[3], width)]), vector.as_pointer()
            )
            builder.store(builder.fadd(builder.load(partial[0]), builder.load(partial[1])), target, align=8)
            return context.get_dummy_value()

        return types.void(table, types.int64, cells, types.int64, types.int64, types.int64, sums), generate

    @overload(vector_sum, strict=False)
    def choose(  # pragma: no cover
        table: Any, begin: Any, cells: Any, r: Any, window: Any, size: Any, sums: Any
    ) -> Any:
        by_instruction: Any = compiled
        return lambda table, begin, cells, r, window, size, sums: by_instruction(
            table, begin, cells, r, window, size, sums
        )

    return vector_sum


sum_4, sum_8 = _vector_sum(4), _vector_sum(LANES)


def add_4_rows(
    sums: FloatArray, r: int, lane: int, base: FloatArray, c: int, left: int, out: FloatArray
) -> None:
    """Fill in ``base + sums`` for four rows from ``r`` on and up to four classes, at most ``left``.

    The sums are those from ``lane`` on. They lie row by row and all else class by class, from ``c`` on: read
    one by one, they would take longer than they took to be added up.
    """
    for q in range(min(left, 4)):
        for row in range(r, r + 4):
            out[c + q, row] = base[c + q, row] + sums[row, lane + q]


@intrinsic
def _add_by_instruction(  # pragma: no cover, it runs in the compiler
    _: Any, sums: Any, r: Any, lane: Any, base: Any, c: Any, left: Any, out: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), 4)

        def address(position: int, row: Any, column: Any) -> Any:
            struct = context.make_array(signature.args[position])(context, builder, arguments[position])
            width = cgutils.unpack_tuple(builder, struct.shape)[-1]
            cell = builder.gep(struct.data, [builder.add(builder.mul(row, width), column)])
            return builder.bitcast(cell, vector.as_pointer())

        def shuffle(a: Any, b: Any, lanes: list[int]) -> Any:
            return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), 4), lanes))

        _, r, lane, _, c, left, _ = arguments
        rows = [
            builder.load(address(0, builder.add(r, ir.Constant(word, p)), lane), align=8) for p in range(4)
        ]
        # Transposed in two steps: pairs of rows, then pairs of pairs.
        even = [shuffle(rows[p], rows[p + 1], [0, 4, 2, 6]) for p in (0, 2)]
        odd = [shuffle(rows[p], rows[p + 1], [1, 5, 3, 7]) for p in (0, 2)]
        halves = ([0, 1, 4, 5], [2, 3, 6, 7])
        by_class = [shuffle(first, last, lanes) for lanes in halves for first, last in (even, odd)]
        for q, values in enumerate(by_class):
            with builder.if_then(builder.icmp_signed("<", ir.Constant(word, q), left)):
                row = builder.add(c, ir.Constant(word, q))
                total = builder.fadd(builder.load(address(3, row, r), align=8), values)
                builder.store(total, address(6, row, r), align=8)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(sums, integer, integer, base, integer, integer, out), generate


@overload(add_4_rows, strict=False)
def _compiled_add(  # pragma: no cover, likewise
    sums: Any, r: Any, lane: Any, base: Any, c: Any, left: Any, out: Any
) -> Any:
    by_instruction: Any = _add_by_instruction
    return lambda sums, r, lane, base, c, left, out: by_instruction(sums, r, lane, base, c, left, out)
