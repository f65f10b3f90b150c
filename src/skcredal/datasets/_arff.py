"""ARFF files, whose nominal attributes declare their domains; liac-arff reads them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skcredal._extras import require

if TYPE_CHECKING:
    import pandas

__all__ = ["ArffTable", "parse_arff", "read_arff"]

# liac-arff wants a blank after a keyword, and would cut the fraction off an integer.
_KEYWORD = re.compile(r"^\s*@(relation|attribute)\s+", re.IGNORECASE | re.MULTILINE)
_INTEGER = re.compile(r"""^(@attribute ('[^']*'|"[^"]*"|\S+)\s+)integer\b""", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)
class ArffTable:
    """The content of an ARFF file.

    Attributes
    ----------
    relation : str
        The name that the file gives its table, empty if it gives none.
    frame : pandas.DataFrame
        One column for each attribute: float64 if numeric, categorical with the declared domain in its
        declared order if nominal, object if string. NaN (None in a string column) is missing.

    Examples
    --------
    >>> import pandas
    >>> table = ArffTable("shoes", pandas.DataFrame({"size": [38.0, 42.5]}))
    >>> table.relation, list(table.frame.columns)
    ('shoes', ['size'])
    """

    relation: str
    frame: pandas.DataFrame


def read_arff(path: str | os.PathLike[str]) -> ArffTable:
    """Read an ARFF file.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8 or, where that fails, Latin-1.

    Returns
    -------
    ArffTable
        Its relation and its table.

    Raises
    ------
    ValueError
        If the file breaks the format or uses a part of it that is not supported: date and relational
        attributes. The message names the file.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pandas or liac-arff is not installed.

    Notes
    -----
    An unquoted ``?`` and an empty cell are missing; a quoted ``?`` is a value.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = '''@relation weather
    ... @attribute outlook {sunny, rainy, snowy}
    ... @attribute degrees numeric
    ... @data
    ... rainy, 12.5
    ... sunny, ?
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "weather.arff")
    ...     _ = path.write_text(text)
    ...     table = read_arff(path)
    >>> table.frame
      outlook  degrees
    0   rainy     12.5
    1   sunny      NaN
    >>> list(table.frame["outlook"].cat.categories)
    ['sunny', 'rainy', 'snowy']
    """
    path = Path(path)
    return parse_arff(path.read_bytes(), str(path))


def parse_arff(content: bytes, name: str) -> ArffTable:
    """Read the content of an ARFF file, which errors call ``name``."""
    arff = require("arff", extra="cli", purpose="Reading an ARFF file")
    pandas = require("pandas", extra="cli", purpose="Reading an ARFF file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    try:
        table = arff.loads(_INTEGER.sub(r"\1real", _KEYWORD.sub(r"@\1 ", text)))
        rows = zip(*table["data"], strict=True) if table["data"] else [()] * len(table["attributes"])
        columns = {
            attribute: _column(pandas, domain, cells)
            for (attribute, domain), cells in zip(table["attributes"], rows, strict=True)
        }
    except Exception as error:  # besides its own exceptions, liac-arff raises others for broken files
        raise ValueError(f"{name} cannot be read as ARFF: {error}") from error
    return ArffTable(table["relation"], pandas.DataFrame(columns))


def _column(pandas: Any, domain: str | list[str], cells: Any) -> Any:
    """Convert the cells of one attribute; None is missing."""
    if isinstance(domain, list):
        # dtype=str is what this version of pandas stores text in, even where the domain is empty.
        return pandas.Categorical(cells, categories=pandas.Index(domain, dtype=str))
    return pandas.Series(cells, dtype=object if domain == "STRING" else float)
