"""Explanations of single rows, as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import AnyArray
from skcredal._encoding.factors import is_missing
from skcredal._ensemble.explain import as_factor, strongest
from skcredal.classifiers._answers import answers
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.evaluation._doubts import doubt_of_rows
from skcredal.evaluation._registry import CLOSE_CALL

if TYPE_CHECKING:
    import pandas

__all__ = ["doubts_in_words", "explain_row"]

# A terminal shows about this many classes at once; the rest is summarised.
_CLASSES = 20
# Width of a bar in characters: with the numbers before it, a line stays below 80.
_BAR = 24
# A smaller vote is printed as 0.000.
_VISIBLE = 0.0005
_WIDTH = 80
# A longer class would push its bar beyond the width.
_LONGEST_CLASS = 21
# Features with a line of their own, those that contribute most; and what fits into a line beside its bar.
_FEATURES = 20
_LONGEST_NAME, _LONGEST_VALUE, _HALF_BAR = 21, 25, 7
# A larger credibility would be printed as 1.000.
_NEARLY_CERTAIN = 0.9995


def doubts_in_words(doubt: AnyArray, close_call: float) -> str:
    """Return how many of the answers are undecided and close calls.

    Examples
    --------
    >>> doubts_in_words(np.array(["", "undecided", "close call"]), 0.75)[:50]
    'Of 3 rows, 1 is undecided (several classes remain)'
    """
    undecided, close = (int((doubt == kind).sum()) for kind in ("undecided", "close call"))
    rows = "1 row" if len(doubt) == 1 else f"{len(doubt)} rows"
    several = f"{undecided} {'is' if undecided == 1 else 'are'} undecided (several classes remain)"
    calls = f"{close} {'is a close call' if close == 1 else 'are close calls'}"
    return f"Of {rows}, {several} and {calls} (one class, but with a probability below {close_call:g})."


def _doubt_in_words(doubt: str, n_classes: int, probability: float, close_call: float) -> str:
    if doubt == "undecided":
        return f"Undecided: {n_classes} classes remain."
    if doubt == "close call":
        below = f"{probability:.3f}, below {close_call:g}"
        return f"A close call: one class remains, but with a probability of {below}."
    return f"Decided: one class remains, with a probability of {probability:.3f}."


def explain_row(
    model: Any,
    row: pandas.DataFrame,
    title: str,
    known: str | None = None,
    *,
    close_call: float = CLOSE_CALL,
) -> str:
    """Explain in words and numbers why a model decided a row, or left it undecided."""
    case = model.explain(row).iloc[0]
    found = answers(model, row)
    assert found.sets is not None
    assert found.interval is not None
    sets, interval, proba = found.sets[0], found.interval[0], found.proba[0]
    labels = [str(label) for label in model.classes_]
    predicted, rival = str(case["predicted"]), None if case["rival"] is None else str(case["rival"])
    order = np.argsort(-proba, kind="stable")
    listed, rest = order[:_CLASSES], order[_CLASSES:]
    shown = {c: _shorten(labels[c], _LONGEST_CLASS) for c in listed}
    width = max(map(len, ["class", *shown.values()]))
    lines = _wrap(f"{title}: {case['sentence']}")
    (doubt,) = doubt_of_rows(found.proba, found.sets, close_call=close_call)
    lines += _wrap(_doubt_in_words(str(doubt), int(sets.sum()), float(proba.max()), close_call))
    lines += [*([] if known is None else [known]), ""]
    lines.append(f"  {'class':<{width}}  in set  lower  prob.  upper")
    for c in listed:
        low, high = interval[c]
        mark = "yes" if sets[c] else "no"
        lines.append(
            f"  {shown[c]:<{width}}  {mark:<6}  {low:.3f}  {proba[c]:.3f}  {high:.3f}  "
            f"|{_bar(low, high, proba[c])}|"
        )
    if len(rest):
        lines.append(
            f"  and {len(rest)} more, {sets[rest].sum()} of them in the set, each at most "
            f"{interval[rest, 1].max():.3f}"
        )
    by_feature = isinstance(model, CredalLogPoolAODE)
    robust = _credibility_in_words if by_feature else _robustness_in_words
    lines += ["", *_wrap(robust(case, predicted, model))]
    if rival is not None and by_feature:
        lines += ["", *_contributions(case, _values(model, row), predicted, rival)]
    elif rival is not None and len(case["super_parents"]):
        lines += ["", *_votes(case, _values(model, row), predicted, rival)]
    return "\n".join(lines)


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _shorten(text: str, longest: int) -> str:
    """Return a text in one line, without its middle if it is long: names often begin or end alike.

    Examples
    --------
    >>> _shorten("systolic_pressure_at_admission", 21)
    'systolic_p…_admission'
    """
    line = " ".join(text.split())
    end = (longest - 1) // 2
    return line if len(line) <= longest else f"{line[: longest - 1 - end]}…{line[-end:]}"


def _bar(low: float, high: float, reference: float) -> str:
    start, stop, mark = (round(value * (_BAR - 1)) for value in (low, high, reference))
    cells = ["=" if start <= i <= stop else " " for i in range(_BAR)]
    cells[mark] = "o"
    return "".join(cells)


def _robustness_in_words(case: Any, predicted: str, model: Any) -> str:
    robustness = case["robustness"]
    if robustness >= 1:
        words = f"{predicted} remains the answer under any other prior."
    elif robustness <= 0:
        words = f"under the reference prior itself, another class is as probable as {predicted}."
    else:
        words = (
            f"{predicted} remains the answer as long as less than {robustness:.0%} of the reference "
            "prior is replaced by another."
        )
    return f"Robustness {robustness:.2f}: {words}"


def _credibility_in_words(case: Any, predicted: str, model: Any) -> str:
    robustness, asked = case["robustness"], f"the set is that of a credibility of {model.credibility:.4g}"
    if robustness >= _NEARLY_CERTAIN:
        return (
            f"Robustness above 0.999: {predicted} beats every other class up to a credibility of more than "
            f"0.999; {asked}."
        )
    if robustness <= 0:
        return (
            f"Robustness 0: under the best weights themselves, another class is as probable as {predicted}."
        )
    return (
        f"Robustness {robustness:.3f}: {predicted} beats every other class up to a credibility of "
        f"{robustness:.3f}; {asked}."
    )


def _shown_value(value: Any) -> str:
    if is_missing(value):
        return "missing"
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def _values(model: Any, row: pandas.DataFrame) -> dict[str, str]:
    """Return the values of a row, numbers with their bin, by the names that `explain` gives the features."""
    names = getattr(model, "feature_names_in_", None)
    found = {}
    for j, (name, how) in enumerate(zip(row.columns, model.encoding_, strict=True)):
        value: Any = row.iloc[0, j]
        shown = _shown_value(value)
        if how.cuts and not is_missing(value):
            shown = f"{shown}, {_bin(float(value), how.cuts)}"
        found[f"feature {j}" if names is None else str(name)] = shown
    return found


def _bin(number: float, cuts: tuple[float, ...]) -> str:
    """Return the bin of a number in words; a bin holds its upper cut.

    Examples
    --------
    >>> _bin(57, (54.0, 61.0)), _bin(54, (54.0, 61.0)), _bin(70, (54.0, 61.0))
    ('in 54 to 61', 'up to 54', 'above 61')
    """
    index = int(np.searchsorted(cuts, number))
    if index == 0:
        return f"up to {cuts[0]:.4g}"
    if index == len(cuts):
        return f"above {cuts[-1]:.4g}"
    return f"in {cuts[index - 1]:.4g} to {cuts[index]:.4g}"


def _contributions(case: Any, values: dict[str, str], predicted: str, rival: str) -> list[str]:
    """Return what each feature multiplies the odds by, and their product."""
    logs = list(case["contributions"])
    listed, together = strongest(logs, _FEATURES)
    lines = [("class frequencies", "", case["frequencies"])]
    lines += [
        (_shorten(name, _LONGEST_NAME), _shorten(values[name], _LONGEST_VALUE), logs[i])
        for i, name in ((i, case["features"][i]) for i in listed)
    ]
    n_others = len(logs) - len(listed)
    if n_others:
        lines.append(("1 more feature" if n_others == 1 else f"{n_others} more together", "", together))
    odds = as_factor(case["frequencies"] + sum(logs))
    factors = [as_factor(log) for *_, log in lines]
    width = max(map(len, ["feature", *(name for name, *_ in lines)]))
    value_width = max(map(len, ["value", *(value for _, value, _ in lines)]))
    factor_width = max(map(len, ["factor", odds, *factors]))
    longest = max(abs(log) for *_, log in lines)

    def line(name: str, value: str, factor: str, rest: str) -> str:
        return f"  {name:<{width}}  {value:<{value_width}}  {factor:>{factor_width}}  {rest}".rstrip()

    return [
        *_wrap(
            f"What each feature multiplies the odds of {predicted} over {rival} by: + speaks for "
            f"{predicted}, - for {rival}."
        ),
        line("feature", "value", "factor", ""),
        *(
            line(name, value, factor, _factor_bar(log / longest if longest else 0.0))
            for (name, value, log), factor in zip(lines, factors, strict=True)
        ),
        line("product", "", odds, f"= odds of {odds[1:]} to 1"),
    ]


def _factor_bar(part: float) -> str:
    length = round(_HALF_BAR * abs(part))
    left, right = ("-" * length, "") if part < 0 else ("", "+" * length)
    return f"|{left:>{_HALF_BAR}}|{right:<{_HALF_BAR}}|"


def _votes(case: Any, by_name: dict[str, str], predicted: str, rival: str) -> list[str]:
    names = list(case["super_parents"])
    values = [by_name[name] for name in names]
    width, value_width = max(map(len, [*names, "super-parent"])), max(map(len, [*values, "value"]))
    flips = case["set_size"] > 1 and min(case["votes"]) <= -_VISIBLE
    lines = [
        *_wrap(
            "What the model of each super-parent votes for, and the prior over the models that "
            f"{f'flips the answer to {rival}' if flips else f'favours {rival} most'}:"
        ),
        f"  {'super-parent':<{width}}  {'value':<{value_width}}  prior  vote",
    ]
    for name, value, vote, prior in zip(names, values, case["votes"], case["prior"], strict=True):
        weight = "-" if prior != prior else f"{prior:.3f}"
        ballot = f"{abs(vote):.3f} for {predicted if vote > 0 else rival}"
        if abs(vote) < _VISIBLE:
            ballot = "about the same for both"
        lines.append(f"  {name:<{width}}  {value:<{value_width}}  {weight:>5}  {ballot}")
    return lines
