"""Delimited text (CSV and the like): pyarrow splits it, and columns are typed from their different cells."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from skcredal._extras import require
from skcredal._validation import safe_repr
from skcredal.evaluation._cell_types import CellTypes, Column, clean, name_columns, show
from skcredal.evaluation._names import counted

if TYPE_CHECKING:
    import pandas

__all__ = ["check_delimiter", "check_encoding", "decode", "read_delimited"]

DELIMITERS = ",;\t|"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# How much text the delimiter is guessed from.
_SAMPLE_LENGTH = 1 << 16
# How much pyarrow parses at a time, which takes several times as much memory.
_BLOCK = 1 << 23


def read_delimited(
    text: str,
    name: str,
    types: CellTypes,
    *,
    delimiter: str | None = None,
    default_decimal: str | None = None,
) -> pandas.DataFrame:
    r"""Read delimited text, as :func:`decode` returns it, whose first line names the columns.

    ``default_decimal`` is the decimal sign unless ``types`` have one, or it separates cells. Columns are of
    float64, of dates, or of objects: text, and None where it is missing. An error has the name of the file,
    and the line and column where there is one.

    Examples
    --------
    >>> read_delimited("size;colour\n1,5;red\n?;blue\n", "shirts.csv", CellTypes())
       size colour
    0   1.5    red
    1   NaN   blue
    """
    library = require("pandas", extra="cli", purpose="Reading a table")
    text, declared = _declared_delimiter(text)
    if delimiter is None:
        delimiter = declared or _guess_delimiter(text)
    else:
        check_delimiter(delimiter)
    types = replace(
        types,
        decimal=types.decimal or (default_decimal if default_decimal != delimiter else None),
        # In a file with commas between cells, one inside a cell groups digits; with semicolons it is decimal.
        likely_decimal={",": ".", ";": ","}.get(delimiter),
    )
    source = _Text(name, text, delimiter)
    header, columns = source.split()
    values = types.read(dict(zip(header, columns, strict=True)), source.where)
    # With their own dtype: pandas would make of objects what it takes text for.
    frame: pandas.DataFrame = library.DataFrame(
        {column: library.Series(cells, dtype=cells.dtype, copy=False) for column, cells in values.items()},
        copy=False,
    )
    return frame


def check_delimiter(delimiter: str) -> None:
    """Refuse what cannot separate cells."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in '"\n\r\0':
        raise ValueError(
            "delimiter must be one ASCII character other than a letter, digit or quote, got "
            f"{safe_repr(delimiter)}."
        )


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that does not exist or does not encode text."""
    try:
        b"text".decode(encoding)
    except UnicodeError:
        pass  # it exists, but cannot decode this sample
    except (LookupError, ValueError):
        raise ValueError(f"encoding: unknown text encoding {safe_repr(encoding)}.") from None


def decode(content: bytes, name: str, encoding: str | None = None) -> str:
    r"""Return text with ``\n`` at the end of lines."""
    if encoding is not None:
        check_encoding(encoding)
    marked = next((name for mark, name in _BOMS if content.startswith(mark)), None)
    if encoding is not None or marked is not None:
        try:
            text = content.decode(encoding or str(marked))
            text.encode()  # some encodings give lone surrogates, which nothing could print
        except ValueError as error:
            how = encoding or f"{marked}, which its byte order mark stands for"
            raise ValueError(f"{name} cannot be decoded as {how}: {error}.") from None
    else:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
            # Windows-1252 leaves five bytes open; where they occur, the text is more likely Latin-1.
            text = content.decode("latin-1") if "\ufffd" in text else text
    text = text.lstrip("\ufeff")  # byte order marks, of which there may be two
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
    if first[:4].lower() == "sep=" and first[4:5] and first[4:5] in DELIMITERS and first[5:] in ("", "\n"):
        return text[5:], first[4]
    return text, None


def _guess_delimiter(text: str) -> str:
    sample = text[:_SAMPLE_LENGTH]
    if len(text) > _SAMPLE_LENGTH and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]

    def fit(delimiter: str) -> tuple[float, int]:
        records = csv.reader(_lines(sample), delimiter=delimiter, skipinitialspace=True)
        sizes = [len(cells) for cells in records if cells] or [0]
        # How many records have as many cells as the header; a comma may be decimal in most of them.
        return (sizes.count(sizes[0]) / len(sizes) if sizes[0] > 1 else 0.0), sizes[0]

    return max(DELIMITERS, key=fit)


@dataclass(frozen=True, slots=True)
class _Text:
    """Text whose records are split at a delimiter; only a message looks for the line."""

    name: str
    text: str
    delimiter: str

    def split(self) -> tuple[list[str], list[Column]]:
        """Return the names of the columns and their cells."""
        if not self.text.strip():
            raise ValueError(f"{self.name} is empty.")
        self._refuse_open_quote()
        content = self._without_blanks_before_quotes().encode()
        table = self._parse(content, min(_BLOCK, len(content) + 1))
        del content
        names = [clean(column[0].as_py()) for column in table.columns]
        header = name_columns(names, f"{self.name}, line {self._line(1)}")
        # One after the other, so that a column is gone when the next one is read.
        columns = table.columns[::-1]
        del table
        return header, [Column.of_cells(columns.pop().combine_chunks()[1:]) for _ in names]

    def _parse(self, content: bytes, block: int) -> Any:
        """Return the records as a table of text, the header as its first row."""
        arrow = require("pyarrow", extra="cli", purpose="Reading a table")
        csv_reader = require("pyarrow.csv", extra="cli", purpose="Reading a table")
        n_columns = len(next(cells for cells in self._records() if cells))
        types = {f"f{j}": arrow.string() for j in range(n_columns)}
        refused: list[Any] = []

        def refuse(row: Any) -> str:
            refused.append(row)
            return "error"

        try:
            return csv_reader.read_csv(
                io.BytesIO(content),
                read_options=csv_reader.ReadOptions(
                    use_threads=False, autogenerate_column_names=True, block_size=block
                ),
                parse_options=csv_reader.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=csv_reader.ConvertOptions(
                    column_types=types, strings_can_be_null=False, quoted_strings_can_be_null=False
                ),
            )
        except arrow.ArrowInvalid as error:
            if not refused and block <= len(content):
                # A record may be longer than any block that is smaller than the file.
                return self._parse(content, len(content) + 1)
            if not refused:
                raise ValueError(f"{self.name} cannot be read: {error}.") from None
            row = refused[0]
            raise ValueError(
                f"{self.name}, line {self._line(row.number)}: a row must have "
                f"{counted(row.expected_columns, 'cell')}, one for each column, got {row.actual_columns} in "
                f"{show(row.text)}."
            ) from None

    def where(self, row: int) -> str:
        """Return where a row is, for messages."""
        return f"{self.name}, line {self._line(row + 2)}"

    def _refuse_open_quote(self) -> None:
        # With an even number of quotes none is left open; an odd number may be inches.
        if self.text.count('"') % 2 == 0:
            return
        records = self._records(strict=True)
        start = 1
        try:
            for _ in records:
                start = records.line_num + 1
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise ValueError(
                    f"{self.name}, line {start}: a quote is opened here and never closed."
                ) from None

    def _without_blanks_before_quotes(self) -> str:
        """Return the text without blanks between a delimiter and a quote, which pyarrow would take for text.

        Within quotes, only blanks at the end of a cell can be meant, and these are not part of it either.
        """
        if '"' not in self.text:
            return self.text
        separator, blanks = re.escape(self.delimiter), " " if self.delimiter == "\t" else r"[ \t]"
        return re.sub(rf'(^|{separator}){blanks}+"', r'\1"', self.text, flags=re.MULTILINE)

    def _line(self, record: int) -> int:
        """Return the line on which a record begins, from 1; empty lines are not records."""
        records = self._records()
        start, found = 1, 0
        for cells in records:
            found += bool(cells)
            if found == record:
                break
            start = records.line_num + 1
        return start

    def _records(self, *, strict: bool = False) -> Any:
        csv.field_size_limit(max(csv.field_size_limit(), len(self.text) + 1))
        return csv.reader(_lines(self.text), delimiter=self.delimiter, skipinitialspace=True, strict=strict)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without copying it, as io.StringIO would, with four bytes a letter."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end
