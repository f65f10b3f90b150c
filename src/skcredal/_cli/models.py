"""Models on the command line: how they and their tables are read, and predictions written."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from skcredal._cli.console import CallError
from skcredal._cli.options import Reading
from skcredal._cli.user_tables import (
    are_reading_notes,
    as_categories,
    display_name,
    need_columns,
    read_user_table,
)
from skcredal._encoding.columns import is_missing
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._extras import require
from skcredal._files import replacing
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._base import TabularClassifier, learned_features
from skcredal.evaluation._names import counted, is_below, listed
from skcredal.evaluation._table_files import table_format
from skcredal.persistence import load, read_notes

if TYPE_CHECKING:
    import pandas

__all__ = [
    "KeptModel",
    "RowsForModel",
    "check_file",
    "check_output",
    "count_doubts",
    "doubts_in_words",
    "read_for_model",
    "read_model",
    "strange_values",
    "table_writer",
    "what_was_read",
    "write_table",
]


@dataclass(frozen=True, slots=True, eq=False)
class KeptModel:
    """A classifier from a file, with what skcredal fit noted: target, ids, and how its table was read."""

    classifier: Any
    target: str | None
    ids: list[str]
    reading: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class RowsForModel:
    """The columns that a model was fitted to, the target if the table has it, and the columns of ids."""

    features: pandas.DataFrame
    true: pandas.Series[Any] | None
    ids: dict[str, list[Any]]

    def id_columns(self, format_: str) -> dict[str, Any]:
        """Return the ids of all rows as columns for a format; parts of them then have the same type."""
        if format_ == "parquet":
            arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
            return {name: arrow.array(ids) for name, ids in self.ids.items()}
        pandas = require("pandas", extra="cli", purpose="Writing a table")
        return {name: pandas.Series(ids) for name, ids in self.ids.items()}

    def title(self, number: int) -> str:
        """Return what a row is called, by its number from 1 and its ids."""
        return ", ".join([f"Row {number}", *(f"{name} {ids[number - 1]}" for name, ids in self.ids.items())])

    def known_class(self, number: int) -> str | None:
        """Return a sentence about the true class of a row, None if the table does not contain it."""
        if self.true is None or is_missing(self.true.iloc[number - 1]):
            return None
        return f"In the table, {self.true.name} is {self.true.iloc[number - 1]}."


def read_model(path: str) -> KeptModel:
    """Load a model; a missing file is an error in the call."""
    if not Path(path).is_file():
        raise CallError(f"There is no model file {path!r}. Create one with skcredal fit.")
    classifier = load(path)
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(f"{path} must contain a classifier, got {type(classifier).__name__}.")
    notes = read_notes(path)
    target, ids, reading = notes.get("target"), notes.get("ids", []), notes.get("reading", {})
    are_texts = isinstance(ids, list) and all(isinstance(name, str) for name in ids)
    if not isinstance(target, (str, type(None))) or not are_texts or not are_reading_notes(reading):
        raise ValueError(f"{path} cannot be used: its notes on how its table was read are damaged.")
    return KeptModel(classifier, target, ids, reading)


def read_for_model(
    kept: KeptModel, data: str, reading: Reading, *, ids: Sequence[str] = (), without_rows: bool = False
) -> RowsForModel:
    """Read the columns that a model was fitted to, with the same types, and what else is known of the rows.

    The ids are the columns that the call names, or else those that ``fit`` was told, if they are there.
    """
    model = kept.classifier
    names = getattr(model, "feature_names_in_", None)
    states = _states(model)
    # Categories and classes stay text, or the code 01 would become the number 1.
    text_columns = [*states, *([] if kept.target is None else [kept.target]), *(ids or kept.ids)]
    table = read_user_table(
        data, reading.with_notes(kept.reading), text_columns=text_columns, without_rows=without_rows
    )
    if names is None:
        if table.shape[1] != model.n_features_in_:
            raise ValueError(
                f"The model was fitted to {model.n_features_in_} columns without names, but "
                f"{display_name(data)} has {table.shape[1]}."
            )
        return RowsForModel(table, None, {})
    true = table[kept.target] if kept.target in table.columns else None
    frame = need_columns(table, [str(name) for name in names], data)
    for name in ids:
        if name not in table.columns:
            raise CallError(f"--id: there is no column {name!r} in {display_name(data)}.")
    shown = {name: table[name].tolist() for name in ids or kept.ids if name in table.columns}
    _refuse_text_for_numbers(model, frame, data)
    for name, of_column in states.items():
        # A text file has only text: a model fitted to Parquet knows the state True, not "True".
        by_text = {str(state): state for state in of_column if not isinstance(state, str)}
        if not by_text and frame[name].dtype.kind in "iuf":
            frame[name] = as_categories(frame[name])  # declared with --categorical in fit
        if by_text and frame[name].dtype == object:
            frame[name] = [
                by_text.get(cell, cell) if isinstance(cell, str) else cell for cell in frame[name].tolist()
            ]
    return RowsForModel(frame, true, shown)


def what_was_read(model: TabularClassifier) -> str:
    """Return in short how the columns of a fitted model are used."""
    kinds = [one.kind for one in model.encoding_]
    left_out = [f"{one.name} ({one.why_not})" for one in model.encoding_ if not one.kept]
    text = f"Read {kinds.count('numeric')} numeric and {kinds.count('categorical')} categorical columns"
    return f"{text}; left out: {listed(left_out, 10)}." if left_out else f"{text}."


def count_doubts(found: Answers, close_call: float) -> tuple[int, int]:
    """Return how many rows are undecided, and how many are close calls."""
    several = np.zeros(len(found.proba), bool) if found.set_size is None else found.set_size > 1
    close = ~several & is_below(found.proba.max(axis=1), close_call)
    return int(several.sum()), int(close.sum())


def doubts_in_words(n_rows: int, undecided: int | None, close: int, close_call: float) -> str:
    """Return how many rows are undecided (None without sets) and how many are close calls.

    Examples
    --------
    >>> doubts_in_words(2, None, 1, 0.75)
    'Of 2 rows, 1 is a close call (one class, but with a probability below 75 %).'
    """
    calls = "is a close call" if close == 1 else "are close calls"
    parts = [f"{close} {calls} (one class, but with a probability below {100 * close_call:.4g} %)"]
    if undecided is not None:
        parts.insert(0, f"{undecided} {'is' if undecided == 1 else 'are'} undecided (several classes remain)")
    return f"Of {counted(n_rows, 'row')}, {' and '.join(parts)}."


def strange_values(model: Any, frame: pandas.DataFrame) -> str | None:
    """Return in one sentence what the model has never seen: categories, and numbers far out of range."""
    if not isinstance(model, TabularClassifier):
        return None
    unseen: list[str] = []
    outside: list[str] = []
    for name, feature in zip(frame.columns, learned_features(model), strict=True):
        if isinstance(feature, CategoricalFeature):
            known = frame[name].dropna()
            strange, listing = int((~known.isin(feature.values)).sum()), unseen
        elif frame[name].dtype.kind in "iuf":
            # Beyond the range by more than its width: a wrong unit or a slip, rather than a rare case.
            width = feature.high - feature.low
            values = frame[name].to_numpy(dtype=float)
            far = (values < feature.low - width) | (values > feature.high + width)
            strange, listing = int(far.sum()), outside
        else:
            continue
        if strange:
            listing.append(f"{name} ({counted(strange, 'row')})")
    parts = [
        f"{what} in {listed(columns, 5)}"
        for what, columns in (
            ("categories that the model has not seen", unseen),
            ("numbers far outside the training range", outside),
        )
        if columns
    ]
    return f"The table holds {' and '.join(parts)}." if parts else None


def _refuse_text_for_numbers(model: Any, frame: pandas.DataFrame, data: str) -> None:
    """Refuse text in a column that was numeric during fit, with the row number as the user counts."""
    if not isinstance(model, TabularClassifier):
        return
    for name, feature in zip(frame.columns, learned_features(model), strict=True):
        if not isinstance(feature, NumericFeature) or frame[name].dtype != object:
            continue
        for row, cell in enumerate(frame[name].tolist(), start=1):
            try:
                float(0 if cell is None else cell)
            except (TypeError, ValueError):
                raise ValueError(
                    f"Column {name!r} was numeric during fit, but row {row} of {display_name(data)} contains "
                    f"{str(cell)[:40]!r}. If that marks a missing value, name it with --missing."
                ) from None


def _states(model: Any) -> dict[str, Sequence[Any]]:
    """Return the states of each categorical feature of a model."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or not isinstance(model, TabularClassifier):
        return {}
    return {
        str(name): feature.values
        for name, feature in zip(names, learned_features(model), strict=True)
        if isinstance(feature, CategoricalFeature)
    }


def check_file(out: str, *, inputs: Sequence[str] = (), option: str = "-o") -> None:
    """Refuse what cannot be written as a file, or is one of the input files."""
    path = Path(out)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CallError(f"{option} must be a file in an existing folder, got {out!r}.")
    for given in inputs:
        if given != "-" and path.exists() and Path(given).exists() and path.samefile(given):
            raise CallError(f"{option} must not be one of the input files, got {out!r}.")


def check_output(out: str, *, inputs: Sequence[str] = ()) -> str:
    """Return the format of an output file after checking, before any work is done, that it can be written."""
    if out == "-":
        return "csv"
    check_file(out, inputs=inputs)
    try:
        format_ = table_format(out)
    except ValueError:
        format_ = "unknown"
    # ARFF and gzip can be read, but not written.
    if format_ not in ("csv", "tsv", "parquet") or Path(out).suffix.lower() == ".gz":
        raise CallError(f"-o must end in .csv, .tsv or .parquet, got {out!r}.")
    if format_ == "parquet":
        require("pyarrow", extra="scale", purpose="Writing Parquet")
    return format_


def write_table(
    columns: dict[str, Any], out: str, format_: str, *, float_format: str | None = "%.6g"
) -> None:
    """Write columns as a table; a file is replaced completely or not at all."""
    with table_writer(out, format_, float_format=float_format) as write:
        write(columns)


@contextmanager
def table_writer(
    out: str, format_: str, *, float_format: str | None = "%.6g"
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes some rows, as columns; a file is replaced completely or not at all.

    In text, numbers have six digits: enough to tell apart classes that are not tied, and still readable.
    """
    with ExitStack() as stack:
        if out == "-":
            # Not before the end: what has not failed yet may still, and half an answer looks whole.
            stream: Any = stack.enter_context(TemporaryFile())
        else:
            stream = stack.enter_context(stack.enter_context(replacing(out)).open("wb"))
        yield _parquet(stream, stack) if format_ == "parquet" else _text(stream, format_, float_format)
        if out == "-":
            stream.seek(0)
            shutil.copyfileobj(stream, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _parquet(stream: BinaryIO, stack: ExitStack) -> Callable[[dict[str, Any]], None]:
    arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
    parquet = require("pyarrow.parquet", extra="scale", purpose="Writing Parquet")
    writer: Any = None

    def write(columns: dict[str, Any]) -> None:
        nonlocal writer
        table = arrow.table(columns)
        if writer is None:
            writer = stack.enter_context(parquet.ParquetWriter(stream, table.schema))
        writer.write_table(table)

    return write


def _text(stream: BinaryIO, format_: str, float_format: str | None) -> Callable[[dict[str, Any]], None]:
    pandas = require("pandas", extra="cli", purpose="Writing a table")
    sep = "\t" if format_ == "tsv" else ","

    def write(columns: dict[str, Any]) -> None:
        frame = pandas.DataFrame(columns)
        if "set" in frame:
            frame["set"] = [
                "|".join(_escape(str(label)) for label in found) if isinstance(found, list) else found
                for found in frame["set"]
            ]
        header = stream.tell() == 0
        frame.to_csv(
            stream, index=False, header=header, sep=sep, float_format=float_format, lineterminator="\n"
        )

    return write


def _escape(label: str) -> str:
    """Escape a label, so that a bar in it does not separate labels."""
    return label.replace("\\", "\\\\").replace("|", "\\|")
