"""Delimited text split into cells: by Arrow where every row is in order, else line by line and with care."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np

from skcredal._arrays import FloatArray, IntArray
from skcredal._extras import require

__all__ = [
    "Cells",
    "ListedCells",
    "SplitTable",
    "clean",
    "column_names",
    "parse_numbers",
    "show",
    "split_carefully",
    "split_quickly",
]

# No text that is read holds it.
_END = "\0"
_DIGITS = frozenset("0123456789+-eE")
# From how much text it is guessed which columns are numbers.
_SAMPLE_LENGTH = 1 << 16


class Cells(Protocol):
    """The cells of one column."""

    def numbers(self, decimal: str, missing: Collection[str]) -> FloatArray | None:
        """Return the cells as finite numbers, missing ones as NaN; None if that takes a closer look."""

    def different(self) -> tuple[list[str], IntArray]:
        """Return the different cells without blanks around them, and which of them each row has."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitTable:
    """The first line that is not empty, and where it is; the cells of the columns; where a row begins."""

    header: list[str]
    header_line: int
    columns: Sequence[Cells]
    line_of: Callable[[int], int]


class ListedCells:
    """Cells in a list.

    Examples
    --------
    >>> different, codes = ListedCells(["a", " b", "a "]).different()
    >>> different, codes.tolist()
    (['a', 'b'], [0, 1, 0])
    """

    def __init__(self, cells: Sequence[str]) -> None:
        self._cells = cells

    def numbers(self, decimal: str, missing: Collection[str]) -> FloatArray | None:
        """Return None: text takes a closer look."""
        return None

    def different(self) -> tuple[list[str], IntArray]:
        """Return the different cells without blanks around them, and which of them each row has."""
        code_of: dict[str, int] = {}
        codes = [code_of.setdefault(clean(cell), len(code_of)) for cell in self._cells]
        return list(code_of), np.array(codes, np.int64)


class ArrowCells:
    """Cells in a column of Arrow, which makes numbers of them without a Python object for each."""

    def __init__(self, cells: Any) -> None:
        self._cells = cells

    @cached_property
    def _encoded(self) -> tuple[Any, IntArray]:
        """The different cells, and which of them each row has."""
        encoded = self._cells.combine_chunks().dictionary_encode()
        return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False)

    def numbers(self, decimal: str, missing: Collection[str]) -> FloatArray | None:
        """Return the cells as finite numbers, missing ones as NaN; None if that takes a closer look."""
        if self._cells.type == "double":
            return _to_numpy(self._cells)
        compute = require("pyarrow.compute", extra="scale", purpose="Reading a table")
        arrow = require("pyarrow", extra="scale", purpose="Reading a table")
        different, codes = self._encoded
        cells = compute.utf8_trim(different, " \t")
        markers = arrow.array(sorted(missing), cells.type)
        known = compute.if_else(compute.is_in(cells, value_set=markers), None, cells)
        if decimal == ",":
            if compute.any(compute.match_substring(known, ".")).as_py():
                return None
            known = compute.replace_substring(known, ",", ".")
        try:
            numbers = known.cast("float64")
        except ValueError:
            return None
        return _to_numpy(numbers)[codes] if _all_finite(numbers) else None

    def different(self) -> tuple[list[str], IntArray]:
        """Return the different cells without blanks around them, and which of them each row has."""
        cells, codes_of_rows = self._encoded
        different, codes = ListedCells(cells.to_pylist()).different()
        return different, codes[codes_of_rows]


def _to_numpy(numbers: Any) -> FloatArray:
    """Return numbers of Arrow, nulls as NaN."""
    values: FloatArray = numbers.to_pandas().to_numpy()
    return values


def _all_finite(numbers: Any) -> bool:
    """Tell whether no number of Arrow was written as "inf", "nan" or beyond the largest."""
    return bool(np.isfinite(_to_numpy(numbers)).sum() == len(numbers) - numbers.null_count)


def parse_numbers(cells: Collection[str], decimal: str) -> dict[str, float] | None:
    """Return what each of the different cells is as a number, or None if one of them is none.

    Examples
    --------
    >>> parse_numbers(["1,5", "-2"], ",")
    {'1,5': 1.5, '-2': -2.0}
    >>> parse_numbers(["1_000", "nan"], ".")
    """
    # float() accepts more than is written in tables: "nan", "1_000", digits of other scripts.
    if not (_DIGITS | {decimal}).issuperset("".join(cells)):
        return None
    try:
        return {cell: float(cell.replace(decimal, ".")) for cell in cells}
    except ValueError:
        return None


def column_names(header: Sequence[str]) -> list[str]:
    """Return the names of columns; one without a name is called by its number.

    Examples
    --------
    >>> column_names(["", "age "])
    ['column 1', 'age']
    """
    return [clean(cell) or f"column {number}" for number, cell in enumerate(header, start=1)]


def clean(cell: str) -> str:
    """Return a cell without blanks around it, its letters composed: what looks the same is the same.

    Examples
    --------
    >>> clean(" e\u0301 ") == "\u00e9"
    True
    """
    cell = cell.strip()
    return cell if cell.isascii() else unicodedata.normalize("NFC", cell)


def split_quickly(
    text: str,
    delimiter: str,
    *,
    decimals: Sequence[str] = (),
    missing: Collection[str] = (),
    text_columns: Collection[str] = (),
) -> SplitTable | None:
    """Split a text whose rows are all in order, or return None for one that takes care.

    Columns whose first rows are numbers with one of the decimal signs, or one of the markers of missing
    values, are made numbers on the way, except those that are named as text.
    """
    try:
        require("pyarrow.csv", extra="scale", purpose="Reading a table quickly")
    except ImportError:
        return None
    # What Arrow does not know: blanks that separate, quotes after a blank, rows of one cell that is empty.
    late_quote = rf'(?:^|{re.escape(delimiter)}) +"'
    if delimiter == " " or (' "' in text and re.search(late_quote, text, re.MULTILINE)):
        return None
    header, header_line, start = _first_record(text, delimiter)
    # Without rows, an open quote in the header may have swallowed them.
    if len(header) < 2 or start == len(text):
        return None
    sample = text[start : text.rfind("\n", start, start + _SAMPLE_LENGTH) + 1]
    numeric: dict[str, set[int]] = {}
    # A marker that is a number itself might stand among blanks, where Arrow would not see it.
    if not any(parse_numbers([marker], sign) for marker in missing for sign in decimals):
        candidates = _read(sample, delimiter, [False] * len(header)) or []
        for sign in decimals:
            numeric[sign] = {
                j
                for j, (name, cells) in enumerate(zip(column_names(header), candidates, strict=False))
                if name not in text_columns and cells.numbers(sign, missing) is not None
            }
    sign = max(decimals, key=lambda sign: len(numeric.get(sign, ())), default=".")
    are_numbers = [j in numeric.get(sign, ()) for j in range(len(header))]
    columns = _read(text[start:], delimiter, are_numbers, sign, missing)
    if columns is None and any(are_numbers):
        # Something among the numbers is none.
        columns = _read(text[start:], delimiter, [False] * len(header))
    if columns is None:
        return None

    def line_of(row: int) -> int:
        # Only a refusal or a warning asks for a line.
        return split_carefully(text, "", delimiter).line_of(row)

    return SplitTable(header, header_line, columns, line_of)


def _read(
    rows: str, delimiter: str, are_numbers: Sequence[bool], decimal: str = ".", missing: Collection[str] = ()
) -> list[ArrowCells] | None:
    """Read rows with Arrow, some columns as numbers; None if they are not in order, or are not numbers."""
    arrow = require("pyarrow", extra="scale", purpose="Reading a table quickly")
    csv_reader = require("pyarrow.csv", extra="scale", purpose="Reading a table quickly")
    names = [str(j) for j in range(len(are_numbers))]
    types = [arrow.float64() if number else arrow.large_string() for number in are_numbers]
    # Arrow closes an open quote at the end by itself; a last row that is not swallowed shows that none is.
    content = f"{rows}{chr(10) if rows and rows[-1] != chr(10) else ''}{delimiter.join('0' * len(names))}\n"
    try:
        table = csv_reader.read_csv(
            arrow.BufferReader(content.encode()),
            csv_reader.ReadOptions(column_names=names),
            csv_reader.ParseOptions(delimiter=delimiter, newlines_in_values='"' in rows),
            csv_reader.ConvertOptions(
                check_utf8=False,
                column_types=dict(zip(names, types, strict=True)),
                null_values=sorted(missing),
                decimal_point=decimal,
            ),
        )
    except ValueError:  # rows of different lengths, a row larger than a block, a word among numbers
        return None
    n = table.num_rows - 1
    whole = all(column[n].as_py() in ("0", 0.0) for column in table.columns)
    columns = [column.slice(0, n) for column in table.columns]
    for column, number in zip(columns, are_numbers, strict=True):
        whole = whole and (not number or _all_finite(column))
    return [ArrowCells(column) for column in columns] if whole else None


def _first_record(text: str, delimiter: str) -> tuple[list[str], int, int]:
    """Return the first record that is not empty, the line on which it begins, and where the next begins."""
    end = 0

    def lines() -> Iterator[str]:
        nonlocal end
        while end < len(text):
            start, end = end, text.find("\n", end) + 1 or len(text)
            yield text[start:end]

    reader = csv.reader(lines(), delimiter=delimiter, skipinitialspace=True)
    line = 1
    try:
        for record in reader:
            if any(map(str.strip, record)):
                return record, line, end
            line = reader.line_num + 1
    except csv.Error:  # a name longer than the reader's limit, which the careful way raises
        pass
    return [], line, end


def split_carefully(text: str, name: str, delimiter: str) -> SplitTable:
    """Split any text, or refuse it with the line that is wrong."""
    # The reader's own limit for a cell is one of the whole process, and others change it.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    # A quote that is never closed swallows the end, which would otherwise go unnoticed.
    parts = chain(io.StringIO(text), () if text.endswith("\n") else ("\n",), (_END,))
    reader = csv.reader(parts, delimiter=delimiter, skipinitialspace=True)
    header: list[str] = []
    header_line = line = 1
    rows: list[list[str]] = []
    lines: list[int] = []
    for record in reader:
        if record and _END in record[-1]:
            if record != [_END]:
                raise ValueError(f"{name}, line {line}: a quote is opened here and never closed.")
        elif not header:
            if any(map(str.strip, record)):
                header, header_line = record, line
        elif record and (len(record) > 1 or record[0].strip()):
            if len(record) != len(header):
                width = "1 cell" if len(header) == 1 else f"{len(header)} cells"
                rule = f"a row must have {width}, one for each column"
                raise ValueError(
                    f"{name}, line {line}: {rule}, got {len(record)} in {show(delimiter.join(record))}."
                )
            rows.append(record)
            lines.append(line)
        line = reader.line_num + 1
    if not header:
        raise ValueError(f"{name} is empty: its first line must name the columns.")
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    return SplitTable(header, header_line, [ListedCells(cells) for cells in columns], lines.__getitem__)


def show(text: str) -> str:
    """Quote a value, cut to a length that leaves the message readable."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
