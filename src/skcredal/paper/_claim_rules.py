"""When a claim of the paper holds: one rule for each kind of claim (§11), fixed before any result was known.

Here are the rules by tests; those about figures and ranks are in :mod:`skcredal.paper._figure_rules` and
:mod:`skcredal.paper._rank_rules`. A rule does not judge a claim that the available data sets cannot decide: a
test needs enough of them to reach its level. On data sets other than the paper's the verdicts have other
words: a figure cannot be compared, and a difference that is not significant does not refute one that was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, log2

from skcredal.paper._compare import WilcoxonResult, format_p_value, wilcoxon_test
from skcredal.paper._summary import Results, Value, datasets_word

__all__ = [
    "ABOUT",
    "CONTRADICTED",
    "DOES_NOT_HOLD",
    "HOLDS",
    "NEEDED_MEASURES",
    "NOT_COMPARABLE",
    "NOT_JUDGED",
    "NOT_SEEN",
    "ROUNDING",
    "SAME_DIRECTION",
    "Finding",
    "Rule",
    "accuracy_drops",
    "is_near",
    "lower_on_average",
    "not_significant",
    "percent",
    "significantly_higher",
    "significantly_lower",
]

# The verdicts. On the paper's data sets a claim holds or does not. On others, a difference may be too small
# for them to tell, be missing without the contrary being significant, or be significant the other way round;
# and figures cannot be compared.
HOLDS, DOES_NOT_HOLD, NOT_JUDGED = "holds", "does not hold", "not judged"
SAME_DIRECTION, NOT_SEEN = "same direction, not significant", "not seen"
CONTRADICTED, NOT_COMPARABLE = "contradicted", "not comparable"

NEEDED_MEASURES = (
    *("n", "classes", "accuracy", "brier", "determinacy", "set_accuracy", "output_size"),
    *("u65", "u80", "u65_dependent", "u80_dependent", "accuracy_safe", "accuracy_dependent"),
)
ABOUT = 0.02  # §11, for shares and ratios
# For comparisons with a bound: above rounding errors, and below any difference that a row makes.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Finding:
    """What the results say about a claim; ``holds`` is None if they cannot decide it.

    ``elsewhere`` is the verdict on data sets other than the paper's, ``note_elsewhere`` its note if that
    differs.
    """

    ours: str
    holds: bool | None
    p_value: float | None = None
    note: str = ""
    elsewhere: str = NOT_JUDGED
    note_elsewhere: str | None = None


# A rule raises NotRunError where classifiers are missing.
Rule = Callable[[Results], Finding]


def significantly_higher(*pairs: tuple[Value, Value], level: float = 0.01) -> Rule:
    """Return the rule: in every pair the first is significantly higher (Wilcoxon test)."""
    return _significant(pairs, level, wanted=1)


def significantly_lower(first: Value, second: Value, *, level: float = 0.01) -> Rule:
    """Return the rule: the first is significantly lower than the second (Wilcoxon test)."""
    return _significant([(first, second)], level, wanted=-1)


def _significant(pairs: Sequence[tuple[Value, Value]], level: float, wanted: int) -> Rule:
    def judge(results: Results) -> Finding:
        tests = [_compare(results, *pair) for pair in pairs]
        if len(tests) == 1:
            ours = tests[0][0]
        else:
            ours = "; ".join(
                f"{text}, p {format_p_value(test.p_value, relation=True)}" if test.n_pairs else text
                for text, test in tests
            )
        p_value = _largest_p_value([test for _, test in tests])
        elsewhere = _elsewhere([test for _, test in tests], level, wanted)
        # With fewer pairs even differences of the same sign everywhere are not significant: a failure would
        # say nothing about the claim.
        if (n := min(test.n_pairs for _, test in tests)) < _fewest_pairs(level):
            return Finding(ours, None, p_value, _too_few(n, level), elsewhere)
        # All pairs have to be significant, so the largest p-value decides.
        holds = all(test.direction == wanted and test.p_value < level for _, test in tests)
        note = "p is the larger of the two." if len(tests) > 1 else ""
        return Finding(ours, holds, p_value, note, elsewhere)

    return judge


def _elsewhere(tests: Sequence[WilcoxonResult], level: float, wanted: int) -> str:
    """Return the verdict on data sets other than the paper's; all tests have to agree with the claim."""
    if min(test.n_pairs for test in tests) == 0:
        return NOT_JUDGED
    if any(test.direction == -wanted and test.p_value < level for test in tests):
        return CONTRADICTED
    if all(test.direction == wanted and test.p_value < level for test in tests):
        return HOLDS
    # By ranks and by the means, which are what a reader sees: few data sets may differ in these.
    agree = all(test.direction == wanted and wanted * test.mean_difference > 0.0 for test in tests)
    return SAME_DIRECTION if agree else NOT_SEEN


def not_significant(first: Value, second: Value, *, level: float = 0.05) -> Rule:
    """Return the rule: the Wilcoxon test finds no significant difference."""

    def judge(results: Results) -> Finding:
        ours, test = _compare(results, first, second)
        # A test that could not find a difference must not count as "no difference".
        if test.n_pairs < _fewest_pairs(level):
            return Finding(ours, None, _largest_p_value([test]), _too_few(test.n_pairs, level))
        note = f"Judged at the {level:g} level. That no difference was found does not prove equality."
        holds = test.p_value >= level
        return Finding(ours, holds, test.p_value, note, HOLDS if holds else CONTRADICTED)

    return judge


def lower_on_average(first: Value, second: Value, *, level: float = 0.05) -> Rule:
    """Return the rule: the mean of the first is below that of the second, whatever the p-value.

    On data sets other than the paper's, only a significant difference the other way round contradicts it.
    """

    def judge(results: Results) -> Finding:
        ours, test = _compare(results, first, second)
        if test.n_pairs == 0:
            return Finding(ours, None, None, "No data set has both values.")
        note = "The paper gives no p-value: judged by the means alone."
        lower = test.mean_difference < 0.0
        contradicted = test.direction == 1 and test.p_value < level
        elsewhere = HOLDS if lower else CONTRADICTED if contradicted else NOT_SEEN
        return Finding(ours, lower, test.p_value, note, elsewhere)

    return judge


def accuracy_drops(credal: str, safe: float, dependent: float, *, level: float = 0.01) -> Rule:
    """Return the rule: accuracy drops significantly on prior-dependent rows, about as in the paper."""
    pair = (credal, "accuracy_safe"), (credal, "accuracy_dependent")

    def judge(results: Results) -> Finding:
        on_safe, on_dependent = results.arrays(*pair)
        test = wilcoxon_test(on_safe, on_dependent)
        if test.n_pairs == 0:
            return Finding(datasets_word(0), None, None, "No data set has rows of both kinds.")
        means = float(on_safe.mean()), float(on_dependent.mean())
        ours = (
            f"{percent(means[0])} safe, {percent(means[1])} prior-dependent; "
            f"higher on safe rows in {test.n_higher} of {datasets_word(test.n_pairs)}"
        )
        elsewhere = _elsewhere([test], level, wanted=1)
        if test.n_pairs < _fewest_pairs(level):
            return Finding(ours, None, test.p_value, _too_few(test.n_pairs, level), elsewhere)
        parts = {
            f"safe within {ABOUT:g}": is_near(means[0], safe, ABOUT),
            f"prior-dependent within {ABOUT:g}": is_near(means[1], dependent, ABOUT),
            f"drop with p < {level:g}": test.direction == 1 and test.p_value < level,
        }
        note = "; ".join(f"{part}: {'yes' if met else 'no'}" for part, met in parts.items()) + "."
        alone = "Judged by the drop alone: the figures are those of the paper's data sets."
        return Finding(ours, all(parts.values()), test.p_value, note, elsewhere, alone)

    return judge


def _compare(results: Results, first: Value, second: Value) -> tuple[str, WilcoxonResult]:
    a, b = results.arrays(first, second)
    test = wilcoxon_test(a, b)
    if test.n_pairs == 0:
        return datasets_word(0), test
    # Only the utilities are named: a classifier's accuracy or loss is clear from the claim.
    names = [
        f"{name.upper()} {measure if measure[0] == 'u' else ''}".strip() for name, measure in (first, second)
    ]
    show = percent if first[1] != "brier" else "{:.4f}".format
    text = (
        f"{names[0]} {show(float(a.mean()))}, {names[1]} {show(float(b.mean()))}; higher on {test.n_higher}, "
        f"lower on {test.n_lower} of {datasets_word(test.n_pairs)}"
    )
    return text, test


def _largest_p_value(tests: Sequence[WilcoxonResult]) -> float | None:
    p_values = [test.p_value for test in tests]
    return None if any(isnan(p_value) for p_value in p_values) else max(p_values)


def _fewest_pairs(level: float) -> int:
    """Return the smallest n with 2/2ⁿ below the level: the p-value of n differences of the same sign."""
    # int() + 1 and not ceil(): 2/2ⁿ must be strictly below the level.
    return int(1.0 + log2(1.0 / level)) + 1


def _too_few(n: int, level: float) -> str:
    return f"{datasets_word(n).capitalize()} cannot reach p < {level:g}; {_fewest_pairs(level)} could."


def is_near(value: float, paper: float, margin: float) -> bool:
    """Tell whether a value is within the margin of the paper's, its ends included."""
    return abs(value - paper) <= margin + ROUNDING


def percent(share: float) -> str:
    """Return a share in percent, with one decimal."""
    return f"{100.0 * share:.1f} %"
