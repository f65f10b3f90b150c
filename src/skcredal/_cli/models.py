"""Models on the command line: predictions as a table, and the reasons of a case as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from skcredal._cli.console import CallError
from skcredal._cli.user_tables import Reading, are_reading_notes, need_columns, read_user_table, shown
from skcredal._encoding.factors import is_missing
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._extras import require
from skcredal._files import replacing
from skcredal.classifiers._answers import answers
from skcredal.classifiers._base import TabularClassifier, learned_features
from skcredal.evaluation._table_files import table_format
from skcredal.persistence import load, read_notes

if TYPE_CHECKING:
    import pandas

__all__ = [
    "KeptModel",
    "check_output",
    "explain_row",
    "known_class",
    "read_for_model",
    "read_model",
    "write_table",
]

# So many classes are listed.
_CLASSES = 20
# Bars are drawn as many characters wide.
_BAR = 24
# Three decimals show votes from this on.
_VISIBLE = 0.0005


@dataclass(frozen=True, slots=True, eq=False)
class KeptModel:
    """A classifier from a file, and what skcredal fit noted: its target, and how its table was read."""

    classifier: Any
    target: str | None
    reading: dict[str, Any]


def read_model(path: str) -> KeptModel:
    """Load a model; if the file does not exist, the call is wrong."""
    if not Path(path).is_file():
        raise CallError(f"There is no model {path!r}; skcredal fit writes one.")
    classifier = load(path)
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(f"{path} contains {type(classifier).__name__}, which is not a classifier.")
    notes = read_notes(path)
    target, reading = notes.get("target"), notes.get("reading", {})
    if not isinstance(target, (str, type(None))) or not are_reading_notes(reading):
        raise ValueError(f"{path} cannot be used: its notes on how its table was read are damaged.")
    return KeptModel(classifier, target, reading)


def read_for_model(
    kept: KeptModel, data: str, reading: Reading, *, without_rows: bool = False
) -> tuple[pandas.DataFrame, pandas.Series[Any] | None]:
    """Read the columns that a model has learned from, each as it has learned it; and the target, if there."""
    model = kept.classifier
    names = getattr(model, "feature_names_in_", None)
    states = _states(model)
    text_columns = [*states, *([] if kept.target is None else [kept.target])]
    table = read_user_table(
        data, reading.with_notes(kept.reading), text_columns=text_columns, without_rows=without_rows
    )
    if names is None:
        if table.shape[1] != model.n_features_in_:
            raise ValueError(
                f"The model has learned from {model.n_features_in_} columns without names, and {shown(data)} "
                f"has {table.shape[1]}."
            )
        return table, None
    true = table[kept.target] if kept.target in table.columns else None
    frame = need_columns(table, [str(name) for name in names], data).copy()
    _refuse_text_for_numbers(model, frame, data)
    for name, of_column in states.items():
        # Text stands for states of other kinds, too: a model learned from Parquet knows True, not "True".
        by_text = {str(state): state for state in of_column if not isinstance(state, str)}
        if by_text and frame[name].dtype == object:
            frame[name] = [
                by_text.get(cell, cell) if isinstance(cell, str) else cell for cell in frame[name].tolist()
            ]
    return frame, true


def _refuse_text_for_numbers(model: Any, frame: pandas.DataFrame, data: str) -> None:
    """Refuse a word where the model has learned numbers, with its row as the user counts it."""
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
                    f"Column {name!r} was numeric during fit, but row {row} of {shown(data)} contains "
                    f"{str(cell)[:40]!r}; if that is a missing value, say so with --missing."
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
    """Return the format of an output, before any work: its folder exists, and it is none of the inputs."""
    if out == "-":
        return "csv"
    path = Path(out)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CallError(f"-o must be a file in a folder that exists, got {out!r}.")
    for given in inputs:
        if given != "-" and path.exists() and Path(given).exists() and path.samefile(given):
            raise CallError(f"-o must not be a file that is read, got {out!r}.")
    try:
        format_ = table_format(out)
    except ValueError:
        format_ = "unknown"
    if format_ not in ("csv", "tsv", "parquet") or path.suffix.lower() == ".gz":
        raise CallError(f"-o must end in .csv, .tsv or .parquet, got {out!r}.")
    if format_ == "parquet":
        require("pyarrow", extra="scale", purpose="Writing Parquet")
    return format_


def write_table(
    columns: dict[str, Any], out: str, format_: str, *, float_format: str | None = "%.6g"
) -> None:
    """Write columns as a table; a file is replaced as a whole or not at all.

    In text, six digits tell classes apart that are not tied, and can be read.
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
    """Return a label that holds no bar of its own."""
    return label.replace("\\", "\\\\").replace("|", "\\|")


def explain_row(model: Any, row: pandas.DataFrame, number: int, known: str | None = None) -> str:
    """Return in words and numbers why a model decided a row, or left it undecided, and what is known."""
    case = model.explain(row).iloc[0]
    found = answers(model, row)
    assert found.sets is not None
    assert found.interval is not None
    sets, interval, proba = found.sets[0], found.interval[0], found.proba[0]
    labels = [str(label) for label in model.classes_]
    predicted, rival = str(case["predicted"]), None if case["rival"] is None else str(case["rival"])
    order = np.argsort(-proba, kind="stable")
    shown, rest = order[:_CLASSES], order[_CLASSES:]
    width = max(map(len, ["class", *(labels[c] for c in shown)]))
    lines = [f"Row {number}: {case['sentence']}", *([] if known is None else [known]), ""]
    lines.append(f"  {'class':<{width}}  in set  lower  prob.  upper")
    for c in shown:
        low, high = interval[c]
        mark = "yes" if sets[c] else "no"
        lines.append(
            f"  {labels[c]:<{width}}  {mark:<6}  {low:.3f}  {proba[c]:.3f}  {high:.3f}  "
            f"|{_bar(low, high, proba[c])}|"
        )
    if len(rest):
        lines.append(
            f"  and {len(rest)} more, {sets[rest].sum()} of them in the set, each at most "
            f"{interval[rest, 1].max():.3f}"
        )
    lines += ["", f"Robustness {case['robustness']:.2f}: {_robustness_in_words(case, predicted)}"]
    if len(case["super_parents"]) and rival is not None:
        lines += ["", *_votes(case, row, predicted, rival)]
    return "\n".join(lines)


def known_class(kept: KeptModel, true: pandas.Series[Any] | None, row: int) -> str | None:
    """Return what the table itself says of the class of a row, None if it does not."""
    if true is None or is_missing(true.iloc[row]):
        return None
    return f"In the table, {kept.target} is {true.iloc[row]}."


def _bar(low: float, high: float, reference: float) -> str:
    places = [round(value * (_BAR - 1)) for value in (low, high, reference)]
    cells = ["=" if places[0] <= place <= places[1] else " " for place in range(_BAR)]
    cells[places[2]] = "o"
    return "".join(cells)


def _robustness_in_words(case: Any, predicted: str) -> str:
    if case["robustness"] >= 1:
        return f"{predicted} stays the answer whatever prior replaces the reference."
    if case["robustness"] <= 0:
        return f"under the reference prior itself, another class is as probable as {predicted}."
    return (
        f"{predicted} stays the answer as long as less than {case['robustness']:.0%} of the reference prior "
        "is replaced by anything."
    )


def _shown_value(value: Any) -> str:
    if is_missing(value):
        return "missing"
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def _votes(case: Any, row: pandas.DataFrame, predicted: str, rival: str) -> list[str]:
    names = list(case["super_parents"])
    values = [_shown_value(row[name].iloc[0]) if name in row else "" for name in names]
    width, value_width = max(map(len, [*names, "super-parent"])), max(map(len, [*values, "value"]))
    flips = case["undecided"] and min(case["votes"]) <= -_VISIBLE
    lines = [
        "Which models (around which super-parents) speak for what, and the prior over them that "
        f"{f'flips the answer to {rival}' if flips else f'favours {rival} most'}:",
        f"  {'super-parent':<{width}}  {'value':<{value_width}}  prior  speaks",
    ]
    for name, value, vote, prior in zip(names, values, case["votes"], case["prior"], strict=True):
        weight = "-" if prior != prior else f"{prior:.3f}"
        speaks = f"{abs(vote):.3f} for {predicted if vote > 0 else rival}"
        if abs(vote) < _VISIBLE:
            speaks = "about the same for both"
        lines.append(f"  {name:<{width}}  {value:<{value_width}}  {weight:>5}  {speaks}")
    return lines
