"""Tables from delimited text, CSV and its relatives: encoding, delimiter and decimal sign are found."""

from __future__ import annotations

import codecs
import csv
import io
import math
import warnings
from collections.abc import Collection, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from skcredal._extras import require

if TYPE_CHECKING:
    import pandas

__all__ = ["MISSING_MARKERS", "decode", "read_delimited"]

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
# No text that is read holds it.
_END = "\0"
_INFINITE = frozenset(("inf", "infinity"))
_DIGITS = frozenset("0123456789+-eE")
# How much text, and how many of its records, the delimiter is guessed from.
_SAMPLE_LENGTH, _SAMPLE_RECORDS = 1 << 16, 100
# A column of text is pointed out if this share of its values are numbers.
_NEARLY_NUMERIC = 0.9


def read_delimited(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
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
        The decimal sign; by default a comma in columns that are numbers with it and not with a point, where
        the delimiter is no comma.
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
    Blanks around a cell are not part of it, and empty lines are not rows. Within double quotes a cell may
    hold delimiters and line ends, and a double quote is written twice. A column without a name is called by
    its place, ``column 1``.

    Examples
    --------
    >>> read_delimited(b"size;colour\n1,5;red\n?;blue\n", "shirts.csv")
       size colour
    0   1.5    red
    1   NaN   blue
    """
    library = require("pandas", extra="cli", purpose="Reading a table")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal must be '.' or ',', got {decimal!r}.")
    text = decode(content, name, encoding)
    text, declared = _declared_delimiter(text)
    if delimiter is None:
        delimiter = declared or _guess_delimiter(text)
    elif len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in '"\n\r\0':
        raise ValueError(
            f"delimiter must be one ASCII character, no letter, digit or quote, got {delimiter!r}."
        )
    if decimal == delimiter:
        raise ValueError(f"decimal and delimiter must differ, got {decimal!r} for both.")
    header, rows, lines = _records(text, name, delimiter)
    decimals = (decimal,) if decimal else (".",) if delimiter == "," else (".", ",")
    reader = _ColumnReader(name, lines, decimals, delimiter, missing, usual_missing=usual_missing)
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * len(header)
    series = {}
    for column, cells in zip(header, columns, strict=True):
        values, dtype = reader.read(column, cells, as_text=column in text_columns)
        series[column] = library.Series(values, dtype=dtype)
    frame: pandas.DataFrame = library.DataFrame(series)
    return frame


def decode(content: bytes, name: str, encoding: str | None = None) -> str:
    r"""Return text with ``\n`` at the end of lines.

    Examples
    --------
    >>> decode("caf\u00e9".encode("cp1252"), "menu.csv") == decode("caf\u00e9".encode("utf-16"), "menu.csv")
    True
    """
    mark, marked = next((pair for pair in _BOMS if content.startswith(pair[0])), (b"", None))
    if encoding is not None:
        try:
            text = content.decode(encoding)
            text.encode()  # some encodings give lone surrogates, which nothing could print
        except LookupError:
            raise ValueError(f"encoding must be that of a text, such as utf-8, got {encoding!r}.") from None
        except ValueError as error:
            raise ValueError(f"{name} is not text in {encoding}: {error}.") from None
    elif marked is not None:
        try:
            text = content[len(mark) :].decode(marked)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} begins with the mark of {marked}, but is not text in it: {error}."
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
            f"{name}, line {line}: text must not hold NUL, as here: this is a binary file, or its encoding "
            "is another (utf-16-le?)."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared_delimiter(text: str) -> tuple[str, str | None]:
    """Take off the line with which a spreadsheet declares its delimiter; line numbers stay."""
    first, end, rest = text.partition("\n")
    if len(first) == 5 and first.lower().startswith("sep=") and first[4] in DELIMITERS:
        return end + rest, first[4]
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


def _records(text: str, name: str, delimiter: str) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the names of the columns, the rows, and the line on which each row begins."""
    # The reader's own limit for a cell is one of the whole process, and others change it.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    # A quote that is never closed swallows the end, which would otherwise go unnoticed.
    parts = chain(io.StringIO(text), () if text.endswith("\n") else ("\n",), (_END,))
    reader = csv.reader(parts, delimiter=delimiter, skipinitialspace=True)
    header: list[str] | None = None
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    for record in reader:
        if record and _END in record[-1]:
            if record != [_END]:
                raise ValueError(f"{name}, line {line}: a quote is opened here and never closed.")
        elif header is None:
            if any(map(str.strip, record)):
                header = _header(record, f"{name}, line {line}")
        elif record and (len(record) > 1 or record[0].strip()):
            if len(record) != len(header):
                width = "1 cell" if len(header) == 1 else f"{len(header)} cells"
                rule = f"a row must have {width}, one for each column"
                raise ValueError(
                    f"{name}, line {line}: {rule}, got {len(record)} in {_show(delimiter.join(record))}."
                )
            rows.append(record)
            lines.append(line)
        line = reader.line_num + 1
    if header is None:
        raise ValueError(f"{name} is empty: its first line must name the columns.")
    return header, rows, lines


def _header(record: Sequence[str], where: str) -> list[str]:
    stripped = [cell.strip() for cell in record]
    names = [cell or f"column {place}" for place, cell in enumerate(stripped, start=1)]
    for place, column in enumerate(names):
        if column in names[:place]:
            raise ValueError(f"{where}: columns must have different names, got {_show(column)} twice.")
    if all(map(_is_number, filter(None, stripped))):
        warnings.warn(
            f"{where}: this line is taken for the names of the columns, though it holds only numbers.",
            stacklevel=2,
        )
    return names


def _is_number(cell: str) -> bool:
    return _numbers({cell}, ".") is not None


def _numbers(cells: Collection[str], decimal: str) -> dict[str, float] | None:
    """Return what each of the different cells is as a number, or None if one of them is none."""
    # float() accepts more than is written in tables: "nan", "1_000", digits of other scripts.
    if not (_DIGITS | {decimal}).issuperset("".join(cells)):
        return None
    try:
        return {cell: float(cell.replace(decimal, ".")) for cell in cells}
    except ValueError:
        return None


class _ColumnReader:
    """Makes columns of cells; only a refusal or a warning looks for the line."""

    def __init__(
        self,
        name: str,
        lines: Sequence[int],
        decimals: tuple[str, ...],
        delimiter: str,
        missing: Collection[str],
        *,
        usual_missing: bool,
    ) -> None:
        self._name, self._lines, self._decimals, self._delimiter = name, lines, decimals, delimiter
        self._missing = frozenset(missing) | (MISSING_MARKERS if usual_missing else frozenset())
        self._numeric_missing = self._missing | (_NUMERIC_MARKERS if usual_missing else frozenset())

    def read(self, column: str, cells: Sequence[str], *, as_text: bool) -> tuple[list[Any], str]:
        """Return the values of a column and their type."""
        values = [cell.strip() for cell in cells]
        different = set(values)
        if not as_text:
            known = different - self._numeric_missing
            infinite = {cell for cell in known if cell.lstrip("+-").lower() in _INFINITE}
            for decimal in self._decimals:
                numbers = _numbers(known - infinite, decimal)
                if numbers is None or (decimal == "," and self._may_be_thousands(numbers)):
                    continue
                self._refuse_infinite(column, values, infinite, numbers)
                numbers.update(dict.fromkeys(different - known, math.nan))
                return [numbers[cell] for cell in values], "float64"
            self._warn_if_nearly_numeric(column, values, known)
        missing = different & self._missing
        return [None if cell in missing else cell for cell in values] if missing else values, "object"

    def _may_be_thousands(self, cells: Collection[str]) -> bool:
        """Tell whether all commas might group digits, as in 1,234; with semicolons they are decimal."""
        if self._delimiter == ";" or len(self._decimals) == 1:
            return False
        broken = [cell.lstrip("+-").split(",") for cell in cells if "," in cell]
        return all(
            len(whole) <= 3 and len(part) == 3 and part.isdigit() and whole != "0" for whole, part in broken
        )

    def _refuse_infinite(
        self, column: str, values: Sequence[str], infinite: set[str], numbers: dict[str, float]
    ) -> None:
        wrong = infinite | {cell for cell, number in numbers.items() if math.isinf(number)}
        if wrong:
            row = next(r for r, cell in enumerate(values) if cell in wrong)
            raise ValueError(
                f"{self._name}, line {self._lines[row]}, column {_show(column)}: a number must be finite, "
                f"got {_show(values[row])}."
            )

    def _warn_if_nearly_numeric(self, column: str, values: Sequence[str], known: set[str]) -> None:
        strange = {cell for cell in known if not any(_numbers({cell}, sign) for sign in self._decimals)}
        if len(known) < 20 or len(known) - len(strange) < _NEARLY_NUMERIC * len(known) or not strange:
            return
        row = next(r for r, cell in enumerate(values) if cell in strange)
        warnings.warn(
            f"{self._name}, line {self._lines[row]}: column {_show(column)} is read as text, since "
            f"{_show(values[row])} is no number, as nearly all others are.",
            stacklevel=2,
        )


def _show(text: str) -> str:
    """Quote a value, cut to a length that leaves the message readable."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
