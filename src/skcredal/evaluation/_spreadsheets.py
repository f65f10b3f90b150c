"""Excel files: numbers and dates as they are stored, and text typed like the cells of delimited text."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import AnyArray
from skcredal._extras import require
from skcredal.evaluation._cell_types import MISSING_MARKERS, CellTypes, Column, clean, name_columns, show

if TYPE_CHECKING:
    import pandas

__all__ = ["read_spreadsheet"]


def read_spreadsheet(
    content: bytes, name: str, types: CellTypes, *, sheet: str | int | None = None
) -> pandas.DataFrame:
    """Read a sheet of an Excel file whose first row names the columns.

    Numbers, dates and truth values are what Excel stores; its errors (``#DIV/0!``) are missing. A column with
    text in it is typed by that text: where all of it is numbers, it was meant so, else all cells are text.
    Rows without any cell are not rows, and columns without a name or any cell are not columns. An error has
    the name of the file, and the sheet and row where there is one.

    Examples
    --------
    >>> import io, pandas
    >>> file = io.BytesIO()
    >>> shirts = pandas.DataFrame({"size": [38, "39,5"], "colour": ["red", None]})
    >>> shirts.to_excel(file, sheet_name="Shirts", index=False)
    >>> read_spreadsheet(file.getvalue(), "shirts.xlsx", CellTypes(), sheet="Shirts")
       size colour
    0  38.0    red
    1  39.5   None
    """
    library = require("pandas", extra="cli", purpose="Reading an Excel file")
    # An empty cell has no other meaning, whatever marks a missing value in text.
    types = dataclasses.replace(types, missing=[*types.missing, ""])
    title, cells = _open(content, name, sheet)
    place = f"{name}, sheet {show(title)}"
    filled = np.array([[_is_filled(cell) for cell in row] for row in cells], bool).reshape(cells.shape)
    if not filled.any():
        raise ValueError(f"{place} is empty.")
    first, *rows = np.flatnonzero(filled.any(axis=1)).tolist()

    def where(row: int) -> str:
        return f"{place}, row {rows[row] + 1 if rows else first + 1}"

    names = [
        clean(_write(cell)) if there else "" for cell, there in zip(cells[first], filled[first], strict=True)
    ]
    header = name_columns(names, f"{place}, row {first + 1}")
    markers = frozenset(map(clean, types.missing)) | (MISSING_MARKERS if types.usual_missing else frozenset())
    columns = {
        header[j]: _Cells.of_column(cells[rows, j].tolist(), markers)
        for j in np.flatnonzero(filled.any(axis=0)).tolist()
    }
    as_text, as_numbers = (
        frozenset(map(clean, some)) for some in (types.text_columns, types.numeric_columns)
    )
    stored = {column: held.stored() for column, held in columns.items() if column not in as_text}
    read = {
        column: found
        for column, found in stored.items()
        if found is not None and (found.dtype == float or column not in as_numbers)
    }
    texts = {column: held.column() for column, held in columns.items() if column not in read}
    read.update(
        (column, columns[column].complete(found)) for column, found in types.read(texts, where).items()
    )
    # With their own dtype: pandas would make of objects what it takes text for.
    frame: pandas.DataFrame = library.DataFrame(
        {column: library.Series(read[column], dtype=read[column].dtype) for column in columns}
    )
    return frame


def _open(content: bytes, name: str, sheet: str | int | None) -> tuple[str, AnyArray]:
    """Return the name of a sheet and its cells, from the first row and column."""
    pandas = require("pandas", extra="cli", purpose="Reading an Excel file")
    require("python_calamine", extra="cli", purpose="Reading an Excel file")
    try:
        book = pandas.ExcelFile(io.BytesIO(content), engine="calamine")
        sheets = list(map(str, book.sheet_names))
    except Exception as error:  # a damaged file raises many kinds of errors
        raise _damaged(name, error) from None
    with book:
        title = _find_sheet(sheets, name, sheet)
        try:
            frame = pandas.read_excel(book, sheet_name=title, header=None, dtype=object, na_filter=False)
        except Exception as error:
            raise _damaged(name, error) from None
    return title, frame.to_numpy(object)


def _damaged(name: str, error: Exception) -> ValueError:
    reason = str(error).partition("\n")[0].rstrip(".")
    return ValueError(f"{name} cannot be read as an Excel file: {reason}.")


def _find_sheet(sheets: Sequence[str], name: str, sheet: str | int | None) -> str:
    sheet = 1 if sheet is None else sheet
    if isinstance(sheet, str) and sheet in sheets:
        return sheet
    # The command line has only text: "2" is a number where no sheet is called so.
    number = int(sheet) if str(sheet).isdecimal() else 0
    if not 1 <= number <= len(sheets):
        raise ValueError(f"{name} has no sheet {sheet!r}: its sheets are {', '.join(map(repr, sheets))}.")
    return sheets[number - 1]


def _is_filled(cell: Any) -> bool:
    # An error of Excel (#DIV/0!) is empty text or not a number.
    return cell is not None and cell == cell and not (isinstance(cell, str) and not cell.strip())


def _write(cell: Any) -> str:
    """Return a cell as text: whole numbers without a point, dates without a time at midnight."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).removesuffix(" 00:00:00") if isinstance(cell, datetime) else str(cell)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of a column, and of what kind each is: bool, float, datetime, str, or None if missing."""

    cells: Sequence[Any]
    kinds: Sequence[type | None]

    @classmethod
    def of_column(cls, cells: Sequence[Any], markers: Collection[str]) -> _Cells:
        kinds: list[type | None] = []
        marked_numbers = any(character.isdigit() for marker in markers for character in marker)
        for cell in cells:
            # Numbers are many, and rarely markers.
            plain = isinstance(cell, float) and not marked_numbers
            if not _is_filled(cell) or (not plain and clean(_write(cell)) in markers):
                kinds.append(None)
            elif isinstance(cell, (int, float)):
                kinds.append(bool if isinstance(cell, bool) else float)
            else:
                kinds.append(datetime if isinstance(cell, datetime) else str)
        return cls(cells, kinds)

    def stored(self) -> AnyArray | None:
        """Return the values as Excel stores them, if they are of one kind other than text."""
        dtypes: dict[type, Any] = {bool: object, float: np.float64, datetime: "datetime64[us]"}
        kind = next((kind for kind in self.kinds if kind), str)
        if kind is str or set(self.kinds) - {kind, None}:
            return None
        return np.array(
            [None if kind is None else cell for cell, kind in zip(self.cells, self.kinds, strict=True)],
            dtypes[kind],
        )

    def column(self) -> Column:
        """Return the cells as text, with whole numbers for the numbers that Excel stores.

        So these count as numbers, but not for either decimal sign: that is a matter of the text.
        """
        arrow = require("pyarrow", extra="cli", purpose="Reading an Excel file")
        digits: dict[float, str] = {}
        texts = []
        for cell, kind in zip(self.cells, self.kinds, strict=True):
            if kind is float:
                texts.append(digits.setdefault(cell, str(len(digits) + 1)))
            else:
                texts.append("" if kind is None else _write(cell))
        return Column.of_cells(arrow.array(texts, arrow.string()))

    def complete(self, values: AnyArray) -> AnyArray:
        """Put the numbers that Excel stores among the values that were read from text."""
        for row, (cell, kind) in enumerate(zip(self.cells, self.kinds, strict=True)):
            if kind is float:
                values[row] = cell if values.dtype == float else _write(cell)
        return values
