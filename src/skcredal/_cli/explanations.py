"""Explanations of single rows, as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from skcredal._cli.console import format_table
from skcredal._cli.tables import ModelRows
from skcredal._encoding.columns import is_missing
from skcredal._ensemble.explain import as_factor, strongest
from skcredal._ties import most_probable_first
from skcredal.classifiers._answers import Answers, answers
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.evaluation._names import is_below
from skcredal.evaluation._words import values_with_bins

__all__ = ["explain_row"]

# A terminal shows about this many classes or features at once; the rest is summarised.
_MOST = 20
# A smaller vote is printed as 0.000, a larger credibility as 1.000.
_VISIBLE = 0.0005


def explain_row(model: Any, rows: ModelRows, number: int, close_call: float) -> str:
    """Explain in words and numbers why a model decided a row, or left it undecided."""
    row = rows.features.iloc[[number - 1]]
    case, found = model.explain(row).iloc[0], answers(model, row)
    title = [f"Row {number}", *(f"{name} {cells.iloc[number - 1]}" for name, cells in rows.ids.items())]
    parts = [_wrapped(f"{', '.join(title)}: {case['sentence']}")]
    if case["set_size"] == 1 and is_below(found.proba.max(), close_call):
        parts.append(f"A close call: one class, but with a probability below {100 * close_call:.4g} %.")
    if rows.true is not None and not is_missing(rows.true.iloc[number - 1]):
        parts.append(f"In the table, {rows.true.name} is {rows.true.iloc[number - 1]}.")
    parts += ["", _bounds(found), "", _wrapped(_robustness(case, model))]
    (values,) = values_with_bins(model, row)
    if case["rival"] is not None and isinstance(model, CredalLogPoolAODE):
        parts += ["", _contributions(case, values)]
    elif case["rival"] is not None and len(case["super_parents"]):
        parts += ["", _votes(case, values)]
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)


def _shortened(text: str) -> str:
    """Return a text in one line, without its middle if it is long: names often begin or end alike."""
    line = " ".join(str(text).split())
    return line if len(line) <= 25 else f"{line[:12]}…{line[-12:]}"


def _bounds(found: Answers) -> str:
    assert found.sets is not None
    assert found.interval is not None
    sets, interval, proba = found.sets[0], found.interval[0], found.proba[0]
    order = most_probable_first(proba)
    rows = []
    for c in order[:_MOST]:
        numbers = (f"{value:.3f}" for value in (interval[c, 0], proba[c], interval[c, 1]))
        verdict = "cannot be ruled out" if sets[c] else "cannot be the most probable"
        rows.append([_shortened(found.classes[c]), verdict, *numbers])
    text = format_table(["class", "", "lower", "prob.", "upper"], rows, n_texts=2)
    if not sets.all() and sets.sum() > 1:
        text += (
            f"\nTogether, the classes that cannot be ruled out have a probability of {proba[sets].sum():.3f}."
        )
    rest = order[_MOST:]
    if len(rest):
        inside = f"{sets[rest].sum()} of them not ruled out, each at most {interval[rest, 1].max():.3f}"
        text += f"\nand {len(rest)} more, {inside}"
    return text


def _robustness(case: Any, model: Any) -> str:
    robustness, predicted = case["robustness"], case["predicted"]
    by_weights = isinstance(model, CredalLogPoolAODE)
    if robustness <= 0:
        reference = "the best weights" if by_weights else "the reference prior"
        return f"Robustness 0: under {reference}, another class is as probable as {predicted}."
    if by_weights:
        known = f"{robustness:.3f}" if robustness < 1.0 - _VISIBLE else "more than 0.999"
        used = f"this model uses {model.credibility:.4g}"
        return f"Robustness {known}: {predicted} is the only answer up to this credibility ({used})."
    if robustness >= 1:
        return f"Robustness 1.00: the answer is {predicted} under every prior."
    part = f"as long as less than {robustness:.0%} of the reference prior is replaced by another"
    return f"Robustness {robustness:.2f}: the answer is {predicted} {part}."


def _contributions(case: Any, values: dict[str, str]) -> str:
    """Return what each feature multiplies the odds by, and their product."""
    parts = strongest(case, values, _MOST)
    parts.append(("product", "the odds", sum(log for _, _, log in parts)))
    rows = [[_shortened(name), _shortened(value), as_factor(log)] for name, value, log in parts]
    support = f"above 1 it supports {case['predicted']}, below 1 {case['rival']}"
    said = f"What each feature multiplies the odds of {case['predicted']} over {case['rival']} by: {support}."
    return f"{_wrapped(said)}\n{format_table(['feature', 'value', 'factor'], rows, n_texts=2)}"


def _votes(case: Any, values: dict[str, str]) -> str:
    """Return what the model of each super-parent votes for, and the prior that favours the rival most."""
    flips = case["set_size"] > 1 and min(case["votes"]) <= -_VISIBLE
    claim = f"flips the answer to {case['rival']}" if flips else f"favours {case['rival']} most"
    rows = []
    for name, vote, prior in zip(case["super_parents"], case["votes"], case["prior"], strict=True):
        ballot = f"{abs(vote):.3f} for {case['predicted'] if vote > 0 else case['rival']}"
        ballot = ballot if abs(vote) >= _VISIBLE else "about the same for both"
        rows.append([name, values[name], "-" if prior != prior else f"{prior:.3f}", ballot])
    said = f"What the model of each super-parent votes for, and the prior over the models that {claim}:"
    return f"{_wrapped(said)}\n{format_table(['super-parent', 'value', 'prior', 'vote'], rows, n_texts=4)}"
