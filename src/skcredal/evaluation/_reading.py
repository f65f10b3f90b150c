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
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from skcredal._extras import require
from skcredal._validation import check_choice

__all__ = ["FORMATS", "ReadingWarning", "clean", "read_table_file", "table_format"]

_SUFFIXES = {
    **dict.fromkeys((".csv", ".txt", ".data"), "csv"),
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls"), "xlsx"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".arff": "arff",
}
FORMATS = tuple(dict.fromkeys(_SUFFIXES.values()))
# How content begins; .xls has a container of its own, and ARFF may begin with comments.
_BEGINNINGS = {
    "parquet": rb"PAR1",
    "xlsx": rb"PK\x03\x04|\xd0\xcf\x11\xe0",
    "arff": rb"(\xef\xbb\xbf)?(\s*%[^\n]*\n)*\s*@(?i:relation|attribute)",
}
# pandas' markers and the question mark, without "None": in a column of text that is a value ("none" of pain).
_MISSING = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan"),
    *("NULL", "null", "Null"),
)
# Where everything else is a number, these cannot be values.
_MISSING_NUMBERS = ("None", "none", "-", ".")
# Of text in pandas: it compares a million cells with a pattern in a fraction of a second.
TEXT: Any = "string[pyarrow]"
# How numbers are written, each with its decimal sign and what groups digits. The likelier ones come first.
STYLES = {
    "1234.5": (".", ""),
    "1234,5": (",", ""),
    "1,234.5": (".", ","),
    "1.234,5": (",", "."),
    **{f"1{group}234{point}5": (point, group) for group in " '" for point in ".,"},
}
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
    """A column may be meant otherwise than it was read; ``settings`` are the parameters that settle it."""

    def __init__(self, fact: str, **settings: str) -> None:
        advice = " or ".join(f"{name}={value!r}" for name, value in settings.items())
        super().__init__(f"{fact}; pass {advice} to settle it.")
        self.fact = fact
        self.settings = settings


def table_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a table, judged by its file name."""
    suffixes = Path(path).suffixes or [""]
    suffix = suffixes[-2] if suffixes[-1].lower() == ".gz" and len(suffixes) > 1 else suffixes[-1]
    if suffix.lower() not in _SUFFIXES:
        raise ValueError(
            f"The name of a file must end in one of {', '.join(_SUFFIXES)}, got {Path(path).name!r}; or give "
            f"its format, one of {', '.join(FORMATS)}."
        )
    return _SUFFIXES[suffix.lower()]


def read_table_file(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002
    sheet: str | int | None = None,
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
    encoding : str, optional
        The encoding of delimited text; by default UTF-8, UTF-16 with a byte order mark, or else Windows-1252.
    delimiter : str, optional
        What separates the cells of delimited text: by default a comma, semicolon, tab or bar, whichever fits.
    decimal : {".", ","}, optional
        The decimal sign. By default it is found out, column by column. This and the following parameters are
        ignored for Parquet and ARFF.
    thousands : {".", ",", " ", "'"}, optional
        What groups digits; by default it is found out.
    na : collection of str
        Cells that are missing values, besides the usual ones.
    usual_na : bool
        Whether the usual ones are: empty cells, ``?``, ``NA``, ``NaN``, ``null`` and, in columns that are
        otherwise numbers, also ``None``, ``-`` and ``.``.
    read_as : mapping of str to str, optional
        How to read some columns: as ``"text"``, as a ``"number"``, or as numbers written like ``"1234.5"``,
        ``"1,234.5"``, ``"1.234,5"`` and so on. ``table.attrs["read_as"]`` of a table that was read before
        reads a new one in the same way, even if a single row would leave it open.

    Returns
    -------
    pandas.DataFrame
        The table. Its ``attrs["read_as"]`` tell how the columns of a CSV or Excel file were read.

    Notes
    -----
    Blanks around a cell are not part of it, empty lines are not rows, and letters that are written in parts
    (e and an accent) are composed. Codes with leading zeros stay text. Numbers that Excel stores are taken as
    they are. A column without a name is called ``column 1`` after its number.

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
    styles = [
        style
        for style, (point, group) in STYLES.items()
        if decimal in (None, point) and thousands in (None, group or thousands) and point != thousands
    ]
    if not styles or (thousands and all(STYLES[style][1] != thousands for style in styles)):
        raise ValueError(
            "decimal must be '.' or ',', and thousands another sign: '.', ',', a blank or an apostrophe; got "
            f"decimal={decimal!r} and thousands={thousands!r}."
        )
    for way in (read_as or {}).values():
        check_choice("read_as", way, ("text", "number", *STYLES))
    if format is not None:
        check_choice("format", format, FORMATS)
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
            cells, stored = _read_sheet(content, sheet)
            likely, na = None, [*na, ""]
        else:
            text = _decode(content, encoding)
            if declared := re.match(r"sep=([,;\t|])\n", text):  # some spreadsheets begin with it
                text, delimiter = text[declared.end() :], declared[1]
            delimiter = delimiter or ("\t" if format_ == "tsv" else _guess_delimiter(text))
            cells, stored = _read_text(text, delimiter), {}
            likely = {",": ".", ";": ","}.get(delimiter)
        markers = [*map(clean, na), *(_MISSING if usual_na else ())]
        ways = {clean(column): way for column, way in (read_as or {}).items()}
        return _typed(cells, stored, markers, usual_na, styles, decimal, likely, ways)
    except ImportError:
        raise
    except Exception as error:  # a damaged file raises many kinds of errors
        reason = str(error).partition("\n")[0].rpartition("C error: ")[2].rstrip(".")
        raise ValueError(f"{reason}." if reason.startswith(name) else f"{name}: {reason}.") from error


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
    guesses = ["utf-16"] if is_utf16 else ["utf-8-sig", "cp1252", "latin-1"]
    for guess in [encoding] if encoding else guesses:
        with suppress(UnicodeError):
            text = content.decode(guess)
            text.encode()  # some encodings give lone surrogates, which nothing could print
            break
    else:
        raise ValueError(f"the text cannot be decoded as {encoding or guesses[0]}")
    if not text.strip() or "\0" in text:
        raise ValueError("it contains NUL characters, as binary files do" if text.strip() else "it is empty")
    return _composed(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def _guess_delimiter(text: str) -> str:
    sample = text[: 1 << 16].splitlines(keepends=True)
    lines = sample[:-1] if len(text) > 1 << 16 else sample
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))

    def fit(delimiter: str) -> tuple[float, int]:
        records = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        sizes = [len(cells) for cells in records if cells]
        # How many records have as many cells as the header; a comma may be decimal in most of them.
        return (sizes.count(sizes[0]) / len(sizes), sizes[0]) if sizes and sizes[0] > 1 else (0.0, 0)

    return max(",;\t|", key=fit)


def _read_text(text: str, delimiter: str) -> pd.DataFrame:
    """Return the cells of delimited text."""
    cells: pd.DataFrame = pd.read_csv(
        StringIO(text),
        sep=delimiter,
        header=None,  # names would be changed where there are two of them
        dtype=TEXT,
        keep_default_na=False,
        skipinitialspace=True,
    )
    columns = zip(_header(cells.iloc[0]), cells, strict=True)
    return pd.DataFrame({name: cells[j][1:].str.strip() for name, j in columns})


def _read_sheet(content: bytes, sheet: str | int | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the cells of a sheet as text, and the columns of numbers that are stored as such."""
    with pd.ExcelFile(BytesIO(content), engine="calamine") as book:
        sheets = list(map(str, book.sheet_names))
        # The command line has only text: "2" is a number where no sheet is called so.
        numbers = {str(j): title for j, title in enumerate(sheets, 1)} | {title: title for title in sheets}
        title = sheets[0] if sheet is None else numbers.get(str(sheet))
        if title is None:
            raise ValueError(f"it has no sheet {sheet!r}; its sheets are {', '.join(map(repr, sheets))}")
        cells = pd.read_excel(book, sheet_name=title, header=None, dtype=object, na_filter=False)
    cells.columns = pd.RangeIndex(1, cells.shape[1] + 1)
    texts = cells.map(_written)
    filled = texts != ""
    if not filled.any(axis=None):
        raise ValueError(f"sheet {title!r} is empty")
    cells, texts = (table.loc[filled.any(axis=1), filled.any(axis=0)] for table in (cells, texts))
    header = _header(text or f"column {j}" for j, text in zip(texts, texts.iloc[0], strict=True))
    cells, texts = (table[1:].set_axis(header, axis=1) for table in (cells, texts))
    is_number = cells.map(lambda cell: type(cell) in (int, float))
    stored = {
        name: cells[name].where(is_number[name]).astype(float) for name in header if is_number[name].any()
    }
    return texts.astype(TEXT), stored


def _written(cell: Any) -> str:
    """Return a cell of a sheet as text: whole numbers without a point, dates without a time at midnight."""
    if cell is None or cell != cell:  # an error of Excel (#DIV/0!) is not a number
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).upper() if isinstance(cell, bool) else clean(str(cell))
    return text.removesuffix(" 00:00:00") if isinstance(cell, datetime) else text


def _typed(
    cells: pd.DataFrame,
    stored: dict[str, Any],
    markers: Sequence[str],
    usual_na: bool,
    styles: Sequence[str],
    decimal: str | None,
    likely: str | None,
    ways: Mapping[str, str],
) -> pd.DataFrame:
    """Type columns of text, some of whose cells are stored as numbers; ``likely`` is the decimal sign."""
    if all(re.fullmatch("[0-9.,]+", name) for name in map(str, cells)):
        warnings.warn("The first row should contain the names of the columns, but has numbers.", stacklevel=3)
    texts = cells.mask(cells.isin([*markers, *(_MISSING_NUMBERS if usual_na else ())]))
    for name, numbers in stored.items():
        stored[name] = numbers.mask(cells[name].isin(markers))
        texts[name] = texts[name].mask(numbers.notna())
    fitting = {name: _fitting(texts[name], styles, ways.get(name)) for name in map(str, cells)}
    # The columns that can be read in one way only settle the decimal sign of the others.
    seen = {STYLES[fit[0]][0] for name, fit in fitting.items() if len(fit) == 1 and _has_sign(texts[name])}
    evidence = decimal or (seen.pop() if len(seen) == 1 else None)
    values, read_as = {}, {}
    for name in map(str, cells):
        way, text = ways.get(name), texts[name]
        settled = evidence or STYLES.get(way or "", (None,))[0]
        style = _choose(name, text, fitting[name], settled, likely, way)
        if style is not None:
            numbers = _numbers(text, style)
            values[name] = numbers.fillna(stored[name]) if name in stored else numbers
            read_as[name] = style if settled or _has_sign(text) else "number"
        elif way not in (None, "text"):
            word = text[~_is_number(text).fillna(True)]
            if word.empty:
                raise ValueError(f"the numbers in column {name!r} must have the same decimal sign")
            row = word.index[0] - text.index[0] + 1
            raise ValueError(f"row {row}, column {name!r}: must be a number, got {word.iloc[0]!r:.60}")
        elif way is None and (dates := _dates(text)) is not None:
            values[name] = dates
        else:
            if way is None:
                _warn_of_words(name, text, stored.get(name))
            values[name] = cells[name].astype(object).mask(cells[name].isin(markers), None)
            read_as[name] = "text"
    frame: pd.DataFrame = pd.DataFrame(values).reset_index(drop=True)
    frame.attrs["read_as"] = read_as
    return frame


def _has_sign(texts: Any) -> bool:
    return bool(texts.str.contains("[.,]").any())


def _fitting(texts: Any, styles: Sequence[str], way: str | None) -> list[str]:
    """Return the styles in which all texts are numbers."""
    texts = texts.dropna().drop_duplicates()
    if way == "text" or (way is None and texts.str.match(_LEADING_ZERO).any()):
        return []
    found = []
    for style in styles:
        group = STYLES[style][1]
        is_used = not group or texts.str.contains(group, regex=False).any()
        if is_used and texts.str.match(_pattern(style)).all():
            found.append(style)
    return found


def _pattern(style: str) -> str:
    point, group = map(re.escape, STYLES[style])
    tail = f"({point}[0-9]*)?"
    plain = f"([0-9]+{tail}|{point}[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf|infinity)"
    # No grouped number begins with a zero.
    grouped = f"|[1-9][0-9]{{0,2}}({group}[0-9]{{3}})+{tail}" if group else ""
    return f"^[+-]?({plain}{grouped})$"


def _is_number(texts: Any) -> Any:
    return texts.str.match("|".join(f"({_pattern(style)})" for style in STYLES))


def _choose(
    name: str, texts: Any, fitting: Sequence[str], settled: str | None, likely: str | None, way: str | None
) -> str | None:
    """Return the style of a column; None if it does not contain numbers, or nobody knows which."""
    if not fitting:
        return None
    wanted = settled or likely
    style = next((one for one in fitting if STYLES[one][0] == wanted), fitting[0])
    is_clear = len(fitting) == 1 or settled or likely == "." or STYLES[style] == (likely, "")
    if is_clear or not _has_sign(texts):
        return style
    cell = texts[texts.str.contains("[.,]").fillna(False)].iloc[0]
    sign = "." if "." in cell else ","
    # A point is decimal more often than not; of a comma nobody knows.
    chosen = fitting[0] if sign == "." or way is not None else None
    read = "text" if chosen is None else f"{_numbers(texts[texts == cell], chosen).iloc[0]:g}"
    fact = f"column {name!r} is ambiguous: {cell!r} was read as {read}"
    warnings.warn(ReadingWarning(fact, decimal=sign, thousands=sign), stacklevel=4)
    return chosen


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


def _warn_of_words(name: str, texts: Any, numbers: Any) -> None:
    """Point out a column of numbers that a few words make one of text."""
    texts = texts.dropna().drop_duplicates()
    words = texts[~_is_number(texts)]
    n = len(texts) + (0 if numbers is None else numbers.nunique())
    if n >= _FEW_OF and 0 < len(words) <= _FEW_WORDS * n and not texts.str.match(_LEADING_ZERO).any():
        fact = f"column {name!r} is read as text, because {words.iloc[0]!r:.60} is not a number"
        warnings.warn(
            ReadingWarning(f"{fact}, although nearly all others are", na=words.iloc[0]), stacklevel=4
        )
