"""Models on the command line: how they and their tables are read, and predictions written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from skcredal._cli.console import CallError
from skcredal._cli.user_tables import Reading, are_reading_notes, display_name, need_columns, read_user_table
from skcredal._encoding.factors import is_missing
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._extras import require
from skcredal._files import replacing
from skcredal.classifiers._base import TabularClassifier, learned_features
from skcredal.evaluation._table_files import table_format
from skcredal.persistence import load, read_notes

if TYPE_CHECKING:
    import pandas

__all__ = [
    "KeptModel",
    "check_output",
    "known_class",
    "read_for_model",
    "read_model",
    "write_table",
]


@dataclass(frozen=True, slots=True, eq=False)
class KeptModel:
    """A classifier from a file, with what skcredal fit noted: the target, and how its table was read."""

    classifier: Any
    target: str | None
    reading: dict[str, Any]


def read_model(path: str) -> KeptModel:
    """Load a model; a missing file is an error in the call."""
    if not Path(path).is_file():
        raise CallError(f"There is no model file {path!r}. Create one with skcredal fit.")
    classifier = load(path)
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(f"{path} must contain a classifier, got {type(classifier).__name__}.")
    notes = read_notes(path)
    target, reading = notes.get("target"), notes.get("reading", {})
    if not isinstance(target, (str, type(None))) or not are_reading_notes(reading):
        raise ValueError(f"{path} cannot be used: its notes on how its table was read are damaged.")
    return KeptModel(classifier, target, reading)


def read_for_model(
    kept: KeptModel, data: str, reading: Reading, *, without_rows: bool = False
) -> tuple[pandas.DataFrame, pandas.Series[Any] | None]:
    """Read the columns that a model was fitted to, with the same types, and the target if there is one."""
    model = kept.classifier
    names = getattr(model, "feature_names_in_", None)
    states = _states(model)
    # Categories and classes stay text, or the code 01 would become the number 1.
    text_columns = [*states, *([] if kept.target is None else [kept.target])]
    table = read_user_table(
        data, reading.with_notes(kept.reading), text_columns=text_columns, without_rows=without_rows
    )
    if names is None:
        if table.shape[1] != model.n_features_in_:
            raise ValueError(
                f"The model was fitted to {model.n_features_in_} columns without names, but "
                f"{display_name(data)} has {table.shape[1]}."
            )
        return table, None
    true = table[kept.target] if kept.target in table.columns else None
    frame = need_columns(table, [str(name) for name in names], data).copy()
    _refuse_text_for_numbers(model, frame, data)
    for name, of_column in states.items():
        # A text file has only text: a model fitted to Parquet knows the state True, not "True".
        by_text = {str(state): state for state in of_column if not isinstance(state, str)}
        if by_text and frame[name].dtype == object:
            frame[name] = [
                by_text.get(cell, cell) if isinstance(cell, str) else cell for cell in frame[name].tolist()
            ]
    return frame, true


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
        str(name): list(feature.lookup)
        for name, feature in zip(names, learned_features(model), strict=True)
        if isinstance(feature, CategoricalFeature)
    }


def check_output(out: str, *, inputs: Sequence[str] = ()) -> str:
    """Return the format of an output file after checking, before any work is done, that it can be written."""
    if out == "-":
        return "csv"
    path = Path(out)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CallError(f"-o must be a file in an existing folder, got {out!r}.")
    for given in inputs:
        if given != "-" and path.exists() and Path(given).exists() and path.samefile(given):
            raise CallError(f"-o must not be one of the input files, got {out!r}.")
    try:
        format_ = table_format(out)
    except ValueError:
        format_ = "unknown"
    # ARFF and gzip can be read, but not written.
    if format_ not in ("csv", "tsv", "parquet") or path.suffix.lower() == ".gz":
        raise CallError(f"-o must end in .csv, .tsv or .parquet, got {out!r}.")
    if format_ == "parquet":
        require("pyarrow", extra="scale", purpose="Writing Parquet")
    return format_


def write_table(
    columns: dict[str, Any], out: str, format_: str, *, float_format: str | None = "%.6g"
) -> None:
    """Write columns as a table; a file is replaced completely or not at all.

    In text, numbers have six digits: enough to tell apart classes that are not tied, and still readable.
    """

    def write(stream: BinaryIO) -> None:
        if format_ == "parquet":
            arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
            parquet = require("pyarrow.parquet", extra="scale", purpose="Writing Parquet")
            parquet.write_table(arrow.table(columns), stream)
            return
        frame = require("pandas", extra="cli", purpose="Writing a table").DataFrame(columns)
        if "set" in frame:
            frame["set"] = [
                "|".join(_escape(str(label)) for label in found) if isinstance(found, list) else found
                for found in frame["set"]
            ]
        sep = "\t" if format_ == "tsv" else ","
        frame.to_csv(stream, index=False, sep=sep, float_format=float_format, lineterminator="\n")

    if out == "-":
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        with replacing(out) as unfinished, unfinished.open("wb") as stream:
            write(stream)


def _escape(label: str) -> str:
    """Escape a label, so that a bar in it does not separate labels."""
    return label.replace("\\", "\\\\").replace("|", "\\|")


def known_class(kept: KeptModel, true: pandas.Series[Any] | None, row: int) -> str | None:
    """Return a sentence about the true class of a row, None if the table does not contain it."""
    if true is None or is_missing(true.iloc[row]):
        return None
    return f"In the table, {kept.target} is {true.iloc[row]}."
