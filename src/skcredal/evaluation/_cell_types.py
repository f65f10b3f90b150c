"""The types of columns, told from their different cells: numbers in any style, dates, or text."""

from __future__ import annotations

import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, FloatArray, IntArray
from skcredal._extras import require
from skcredal._validation import safe_repr

__all__ = ["CellTypes", "Column", "clean", "name_columns", "show"]

# pandas' markers and the question mark, without "None": in a column of text that is a value ("none" of pain).
MISSING_MARKERS = frozenset(
    ("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "Null")
)
# Where everything else is a number, these cannot be values.
_NUMERIC_MARKERS = frozenset(("None", "none", "-", "."))
_INFINITE = r"^[+-]?(?i:inf|infinity)$"
# A code, not a quantity: 003 and 3 are different ones.
_LEADING_ZERO = r"^[+-]?0[0-9]+$"
_DATE = (
    r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
    r"([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?([AaPp][Mm]|Z|[+-]\d{2}:?\d{2}))?)?$"
)
# Blanks of another width, as spreadsheets write them between digits.
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2009\u202f"), " ")
# What groups digits besides the sign that is not decimal: a blank (in any width) or an apostrophe.
_OTHER_GROUPS = (" ", "'")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
# A column of text is pointed out if this share of its different values are numbers, and there are as many.
_NEARLY_NUMERIC, _NEARLY_NUMERIC_FROM = 0.9, 20


def clean(text: str) -> str:
    r"""Return text without blanks around it, its letters composed: what looks the same is the same."""
    composed = unicodedata.normalize("NFC", text.strip())
    return composed.translate(_BLANKS)


def show(text: str) -> str:
    """Quote a value, cut to a length that leaves the message readable."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def name_columns(names: Sequence[str], where: str) -> list[str]:
    """Return the names of columns, by their number where they have none; ``where`` is for messages.

    Examples
    --------
    >>> name_columns(["size", ""], "shirts.csv, line 1")
    ['size', 'column 2']
    """
    header = [name or f"column {j}" for j, name in enumerate(names, 1)]
    for j, name in enumerate(header):
        if name in header[:j]:
            raise ValueError(f"{where}: column names must be unique, got {show(name)} twice.")
    if all(_NUMBER.fullmatch(name) for name in names if name):
        warnings.warn(
            f"{where}: the first line should contain the column names, but has only numbers.", stacklevel=2
        )
    return header


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The different cells of a column, cleaned, as an Arrow array of text, and which of them each row has."""

    different: Any
    codes: IntArray

    @classmethod
    def of_cells(cls, cells: Any) -> Column:
        """Return the column of an Arrow array of text."""
        compute = _arrow("pyarrow.compute")
        coded = cells.dictionary_encode()
        # Cleaned, different cells may become the same one.
        cleaned = compute.utf8_trim_whitespace(compute.utf8_normalize(coded.dictionary, form="NFC"))
        # Blanks of another width, as spreadsheets write them between digits, look like any other.
        cleaned = compute.replace_substring_regex(cleaned, "[\u00a0\u2009\u202f]", " ")
        again = cleaned.dictionary_encode()
        codes = again.indices.to_numpy(zero_copy_only=False)[coded.indices.to_numpy(zero_copy_only=False)]
        return cls(again.dictionary, codes)

    def matching(self, pattern: str) -> AnyArray:
        """Tell which different cells match a regular expression."""
        compute = _arrow("pyarrow.compute")
        found: AnyArray = compute.match_substring_regex(self.different, pattern).to_numpy(
            zero_copy_only=False
        )
        return found

    def among(self, texts: Collection[str]) -> AnyArray:
        """Tell which different cells are among some texts."""
        arrow = _arrow("pyarrow")
        compute = _arrow("pyarrow.compute")
        found: AnyArray = compute.is_in(
            self.different, value_set=arrow.array(sorted(texts), arrow.string())
        ).to_numpy(zero_copy_only=False)
        return found

    def first_row(self, wanted: AnyArray) -> tuple[int, str]:
        """Return the first row that has one of the different cells that are wanted, and the cell."""
        row = int(wanted[self.codes].argmax())
        return row, self.different[int(self.codes[row])].as_py()


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers are written: the decimal sign, and what groups digits, if anything does."""

    decimal: str
    group: str | None

    @property
    def pattern(self) -> str:
        """What a number looks like."""
        sign, end = r"^[+-]?", r"([eE][+-]?[0-9]+)?$"
        point = "\\" + self.decimal
        plain = rf"{sign}([0-9]+({point}[0-9]*)?|{point}[0-9]+){end}"
        return plain if self.group is None else rf"{plain}|{self.grouped}"

    @property
    def grouped(self) -> str:
        """What a number looks like whose digits are grouped; none begins with a zero."""
        point, group = "\\" + self.decimal, "'" if self.group == "'" else rf"[{self.group}]"
        return rf"^[+-]?[1-9][0-9]{{0,2}}({group}[0-9]{{3}})+({point}[0-9]*)?$"

    def numbers(self, cells: Any) -> FloatArray:
        """Return Arrow's text as numbers."""
        arrow = _arrow("pyarrow")
        compute = _arrow("pyarrow.compute")
        if self.group is not None:
            cells = compute.replace_substring(cells, self.group, "")
        if self.decimal != ".":
            cells = compute.replace_substring(cells, self.decimal, ".")
        # Arrow takes no plus sign, and no point without a digit after it.
        cells = compute.replace_substring_regex(cells, r"^\+", "")
        cells = compute.replace_substring_regex(cells, r"\.([eE]|$)", r".0\1")
        numbers: FloatArray = compute.cast(cells, arrow.float64()).to_numpy(zero_copy_only=False)
        return numbers


_STYLES = [
    *(Style(decimal, None) for decimal in ".,"),
    *(Style(decimal, group) for decimal, group in ((".", ","), (",", "."))),
    *(Style(decimal, group) for decimal, group in product(".,", _OTHER_GROUPS)),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTypes:
    """Tells the types of columns from their different cells.

    The fields of :func:`~skcredal.evaluation.read_table_file` with these names; and ``likely_decimal``, the
    decimal sign that the file as such makes likely. Where a column could be read in two ways, as 1.275 can,
    those that can be read in one way decide, and then ``likely_decimal``.
    """

    decimal: str | None = None
    thousands: str | None = None
    likely_decimal: str | None = None
    missing: Collection[str] = ()
    usual_missing: bool = True
    text_columns: Collection[str] = ()
    numeric_columns: Collection[str] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal must be '.' or ',', got {safe_repr(self.decimal)}.")
        if self.thousands not in (None, ".", ",", " ", "'"):
            raise ValueError(
                f"thousands must be '.', ',', a blank or an apostrophe, got {safe_repr(self.thousands)}."
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise ValueError(
                f"thousands must be another sign than decimal, got {safe_repr(self.decimal)} for both."
            )

    def read(self, columns: Mapping[str, Column], where: Callable[[int], str]) -> dict[str, AnyArray]:
        """Return the values of all columns; ``where`` says where a row is, for messages."""
        as_text = frozenset(map(clean, self.text_columns))
        styles = {
            name: [] if name in as_text else self._possible_styles(name, column)
            for name, column in columns.items()
        }
        # The signs of columns that can be read in one way only are evidence for the others.
        seen = {
            found[0].decimal
            for name, found in styles.items()
            if len(found) == 1 and self._known(columns[name])[0].any() and _has_sign(columns[name], found[0])
        }
        evidence = seen.pop() if len(seen) == 1 else None
        values = {}
        for name, column in columns.items():
            style = self._choose(name, column, styles[name], evidence, where)
            if style is not None:
                values[name] = self._numbers(name, column, style, where)
            elif name not in as_text and (dates := self._dates(column)) is not None:
                values[name] = dates
            else:
                values[name] = self._text(name, column, where, quietly=name in as_text)
        return values

    def _markers(self, *, numeric: bool) -> frozenset[str]:
        usual = MISSING_MARKERS | (_NUMERIC_MARKERS if numeric else frozenset())
        return frozenset(map(clean, self.missing)) | (usual if self.usual_missing else frozenset())

    def _known(self, column: Column) -> tuple[AnyArray, AnyArray]:
        """Return which different cells are known among numbers, and which of these are finite."""
        known = ~column.among(self._markers(numeric=True))
        return known, known & ~column.matching(_INFINITE)

    def _possible_styles(self, name: str, column: Column) -> list[Style]:
        _, finite = self._known(column)
        if name not in self.numeric_columns and (finite & column.matching(_LEADING_ZERO)).any():
            return []
        found = []
        for style in _STYLES:
            if self.decimal not in (None, style.decimal) or (
                self.thousands is not None and style.group not in (None, self.thousands)
            ):
                continue
            if self.thousands == style.decimal:
                continue
            if (column.matching(style.pattern) | ~finite).all() and (
                style.group is None or (finite & column.matching(style.grouped)).any()
            ):
                found.append(style)
        # Without any sign the styles are the same.
        if len(found) > 1 and not (finite & column.matching(r"[., ']")).any():
            return found[:1]
        return found

    def _choose(
        self,
        name: str,
        column: Column,
        styles: list[Style],
        evidence: str | None,
        where: Callable[[int], str],
    ) -> Style | None:
        """Return the style of a column, or ``None`` if it does not hold numbers."""
        if name in self.numeric_columns and not styles:
            self._refuse_words(name, column, where)
        if len(styles) < 2:
            return styles[0] if styles else None
        # Given what groups digits, a column in which it does so is read with it.
        if self.thousands is not None:
            return next((style for style in styles if style.group == self.thousands), styles[0])
        decimal = self.decimal or evidence or self.likely_decimal
        plain = next((style for style in styles if style.group is None), None)
        grouped = next(style for style in styles if style.group is not None)
        # Digits that are grouped by blanks, and no decimal sign: any will do.
        if plain is None:
            return grouped
        if evidence is None and self.decimal is None and self.likely_decimal != ".":
            return self._choose_blindly(name, column, plain, grouped, where)
        return plain if plain.decimal == decimal else grouped

    def _choose_blindly(
        self, name: str, column: Column, plain: Style, grouped: Style, where: Callable[[int], str]
    ) -> Style | None:
        """Choose where nothing tells whether a sign is decimal or groups digits, and say so."""
        if plain.decimal == self.likely_decimal:
            return plain
        _, cell = column.first_row(column.matching(grouped.grouped))
        # A point is decimal more often than not; of a comma nobody knows.
        chosen = plain if plain.decimal == "." else None
        reading = (
            "text" if chosen is None else f"{float(plain.numbers(_arrow('pyarrow').array([cell]))[0]):g}"
        )
        warnings.warn(
            f"{where(0).rpartition(', ')[0]}: column {show(name)} can be read in two ways: {show(cell)} "
            f"is read as {reading}. If {show(plain.decimal)} groups digits, say so with "
            f"--thousands {plain.decimal}; if it is the decimal sign, with --decimal {plain.decimal}",
            stacklevel=2,
        )
        return chosen

    def _numbers(self, name: str, column: Column, style: Style, where: Callable[[int], str]) -> FloatArray:
        known, finite = self._known(column)
        numbers = np.full(len(known), math.nan)
        arrow = _arrow("pyarrow")
        numbers[finite] = style.numbers(column.different.filter(arrow.array(finite)))
        infinite = (known & ~finite) | np.isinf(numbers)
        if infinite.any():
            row, cell = column.first_row(infinite)
            raise ValueError(f"{where(row)}, column {show(name)}: a number must be finite, got {show(cell)}.")
        values: FloatArray = numbers[column.codes]
        return values

    def _dates(self, column: Column) -> AnyArray | None:
        """Return a column of dates, or ``None`` if it holds something else."""
        known = ~column.among(self._markers(numeric=True))
        if not known.any() or not (column.matching(_DATE) | ~known).all():
            return None
        pandas = require("pandas", extra="cli", purpose="Reading a table")
        cells = np.array(
            [cell if here else None for cell, here in zip(column.different.to_pylist(), known, strict=True)],
            object,
        )
        # Which of day and month comes first does not matter here: dates are pointed out, not computed with.
        dates = pandas.to_datetime(cells, format="mixed", dayfirst=True, errors="coerce", utc=True)
        days: AnyArray = dates.tz_localize(None).to_numpy()
        return None if np.isnat(days[known]).any() else days[column.codes]

    def _text(self, name: str, column: Column, where: Callable[[int], str], *, quietly: bool) -> AnyArray:
        missing = column.among(self._markers(numeric=False))
        if not quietly:
            self._warn_of_words(name, column, where)
        cells = [
            None if absent else cell
            for cell, absent in zip(column.different.to_pylist(), missing, strict=True)
        ]
        values: AnyArray = np.array(cells, object)[column.codes]
        return values

    def _words(self, column: Column) -> AnyArray:
        """Tell which known cells are not numbers in any style."""
        words, _ = self._known(column)
        for style in _STYLES:
            words = words & ~column.matching(style.pattern)
        return words

    def _warn_of_words(self, name: str, column: Column, where: Callable[[int], str]) -> None:
        """Point out a column of numbers that a few words make one of text."""
        known, _ = self._known(column)
        words = self._words(column)
        few = 0 < words.sum() <= (1.0 - _NEARLY_NUMERIC) * known.sum()
        if known.sum() >= _NEARLY_NUMERIC_FROM and few and not column.matching(_LEADING_ZERO).any():
            row, cell = column.first_row(words)
            warnings.warn(
                f"{where(row)}: column {show(name)} is read as text, because {show(cell)} is not a number, "
                "although nearly all other values are. If it marks a missing value, name it: --missing "
                f"{cell if cell.isalnum() else show(cell)}",
                stacklevel=2,
            )

    def _refuse_words(self, name: str, column: Column, where: Callable[[int], str]) -> None:
        words = self._words(column)
        if words.any():
            row, cell = column.first_row(words)
            raise ValueError(
                f"{where(row)}, column {show(name)}: must be a number, got {show(cell)}. If it marks a "
                f"missing value, name it: --missing {cell if cell.isalnum() else show(cell)}"
            )
        raise ValueError(
            f"{where(0).rpartition(', ')[0]}, column {show(name)}: its numbers must be written in one "
            "style, with one decimal sign."
        )


def _has_sign(column: Column, style: Style) -> bool:
    """Tell whether a decimal sign, or the other one as what groups digits, occurs."""
    signs = style.decimal + (style.group if style.group in (".", ",") else "")
    return bool(column.matching(f"[{signs}]").any())


def _arrow(module: str) -> Any:
    return require(module, extra="cli", purpose="Reading a table")
