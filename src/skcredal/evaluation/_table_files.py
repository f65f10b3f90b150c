"""Tables from files: CSV, TSV, Excel, Parquet and ARFF, optionally gzipped."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from skcredal._extras import require
from skcredal._validation import check_choice
from skcredal.evaluation._cell_types import CellTypes
from skcredal.evaluation._delimited import decode, read_delimited
from skcredal.evaluation._spreadsheets import read_spreadsheet

if TYPE_CHECKING:
    import pandas

__all__ = ["FORMATS", "read_table_file", "table_format"]

FORMATS = ("csv", "tsv", "xlsx", "parquet", "arff")
_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
}
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
# The older container of Excel's files.
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def table_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a table, judged by its file name."""
    file = Path(path)
    suffix = Path(file.stem).suffix if file.suffix.lower() == ".gz" else file.suffix
    if suffix.lower() not in _SUFFIXES:
        *suffixes, last = _SUFFIXES
        raise ValueError(
            f"The file name must end in {', '.join(suffixes)} or {last}, got {file.name!r}. If the file is "
            f"one of {', '.join(FORMATS)}, specify its format."
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
    default_decimal: str | None = None,
    thousands: str | None = None,
    missing: Collection[str] = (),
    usual_missing: bool = True,
    text_columns: Collection[str] = (),
    numeric_columns: Collection[str] = (),
) -> pandas.DataFrame:
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
        The encoding of delimited text; by default that of its byte order mark, else UTF-8 or, where that
        fails, Windows-1252.
    delimiter : str, optional
        What separates the cells of delimited text: by default a comma, semicolon, tab or bar, whichever fits.
    decimal : {".", ","}, optional
        The decimal sign. By default it is found out, column by column. This and what follows is ignored for
        Parquet and ARFF.
    default_decimal : {".", ","}, optional
        The decimal sign unless ``decimal`` is given, or it separates cells.
    thousands : {".", ",", " ", "'"}, optional
        What groups digits; by default it is found out.
    missing : collection of str
        Cells that are missing values, besides the usual ones.
    usual_missing : bool
        Whether the usual ones are: empty cells, ``?``, ``NA``, ``NaN``, ``null`` and the like and, in columns
        that are otherwise numbers, also ``None``, ``none``, ``-`` and ``.``.
    text_columns : collection of str
        Columns whose cells stay text even if all of them are numbers.
    numeric_columns : collection of str
        Columns that must be numbers, also if that takes leading zeros off.

    Returns
    -------
    pandas.DataFrame
        The table.

    Notes
    -----
    In delimited text, blanks around a cell are not part of it, empty lines are not rows, and letters that are
    written in parts (e and an accent) are composed, so that what looks the same is the same. Within double
    quotes a cell may hold delimiters and line ends, and a double quote is written twice. A column without a
    name is called ``column 1`` after its number.

    Raises
    ------
    ValueError
        If the content cannot be read as a table of that format; the message names the file.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import io
    >>> read_table_file(io.BytesIO(b"size\tcolour\n1.5\tred\n"))
       size colour
    0   1.5    red
    """
    if format is not None:
        check_choice("format", format, FORMATS)
    if default_decimal is not None:
        check_choice("default_decimal", default_decimal, (".", ","))
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        format = format or table_format(source)  # noqa: A001
        content = Path(source).read_bytes()
    else:
        name = "standard input"
        content = source.read()
    # By content, not by name: standard input may be compressed, too.
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(
                f"{name} starts like a gzip file, but cannot be decompressed: {error}."
            ) from None
    chosen = format or _looks_like(content)
    if chosen == "parquet":
        return _read_parquet(content, name)
    if chosen == "arff":
        # Imported here: whoever reads a CSV need not wait for the data sets.
        from skcredal.datasets._arff import parse_arff

        return parse_arff(content, name).frame
    types = CellTypes(
        decimal=decimal,
        thousands=thousands,
        missing=missing,
        usual_missing=usual_missing,
        text_columns=text_columns,
        numeric_columns=numeric_columns,
    )
    if chosen == "xlsx":
        types = replace(types, decimal=decimal or default_decimal)
        return read_spreadsheet(content, name, types, sheet=sheet)
    if chosen == "tsv" and delimiter is None:
        delimiter = "\t"
    text = decode(content, name, encoding)
    del content  # a large table need not be in memory twice
    return read_delimited(text, name, types, delimiter=delimiter, default_decimal=default_decimal)


def _looks_like(content: bytes) -> str:
    if content.startswith(_PARQUET):
        return "parquet"
    if content.startswith(_COMPOUND) or (content.startswith(_ZIP) and b"xl/" in content):
        return "xlsx"
    # ARFF may begin with comments; any other text is taken for CSV.
    for line in content.lstrip(b"\xef\xbb\xbf").splitlines():
        if line.strip() and not line.startswith(b"%"):
            return "arff" if line.lower().startswith((b"@relation", b"@attribute")) else "csv"
    return "csv"


def _read_parquet(content: bytes, name: str) -> pandas.DataFrame:
    parquet = require("pyarrow.parquet", extra="scale", purpose="Reading Parquet")
    try:
        table = parquet.read_table(io.BytesIO(content))
        # Decimals are numbers; pandas would make objects of them.
        for j, field in enumerate(table.schema):
            if str(field.type).startswith("decimal"):
                table = table.set_column(j, field.name, table.column(j).cast("float64"))
        frame: pandas.DataFrame = table.to_pandas()
    except Exception as error:  # pyarrow raises many kinds of errors for a damaged file
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"{name} cannot be read as Parquet: {reason}.") from None
    # pandas restores an index that it wrote to the file; a named one is a column like any other.
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
    frame = frame.reset_index(drop=True)
    names = [str(column) for column in frame.columns]
    for i, column in enumerate(names):
        if column in names[:i]:
            raise ValueError(f"{name}: column names must be unique, got {column!r} twice.")
    frame.columns = require("pandas", extra="cli", purpose="Reading a table").Index(names)
    return frame
