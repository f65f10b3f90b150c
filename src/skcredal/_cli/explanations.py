"""Explanations of single rows, as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from skcredal._ties import most_probable_first
from skcredal.classifiers._answers import answers
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.evaluation._names import is_below
from skcredal.evaluation._words import as_factor, strongest, values_with_bins

if TYPE_CHECKING:
    import pandas

__all__ = ["explain_row"]

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


def explain_row(
    model: Any, row: pandas.DataFrame, title: str, known: str | None, *, close_call: float
) -> str:
    """Explain in words and numbers why a model decided a row, or left it undecided."""
    case = model.explain(row).iloc[0]
    found = answers(model, row)
    assert found.sets is not None
    assert found.interval is not None
    sets, interval, proba = found.sets[0], found.interval[0], found.proba[0]
    labels = [str(label) for label in model.classes_]
    predicted, rival = str(case["predicted"]), None if case["rival"] is None else str(case["rival"])
    order = most_probable_first(proba)
    listed, rest = order[:_CLASSES], order[_CLASSES:]
    shown = {c: _shorten(labels[c], _LONGEST_CLASS) for c in listed}
    width = max(map(len, ["class", *shown.values()]))
    lines = _wrap(f"{title}: {case['sentence']}")
    if sets.sum() == 1 and is_below(proba.max(), close_call):
        lines += _wrap(
            f"A close call: one class remains, but its probability is below {100 * close_call:.4g} %."
        )
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
    lines += ["", *_wrap(_robustness_in_words(case, predicted, model))]
    (values,) = values_with_bins(model, row)
    if rival is not None and by_feature:
        lines += ["", *_contributions(case, values, predicted, rival)]
    elif rival is not None and len(case["super_parents"]):
        lines += ["", *_votes(case, values, predicted, rival)]
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
    robustness, by_weights = case["robustness"], isinstance(model, CredalLogPoolAODE)
    if robustness <= 0:
        reference = "the best weights themselves" if by_weights else "the reference prior itself"
        return f"Robustness 0: under {reference}, another class is as probable as {predicted}."
    if by_weights:
        known = f"{robustness:.3f}" if robustness < _NEARLY_CERTAIN else "more than 0.999"
        return (
            f"Robustness {known}: {predicted} beats every other class up to a credibility of {known}; "
            f"the set is that of a credibility of {model.credibility:.4g}."
        )
    if robustness >= 1:
        return f"Robustness 1.00: {predicted} remains the answer under any other prior."
    return (
        f"Robustness {robustness:.2f}: {predicted} remains the answer as long as less than {robustness:.0%} "
        "of the reference prior is replaced by another."
    )


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
