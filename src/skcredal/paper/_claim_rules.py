"""When a claim of the paper holds: one rule for each kind of claim (§11), fixed before any result was known.

Margins that §11 leaves open are defined below. A rule does not judge a claim that the available data sets
cannot decide: a test needs enough of them to reach its level, a count nearly all of the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, log2, nan
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skcredal._arrays import FloatArray
from skcredal.paper._compare import WilcoxonResult, format_p_value, wilcoxon_test
from skcredal.paper._summary import check_columns, check_summary, datasets_word

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "NEEDED_MEASURES",
    "Finding",
    "Results",
    "Rule",
    "accuracy_drops",
    "correlation_about",
    "fully_determinate",
    "gains_about",
    "gains_below",
    "gains_within",
    "lower_on_average",
    "mean_about",
    "mean_ratio_about",
    "not_significant",
    "significantly_higher",
    "significantly_lower",
]

# A measure of a classifier, as ("comp-aode*", "u65").
Value = tuple[str, str]

NEEDED_MEASURES = (
    *("n", "classes", "accuracy", "brier", "determinacy", "set_accuracy", "output_size"),
    *("u65", "u80", "u65_dependent", "u80_dependent", "accuracy_safe", "accuracy_dependent"),
)
ABOUT = 0.02  # §11, for shares and ratios
ABOUT_SIZE = 0.3  # §11, for an output size
ABOUT_COUNT = 3  # for a number of data sets
ABOUT_CORRELATION = 0.1  # for a correlation coefficient
GENERALLY = 2.0 / 3.0  # §11, of the data sets
N_DATASETS = 39  # that the paper names
# For comparisons with a bound: above rounding errors, and below any difference that a row makes.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Finding:
    """What the results say about a claim; ``holds`` is None if they cannot decide it."""

    ours: str
    holds: bool | None
    p_value: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a claim is judged, and the classifiers that it needs."""

    needs: tuple[str, ...]
    judge: Callable[[Results], Finding]


class Results:
    """The summary by classifier and measure, each an array over the same sorted data sets."""

    def __init__(self, summary: DataFrame) -> None:
        summary = check_summary(summary, NEEDED_MEASURES)
        check_columns("summary", summary, NEEDED_MEASURES, "summary.csv")
        # All measures are aligned on this list, so that they can be compared by position.
        self._datasets = sorted(summary["dataset"].unique())
        self._tables = {
            name: rows.set_index("dataset") for name, rows in summary.groupby("classifier", observed=True)
        }

    def missing(self, classifiers: Sequence[str]) -> list[str]:
        """Return the classifiers that were not run."""
        return [name for name in classifiers if name not in self._tables]

    def values(self, classifier: str, measure: str) -> FloatArray:
        """Return a measure of a classifier on every data set, NaN if missing."""
        column = self._tables[classifier][measure].reindex(self._datasets)
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=nan), dtype=np.float64)

    def common(self, *wanted: Value) -> list[FloatArray]:
        """Return several measures on the data sets that have all of them."""
        columns = np.array([self.values(*value) for value in wanted])
        return list(columns[:, ~np.isnan(columns).any(axis=0)])


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
        # With fewer pairs even differences of the same sign everywhere are not significant: a failure would
        # say nothing about the claim.
        if (n := min(test.n_pairs for _, test in tests)) < _fewest_pairs(level):
            return Finding(ours, None, p_value, _too_few(n, level))
        # All pairs have to be significant, so the largest p-value decides.
        holds = all(test.direction == wanted and test.p_value < level for _, test in tests)
        note = "p is the larger of the two." if len(tests) > 1 else ""
        return Finding(ours, holds, p_value, note)

    return Rule(_classifiers(*pairs), judge)


def not_significant(first: Value, second: Value, *, level: float = 0.05) -> Rule:
    """Return the rule: the Wilcoxon test finds no significant difference."""

    def judge(results: Results) -> Finding:
        ours, test = _compare(results, first, second)
        # A test that could not find a difference must not count as "no difference".
        if test.n_pairs < _fewest_pairs(level):
            return Finding(ours, None, _largest_p_value([test]), _too_few(test.n_pairs, level))
        note = f"Judged at the {level:g} level. That no difference was found does not prove equality."
        return Finding(ours, test.p_value >= level, test.p_value, note)

    return Rule(_classifiers((first, second)), judge)


def lower_on_average(first: Value, second: Value) -> Rule:
    """Return the rule: the mean of the first is below that of the second, whatever the p-value."""

    def judge(results: Results) -> Finding:
        ours, test = _compare(results, first, second)
        if test.n_pairs == 0:
            return Finding(ours, None, None, "No data set has both values.")
        note = "The paper gives no p-value: judged by the means alone."
        return Finding(ours, test.mean_difference < 0.0, test.p_value, note)

    return Rule(_classifiers((first, second)), judge)


def mean_about(value: Value, paper: float, *, margin: float = ABOUT, beside: str | None = None) -> Rule:
    """Return the rule: the mean over data sets is within the margin of the paper's value.

    ``beside`` names another measure whose mean is reported, but not judged.
    """

    def judge(results: Results) -> Finding:
        (values,) = results.common(value)
        if len(values) == 0:
            return Finding(datasets_word(0), None, None, f"No data set has a value for {value[1]}.")
        mean = float(values.mean())
        # The margin distinguishes shares, which are printed in percent, from sizes.
        ours = f"{_percent(mean) if margin == ABOUT else f'{mean:.2f}'} ({datasets_word(len(values))})"
        if beside is not None:
            (others,) = results.common((value[0], beside))
            mean_beside = others.mean() if len(others) else nan
            ours += f"; {mean_beside:.1f} {beside} on average over {datasets_word(len(others))}"
        return Finding(ours, _near(mean, paper, margin), None, f"About: within {margin:g}.")

    return Rule((value[0],), judge)


def mean_ratio_about(first: Value, second: Value, paper: float) -> Rule:
    """Return the rule: the mean ratio over data sets is within 0.02 of the paper's value."""

    def judge(results: Results) -> Finding:
        ratios = _ratios(*results.common(first, second))
        if len(ratios) == 0:
            return Finding(datasets_word(0), None, None, "No data set has both values.")
        mean = float(ratios.mean())
        ours = f"{mean:.3f} ({datasets_word(len(ratios))}; median {np.median(ratios):.3f})"
        return Finding(ours, _near(mean, paper, ABOUT), None, f"About: within {ABOUT:g}.")

    return Rule(_classifiers((first, second)), judge)


def fully_determinate(classifier: str, paper: int) -> Rule:
    """Return the rule: on about as many data sets as in the paper, the classifier is always determinate."""

    def judge(results: Results) -> Finding:
        (values,) = results.common((classifier, "determinacy"))
        count = int((values >= 1.0 - _ROUNDING).sum())
        ours = f"{count} of {datasets_word(len(values))}"
        # A count over fewer data sets cannot be compared with the paper's.
        if len(values) < N_DATASETS - ABOUT_COUNT:
            note = f"Needs at least {N_DATASETS - ABOUT_COUNT} data sets."
            return Finding(ours, None, None, note)
        note = f"About: within {ABOUT_COUNT} data sets; one undecided row in all runs changes the count."
        return Finding(ours, abs(count - paper) <= ABOUT_COUNT, None, note)

    return Rule((classifier,), judge)


def correlation_about(first: Value, second: Value, paper: float) -> Rule:
    """Return the rule: Pearson's correlation over data sets is within 0.1 of the paper's value."""

    def judge(results: Results) -> Finding:
        x, y = results.common(first, second)
        if len(x) < 3 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
            note = "A correlation needs at least three data sets, and variation in both values."
            return Finding(datasets_word(len(x)), None, None, note)
        found = stats.pearsonr(x, y)
        correlation, p_value = float(found.statistic), float(found.pvalue)
        # The p-value that the paper's own correlation would have here: it shows that its significance is
        # out of reach.
        t = paper * np.sqrt((len(x) - 2) / (1.0 - paper**2))
        papers_p = 2.0 * float(stats.t.sf(t, len(x) - 2))
        note = (
            f"About: within {ABOUT_CORRELATION:g}. The paper also calls it significant, which is not judged: "
            f"a correlation of {paper:g} over {datasets_word(len(x))} has p = {papers_p:.2f}."
        )
        ours = f"{correlation:.2f} ({datasets_word(len(x))})"
        return Finding(ours, _near(correlation, paper, ABOUT_CORRELATION), p_value, note)

    return Rule(_classifiers((first, second)), judge)


def accuracy_drops(credal: str, safe: float, dependent: float, *, level: float = 0.01) -> Rule:
    """Return the rule: accuracy drops significantly on prior-dependent rows, about as in the paper."""
    pair = (credal, "accuracy_safe"), (credal, "accuracy_dependent")

    def judge(results: Results) -> Finding:
        on_safe, on_dependent = results.common(*pair)
        test = wilcoxon_test(on_safe, on_dependent)
        if test.n_pairs == 0:
            return Finding(datasets_word(0), None, None, "No data set has rows of both kinds.")
        means = float(on_safe.mean()), float(on_dependent.mean())
        ours = (
            f"{_percent(means[0])} safe, {_percent(means[1])} prior-dependent; "
            f"higher on safe rows in {test.n_higher} of {datasets_word(test.n_pairs)}"
        )
        if test.n_pairs < _fewest_pairs(level):
            return Finding(ours, None, test.p_value, _too_few(test.n_pairs, level))
        parts = {
            f"safe within {ABOUT:g}": _near(means[0], safe, ABOUT),
            f"prior-dependent within {ABOUT:g}": _near(means[1], dependent, ABOUT),
            f"drop with p < {level:g}": test.direction == 1 and test.p_value < level,
        }
        note = "; ".join(f"{part}: {'yes' if met else 'no'}" for part, met in parts.items()) + "."
        return Finding(ours, all(parts.values()), test.p_value, note)

    return Rule((credal,), judge)


def gains_about(credal: str, determinate: str, paper: dict[str, float]) -> Rule:
    """Return the rule: the mean relative gain of each utility over accuracy is above 0, about the paper's."""

    def judge(results: Results) -> Finding:
        gains = {u: _gains(results, (credal, u), (determinate, "accuracy")) for u in paper}
        if min(len(values) for values in gains.values()) == 0:
            return Finding(datasets_word(0), None, None, "No data set has both values.")
        means = {u: float(values.mean()) for u, values in gains.items()}
        ours = ", ".join(f"{_gain(means[u])} under {u}" for u in paper)
        holds = all(means[u] > 0.0 and _near(means[u], paper[u], ABOUT) for u in paper)
        note = f"About: above 0 and within {ABOUT:g}, a margin as wide as the gains themselves."
        return Finding(f"{ours} ({datasets_word(len(gains['u65']))})", holds, None, note)

    return Rule((credal, determinate), judge)


def gains_below(credal: str, determinate: str, bound: float) -> Rule:
    """Return the rule: under both utilities, two thirds of the gains are between 0 and the bound."""

    def judge(results: Results) -> Finding:
        parts, shares = [], []
        for u in ("u65", "u80"):
            gains = _gains(results, (credal, u), (determinate, "accuracy"))
            if len(gains) == 0:
                return Finding(datasets_word(0), None, None, "No data set has both values.")
            # Below the bound, but not a loss: "generally below 1 %" is about gains.
            inside = (gains >= -_ROUNDING) & (gains < bound)
            shares.append(float(inside.mean()))
            parts.append(
                f"{inside.sum()} of {datasets_word(len(gains))} under {u} (mean {_gain(gains.mean())})"
            )
        note = f"Generally: from 0 to below {bound:g} on two thirds of the data sets under each utility."
        return Finding("; ".join(parts), min(shares) >= GENERALLY - _ROUNDING, None, note)

    return Rule((credal, determinate), judge)


def gains_within(credal: str, low: float, high: float, *, share: float) -> Rule:
    """Return the rule: at least a share of the gains on prior-dependent rows is within the range.

    There is one gain per data set and utility.
    """

    def judge(results: Results) -> Finding:
        by_utility = {
            u: _gains(results, (credal, f"{u}_dependent"), (credal, "accuracy_dependent"))
            for u in ("u65", "u80")
        }
        gains = np.concatenate(list(by_utility.values()))
        if len(gains) == 0:
            return Finding(datasets_word(0), None, None, "No data set has prior-dependent rows.")
        inside = (gains >= low - _ROUNDING) & (gains <= high + _ROUNDING)
        medians = ", ".join(f"{_gain(np.median(values))} under {u}" for u, values in by_utility.items())
        # Infinite gains are counted, but would make the range meaningless.
        finite = gains[np.isfinite(gains)]
        spread = f", from {_gain(finite.min())} to {_gain(finite.max())}" if len(finite) else ""
        if n_infinite := len(gains) - len(finite):
            spread += f" and {n_infinite} infinite"
        ours = (
            f"{inside.sum()} of {len(gains)} gains inside{spread}; "
            f"median {medians} ({datasets_word(len(by_utility['u65']))})"
        )
        wanted = "all" if share == 1.0 else "two thirds"
        note = (
            f"Holds if {wanted} of the gains, one per data set and utility, are inside; "
            "if the accuracy is 0, the gain is infinite."
        )
        return Finding(ours, float(inside.mean()) >= share - _ROUNDING, None, note)

    return Rule((credal,), judge)


def _compare(results: Results, first: Value, second: Value) -> tuple[str, WilcoxonResult]:
    a, b = results.common(first, second)
    test = wilcoxon_test(a, b)
    if test.n_pairs == 0:
        return datasets_word(0), test
    # Only the utilities are named: a classifier's accuracy or loss is clear from the claim.
    names = [
        f"{name.upper()} {measure if measure[0] == 'u' else ''}".strip() for name, measure in (first, second)
    ]
    show = _percent if first[1] != "brier" else "{:.4f}".format
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


def _classifiers(*pairs: tuple[Value, Value]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(classifier for pair in pairs for classifier, _ in pair))


def _gains(results: Results, utility: Value, accuracy: Value) -> FloatArray:
    return _ratios(*results.common(utility, accuracy)) - 1.0


def _ratios(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    # x/0 is an infinite gain, which counts as outside of every range; 0/0 says nothing and is dropped.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: FloatArray = numerator / denominator
    return ratios[~np.isnan(ratios)]


def _near(value: float, paper: float, margin: float) -> bool:
    return abs(value - paper) <= margin + _ROUNDING


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _gain(gain: float) -> str:
    return f"{100.0 * gain:+.1f} %" if isfinite(gain) else "infinite"
