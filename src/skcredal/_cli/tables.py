"""The user's tables: read, split into features, classes and ids, and checked for common mistakes; answers."""

from __future__ import annotations

import difflib
import re
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skcredal._arrays import AnyArray, IntArray
from skcredal._cli.console import CallError, say, shown_warnings
from skcredal._encoding.columns import is_missing
from skcredal._encoding.features import CategoricalFeature, look_like_identifiers
from skcredal._files import replacing
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._base import TabularClassifier, learned_features
from skcredal.evaluation._names import counted, is_below, listed
from skcredal.evaluation._reading import read_table_file, sheets_with
from skcredal.persistence import load, read_notes
from skcredal.scale._predictions import arrow_columns

__all__ = [
    *("LabelledTable", "ModelRows", "check_file", "check_output", "doubts", "label_table", "named"),
    *("read_for_model", "read_model", "strange_values", "what_was_read", "write_answers", "write_table"),
]

# 18 digits always fit into int64; a leading zero makes a code, not a number.
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
# Up to so many different values may well be classes; beyond, they are compared with the number of rows. And
# a target is numeric even if a few of its values are not ("unknown").
_FEW, _NEARLY_ALL = 20, 0.9
# A word of a name that says that the numbers are keys: customer_id, KundenNr.
_KEY = re.compile("((?i:(^|[^a-z])(id|nr|no|key|code))|[a-z](Id|ID|Nr|No|Key|Code))($|[^a-z])|(?i:nr)$")
_OPTIONS = ("format", "sheet", "header_row", "encoding", "delimiter", "decimal", "thousands")
# What fit notes in a model file; a model that was saved from Python has no notes.
_NOTES: dict[str, Any] = {"target": "", "ids": [], "na": [], "usual_na": True, "read_as": {}}


class LabelledTable(NamedTuple):
    """A table to learn from.

    ``numbers`` are those of its rows in the file, ``dropped`` are the columns left out, with the reason, and
    ``notes`` go with the model.
    """

    features: pd.DataFrame
    target: AnyArray
    name: str
    numbers: IntArray
    ids: pd.DataFrame
    dropped: dict[str, str]
    notes: dict[str, Any]
    messages: list[str]

    def say(self, label: str, message: str) -> None:
        """Print a message, and keep it for the page."""
        self.messages.append(say(label, message))


class ModelRows(NamedTuple):
    """The columns that a model was fitted to, the target if the table has it, and the columns of ids."""

    features: pd.DataFrame
    true: Any
    ids: dict[str, Any]


def label_table(arguments: Namespace) -> LabelledTable:
    """Read a table and split it into features and classes; refuse a target that cannot be a class."""
    target, data, aside = arguments.target, arguments.data, [*arguments.drop, *arguments.ids]
    chosen = {"--drop": arguments.drop, "--id": arguments.ids, "--keep": arguments.keep}
    chosen |= {"--categorical": arguments.categorical, "--numeric": arguments.numeric}
    # The target as text: 1 and 01 may be different classes.
    ways = dict.fromkeys([target, *aside, *arguments.categorical], "text")
    for option, names in chosen.items():
        if target in names:
            raise CallError(f"{option} must not name the target {target!r}.")
    for name in set(arguments.numeric) & set(ways):
        raise CallError(f"--numeric must not name a column that another option names, got {name!r}.")
    with shown_warnings() as messages:
        frame = _read(arguments, ways | dict.fromkeys(arguments.numeric, "number"), {})
    for option, names in {"--target": [target], **chosen}.items():
        _check_columns(names, frame, option, arguments)
    for name in arguments.categorical:
        frame[name] = _as_text(frame[name])
    for name in arguments.numeric:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            raise ValueError(f"{named(data)}: column {name!r} must be numeric, because --numeric names it.")
    labels = _as_text(frame[target])
    kept = labels.notna()
    if not kept.any():
        raise ValueError(f"{named(data)} has no rows." if frame.empty else f"No row has a {target!r}.")
    classes = labels[kept].tolist()
    _check_classes(classes, target, as_classes=arguments.as_classes)
    features = frame.drop(columns=[target, *aside])[kept].reset_index(drop=True)
    open_ = [name for name in features if not any(name in names for names in chosen.values())]
    useless = {name: why for name in open_ if (why := _why_useless(features[name]))}
    features = features.drop(columns=list(useless))
    if features.shape[1] == 0:
        known = f"{named(data)} has no columns other than the target and those left out"
        raise CallError(f"{known} ({listed([*aside, *useless], 20) or 'none'}); --keep COL keeps one.")
    # Integers sort as numbers, 9 before 10, and read back as they were.
    values = np.array(classes, np.int64 if all(map(_INTEGER.fullmatch, classes)) else None)
    ids = frame[arguments.ids][kept].reset_index(drop=True)
    usual_na, read_as = arguments.usual_na is not False, frame.attrs.get("read_as", {})
    notes = {"target": target, "ids": arguments.ids, "na": arguments.na, "usual_na": usual_na}
    notes["read_as"] = {name: way for name, way in read_as.items() if name in features}
    numbers, dropped = np.flatnonzero(kept) + 1, dict.fromkeys(arguments.drop, "as you asked") | useless
    table = LabelledTable(features, values, target, numbers, ids, dropped, notes, messages)
    for why, advice in (("dates", ""), ("identifiers", "; --keep COL keeps one")):
        if names := [name for name in useless if useless[name] == why]:
            table.say("Note", f"Left out as {why}: {listed(names, 10)}{advice}.")
    if not kept.all():
        table.say("Note", f"{(~kept).sum()} of {len(kept)} rows have no {target!r} and are left out.")
    return table


def _why_useless(column: Any) -> str:
    """Return why nothing can be learned from a column, if so: it contains dates or identifiers."""
    known = column.dropna()
    if pd.api.types.infer_dtype(known).startswith(("date", "time", "period")):
        return "dates"
    is_key = look_like_identifiers(known.nunique(), len(known))
    if is_key and pd.api.types.is_numeric_dtype(column):
        # Even if all are different, numbers may be quantities.
        is_run = known.max() - known.min() == len(known) - 1
        is_key = known.is_unique and (known % 1 == 0).all() and bool(is_run or _KEY.search(column.name))
    return "identifiers" if is_key else ""


def named(data: str) -> str:
    """Return what a message calls a table."""
    return "Standard input" if data == "-" else data


def _read(arguments: Namespace, ways: Mapping[str, str], notes: Mapping[str, Any]) -> pd.DataFrame:
    """Read the table that a call names; what marked a missing value in training does so here, too."""
    if arguments.decimal is not None and arguments.decimal == arguments.thousands:
        raise CallError(f"--thousands must be another sign than --decimal, got {arguments.decimal!r}.")
    usual_na = notes.get("usual_na", True) if arguments.usual_na is None else arguments.usual_na
    options = {name: getattr(arguments, name) for name in _OPTIONS}
    options |= {"na": [*arguments.na, *notes.get("na", ())], "usual_na": usual_na, "read_as": ways}
    try:
        return read_table_file(sys.stdin.buffer if arguments.data == "-" else arguments.data, **options)
    except OSError as error:
        raise CallError(f"{arguments.data} cannot be read: {error.strerror or error}.") from error


def _check_columns(names: Sequence[str], frame: pd.DataFrame, option: str, arguments: Namespace) -> None:
    columns, data = {str(column).lower(): str(column) for column in frame}, arguments.data
    for name in names:
        if name not in frame:
            close = difflib.get_close_matches(name.lower(), columns, n=1)
            hint = f" Did you mean {columns[close[0]]!r}?" if close else ""
            if data.lower().endswith((".xlsx", ".xls")) and (sheets := sheets_with(data, name)):
                hint = f" It is in sheet {' and '.join(map(repr, sheets))}: use --sheet or --header-row."
            there = f"The columns are {listed(list(columns.values()), 20)}."
            raise CallError(f"{option}: there is no column {name!r} in {named(data)}.{hint} {there}")


def _as_text(column: Any) -> Any:
    """Return a column as text, whole numbers without a decimal point."""

    def text(value: Any) -> str | None:
        if is_missing(value):
            return None
        # pandas makes floats of whole numbers as soon as one is missing.
        return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()

    return pd.Series([text(value) for value in column.tolist()], index=column.index, dtype=object)


def _check_classes(labels: Sequence[str], target: str, *, as_classes: bool) -> None:
    different, n = sorted(set(labels)), len(labels)
    many = len(different)
    if many == 1:
        raise ValueError(f"Column {target!r} must have at least two classes, got only {labels[0]!r}.")
    # Also with a decimal comma.
    numbers = pd.to_numeric(pd.Series(different).str.replace(",", "."), errors="coerce").dropna()
    if len(numbers) < _NEARLY_ALL * many:
        most, what = max(_FEW, n / 2), "values"
        looks = "like an identifier or free text, not like classes: choose another target"
    else:
        # Fractions are rarely classes; whole numbers may be, unless they are many, absolutely or per row.
        most, what = max(_FEW if (numbers % 1 == 0).all() else _FEW / 2, min(n / 20, 50)), "numbers"
        looks = "like regression, not like classification: group them into a few (low, middle, high)"
    if many > most and not as_classes:
        found = f"{many} different {what} in {n} rows, which looks {looks}"
        raise ValueError(f"Column {target!r} has {found}, or use --as-classes if each is a separate class.")


def read_model(path: str) -> tuple[Any, dict[str, Any]]:
    """Load a model with its notes, which anyone may have written; a missing file is an error in the call."""
    if not Path(path).is_file():
        raise CallError(f"There is no model file {path!r}. Create one with skcredal fit.")
    model = load(path)
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{path} must contain a classifier, got {type(model).__name__}.")
    notes = _NOTES | read_notes(path)
    is_right = all(type(notes[name]) is type(default) for name, default in _NOTES.items())
    if not is_right or not all(isinstance(text, str) for text in (*notes["ids"], *notes["na"])):
        raise ValueError(f"{path} cannot be used: its notes on how its table was read are damaged.")
    return model, notes


def read_for_model(model: Any, notes: dict[str, Any], arguments: Namespace) -> ModelRows:
    """Read the columns that a model was fitted to in the same way, and what else is known of the rows.

    The ids are the columns that the call names, or else those that ``fit`` was told, if they are there.
    """
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    learned = dict(zip(names, learned_features(model), strict=True)) if names else {}
    states = {name: one.values for name, one in learned.items() if isinstance(one, CategoricalFeature)}
    # Categories and classes stay text, or the code 01 would become the number 1.
    ways = {name: "text" if name in states else "number" for name in names} | notes["read_as"]
    ids = arguments.ids or notes["ids"]
    table = _read(arguments, ways | dict.fromkeys([notes["target"], *ids], "text"), notes)
    if not names and table.shape[1] != (n := model.n_features_in_):
        raise ValueError(f"{named(arguments.data)} must have {n} columns, got {table.shape[1]}.")
    lacking = [name for name in names if name not in table]
    if lacking:
        what = f"{named(arguments.data)} lacks {counted(len(lacking), 'column')} that the model was fitted to"
        raise ValueError(f"{what}: {listed(lacking, 10)}.")
    _check_columns(arguments.ids, table, "--id", arguments)
    frame = table[names].copy() if names else table
    for name, known in states.items():
        # A text file has only text: a model fitted to Parquet knows the state True, not "True".
        by_text = {str(state).lower(): state for state in known if not isinstance(state, str)}
        cells = frame[name] if by_text else _as_text(frame[name])
        frame[name] = pd.Series([by_text.get(str(cell).lower(), cell) for cell in cells], dtype=object)
    return ModelRows(frame, table.get(notes["target"]), {name: table[name] for name in ids if name in table})


def what_was_read(model: TabularClassifier) -> str:
    """Return in short how the columns of a fitted model are used."""
    kinds = [one.kind for one in model.encoding_]
    left_out = [f"{one.name} ({one.why_not})" for one in model.encoding_ if not one.kept]
    text = f"Read {kinds.count('numeric')} numeric and {kinds.count('categorical')} categorical columns"
    return f"{text}; left out: {listed(left_out, 10)}." if left_out else f"{text}."


def doubts(found: Answers, close_call: float) -> str:
    """Return in words how many rows are undecided, if there are sets, and how many are close calls."""
    size = np.ones(len(found.proba)) if found.set_size is None else found.set_size
    close = int((is_below(found.proba.max(axis=1), close_call) & (size == 1)).sum())
    calls = "is a close call" if close == 1 else "are close calls"
    text = f"{close} {calls} (one class, but with a probability below {100 * close_call:.4g} %)"
    if found.set_size is not None:
        n = int((size > 1).sum())
        text = f"{n} {'is' if n == 1 else 'are'} undecided (several classes cannot be ruled out) and {text}"
    return f"Of {counted(len(size), 'row')}, {text}."


def strange_values(model: Any, frame: pd.DataFrame) -> str | None:
    """Return in one sentence what the model has never seen: categories, and numbers far out of range."""
    strange: dict[str, list[str]] = {}
    for name, feature in zip(frame.columns, learned_features(model), strict=True):
        column = frame[name].dropna()
        if isinstance(feature, CategoricalFeature):
            what, n = "categories that the model has not seen", int((~column.isin(feature.values)).sum())
        else:
            # Beyond the range by more than its width: a wrong unit or a slip, rather than a rare case.
            width = feature.high - feature.low
            far = ~column.astype(float).between(feature.low - width, feature.high + width)
            what, n = "numbers far outside the training range", int(far.sum())
        if n:
            strange.setdefault(what, []).append(f"{name} ({counted(n, 'row')})")
    parts = [f"{what} in {listed(columns, 5)}" for what, columns in strange.items()]
    return f"The table contains {' and '.join(parts)}." if parts else None


def check_file(out: str, inputs: Sequence[str], suffixes: Sequence[str] = (), option: str = "-o") -> str:
    """Return the suffix of an output file after checking, before any work is done, that it can be written."""
    path = Path(out)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CallError(f"{option} must be a file in an existing folder, got {out!r}.")
    if any(path.exists() and Path(given).exists() and path.samefile(given) for given in inputs):
        raise CallError(f"{option} must not be one of the input files, got {out!r}.")
    if suffixes and path.suffix.lower() not in suffixes:
        raise CallError(f"{option} must end in {' or '.join(suffixes)}, got {out!r}.")
    return path.suffix.lower()


def check_output(out: str, inputs: Sequence[str] = ()) -> str:
    """Return the format of an output table after the same checks."""
    return "csv" if out == "-" else check_file(out, inputs, (".csv", ".tsv", ".xlsx", ".parquet"))[1:]


def write_answers(ids: Mapping[str, Any], found: Answers, out: str, format_: str) -> None:
    """Write answers after the ids of their rows; sets are lists in Parquet, and joined by bars in text."""
    columns = arrow_columns(found) if format_ == "parquet" else found.columns()
    if format_ != "parquet" and found.sets is not None:
        # A bar or backslash inside a label is preceded by a backslash.
        labels = [re.sub(r"([\\|])", r"\\\1", str(label)) for label in found.classes]
        columns["set"] = ["|".join(labels[c] for c in np.flatnonzero(row)) for row in found.sets]
    write_table({**ids, **columns}, out, format_)


def write_table(columns: Any, out: str, format_: str, *, float_format: str | None = "%.6g") -> None:
    """Write columns as a table; a file is replaced completely or not at all. Text has six digits."""
    content = BytesIO()
    if format_ == "parquet":
        from pyarrow import parquet, table  # type: ignore[import-untyped]

        parquet.write_table(table(dict(columns)), content)
    elif format_ == "xlsx":
        with pd.ExcelWriter(content, engine="openpyxl") as book:
            pd.DataFrame(columns).to_excel(book, index=False)
            # Text as text: =1+1 would be a formula, #N/A an error.
            for cell in (one for row in book.book.active.iter_rows() for one in row if one.data_type in "fe"):
                cell.data_type = "s"
    else:
        sep = "\t" if format_ == "tsv" else ","
        pd.DataFrame(columns).to_csv(content, index=False, sep=sep, float_format=float_format)
    if out == "-":
        sys.stdout.buffer.write(content.getbuffer())
        sys.stdout.buffer.flush()
        return
    with replacing(out) as unfinished:
        unfinished.write_bytes(content.getbuffer())
