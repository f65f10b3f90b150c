"""The user's tables: read, split into features and classes, and checked for common mistakes."""

from __future__ import annotations

import difflib
import re
import sys
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import AnyArray, IntArray
from skcredal._cli.console import CallError, note, shown_warnings
from skcredal._cli.options import Columns, Reading
from skcredal._encoding.columns import is_missing
from skcredal._encoding.features import IDENTIFIER_STATES, too_many_states
from skcredal.evaluation._names import counted, listed
from skcredal.evaluation._table_files import read_table_file, table_format

if TYPE_CHECKING:
    import pandas

__all__ = [
    "LabelledTable",
    "are_reading_notes",
    "as_categories",
    "display_name",
    "label_table",
    "need_columns",
    "read_user_table",
]

# 18 digits always fit into int64; a leading zero makes a code, not a number.
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
# "column 1" is the unnamed first column, the row numbers that pandas and R write.
_IDENTIFIER_NAME = re.compile(r"(?:.*[_ .-])?(?:id|index|key|nr|no|number|row)|column 1", re.IGNORECASE)
# Up to this many different values may well be classes; beyond, they are compared with the number of rows.
_FEW = 20
# A target is numeric even if a few of its values are not ("unknown").
_NEARLY_ALL = 0.9


def are_reading_notes(notes: Any) -> bool:
    """Tell whether the notes of a model file could come from :meth:`Reading.to_notes`."""
    return (
        isinstance(notes, dict)
        and notes.get("decimal") in (None, ".", ",")
        and notes.get("thousands") in (None, ".", ",", " ", "'")
        and notes.get("usual_missing") in (None, True, False)
        and isinstance(notes.get("missing", []), list)
        and all(isinstance(marker, str) for marker in notes.get("missing", []))
    )


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """Features, classes, the name of the target, the number of each row in the file, from 1, and its ids.

    ``dropped`` are the columns that the call left out.
    """

    features: pandas.DataFrame
    target: AnyArray
    name: str
    numbers: IntArray
    ids: pandas.DataFrame
    dropped: list[str]


def read_user_table(
    data: str,
    reading: Reading,
    *,
    text_columns: Collection[str] = (),
    numeric_columns: Collection[str] = (),
    without_rows: bool = False,
) -> pandas.DataFrame:
    """Read the table that a call names; ``-`` is standard input. A table without rows may be refused."""
    if data != "-" and reading.format is None:
        try:
            table_format(data)
        except ValueError as error:
            raise CallError(str(error).replace("specify its format", "specify its --format")) from None
    with shown_warnings():
        try:
            frame = read_table_file(
                sys.stdin.buffer if data == "-" else data,
                format=reading.format,
                encoding=reading.encoding,
                delimiter=reading.separator,
                decimal=reading.decimal,
                default_decimal=reading.default_decimal,
                thousands=reading.thousands,
                sheet=reading.sheet,
                missing=reading.missing or (),
                usual_missing=reading.usual_missing is not False,
                text_columns=text_columns,
                numeric_columns=numeric_columns,
            )
        except OSError as error:
            raise CallError(f"{data} cannot be read: {error.strerror or error}.") from None
    if frame.empty and not (without_rows and frame.shape[1]):
        raise ValueError(f"{display_name(data)} has no rows.")
    return frame


def label_table(data: str, reading: Reading, target: str, columns: Columns) -> LabelledTable:
    """Read a table and split it into features and classes; refuse a target that cannot be a class."""
    frame = read_user_table(
        data,
        reading,
        # The target as text: 1 and 01 may be different classes.
        text_columns=[target, *(columns.id or ()), *(columns.categorical or ())],
        numeric_columns=columns.numeric or (),
    )
    there = [str(name) for name in frame.columns]
    target = _column(target, there, "--target", data)
    # Without duplicates: who names a column twice means it once.
    chosen = {
        option: list(dict.fromkeys(_column(name, there, option, data) for name in names or ()))
        for option, names in {
            "--drop": columns.drop,
            "--id": columns.id,
            "--categorical": columns.categorical,
            "--numeric": columns.numeric,
        }.items()
    }
    for option, names in chosen.items():
        if target in names:
            raise CallError(f"{option} must not name the target {target!r}.")
    _declare(frame, chosen["--categorical"], chosen["--numeric"], data)
    features = frame.drop(columns=[target, *chosen["--drop"], *chosen["--id"]])
    if features.shape[1] == 0:
        raise CallError(f"{display_name(data)} has no columns other than the target and those dropped.")
    labels = [None if is_missing(value) else _label(value) for value in frame[target].tolist()]
    kept = np.array([label is not None for label in labels])
    if not kept.any():
        raise ValueError(f"Column {target!r} of {display_name(data)} is empty: no row has a class.")
    if not kept.all():
        lost = int((~kept).sum())
        note(f"{lost} of {len(kept)} rows have no {target!r} and are left out.")
    classes = [label for label in labels if label is not None]
    _check_classes(classes, target, as_classes=columns.as_classes)
    features = features[kept].reset_index(drop=True)
    # Only in the features: a date in the target may be a class.
    _refuse_dates(features)
    _warn_of_identifiers(features)
    # Integers sort as numbers, 9 before 10, and read back as they were.
    if all(map(_INTEGER.fullmatch, classes)):
        found: AnyArray = np.array(classes, dtype=np.int64)
    else:
        found = np.array(classes)
    ids = frame[chosen["--id"]][kept].reset_index(drop=True)
    return LabelledTable(features, found, target, np.flatnonzero(kept) + 1, ids, chosen["--drop"])


def _declare(frame: pandas.DataFrame, categorical: Sequence[str], numeric: Sequence[str], data: str) -> None:
    """Make categories of the columns declared as such; refuse columns declared numeric that are not."""
    for name in categorical:
        frame[name] = as_categories(frame[name])
    for name in numeric:
        if frame[name].dtype.kind not in "iufb" and not frame[name].isna().all():
            raise ValueError(
                f"{display_name(data)}, column {name!r}: --numeric asks for numbers, got "
                f"{frame[name].dropna().iloc[0]!r}."
            )


def as_categories(column: pandas.Series[Any]) -> pandas.Series[Any]:
    """Return a column as text, whole numbers without a decimal point."""
    cells = [None if is_missing(value) else _label(value) for value in column.tolist()]
    return type(column)(cells, index=column.index, dtype=object)


def need_columns(frame: pandas.DataFrame, names: Sequence[str], data: str) -> pandas.DataFrame:
    """Return a table of the columns with these names, in this order; others are ignored."""
    there = [str(name) for name in frame.columns]
    lacking = [name for name in names if name not in there]
    if lacking:
        many = f"{len(lacking)} columns" if len(lacking) > 1 else "a column"
        raise ValueError(
            f"{display_name(data)} lacks {many} that the model was fitted to: {listed(lacking, 10)}."
        )
    # The columns themselves, not copies: a table may be large.
    return type(frame)({name: frame[name] for name in names}, index=frame.index, copy=False)


def display_name(data: str) -> str:
    """Return the name of a data source for messages."""
    return "Standard input" if data == "-" else data


def _column(name: str, columns: Sequence[str], option: str, data: str) -> str:
    """Return the column with this name, however its accents are encoded."""
    if name in columns:
        return name
    # Accents may be composed in the call and decomposed in the file, as macOS writes them.
    composed = {unicodedata.normalize("NFC", column): column for column in columns}
    found = composed.get(unicodedata.normalize("NFC", name))
    if found is None:
        raise CallError(f"{option}: {_no_column(data, name, columns)}")
    return found


def _no_column(data: str, name: str, columns: Sequence[str]) -> str:
    by_lower = {column.lower(): column for column in reversed(columns)}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    hint = f" Did you mean {by_lower[close[0]]!r}?" if close else ""
    where = "standard input" if data == "-" else Path(data).name
    return f"there is no column {name!r} in {where}.{hint} The columns are {listed(columns, 20)}."


def _label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # pandas makes floats of whole numbers as soon as one is missing
    return str(value).strip() if isinstance(value, str) else str(value)


def _check_classes(labels: Sequence[str], target: str, *, as_classes: bool) -> None:
    different = set(labels)
    if len(different) == 1:
        raise ValueError(
            f"Column {target!r} must have at least two classes, got only {labels[0]!r} in "
            f"{counted(len(labels), 'row')}."
        )
    if as_classes:
        return
    n, many = len(labels), len(different)
    override = "use --as-classes if each value is a class of its own"
    numbers = [number for label in different if (number := _number(label)) is not None]
    if len(numbers) < _NEARLY_ALL * many:
        if many > _FEW and many > n / 2:
            raise ValueError(
                f"Column {target!r} has {many} different values in {n} rows, which looks like an identifier "
                f"or free text, not like classes; {override}."
            )
        return
    # Fractions are rarely classes; whole numbers may be, unless they are many, absolutely or per row.
    whole = all(number.is_integer() for number in numbers)
    if (not whole and many > _FEW / 2) or many > 50 or (many > _FEW and many > n / 20):
        raise ValueError(
            f"Column {target!r} has {many} different numbers in {n} rows, which looks like regression, not "
            f"like classification: group them into a few classes (low, middle, high), or {override}."
        )


def _number(label: str) -> float | None:
    """Return a label as a number, also with a decimal comma; None if it is not a number."""
    for text in (label, label.replace(",", ".", 1)):
        try:
            return float(text)
        except ValueError:
            continue
    return None


def _refuse_dates(features: pandas.DataFrame) -> None:
    for name, column in features.items():
        if column.dtype.kind in "Mm":
            raise ValueError(
                f"Column {str(name)!r} contains dates or times, which are not supported as features: convert "
                f"it to a number (days since a date) or a category (the month), or leave it out with --drop "
                f"{_quoted(str(name))}"
            )


def _warn_of_identifiers(features: pandas.DataFrame) -> None:
    suspects = [str(name) for name in features.columns if _looks_like_identifier(features[name], str(name))]
    if suspects:
        drops = " ".join(f"--drop {_quoted(name)}" for name in suspects[:5])
        verb = "looks like an identifier" if len(suspects) == 1 else "look like identifiers"
        note(
            f"{listed(suspects, 5)} {verb} and may say nothing about new cases; consider {drops}",
            label="Warning",
        )


def _looks_like_identifier(column: pandas.Series[Any], name: str) -> bool:
    known = column.dropna()
    if len(known) <= IDENTIFIER_STATES:
        return False
    if column.dtype.kind in "iuf":
        values = known.to_numpy(dtype=float)
        if len(np.unique(values)) < len(values) or not (values == np.floor(values)).all():
            return False
        # Unique whole numbers may be quantities; they are suspect if they count the rows, or are called id.
        steps = np.diff(values)
        return bool((steps == 1).all() or _IDENTIFIER_NAME.fullmatch(name))
    if column.dtype.kind == "b" or column.dtype == "category":
        return False
    try:
        many = known.nunique()
    except TypeError:
        return False  # unhashable cells such as lists, which the classifier refuses with the column name
    return too_many_states(many, len(column))


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'
