"""ARFF files, whose nominal attributes declare their domains; liac-arff splits their rows."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._extras import require
from skcredal._validation import naming

if TYPE_CHECKING:
    import pandas

__all__ = ["ArffTable", "parse_arff", "read_arff"]

_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_VALUE = re.compile(rf"{_QUOTED}|[^\s,]+")
_BLANK_WITHIN = re.compile(r"[^\s,]\s+[^\s,]")
_WORDS = re.compile(rf"{_QUOTED}|[^\s,'\"]++(?:\s++[^\s,'\"]++)*+")
_HEADER = re.compile(r"@(relation|attribute|data)(?!\w)\s*(.*)", re.IGNORECASE)
_RELATION = re.compile(rf"({_QUOTED})\s*(?:%.*)?|([^'\"].*|)")
# A name, then a domain, a numeric type with perhaps a range, or text. liac-arff takes neither the range nor a
# comment after it, reads names with their backslashes, and may take forever to refuse a long domain.
_ATTRIBUTE = re.compile(
    rf"""(?:({_QUOTED})|([^\s{{'"][^\s{{]*))(?:\s*\{{((?:{_QUOTED}|[^'"{{}}])*+)\}}|"""
    r"""\s+(?:(numeric|real|integer)\b\s*(?:\[[^]]*\]|\([^)]*\))?|string\b))\s*(?:%.*)?""",
    re.IGNORECASE,
)

# A cell as it is written: None is an unquoted question mark, or nothing, a missing value.
_Cell = str | None
_Line = tuple[int, str]


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


class _FormatError(Exception):
    """What is wrong with the file, before its name is put in front."""

    def __init__(self, number: int, rule: str, text: _Cell = None) -> None:
        # Cut to a length that leaves the message readable.
        shown = "" if text is None else f", got {text if len(text) <= 60 else text[:57] + '...'!r}"
        super().__init__(f", line {number}: {rule}{shown}.")


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
        attributes, sparse rows. The message names the file and the line.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pandas or liac-arff is not installed.

    Notes
    -----
    An unquoted ``?`` and a cell without anything are missing; a quoted ``?`` is a value. Values are separated
    by commas or, in a row or domain without any comma, by blanks. ``%`` starts a comment at the beginning of
    a line and after a declaration. The range that may follow a numeric type is not enforced.

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
    with naming("path"):
        path = Path(path)
        if b"\0" in os.fsencode(path):
            raise ValueError(f"path must not contain a NUL character, got {str(path)!r}.")
    return parse_arff(path.read_bytes(), str(path))


def parse_arff(content: bytes, name: str) -> ArffTable:
    """Read the content of an ARFF file, which errors call ``name``."""
    pandas = require("pandas", extra="cli", purpose="Reading an ARFF file")
    if b"\0" in content:
        raise ValueError(
            f"{name}: an ARFF file must be text in UTF-8 or Latin-1, got NUL bytes (binary or UTF-16)."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    # str.splitlines would also split at characters such as U+0085, which Latin-1 values may hold.
    numbered = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)
    lines = ((number, line.strip()) for number, line in numbered)
    lines = ((number, line) for number, line in lines if line and not line.startswith("%"))
    try:
        relation, types = _header(lines)
        data = list(lines)
        cells = list(zip(*_split(data, len(types)), strict=True)) or [()] * len(types)
        columns = {
            attribute: _column(attribute, types[attribute], column, data)
            for attribute, column in zip(types, cells, strict=True)
        }
    except _FormatError as error:
        raise ValueError(f"{name}{error}") from None
    return ArffTable(relation, pandas.DataFrame(columns))


def _header(lines: Iterator[_Line]) -> tuple[str, dict[str, list[str] | type]]:
    """Parse everything before the rows; return the relation, and the domain or type of each attribute."""
    relation = ""
    types: dict[str, list[str] | type] = {}
    number = 1
    for number, line in lines:
        match = _HEADER.fullmatch(line)
        keyword, rest = (match[1].lower(), match[2]) if match else ("", line)
        if keyword == "relation" and (match := _RELATION.fullmatch(rest)):
            relation = match[2] if match[1] is None else _values(number, match[1])[0]
        elif keyword == "attribute" and (match := _ATTRIBUTE.fullmatch(rest)):
            name = match[2] or _values(number, match[1])[0]
            if name in types:
                raise _FormatError(number, "attribute names must be unique, this one is repeated", name)
            types[name] = float if match[4] else str if match[3] is None else _values(number, match[3])
        elif keyword == "attribute":
            rule = "numeric, real, integer, string or a domain whose quotes and brace are closed"
            raise _FormatError(number, f"@attribute must have a name and a type ({rule})", rest)
        elif keyword == "data" and rest[:1] in ("", "%") and types:
            return relation, types
        else:
            rule = "@relation, @attribute (one at least) or a % comment"
            raise _FormatError(number, f"a line up to @data must be {rule}", line)
    raise _FormatError(number, "an ARFF file must have a @data section, but ends here")


def _values(number: int, text: str) -> list[str]:
    """Return the values of a domain, without their quotes."""
    values = _VALUE.findall(_normalise(text))
    # Behind an empty cell, as a row that begins with % would be a comment.
    (cells,) = _split([(number, "," + ",".join(values))], 1 + len(values)) if values else [[None]]
    domain = ["?" if cell is None else cell for cell in cells[1:]]
    if len(set(domain)) < len(domain):
        raise _FormatError(number, "values of a domain must be unique", text)
    return domain


def _normalise(text: str) -> str:
    """Write a row as liac-arff knows it: with commas between values, and in quotes if they hold blanks."""
    if "," not in text:
        return ",".join(_VALUE.findall(text))
    return _WORDS.sub(_quote, text) if _BLANK_WITHIN.search(text) else text


def _quote(words: re.Match[str]) -> str:
    text = words[0]
    if text[0] in "'\"" or len(text.split()) == 1:
        return text
    return "'" + text.replace("\\", r"\\") + "'"


def _split(lines: Sequence[_Line], width: int) -> list[list[_Cell]]:
    """Split rows into their cells."""
    arff = require("arff", extra="cli", purpose="Reading an ARFF file")
    number, line = 0, ""

    def table() -> Iterator[str]:
        nonlocal number, line
        # All as text: liac-arff would cut the fraction off an integer, and not say which cell is wrong.
        yield from ["@relation r", *(f"@attribute {j} string" for j in range(width)), "@data"]
        for number, line in lines:
            if line.startswith("{"):
                raise _FormatError(number, "sparse rows are not supported", line)
            yield _normalise(line)

    try:
        rows: list[list[_Cell]] = arff.load(table())["data"]
    except arff.BadDataFormat:
        raise _FormatError(
            number, f"a row must have a cell for each attribute, {width} in all", line
        ) from None
    # A ValueError: an escape that liac-arff does not know.
    except (arff.ArffException, csv.Error, ValueError):
        rule = "a value with blanks, quotes or braces must be quoted, a quote closed, a backslash doubled"
        raise _FormatError(number, rule, line) from None
    return rows


def _column(name: str, domain: list[str] | type, cells: Sequence[_Cell], lines: Sequence[_Line]) -> Any:
    """Convert the cells of one attribute."""
    pandas = require("pandas", extra="cli", purpose="Reading an ARFF file")
    if domain is str:
        return pandas.Series(cells, dtype=object)
    if isinstance(domain, list):
        # dtype=str is what this version of pandas holds text in, even where the domain is empty.
        categories = pandas.Index(domain, dtype=str)
        code_of: dict[_Cell, int] = {value: code for code, value in enumerate(domain)}
        codes = np.array([code_of.get(cell, -1) for cell in cells], int)
        wrong = (codes < 0) & np.array([cell is not None for cell in cells], bool)
        rule = f"one of {', '.join(map(repr, domain[:8]))}{', ...' if len(domain) > 8 else ''}"
        values = pandas.Categorical.from_codes(codes, categories)
    else:
        values = pandas.Series([_number(cell) for cell in cells], dtype=float)
        wrong, rule = np.isinf(values.to_numpy()), "a finite number"
    if wrong.any():
        row = int(wrong.argmax())
        raise _FormatError(lines[row][0], f"attribute {name!r} must be {rule} or ?", cells[row])
    return values


def _number(cell: _Cell) -> float:
    """Return a cell as a number, infinity if it is not one."""
    try:
        return np.nan if cell is None else float(cell)
    except ValueError:
        return np.inf
