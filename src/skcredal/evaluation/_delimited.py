"""Delimited text (CSV and the like), with its encoding, delimiter and decimal sign detected."""

from __future__ import annotations

import codecs
import csv
import io
import math
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from skcredal._arrays import AnyArray, IntArray
from skcredal._extras import require
from skcredal._validation import safe_repr
from skcredal.evaluation._cells import (
    Cells,
    SplitTable,
    clean,
    column_names,
    parse_numbers,
    show,
    split_carefully,
    split_quickly,
)

if TYPE_CHECKING:
    import pandas

__all__ = ["MISSING_MARKERS", "check_delimiter", "check_encoding", "decode", "read_delimited"]

DELIMITERS = (",", ";", "\t", "|")
# pandas' markers and the question mark, without "None": in a column of text that is a value ("none" of pain).
MISSING_MARKERS = frozenset(
    ("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "Null")
)
# Where everything else is a number, these cannot be values.
_NUMERIC_MARKERS = frozenset(("None", "none", "-", "."))
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_INFINITE = frozenset(("inf", "infinity"))
# How much text, and how many of its records, the delimiter is guessed from.
_SAMPLE_LENGTH, _SAMPLE_RECORDS = 1 << 16, 100
# A column of text is pointed out if this share of its different values are numbers, and there are as many.
_NEARLY_NUMERIC, _NEARLY_NUMERIC_FROM = 0.9, 20


def read_delimited(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    default_decimal: str | None = None,
    missing: Collection[str] = (),
    usual_missing: bool = True,
    text_columns: Collection[str] = (),
) -> pandas.DataFrame:
    r"""Read delimited text whose first line names the columns.

    Parameters
    ----------
    content : bytes
        The content of the file.
    name : str
        What errors call it.
    encoding : str, optional
        Its encoding; by default that of its byte order mark, else UTF-8 or, where that fails, Windows-1252.
    delimiter : str, optional
        What separates cells; by default that of comma, semicolon, tab and bar which gives the most columns of
        all that give every row the same number.
    decimal : {".", ","}, optional
        The decimal sign; by default a comma in columns that are numbers with it and not with a point. Where
        all its commas might group digits, as in 1,234, and no semicolon separates cells, it is text.
    default_decimal : {".", ","}, optional
        The decimal sign where none is given, unless it separates cells.
    missing : collection of str
        Cells that are missing values, besides the usual ones.
    usual_missing : bool, default=True
        Whether ``MISSING_MARKERS`` are missing values and, in columns that are otherwise numbers, also
        ``None``, ``none``, ``-`` and ``.``.
    text_columns : collection of str
        Columns whose cells stay text even if all of them are numbers.

    Returns
    -------
    pandas.DataFrame
        Columns of float64, or of objects where a cell is no number: text, and None where it is missing.

    Raises
    ------
    ValueError
        If it cannot be read; the message has the name, and the line and column where there is one.

    Notes
    -----
    Blanks around a cell are not part of it, empty lines are not rows, and letters that are written in parts
    (e and an accent) are composed, so that what looks the same is the same. Within double quotes a cell may
    hold delimiters and line ends, and a double quote is written twice. A column without a name is called
    ``column 1`` after its number.

    Examples
    --------
    >>> read_delimited(b"size;colour\n1,5;red\n?;blue\n", "shirts.csv")
       size colour
    0   1.5    red
    1   NaN   blue
    """
    library = require("pandas", extra="cli", purpose="Reading a table")
    for parameter, sign in (("decimal", decimal), ("default_decimal", default_decimal)):
        if sign not in (None, ".", ","):
            raise ValueError(f"{parameter} must be '.' or ',', got {safe_repr(sign)}.")
    text = decode(content, name, encoding)
    text, declared = _declared_delimiter(text)
    if delimiter is None:
        delimiter = declared or _guess_delimiter(text)
    else:
        check_delimiter(delimiter)
    if decimal is None and default_decimal != delimiter:
        decimal = default_decimal
    decimals = (decimal,) if decimal else (".", ",")
    reader = _ColumnReader(name, decimals, delimiter, missing, usual_missing=usual_missing)
    text_columns = frozenset(map(clean, text_columns))
    table = reader.split(text, text_columns)
    header = _header(table.header, f"{name}, line {table.header_line}")
    frame: pandas.DataFrame = library.DataFrame(
        {
            column: library.Series(values, dtype=values.dtype)
            for column, cells in zip(header, table.columns, strict=True)
            for values in [reader.read(column, cells, as_text=column in text_columns)]
        }
    )
    return frame


def check_delimiter(delimiter: str) -> None:
    """Refuse what cannot separate cells.

    Examples
    --------
    >>> check_delimiter("::")
    Traceback (most recent call last):
    ValueError: delimiter must be one ASCII character other than a letter, digit or quote, got '::'.
    """
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in '"\n\r\0':
        raise ValueError(
            "delimiter must be one ASCII character other than a letter, digit or quote, got "
            f"{safe_repr(delimiter)}."
        )


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that does not exist or does not encode text.

    Examples
    --------
    >>> check_encoding("klingon")
    Traceback (most recent call last):
    ValueError: encoding: unknown text encoding 'klingon'.
    """
    try:
        b"text".decode(encoding)
    except UnicodeError:
        pass  # it exists, but cannot decode this sample
    except (LookupError, ValueError):
        raise ValueError(f"encoding: unknown text encoding {safe_repr(encoding)}.") from None


def decode(content: bytes, name: str, encoding: str | None = None) -> str:
    r"""Return text with ``\n`` at the end of lines.

    Examples
    --------
    >>> decode("caf\u00e9".encode("cp1252"), "menu.csv") == decode("caf\u00e9".encode("utf-16"), "menu.csv")
    True
    """
    mark, marked = next((pair for pair in _BOMS if content.startswith(pair[0])), (b"", None))
    if encoding is not None:
        check_encoding(encoding)
        try:
            text = content.decode(encoding)
            text.encode()  # some encodings give lone surrogates, which nothing could print
        except ValueError as error:
            raise ValueError(f"{name} cannot be decoded as {encoding}: {error}.") from None
    elif marked is not None:
        try:
            text = content[len(mark) :].decode(marked)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} starts with the byte order mark of {marked}, but cannot be decoded: {error}."
            ) from None
    else:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
            # Windows-1252 leaves five bytes open; where they occur, the text is more likely Latin-1.
            text = content.decode("latin-1") if "\ufffd" in text else text
    text = text.lstrip("\ufeff")  # the mark of a given encoding, or one that was written twice
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(
            f"{name}, line {line}: text must not contain NUL characters. Is this a binary file, or in "
            "another encoding, such as utf-16-le?"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _declared_delimiter(text: str) -> tuple[str, str | None]:
    """Take off the line with which a spreadsheet declares its delimiter; line numbers stay."""
    first = text[:6]
    if first[:4].lower() == "sep=" and first[4:5] in DELIMITERS and first[5:] in ("", "\n"):
        return text[5:], first[4]
    return text, None


def _guess_delimiter(text: str) -> str:
    sample = text[:_SAMPLE_LENGTH]
    if len(text) > _SAMPLE_LENGTH and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]

    def score(delimiter: str) -> tuple[float, int]:
        widths: list[int] = []
        for record in csv.reader(io.StringIO(sample), delimiter=delimiter, skipinitialspace=True):
            if record:
                widths.append(len(record))
            if len(widths) == _SAMPLE_RECORDS:
                break
        if not widths or widths[0] == 1:
            return 0.0, 0
        return widths.count(widths[0]) / len(widths), widths[0]

    return max(DELIMITERS, key=score)


def _header(record: Sequence[str], where: str) -> list[str]:
    names = column_names(record)
    for i, column in enumerate(names):
        if column in names[:i]:
            raise ValueError(f"{where}: column names must be unique, got {show(column)} twice.")
    if parse_numbers([cell.strip() for cell in record if cell.strip()], ".") is not None:
        warnings.warn(
            f"{where}: the first line should contain the column names, but has only numbers.",
            stacklevel=2,
        )
    return names


class _ColumnReader:
    """Makes columns of cells; only a refusal or a warning looks for the line."""

    def __init__(
        self,
        name: str,
        decimals: tuple[str, ...],
        delimiter: str,
        missing: Collection[str],
        *,
        usual_missing: bool,
    ) -> None:
        self._name, self._decimals, self._delimiter = name, decimals, delimiter
        self._missing = frozenset(map(clean, missing)) | (MISSING_MARKERS if usual_missing else frozenset())
        self._numeric_missing = self._missing | (_NUMERIC_MARKERS if usual_missing else frozenset())
        # With semicolons a comma is decimal; elsewhere it might group digits, as in 1,234.
        self._thousands = delimiter != ";" and len(decimals) > 1
        self._quick_decimals = (".",) if self._thousands else decimals

    def split(self, text: str, text_columns: Collection[str]) -> SplitTable:
        """Split a text into the cells of its columns."""
        table = split_quickly(
            text,
            self._delimiter,
            decimals=self._quick_decimals,
            missing=self._numeric_missing,
            text_columns=text_columns,
        ) or split_carefully(text, self._name, self._delimiter)
        self._line_of = table.line_of
        return table

    def read(self, column: str, cells: Cells, *, as_text: bool) -> AnyArray:
        """Return the values of a column: numbers if all that are known are, else text and None."""
        if not as_text:
            for decimal in self._quick_decimals:
                quickly = cells.numbers(decimal, self._numeric_missing)
                if quickly is not None:
                    return quickly
        different, codes = cells.different()
        if not as_text:
            known = [cell for cell in different if cell not in self._numeric_missing]
            infinite = {cell for cell in known if cell.lstrip("+-").lower() in _INFINITE}
            for decimal in self._decimals:
                numbers = parse_numbers([cell for cell in known if cell not in infinite], decimal)
                if numbers is None or (decimal == "," and self._may_be_thousands(numbers)):
                    continue
                infinite.update(cell for cell, number in numbers.items() if math.isinf(number))
                self._refuse_infinite(column, different, codes, infinite)
                floats: AnyArray = np.array([numbers.get(cell, math.nan) for cell in different], np.float64)
                return floats[codes]
            self._warn_if_nearly_numeric(column, different, codes, known)
        texts: AnyArray = np.array([None if cell in self._missing else cell for cell in different], object)
        return texts[codes]

    def _may_be_thousands(self, cells: Collection[str]) -> bool:
        """Tell whether all commas might group digits."""
        if not self._thousands:
            return False
        broken = [cell.lstrip("+-").split(",") for cell in cells if "," in cell]
        return all(
            len(whole) <= 3 and len(part) == 3 and part.isdigit() and whole != "0" for whole, part in broken
        )

    def _refuse_infinite(
        self, column: str, different: Sequence[str], codes: IntArray, infinite: set[str]
    ) -> None:
        if infinite:
            line, cell = self._first(different, codes, infinite)
            raise ValueError(
                f"{self._name}, line {line}, column {show(column)}: a number must be finite, "
                f"got {show(cell)}."
            )

    def _warn_if_nearly_numeric(
        self, column: str, different: Sequence[str], codes: IntArray, known: Sequence[str]
    ) -> None:
        most = (1.0 - _NEARLY_NUMERIC) * len(known)
        if len(known) < _NEARLY_NUMERIC_FROM:
            return
        strange: set[str] = set()
        for cell in known:
            if not any(parse_numbers([cell], sign) for sign in self._decimals):
                strange.add(cell)
                if len(strange) > most:
                    return
        if strange:
            line, cell = self._first(different, codes, strange)
            warnings.warn(
                f"{self._name}, line {line}: column {show(column)} is read as text, because {show(cell)} "
                "is not a number, although nearly all other values are.",
                stacklevel=2,
            )

    def _first(self, different: Sequence[str], codes: IntArray, wanted: set[str]) -> tuple[int, str]:
        """Return the line and the cell of the first row that has one of these."""
        row = int(np.isin(codes, [at for at, cell in enumerate(different) if cell in wanted]).argmax())
        return self._line_of(row), different[codes[row]]
