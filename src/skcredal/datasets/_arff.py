"""ARFF files, whose nominal attributes declare their domains."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skcredal._extras import require
from skcredal._validation import naming

if TYPE_CHECKING:
    import pandas

__all__ = ["ArffTable", "parse_arff", "read_arff"]

_BLANKS = " \t"
_QUOTED_PATTERN = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_QUOTED = re.compile(_QUOTED_PATTERN)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_KEYWORD = re.compile(r"@([A-Za-z]+)(.*)")
_NAME = re.compile(rf"""({_QUOTED_PATTERN})|([^ \t{{'"][^ \t{{]*)""")
_DOMAIN = re.compile(rf"""\{{((?:{_QUOTED_PATTERN}|[^'"}}])*+)\}}""")
_TYPE = re.compile(r"(numeric|real|integer|string|date|relational)\b", re.IGNORECASE)
_RANGE = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")
# A file with this character is refused before it is parsed, so no value holds it.
_PLACEHOLDER = "\0"

# A cell as it is written: None is the unquoted question mark, a missing value.
_Cell = str | None


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


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    kind: Literal["numeric", "nominal", "string"]
    domain: tuple[str, ...] = ()


class _FormatError(Exception):
    """What is wrong with the file, before its name is put in front."""


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
        attributes, sparse rows. The message names the file, the line and the attribute.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pandas is not installed.

    Notes
    -----
    An unquoted ``?`` is missing; a quoted one is a value. Values are separated by commas or, in a row or
    domain without any comma, by blanks. ``%`` starts a comment at the beginning of a line. Within quotes a
    backslash escapes the next character. The range that may follow a numeric type is not enforced.

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
    require("pandas", extra="cli", purpose="Reading an ARFF file")
    with naming("path"):
        path = Path(path)
        _check_file_name(path)
    return parse_arff(path.read_bytes(), str(path))


def parse_arff(content: bytes, name: str) -> ArffTable:
    r"""Read the content of an ARFF file.

    Parameters
    ----------
    content : bytes
        What :func:`read_arff` would find in the file.
    name : str
        What errors call it.

    Returns
    -------
    ArffTable
        Its relation and its table.

    Examples
    --------
    >>> parse_arff(b"@attribute size numeric\n@data\n38\n", "shoes.arff").frame["size"].tolist()
    [38.0]
    """
    pandas = require("pandas", extra="cli", purpose="Reading an ARFF file")
    try:
        lines = _lines(content)
        relation, attributes, start = _header(lines)
        rows, numbers = _rows(lines, start, len(attributes))
        cells: Sequence[Sequence[_Cell]] = list(zip(*rows, strict=True)) or [()] * len(attributes)
        columns = {
            attribute.name: _column(pandas, attribute, column, numbers)
            for attribute, column in zip(attributes, cells, strict=True)
        }
    except _FormatError as error:
        raise ValueError(f"{name}{error}") from None
    return ArffTable(relation, pandas.DataFrame(columns))


def _check_file_name(path: Path) -> None:
    """Refuse what no file can be called, before the system does so in its own words."""
    if b"\0" in os.fsencode(path):
        raise ValueError(f"path must not contain a NUL character, got {str(path)!r}.")


def _lines(content: bytes) -> list[str]:
    """Decode the file and split it where lines end; line n is at index n - 1."""
    if b"\0" in content:
        raise _FormatError(
            ": an ARFF file must be text in UTF-8 or Latin-1, got NUL bytes (binary or UTF-16)."
        )
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    # str.splitlines would also split at characters such as U+0085, which Latin-1 values may hold.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _header(lines: Sequence[str]) -> tuple[str, list[_Attribute], int]:
    """Parse everything before the rows; also return the index of the first line after ``@data``."""
    relation = ""
    attributes: list[_Attribute] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        line = line.strip(_BLANKS)
        if not line or line.startswith("%"):
            continue
        match = _KEYWORD.fullmatch(line)
        keyword = match[1].lower() if match else ""
        rest = match[2].strip(_BLANKS) if match else ""
        if keyword == "relation":
            relation = _relation(rest, number)
        elif keyword == "attribute":
            attribute = _attribute(rest, number)
            if attribute.name in seen:
                raise _error(number, "attribute names must be unique, this one is repeated", attribute.name)
            seen.add(attribute.name)
            attributes.append(attribute)
        elif keyword == "data":
            _check_end(rest, number, None)
            if not attributes:
                raise _error(number, "@data must follow at least one @attribute, got none")
            return relation, attributes, number
        else:
            rule = "a line before @data must be @relation, @attribute, @data or a % comment"
            raise _error(number, f"{rule}, got {_show(line)}")
    raise _FormatError(
        f": an ARFF file must have a @data section, got {len(attributes)} attributes and no @data."
    )


def _relation(text: str, number: int) -> str:
    if not text.startswith(("'", '"')):
        return text
    match = _QUOTED.match(text)
    if match is None:
        raise _error(number, f"a quote must be closed on its line, got {_show(text)}")
    _check_end(text[match.end() :], number, None)
    return _unquote(match[0])


def _attribute(text: str, number: int) -> _Attribute:
    match = _NAME.match(text)
    if match is None:
        raise _error(number, f"@attribute must be followed by a name and a type, got {_show(text)}")
    name = _unquote(match[1]) if match[1] else match[2]
    text = text[match.end() :].strip(_BLANKS)
    if text.startswith("{"):
        match = _DOMAIN.match(text)
        if match is None:
            rule = "a domain must close its quotes and its brace on its line"
            raise _error(number, f"{rule}, got {_show(text)}", name)
        _check_end(text[match.end() :], number, name)
        return _Attribute(name, "nominal", _domain(match[1], number, name))
    match = _TYPE.match(text)
    if match is None:
        rule = "a type must be numeric, real, integer, string or a domain in braces"
        raise _error(number, f"{rule}, got {_show(text)}", name)
    rest = text[match.end() :].strip(_BLANKS)
    kind = match[1].lower()
    if kind in ("date", "relational"):
        raise _error(number, f"{kind} attributes are not supported", name)
    if kind == "string":
        _check_end(rest, number, name)
        return _Attribute(name, "string")
    _check_end(_RANGE.sub("", rest, count=1) if rest.startswith(("[", "(")) else rest, number, name)
    return _Attribute(name, "numeric")


def _domain(text: str, number: int, name: str) -> tuple[str, ...]:
    if not text.strip(_BLANKS):
        return ()
    domain = tuple("?" if value is None else value for value in _split(text.strip(_BLANKS), number, name))
    if len(set(domain)) < len(domain):
        twice = next(value for i, value in enumerate(domain) if value in domain[:i])
        raise _error(number, f"values of a domain must be unique, got {_show(twice)} twice", name)
    return domain


def _rows(lines: Sequence[str], start: int, width: int) -> tuple[list[list[_Cell]], list[int]]:
    """Split the rows into cells; also return the number of the line that each row stands on."""
    rows: list[list[_Cell]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[start:], start=start + 1):
        line = line.strip(_BLANKS)
        if not line or line.startswith("%"):
            continue
        if line.startswith("{"):
            raise _error(number, f"sparse rows are not supported, got {_show(line)}")
        row = _split(line, number, None)
        if len(row) != width:
            rule = f"a row must have {width} cells, one for each attribute"
            raise _error(number, f"{rule}, got {len(row)} in {_show(line)}")
        rows.append(row)
        numbers.append(number)
    return rows, numbers


def _split(text: str, number: int, name: str | None) -> list[_Cell]:
    """Split a row, or the inside of a domain, at its commas or else its blanks."""
    quoted: list[str] = []
    bare = text
    if "'" in text or '"' in text:
        quoted = _QUOTED.findall(text)
        bare = _QUOTED.sub(_PLACEHOLDER, text)
        if "'" in bare or '"' in bare:
            raise _error(number, f"a quote must be closed on its line, got {_show(text)}", name)
    if "," in bare:
        parts = [part.strip(_BLANKS) for part in bare.split(",")]
    else:
        parts = re.split(r"[ \t]+", bare)
    if "" in parts:
        rule = "a value must not be empty (a missing one is written ?, an empty one '')"
        raise _error(number, f"{rule}, got {_show(text)}", name)
    cells: list[_Cell] = list(parts)
    if "?" in bare:
        cells = [None if part == "?" else part for part in parts]
    if quoted:
        if parts.count(_PLACEHOLDER) != len(quoted):
            rule = "a quote must begin and end with its value"
            raise _error(number, f"{rule}, got {_show(text)}", name)
        values = map(_unquote, quoted)
        cells = [next(values) if cell == _PLACEHOLDER else cell for cell in cells]
    return cells


def _column(pandas: Any, attribute: _Attribute, cells: Sequence[_Cell], numbers: Sequence[int]) -> Any:
    """Convert the cells of one attribute at once; only a refusal looks for the culprit."""
    if attribute.kind == "string":
        return pandas.Series(cells, dtype=object)
    if attribute.kind == "numeric":
        values = _floats(cells)
        if values is None:
            row = next(r for r, cell in enumerate(cells) if cell is not None and not _is_number(cell))
            rule = "a numeric cell must be a finite number or ?"
            raise _error(numbers[row], f"{rule}, got {_show(cells[row])}", attribute.name)
        return pandas.Series(values, dtype=float)
    code_of: dict[_Cell, int] = {None: -1}
    code_of.update((value, code) for code, value in enumerate(attribute.domain))
    codes = list(map(code_of.get, cells))
    if None in codes:
        row = codes.index(None)
        rule = f"a nominal cell must be in its domain {_show_domain(attribute.domain)} or ?"
        raise _error(numbers[row], f"{rule}, got {_show(cells[row])}", attribute.name)
    # dtype=str is what this version of pandas holds text in, even where the domain is empty.
    return pandas.Categorical.from_codes(codes, categories=pandas.Index(attribute.domain, dtype=str))


def _floats(cells: Sequence[_Cell]) -> list[float] | None:
    """Convert numbers and missing cells to floats, or return None if some cell is neither."""
    known = [cell for cell in cells if cell is not None]
    # float() accepts more than a number in ARFF: "nan", "infinity", "1_000", digits of other scripts.
    if not _NUMBER_CHARACTERS.issuperset("".join(known)):
        return None
    try:
        values = [math.nan if cell is None else float(cell) for cell in cells]
    except ValueError:
        return None
    return None if math.inf in values or -math.inf in values else values


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))


def _unquote(quoted: str) -> str:
    inner = quoted[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), inner) if "\\" in inner else inner


def _check_end(rest: str, number: int, name: str | None) -> None:
    """Refuse anything but a comment at the end of a declaration."""
    rest = rest.strip(_BLANKS)
    if rest and not rest.startswith("%"):
        raise _error(number, f"a declaration must end here, got {_show(rest)}", name)


def _error(number: int, rule: str, name: str | None = None) -> _FormatError:
    where = f", line {number}" if name is None else f", line {number}, attribute {name!r}"
    return _FormatError(f"{where}: {rule}.")


def _show(text: _Cell) -> str:
    """Quote a value, cut to a length that leaves the message readable."""
    return repr(text if text is None or len(text) <= 60 else text[:57] + "...")


def _show_domain(domain: Sequence[str]) -> str:
    more = f" and {len(domain) - 8} more" if len(domain) > 8 else ""
    return f"{{{', '.join(map(_show, domain[:8]))}{more}}}"
