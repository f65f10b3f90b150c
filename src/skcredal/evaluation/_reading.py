"""Tables from files: pandas and calamine read the cells, and each column of texts is typed here."""

from __future__ import annotations

import csv
import gzip
import os
import re
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from skcredal._extras import require
from skcredal._validation import check_choice, check_integer

__all__ = ["FORMATS", "ReadingWarning", "clean", "read_table_file", "sheets_with", "table_format"]

_SUFFIXES = {".csv": "csv", ".txt": "csv", ".data": "csv", ".tsv": "tsv", ".tab": "tsv", ".xlsx": "xlsx"}
_SUFFIXES |= {".xlsm": "xlsx", ".xls": "xlsx", ".parquet": "parquet", ".pq": "parquet", ".arff": "arff"}
FORMATS = tuple(dict.fromkeys(_SUFFIXES.values()))
# How content begins; .xls has a container of its own, and ARFF may begin with comments.
_BEGINNINGS = {"parquet": rb"PAR1", "xlsx": rb"PK\x03\x04|\xd0\xcf\x11\xe0"}
_BEGINNINGS["arff"] = rb"(\xef\xbb\xbf)?(\s*%[^\n]*\n)*\s*@(?i:relation|attribute)"
# pandas' markers and the question mark, without "None": in a column of text that is a value ("none" of pain).
_MISSING = ["", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan"]
_MISSING += ["NULL", "null", "Null"]
# Where everything else is a number, these cannot be values.
_MISSING_NUMBERS = ["None", "none", "-", "."]
# Of text in pandas: it compares a million cells with a pattern in a fraction of a second.
TEXT: Any = "string[pyarrow]"
# How numbers are written, each with its decimal sign and what groups digits. Of those with the same decimal
# sign, the first that fits is meant.
STYLES = {f"1{g}234{p}5": (p, g) for g in ("", ",", ".", " ", "'") for p in ".," if g != p}
# What may stand before or after the numbers of a column, one of them in all cells.
_UNITS = "$€£¥%"
# In so many rows the header is looked for.
_FIRST_ROWS = 20
# A code, not a quantity: 003 and 3 are different ones.
_LEADING_ZERO = "^[+-]?0[0-9]+$"
_DATE = (
    r"^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2}))"
    r"([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?([AaPp][Mm]|Z|[+-][0-9]{2}:?[0-9]{2}))?)?$"
)
# A column of text is pointed out if at most this share of its different values, and there are as many, are
# not numbers.
_FEW_WORDS, _FEW_OF = 0.1, 20


class ReadingWarning(UserWarning):
    """A column may have been read in the wrong way; ``settings`` are the parameters that settle it.

    Without settings it is a note, about titles above the table or units that are not part of a number.
    """

    def __init__(self, fact: str, **settings: str) -> None:
        advice = " or ".join(f"{name}={value!r}" for name, value in settings.items())
        super().__init__(f"{fact}; pass {advice} to settle it." if settings else f"{fact}.")
        self.fact = fact
        self.settings = settings


def table_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a table, judged by its file name."""
    suffix = Path(Path(path).name.lower().removesuffix(".gz")).suffix
    if suffix not in _SUFFIXES:
        rule = f"The name of a file must end in one of {', '.join(_SUFFIXES)}, got {Path(path).name!r}"
        raise ValueError(f"{rule}; or give its format, one of {', '.join(FORMATS)}.")
    return _SUFFIXES[suffix]


def read_table_file(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002
    sheet: str | int | None = None,
    header_row: int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    na: Collection[str] = (),
    usual_na: bool = True,
    read_as: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    r"""Read a table from a file or stream.

    Parameters
    ----------
    source : path-like or binary stream
        The file. Gzipped content is decompressed.
    format : {"csv", "tsv", "xlsx", "parquet", "arff"}, optional
        Its format. Default: judged by the suffix of the file name or, for a stream, by its content.
    sheet : str or int, optional
        The sheet of an Excel file: its name, or its number from 1. Default: the first one.
    header_row : int, optional
        The row of the file or sheet, from 1, that has the names of the columns. Default: the first one, or
        the one below titles if these are easy to recognise.
    encoding : str, optional
        The encoding of delimited text; by default UTF-8, UTF-16 with a byte order mark, or else Windows-1252.
    delimiter : str, optional
        What separates the cells of delimited text: by default a comma, semicolon, tab or bar, whichever fits.
    decimal : {".", ","}, optional
        The decimal sign. By default it is detected, column by column. This and the following parameters are
        ignored for Parquet and ARFF.
    thousands : {".", ",", " ", "'"}, optional
        What groups digits; by default it is detected.
    na : collection of str
        Cells that are missing values, besides the usual ones.
    usual_na : bool
        Whether the usual ones count: empty cells, ``?``, ``NA``, ``NaN``, ``null`` and, in columns that are
        otherwise numbers, also ``None``, ``-`` and ``.``.
    read_as : mapping of str to str, optional
        How to read some columns: as ``"text"``, as a ``"number"``, or as numbers written like ``"1234.5"``,
        ``"1,234.5"``, ``"1.234,5€"`` and so on. Pass ``table.attrs["read_as"]`` of an earlier table to read a
        new one in the same way, even if the new one alone would be ambiguous.

    Returns
    -------
    pandas.DataFrame
        The table. Its ``attrs["read_as"]`` show how the columns of a CSV or Excel file were read.

    Notes
    -----
    Blanks around a cell and empty lines are ignored, and letters written in parts (e and an accent) are
    composed. Codes with leading zeros stay text. Numbers stored by Excel are used as they are. Amounts of
    money and percentages, such as ``$1,169.00``, ``1.234,50 €`` and ``12.3%``, are numbers (12.3) if all
    cells of the column fit. A column without a name is called ``column 1`` after its number.

    Warns
    -----
    ReadingWarning
        If a column may have been read in the wrong way, with the parameters that settle it; also, without
        parameters, about units and titles above the table.

    Raises
    ------
    ValueError
        If the content cannot be read as a table of that format; the message names the file.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import io
    >>> table = read_table_file(io.BytesIO(b"size;colour\n1.275,5;red\n?;blue\n"))
    >>> table
         size colour
    0  1275.5    red
    1     NaN   blue
    >>> read_table_file(io.BytesIO(b"size;colour\n1.275;red\n"), read_as=table.attrs["read_as"])
         size colour
    0  1275.0    red
    """
    styles = [s for s, (p, g) in STYLES.items() if decimal in (None, p) and thousands in (None, g)]
    if not styles:
        rule = "decimal must be '.' or ',', and thousands another sign: '.', ',', a blank or an apostrophe"
        raise ValueError(f"{rule}; got {decimal=} and {thousands=}.")
    for way in (read_as or {}).values():
        check_choice("read_as", str(way).rstrip(_UNITS), ("text", "number", *STYLES))
    check_choice("format", format or "csv", FORMATS)
    check_integer("header_row", 1 if header_row is None else header_row, low=1)
    if isinstance(source, (str, os.PathLike)):
        name, format_, content = os.fspath(source), format or table_format(source), Path(source).read_bytes()
    else:
        name, format_, content = "standard input", format or "", source.read()
    try:
        if content.startswith(b"\x1f\x8b"):  # by content, not by name: standard input may be compressed, too
            content = gzip.decompress(content)
        if not format_:
            format_ = next((kind for kind, start in _BEGINNINGS.items() if re.match(start, content)), "csv")
        if format_ == "parquet":
            return _read_parquet(content)
        if format_ == "arff":
            from skcredal.datasets._arff import parse_arff

            return parse_arff(content, name).frame
        if format_ == "xlsx":
            cells, stored = _read_sheet(content, sheet, header_row)
            likely, na = None, [*na, ""]
        else:
            text = _decode(content, encoding)
            csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
            if declared := re.match(r"sep=([,;\t|])\n", text):  # some spreadsheets begin with it
                text, delimiter = text[declared.end() :], declared[1]
            delimiter = delimiter or ("\t" if format_ == "tsv" else _guess_delimiter(text, header_row))
            cells, stored = _read_text(text, delimiter, header_row), {}
            likely = {",": ".", ";": ","}.get(delimiter)
        ways = {clean(column): way for column, way in (read_as or {}).items()}
        markers = [*map(clean, na), *(_MISSING if usual_na else ())]
        texts = cells.mask(cells.isin([*markers, *(_MISSING_NUMBERS if usual_na else ())]))
        cells = cells.mask(cells.isin(markers))
        for column, numbers in stored.items():
            texts[column] = texts[column].mask(numbers.notna())
            stored[column] = numbers.where(cells[column].notna())
        columns = [_Column(c, texts[c], stored.get(c), ways.get(c, ""), styles) for c in map(str, cells)]
        return _typed(cells, columns, {STYLES[style][0] for style in styles}, likely)
    except ImportError:
        raise
    except Exception as error:  # a damaged file raises many kinds of errors
        reason = str(error).partition("\n")[0].rpartition("C error: ")[2].rstrip(".")
        hint = "; perhaps another row has the names of the columns" if "fields in line" in reason else ""
        raise ValueError(f"{'' if reason.startswith(name) else f'{name}: '}{reason}{hint}.") from error


def clean(text: str) -> str:
    """Return text without blanks around it, its letters composed: what looks the same is the same."""
    return _composed(text).strip()


def _composed(text: str) -> str:
    # Blanks of another width, as spreadsheets write them between digits.
    return unicodedata.normalize("NFC", re.sub("[\u00a0\u2009\u202f]", " ", text))


def _read_parquet(content: bytes) -> pd.DataFrame:
    table = require("pyarrow.parquet", extra="scale", purpose="Reading Parquet").read_table(BytesIO(content))
    for j, field in enumerate(table.schema):
        if str(field.type).startswith("decimal"):  # pandas would make objects of them
            table = table.set_column(j, field.name, table.column(j).cast("float64"))
    frame: pd.DataFrame = table.to_pandas()
    # pandas restores an index that it wrote to the file; a named one is a column like any other.
    frame = frame.reset_index(drop=all(level is None for level in frame.index.names))
    return frame.set_axis(_header(frame.columns), axis=1)


def _header(names: Iterable[Any]) -> list[str]:
    header = [clean(str(name)) or f"column {j}" for j, name in enumerate(names, 1)]
    for j, name in enumerate(header):
        if name in header[:j]:
            raise ValueError(f"column names must be unique, got {name!r} twice")
    return header


def _decode(content: bytes, encoding: str | None) -> str:
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    # Windows-1252 leaves five bytes open; where they occur, the text is more likely Latin-1.
    guesses = [encoding] if encoding else ["utf-16"] if is_utf16 else ["utf-8-sig", "cp1252", "latin-1"]
    for guess in guesses:
        with suppress(UnicodeError):
            text = content.decode(guess)
            text.encode()  # some encodings give lone surrogates, which nothing could print
            break
    else:
        raise ValueError(f"the text cannot be decoded as {guesses[0]}")
    if not text.strip() or "\0" in text:
        raise ValueError("it contains NUL characters, as binary files do" if text.strip() else "it is empty")
    return _composed(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def _guess_delimiter(text: str, header_row: int | None) -> str:
    first = (header_row or 1) - 1
    lines = list(islice(StringIO(text), first, first + 1000))

    def fit(delimiter: str) -> tuple[float, int]:
        records = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        sizes = [len(cells) for cells in records if cells]
        # How many records have as many cells as the header, the first that is not a title; a comma may be
        # decimal in most of them.
        size = next((size for size in sizes if size > 1), 0)
        return (sizes.count(size) / len(sizes) if size else 0.0, size)

    return max(",;\t|", key=fit)


def _find_header(rows: Sequence[Sequence[str]], header_row: int | None) -> int:
    """Return the index of the header: that of the call, the first, or one with plainly only titles above.

    A title fills one cell, not to the right of the first name. The names are texts, all different, and as
    many as the cells of any later row, of which there are several.
    """
    if header_row is not None:
        return header_row - 1
    filled = [[j for j, cell in enumerate(row) if cell.strip()] for row in rows]
    n = next((r for r, columns in enumerate(filled) if len(columns) > 1), 0)
    names = {rows[n][j] for j in filled[n] if not re.fullmatch("[-+0-9.,% ]+", rows[n][j])}
    is_plain = all(columns <= filled[n] for columns in filled[:n]) and len(names) == len(filled[n])
    if n == 0 or not is_plain or not all(1 < len(one) <= len(names) for one in filled[n + 1 :] if one):
        return 0
    title = " ".join(rows[r][columns[0]] for r, columns in enumerate(filled[:n]) if columns)
    fact = f"The names of the columns are in row {n + 1}, below the title {title!r:.60}"
    warnings.warn(ReadingWarning(fact), stacklevel=4)
    return n


def _read_text(text: str, delimiter: str, header_row: int | None) -> pd.DataFrame:
    """Return the cells of delimited text."""
    records = csv.reader(StringIO(text), delimiter=delimiter, skipinitialspace=True)
    n = _find_header(list(islice(records, _FIRST_ROWS)), header_row)
    # Without a header, because names would be changed where there are two of them.
    how: dict[str, Any] = {"header": None, "dtype": TEXT, "keep_default_na": False, "skipinitialspace": True}
    cells: pd.DataFrame = pd.read_csv(StringIO(text), sep=delimiter, skiprows=n, **how)
    columns = zip(_header(cells.iloc[0]), cells, strict=True)
    return pd.DataFrame({name: cells[j][1:].str.strip() for name, j in columns})


def _read_sheet(
    content: bytes, sheet: str | int | None, header_row: int | None
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the cells of a sheet as text, and the columns of numbers that are stored as such."""
    with pd.ExcelFile(BytesIO(content), engine="calamine") as book:
        sheets = list(map(str, book.sheet_names))
        # The command line has only text: "2" is a number where no sheet is called so.
        numbers = {str(j): title for j, title in enumerate(sheets, 1)} | {title: title for title in sheets}
        title = sheets[0] if sheet is None else numbers.get(str(sheet))
        known = f"; its sheets are {', '.join(map(repr, sheets))}"
        if title is None:
            raise ValueError(f"it has no sheet {sheet!r}{known}")
        cells = pd.read_excel(book, sheet_name=title, header=None, dtype=object, na_filter=False)
    cells.columns = pd.RangeIndex(1, cells.shape[1] + 1)
    texts = cells.map(_written)
    n = _find_header(texts[:_FIRST_ROWS].values.tolist(), header_row) if len(texts) else 0
    filled = texts[n:] != ""
    if not filled.any(axis=None):
        raise ValueError(f"sheet {title!r} is empty{f' from row {n + 1} on' if n else ''}{known}")
    cells, texts = (table[n:].loc[filled.any(axis=1), filled.any(axis=0)] for table in (cells, texts))
    header = _header(text or f"column {j}" for j, text in zip(texts, texts.iloc[0], strict=True))
    cells, texts = (table[1:].set_axis(header, axis=1) for table in (cells, texts))
    is_number = cells.map(lambda cell: type(cell) in (int, float))
    with_numbers = [name for name in header if is_number[name].any()]
    stored = {name: cells[name].where(is_number[name]).astype(float) for name in with_numbers}
    return texts.astype(TEXT), stored


def sheets_with(path: str, column: str) -> list[str]:
    """Return the sheets of an Excel file that have a cell with this name where a header may be."""
    sheets = pd.read_excel(path, None, engine="calamine", header=None, dtype=object, na_filter=False)
    first = {str(title): cells[:_FIRST_ROWS].map(_written) for title, cells in sheets.items()}
    return [title for title, cells in first.items() if (cells == column).any(axis=None)]


def _written(cell: Any) -> str:
    """Return a cell of a sheet as text: whole numbers without a point, dates without a time at midnight."""
    if cell is None or cell != cell:  # an error of Excel (#DIV/0!) is not a number
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).upper() if isinstance(cell, bool) else clean(str(cell))
    return text.removesuffix(" 00:00:00") if isinstance(cell, datetime) else text


class _Column:
    """A column of texts, perhaps with stored numbers, and the way to read it ("" for any).

    Its ``texts`` have lost their unit; ``fitting`` are the styles in which all are numbers, by decimal sign.
    """

    def __init__(self, name: str, texts: Any, stored: Any, way: str, styles: Sequence[str]) -> None:
        different = texts.dropna().drop_duplicates()
        units = [sign for sign in _UNITS if different.str.contains(sign, regex=False).any()]
        unit, asked = units[0] if len(units) == 1 else "", way[len(way.rstrip(_UNITS)) :]
        fits = unit in ("", asked) or not way or (not asked and unit != "%")
        if "%" in (unit, asked):
            # Nobody knows whether 0.5 means 0.5 % or 50 %, which Excel stores so; but 0 is 0 %.
            fits = fits and stored is None and different.str.match("^[+-]?0([.,]0*)?$|.*%").all()
        if unit and fits:
            texts = texts.str.replace(f"^([+-]?) ?[{unit}] ?", r"\1", regex=True)
            texts = texts.str.replace(f" ?[{unit}]$", "", regex=True)
            different = texts.dropna().drop_duplicates()
        fits = fits and way != "text" and bool(way or not different.str.match(_LEADING_ZERO).any())
        self.fitting: dict[str, str] = {}
        for style in styles if fits else ():
            if STYLES[style][0] not in self.fitting and different.str.match(_pattern(style)).all():
                self.fitting[STYLES[style][0]] = style
        self.name, self.texts, self.stored, self.way, self.unit = name, texts, stored, way, unit
        self.has_sign = bool(different.str.contains("[.,]").any())

    def style(self, settled: str | None, likely: str | None) -> str | None:
        """Return the style, with a warning if it is a guess; None if there is none, or it cannot be known."""
        first = next(iter(self.fitting.values()), None)
        style = self.fitting.get(settled or likely or "", first)
        is_clear = len(self.fitting) < 2 or settled or likely == "." or STYLES[style or ""] == (likely, "")
        if is_clear or not self.has_sign:
            return style
        cell = self.texts[self.texts.str.contains("[.,]").fillna(False)].iloc[0]
        sign = "." if "." in cell else ","
        # A point is decimal more often than not; for a comma, it cannot be known.
        chosen = first if sign == "." or self.way else None
        read = "text" if chosen is None else f"{_numbers(self.texts[self.texts == cell], chosen).iloc[0]:g}"
        fact = f"column {self.name!r} is ambiguous: {cell!r} was read as {read}"
        warnings.warn(ReadingWarning(fact, decimal=sign, thousands=sign), stacklevel=4)
        return chosen

    def refuse(self) -> None:
        """Raise an error because the texts are not the numbers that were asked for."""
        word = self.texts[~_is_number(self.texts).fillna(True)]
        if word.empty:
            raise ValueError(f"column {self.name!r} must have the same decimal sign and unit: {self.way}")
        row = word.index[0] - self.texts.index[0] + 1
        raise ValueError(f"row {row}, column {self.name!r}: must be a number, got {word.iloc[0]!r:.60}")

    def warn_of_words(self) -> None:
        """Warn about a column of numbers that a few words turn into text."""
        texts = self.texts.dropna().drop_duplicates()
        words = texts[~_is_number(texts)]
        n = len(texts) + (0 if self.stored is None else self.stored.nunique())
        if n >= _FEW_OF and 0 < len(words) <= _FEW_WORDS * n and not texts.str.match(_LEADING_ZERO).any():
            fact = f"{words.iloc[0]!r:.60} is not a number, although nearly all others are"
            fact = f"column {self.name!r} is read as text, because {fact}"
            warnings.warn(ReadingWarning(fact, na=words.iloc[0]), stacklevel=4)


def _typed(
    cells: pd.DataFrame, columns: Sequence[_Column], points: set[str], likely: str | None
) -> pd.DataFrame:
    """Type columns of text; ``points`` are the decimal signs that they may have, ``likely`` one of them."""
    if all(re.fullmatch("[0-9.,]+", column.name) for column in columns):
        warnings.warn("The first row should contain the names of the columns, but has numbers.", stacklevel=3)
    if len(points) > 1:
        # The columns that can be read in one way only settle the decimal sign of the others.
        points = {sign for one in columns if one.has_sign and len(one.fitting) == 1 for sign in one.fitting}
    values, read_as, units = {}, {}, []
    for one in columns:
        settled = min(points) if len(points) == 1 else STYLES.get(one.way.rstrip(_UNITS), (None,))[0]
        style = one.style(settled, likely)
        if style is not None:
            numbers = _numbers(one.texts, style)
            read_as[one.name] = (style if settled or one.has_sign else "number") + one.unit
            if one.unit and not one.way:
                first = numbers.first_valid_index()
                units.append(f"{one.name} ({cells[one.name][first]} is {numbers[first]:.15g})")
            values[one.name] = numbers if one.stored is None else numbers.fillna(one.stored)
        elif one.way not in ("", "text"):
            one.refuse()
        elif not one.way and (dates := _dates(one.texts)) is not None:
            values[one.name] = dates
        else:
            if not one.way:
                one.warn_of_words()
            values[one.name] = cells[one.name].astype(object).where(cells[one.name].notna(), None)
            read_as[one.name] = "text"
    frame: pd.DataFrame = pd.DataFrame(values).reset_index(drop=True)
    frame.attrs["read_as"] = read_as
    if units:
        warnings.warn(ReadingWarning(f"Read as numbers: {', '.join(units)}"), stacklevel=3)
    return frame


def _pattern(style: str) -> str:
    point, group = map(re.escape, STYLES[style])
    tail = f"({point}[0-9]*)?"
    plain = f"([0-9]+{tail}|{point}[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf|infinity)"
    # No grouped number begins with a zero.
    grouped = f"|[1-9][0-9]{{0,2}}({group}[0-9]{{3}})+{tail}" if group else ""
    return f"^[+-]?({plain}{grouped})$"


def _is_number(texts: Any) -> Any:
    return texts.str.match("|".join(f"({_pattern(style)})" for style in STYLES))


def _numbers(texts: Any, style: str) -> Any:
    point, group = STYLES[style]
    plain = texts.str.replace(group, "", regex=False) if group else texts
    return plain.str.replace(point, ".", regex=False).astype(float)


def _dates(texts: Any) -> Any | None:
    """Return a column of dates, or None if it has anything else."""
    if texts.isna().all() or not texts.dropna().str.match(_DATE).all():
        return None
    iso = bool(texts.str.match("[0-9]{4}").any())
    dates = pd.to_datetime(texts.astype(object), format="mixed", dayfirst=not iso, errors="coerce", utc=True)
    return None if dates[texts.notna()].isna().any() else dates.dt.tz_localize(None)
