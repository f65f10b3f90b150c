"""Vector instructions of inference, written for LLVM, which fits them to the machine.

Each has a twin in plain Python, which says what it does and runs where the JIT is off.

numba's cache does not notice changes in this file: whoever makes one also touches ``inference.py``,
``log_pool.py`` and ``packing.py``, whose kernels have these instructions compiled into them.
"""

import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils as _cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from skcredal._arrays import AnyArray, FloatArray
from skcredal._kernels._arguments import Packed

__all__ = [
    "BLOCK_ROWS",
    "CAN_PERMUTE",
    "LANES",
    "PIECE",
    "WIDTH",
    "add_4_rows",
    "exponentiate",
    "look_up_2",
    "look_up_3",
    "sum_4",
    "sum_8",
]

# Untyped, as all of numba's code generation.
cgutils: Any = _cgutils

# Rows of a block: 64, 128 and 512 were slower. The likelihoods are summed block by block, so that their last
# digits depend on this number. What the SPODEs say of a block has room for some more rows: at a distance of a
# power of two, a load would wait for the store of another.
BLOCK_ROWS = 256
# The most classes summed at once; so many numbers may be read beyond the end of a cell.
LANES = 8
WIDTH = BLOCK_ROWS + LANES
# Of so many numbers, one instruction looks up any eight at once; a larger table consists of several pieces.
PIECE = 16
# Only AVX-512 has the instruction. (Its twin in Python runs anywhere.)
_config: Any = config
CAN_PERMUTE = bool(_config.DISABLE_JIT) or (
    "+avx512f" in cpu_target.target_context.codegen()._tm_features.split(",")
)
# log 2 in two parts, the first with so few digits that its products with an exponent are exact.
LOG_2_HIGH, LOG_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
PER_LOG_2 = 1.4426950408889634
# 1.5·2^52: adding it rounds to a whole number, which ends up in the last bits.
ROUNDING = 6755399441055744.0
# Below this, exp is less than the smallest normal number, and is taken to be 0.
LEAST_EXPONENT = -708.0
# Terms of the series for exp; what comes after them is beyond the last digit.
TERMS = 14
# What a double adds to its exponent, which is kept above the 52 bits of its digits.
BIAS, DIGITS = 1023, 52

WORD, REAL = ir.IntType(64), ir.DoubleType()
REALS, WORDS = ir.VectorType(REAL, LANES), ir.VectorType(WORD, LANES)


def _array(
    context: Any, builder: Any, signature: Any, arguments: Any, position: int
) -> tuple[Any, list[Any]]:
    """Return the address of an array among the arguments, and its shape."""
    struct = context.make_array(signature.args[position])(context, builder, arguments[position])
    return struct.data, cgutils.unpack_tuple(builder, struct.shape)


def _vector_at(builder: Any, data: Any, offset: Any, vector: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


def _repeated(vector: Any, number: float) -> Any:
    return ir.Constant(vector, [number] * vector.count)


def _everywhere(builder: Any, vector: Any, number: Any) -> Any:
    """Return a vector that repeats a number, by LLVM's idiom for it, which becomes a single instruction."""
    anything = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(anything, number, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, anything, lanes)


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
            partial = [0.0, 0.0]
            for t in range(size):
                partial[t % 2] += table[begin + int(cells[r, window + t]) + c]
            sums[r, c] = partial[0] + partial[1]

    # The rest runs inside the compiler, and not at all without it.
    @intrinsic
    def compiled(  # pragma: no cover
        _: Any, table: Any, begin: Any, cells: Any, r: Any, window: Any, size: Any, sums: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            arrays = [_array(context, builder, signature, arguments, p) for p in (0, 2, 6)]
            (entries, _), (offsets, (_, stride)), (out, (_, width)) = arrays
            vector = ir.VectorType(REAL, lanes)
            line = builder.gep(entries, [arguments[1]])
            offsets = builder.gep(offsets, [builder.add(builder.mul(arguments[3], stride), arguments[4])])
            n_cells = arguments[5]
            # An addition waits for the one before it, unless that went into the other sum.
            partial = [cgutils.alloca_once_value(builder, ir.Constant(vector, None)) for _ in range(2)]

            def add(j: Any, total: Any) -> None:
                # Unsigned, as ``cells`` is: extended with the sign, half of the tables would be out of reach.
                offset = builder.zext(builder.load(builder.gep(offsets, [j])), WORD)
                source = _vector_at(builder, line, offset, vector)
                builder.store(builder.fadd(builder.load(total), builder.load(source, align=8)), total)

            even = builder.sub(n_cells, builder.and_(n_cells, WORD(1)))
            with cgutils.for_range_slice(builder, WORD(0), even, WORD(2), intp=WORD) as (j, _):
                add(j, partial[0])
                add(builder.add(j, WORD(1)), partial[1])
            with builder.if_then(builder.icmp_signed("<", even, n_cells)):
                add(even, partial[0])
            target = _vector_at(builder, out, builder.mul(arguments[3], width), vector)
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
        vector = ir.VectorType(REAL, 4)

        def address(position: int, row: Any, column: Any) -> Any:
            data, (_, width) = _array(context, builder, signature, arguments, position)
            return _vector_at(builder, data, builder.add(builder.mul(row, width), column), vector)

        def shuffle(a: Any, b: Any, lanes: list[int]) -> Any:
            return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), 4), lanes))

        _, r, lane, _, c, left, _ = arguments
        rows = [builder.load(address(0, builder.add(r, WORD(p)), lane), align=8) for p in range(4)]
        # Transposed in two steps: pairs of rows, then pairs of pairs.
        even = [shuffle(rows[p], rows[p + 1], [0, 4, 2, 6]) for p in (0, 2)]
        odd = [shuffle(rows[p], rows[p + 1], [1, 5, 3, 7]) for p in (0, 2)]
        halves = ([0, 1, 4, 5], [2, 3, 6, 7])
        by_class = [shuffle(first, last, lanes) for lanes in halves for first, last in (even, odd)]
        for q, values in enumerate(by_class):
            with builder.if_then(builder.icmp_signed("<", WORD(q), left)):
                row = builder.add(c, WORD(q))
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


def _look_up(n_classes: int) -> Callable[..., None]:
    """Return a function that sums what the features of some rows contribute to so many classes.

    Sixteen numbers fit in two registers, and an instruction picks any eight of them: those of eight rows. Two
    partial sums for each class, in turns, as in ``sum_4``: the answers are the same to the last bit.
    """

    def look_up(
        packed: Packed,
        n_features: int,
        first: int,
        last: int,
        states: AnyArray,
        own: AnyArray,
        start: int,
        n: int,
        c: int,
        partial: FloatArray,
        base: FloatArray,
        out: FloatArray,
    ) -> None:
        """Add the features from ``first`` to ``last``, two by two, to the partial sums of a block's rows.

        What feature t contributes to a row of the block, which begins at row ``start``, is the number at
        ``states[features[t]] + own`` in the table of the class; of a single piece, any number is in range.
        Sums begin where ``first`` is 0, and where ``last`` is the last of all features, ``base`` plus the
        sums is filled in.
        """
        for q in range(c, c + n_classes):
            for r in range(n):
                for t in range(first, last):
                    half = 2 * q + t % 2
                    index = int(states[packed.features[t], start + r]) + int(own[start + r])
                    table = packed.numbers[packed.begins[t] + q * packed.sizes[t] :][: packed.sizes[t]]
                    before = partial[half, r] if t > 1 else 0.0
                    partial[half, r] = before + table[index % len(table)]
                if last == n_features:
                    out[q, r] = base[q, r] + (partial[2 * q, r] + partial[2 * q + 1, r])

    @intrinsic
    def compiled(  # pragma: no cover, it runs in the compiler
        _: Any,
        packed: Any,
        n_features: Any,
        first: Any,
        last: Any,
        states: Any,
        own: Any,
        start: Any,
        n: Any,
        c: Any,
        partial: Any,
        base: Any,
        out: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if CAN_PERMUTE:
                _generate_look_up(context, builder, signature, arguments, n_classes)
            return context.get_dummy_value()

        three = (types.int64,) * 3
        return types.void(packed, *three, states, own, *three, partial, base, out), generate

    @overload(look_up, strict=False)
    def choose(  # pragma: no cover, likewise
        packed: Any,
        n_features: Any,
        first: Any,
        last: Any,
        states: Any,
        own: Any,
        start: Any,
        n: Any,
        c: Any,
        partial: Any,
        base: Any,
        out: Any,
    ) -> Any:
        by_instruction: Any = compiled
        return lambda packed, n_features, first, last, states, own, start, n, c, partial, base, out: (
            by_instruction(packed, n_features, first, last, states, own, start, n, c, partial, base, out)
        )

    return look_up


def _generate_look_up(  # pragma: no cover, likewise
    context: Any, builder: Any, signature: Any, arguments: Any, n_classes: int
) -> None:
    parts = cgutils.unpack_tuple(builder, arguments[0])
    entries, begins, sizes, features = (
        context.make_array(kind)(context, builder, part).data
        for kind, part in zip(signature.args[0].types, parts, strict=True)
    )
    n_features, first, last, start, n, first_class = (arguments[p] for p in (1, 2, 3, 6, 7, 8))
    arrays = [_array(context, builder, signature, arguments, p) for p in (4, 5, 9, 10, 11)]
    (states, (_, width)), (own, _), (partial, (_, block_width)), (base, _), (out, _) = arrays
    bytes_ = ir.VectorType(ir.IntType(8), LANES)
    permute = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(REALS, [REALS, WORDS, REALS]), "llvm.x86.avx512.vpermi2var.pd.512"
    )
    # Two groups of rows, so that a table that has been loaded serves both.
    groups, halves = range(2), range(2)
    sums = {
        (c, g, half): cgutils.alloca_once(builder, REALS)
        for c in range(n_classes)
        for g in groups
        for half in halves
    }
    found = {(c, g): cgutils.alloca_once(builder, REALS) for c in range(n_classes) for g in groups}
    with cgutils.for_range_slice(builder, WORD(0), n, WORD(2 * LANES), intp=WORD) as (r, _):
        at = [builder.add(builder.add(start, r), WORD(LANES * g)) for g in groups]
        mine = [builder.load(_vector_at(builder, own, at[g], bytes_), align=1) for g in groups]

        def place(c: int, g: int, half: int | None, array: Any = partial) -> Any:
            line = builder.add(first_class, WORD(c))
            if half is not None:
                line = builder.add(builder.mul(line, WORD(2)), WORD(half))
            row = builder.add(r, WORD(LANES * g))
            return _vector_at(builder, array, builder.add(builder.mul(line, block_width), row), REALS)

        with builder.if_else(builder.icmp_signed("==", first, WORD(0))) as (begin, go_on):
            with begin:
                for total in sums.values():
                    builder.store(ir.Constant(REALS, None), total)
            with go_on:
                for which, total in sums.items():
                    builder.store(builder.load(place(*which), align=8), total)

        def add_feature(t: Any, half: int) -> None:
            line = builder.mul(builder.load(builder.gep(features, [t])), width)
            index = []
            for g in groups:
                values = builder.load(_vector_at(builder, states, builder.add(line, at[g]), bytes_), align=1)
                index.append(builder.zext(builder.add(values, mine[g]), WORDS))
            table = builder.gep(entries, [builder.load(builder.gep(begins, [t]))])
            size = builder.load(builder.gep(sizes, [t]))

            def look_up(c: int, offset: Any) -> list[Any]:
                of_class = builder.mul(builder.add(first_class, WORD(c)), size)
                low, high = (
                    builder.add(of_class, builder.add(offset, WORD(LANES * part))) for part in range(2)
                )
                low = builder.load(_vector_at(builder, table, low, REALS), align=64)
                high = builder.load(_vector_at(builder, table, high, REALS), align=64)
                return [builder.call(permute, [low, index[g], high]) for g in groups]

            for c in range(n_classes):
                for g, numbers in enumerate(look_up(c, WORD(0))):
                    builder.store(numbers, found[c, g])
            with cgutils.for_range_slice(builder, WORD(PIECE), size, WORD(PIECE), intp=WORD) as (offset, _):
                beyond = []
                for g in groups:
                    most = _everywhere(builder, WORDS, builder.sub(offset, WORD(1)))
                    # The sign of a difference becomes a mask where permutations do not wait for it.
                    left = builder.sub(most, index[g])
                    beyond.append(builder.icmp_signed("<", left, ir.Constant(WORDS, None)))
                for c in range(n_classes):
                    for g, numbers in enumerate(look_up(c, offset)):
                        before = builder.load(found[c, g])
                        builder.store(builder.select(beyond[g], numbers, before), found[c, g])
            for (c, g), numbers in found.items():
                total = sums[c, g, half]
                builder.store(builder.fadd(builder.load(total), builder.load(numbers)), total)

        with cgutils.for_range_slice(builder, first, last, WORD(2), intp=WORD) as (t, _):
            add_feature(t, 0)
            add_feature(builder.add(t, WORD(1)), 1)
        with builder.if_else(builder.icmp_signed("==", last, n_features)) as (finish, go_on):
            with finish:
                for c, g in found:
                    total = builder.fadd(*(builder.load(sums[c, g, half]) for half in halves))
                    before = builder.load(place(c, g, None, base), align=8)
                    builder.store(builder.fadd(before, total), place(c, g, None, out), align=8)
            with go_on:
                for which, total in sums.items():
                    builder.store(builder.load(total), place(*which), align=8)


look_up_2, look_up_3 = _look_up(2), _look_up(3)


def exponentiate(block: FloatArray, n: int, highest: FloatArray, total: FloatArray) -> None:
    """Replace the logarithms of rows, (classes, rows), by their exponentials relative to the highest.

    Fills in the highest logarithm and the sum of the exponentials of each row, and maybe of some rows after
    the last: the arrays have room for whole vectors. exp x = 2^m · exp f with a whole m, |f| ≤ log(2)/2 and
    Taylor's polynomial: within one unit in the last place. A library function would be called number by
    number.
    """
    for r in range(n):
        highest[r] = max(block[:, r])
        total[r] = 0.0
        for c in range(len(block)):
            x = block[c, r] - highest[r]
            block[c, r] = math.exp(x) if x >= LEAST_EXPONENT else 0.0
            total[r] += block[c, r]


@intrinsic
def _exponentiate_by_instruction(  # pragma: no cover, it runs in the compiler
    _: Any, block: Any, n: Any, highest: Any, total: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [_array(context, builder, signature, arguments, p) for p in (0, 2, 3)]
        (logs, (n_classes, width)), (highest, _), (totals, _) = arrays

        def add(a: Any, b: Any) -> Any:
            # Rounded together with a product where the machine can: faster, and more exact.
            return builder.fadd(a, b, flags=("contract",))

        def subtract(a: Any, b: Any) -> Any:
            return builder.fsub(a, b, flags=("contract",))

        def multiply(a: Any, b: Any) -> Any:
            return builder.fmul(a, b, flags=("contract",))

        def real(number: float) -> Any:
            return _repeated(REALS, number)

        def exp(x: Any) -> Any:
            bounded = builder.select(
                builder.fcmp_ordered(">", x, real(LEAST_EXPONENT)), x, real(LEAST_EXPONENT)
            )
            power = add(multiply(bounded, real(PER_LOG_2)), real(ROUNDING))
            m = builder.fsub(power, real(ROUNDING))
            # In this order: the first product is exact, so that f loses no digits to the cancellation.
            f = subtract(bounded, multiply(m, real(LOG_2_HIGH)))
            f = subtract(f, multiply(m, real(LOG_2_LOW)))
            series = real(1.0 / math.factorial(TERMS - 1))
            for term in range(TERMS - 2, -1, -1):
                series = add(real(1.0 / math.factorial(term)), multiply(f, series))
            # The last bits of ``power`` hold m; shifted, with the bias of a double's exponent, they are 2^m.
            exponent = builder.add(builder.bitcast(power, WORDS), _repeated(WORDS, BIAS))
            scale = builder.bitcast(builder.shl(exponent, _repeated(WORDS, DIGITS)), REALS)
            enough = builder.fcmp_ordered(">=", x, real(LEAST_EXPONENT))
            return builder.select(enough, multiply(series, scale), real(0.0))

        top, total = cgutils.alloca_once(builder, REALS), cgutils.alloca_once(builder, REALS)
        with cgutils.for_range_slice(builder, WORD(0), arguments[1], WORD(LANES), intp=WORD) as (r, _):

            def address(c: Any) -> Any:
                return _vector_at(builder, logs, builder.add(builder.mul(c, width), r), REALS)

            builder.store(builder.load(address(WORD(0)), align=8), top)
            with cgutils.for_range_slice(builder, WORD(1), n_classes, WORD(1), intp=WORD) as (c, _):
                one, most = builder.load(address(c), align=8), builder.load(top)
                builder.store(builder.select(builder.fcmp_ordered(">", one, most), one, most), top)
            most = builder.load(top)
            builder.store(most, _vector_at(builder, highest, r, REALS), align=8)
            builder.store(real(0.0), total)
            with cgutils.for_range_slice(builder, WORD(0), n_classes, WORD(1), intp=WORD) as (c, _):
                e = exp(builder.fsub(builder.load(address(c), align=8), most))
                builder.store(e, address(c), align=8)
                builder.store(builder.fadd(builder.load(total), e), total)
            builder.store(builder.load(total), _vector_at(builder, totals, r, REALS), align=8)
        return context.get_dummy_value()

    return types.void(block, types.int64, highest, total), generate


@overload(exponentiate, strict=False)
def _compiled_exponentiate(  # pragma: no cover, likewise
    block: Any, n: Any, highest: Any, total: Any
) -> Any:
    by_instruction: Any = _exponentiate_by_instruction
    return lambda block, n, highest, total: by_instruction(block, n, highest, total)
