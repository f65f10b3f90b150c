"""When the paper's figures are found again: shares, ratios, counts, correlations, ranges of gains (§11).

Margins that §11 leaves open are defined below. A figure is one of the paper's data sets: on others it cannot
be compared, and a count needs nearly all of them.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from scipy import stats

from skcredal._arrays import FloatArray
from skcredal.paper._claim_rules import (
    ABOUT,
    NOT_COMPARABLE,
    ROUNDING,
    Finding,
    Rule,
    is_near,
    percent,
)
from skcredal.paper._studies import UTILITIES
from skcredal.paper._summary import Results, Value, datasets_word

__all__ = [
    "ABOUT_COUNT",
    "ABOUT_SIZE",
    "GENERALLY",
    "N_DATASETS",
    "correlation_about",
    "fully_determinate",
    "gains_about",
    "gains_below",
    "gains_within",
    "mean_about",
    "mean_ratio_about",
]

ABOUT_SIZE = 0.3  # §11, for an output size
ABOUT_COUNT = 3  # for a number of data sets
ABOUT_CORRELATION = 0.1  # for a correlation coefficient
GENERALLY = 2.0 / 3.0  # §11, of the data sets
N_DATASETS = 39  # that the paper names


def _figure(ours: str, holds: bool | None, p_value: float | None, note: str) -> Finding:
    """Return what was found about a figure, which can be judged on the paper's data sets alone."""
    return Finding(ours, holds, p_value, note, NOT_COMPARABLE, "A figure of the paper's own data sets.")


def mean_about(value: Value, paper: float, *, margin: float = ABOUT, beside: str | None = None) -> Rule:
    """Return the rule: the mean over data sets is within the margin of the paper's value.

    ``beside`` names another measure whose mean is reported, but not judged.
    """

    def judge(results: Results) -> Finding:
        (values,) = results.arrays(value)
        if len(values) == 0:
            return Finding(datasets_word(0), None, note=f"No data set has a value for {value[1]}.")
        mean = float(values.mean())
        # The margin distinguishes shares, which are printed in percent, from sizes.
        ours = f"{percent(mean) if margin == ABOUT else f'{mean:.2f}'} ({datasets_word(len(values))})"
        if beside is not None:
            (others,) = results.arrays((value[0], beside))
            ours += f"; {others.mean():.1f} {beside} on average over {datasets_word(len(others))}"
        return _figure(ours, is_near(mean, paper, margin), None, f"About: within {margin:g}.")

    return judge


def mean_ratio_about(first: Value, second: Value, paper: float) -> Rule:
    """Return the rule: the mean ratio over data sets is within 0.02 of the paper's value."""

    def judge(results: Results) -> Finding:
        ratios = _ratios(*results.arrays(first, second))
        if len(ratios) == 0:
            return Finding(datasets_word(0), None, note="No data set has both values.")
        mean = float(ratios.mean())
        ours = f"{mean:.3f} ({datasets_word(len(ratios))}; median {np.median(ratios):.3f})"
        return _figure(ours, is_near(mean, paper, ABOUT), None, f"About: within {ABOUT:g}.")

    return judge


def fully_determinate(classifier: str, paper: int) -> Rule:
    """Return the rule: on about as many data sets as in the paper, the classifier is always determinate."""

    def judge(results: Results) -> Finding:
        (values,) = results.arrays((classifier, "determinacy"))
        count = int((values >= 1.0 - ROUNDING).sum())
        ours = f"{count} of {datasets_word(len(values))}"
        # A count over fewer data sets cannot be compared with the paper's.
        if len(values) < N_DATASETS - ABOUT_COUNT:
            note = f"Needs at least {N_DATASETS - ABOUT_COUNT} data sets."
            return _figure(ours, None, None, note)
        note = f"About: within {ABOUT_COUNT} data sets; one undecided row in all runs changes the count."
        return _figure(ours, abs(count - paper) <= ABOUT_COUNT, None, note)

    return judge


def correlation_about(first: Value, second: Value, paper: float) -> Rule:
    """Return the rule: Pearson's correlation over data sets is within 0.1 of the paper's value."""

    def judge(results: Results) -> Finding:
        x, y = results.arrays(first, second)
        if len(x) < 3 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
            note = "A correlation needs at least three data sets, and variation in both values."
            return Finding(datasets_word(len(x)), None, note=note)
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
        return _figure(ours, is_near(correlation, paper, ABOUT_CORRELATION), p_value, note)

    return judge


def gains_about(credal: str, determinate: str, paper: dict[str, float]) -> Rule:
    """Return the rule: the mean relative gain of each utility over accuracy is above 0, about the paper's."""

    def judge(results: Results) -> Finding:
        gains = {u: _gains(results, (credal, u), (determinate, "accuracy")) for u in paper}
        if min(len(values) for values in gains.values()) == 0:
            return Finding(datasets_word(0), None, note="No data set has both values.")
        means = {u: float(values.mean()) for u, values in gains.items()}
        ours = ", ".join(f"{_gain(means[u])} under {u}" for u in paper)
        holds = all(means[u] > 0.0 and is_near(means[u], paper[u], ABOUT) for u in paper)
        note = f"About: above 0 and within {ABOUT:g}, a margin as wide as the gains themselves."
        return _figure(f"{ours} ({datasets_word(len(gains['u65']))})", holds, None, note)

    return judge


def gains_below(credal: str, determinate: str, bound: float) -> Rule:
    """Return the rule: under both utilities, two thirds of the gains are between 0 and the bound."""

    def judge(results: Results) -> Finding:
        parts, shares = [], []
        for u in UTILITIES:
            gains = _gains(results, (credal, u), (determinate, "accuracy"))
            if len(gains) == 0:
                return Finding(datasets_word(0), None, note="No data set has both values.")
            # Below the bound, but not a loss: "generally below 1 %" is about gains.
            inside = (gains >= -ROUNDING) & (gains < bound)
            shares.append(float(inside.mean()))
            parts.append(
                f"{inside.sum()} of {datasets_word(len(gains))} under {u} (mean {_gain(gains.mean())})"
            )
        note = f"Generally: from 0 to below {bound:g} on two thirds of the data sets under each utility."
        return _figure("; ".join(parts), min(shares) >= GENERALLY - ROUNDING, None, note)

    return judge


def gains_within(credal: str, low: float, high: float, *, share: float) -> Rule:
    """Return the rule: at least a share of the gains on prior-dependent rows is within the range.

    There is one gain per data set and utility.
    """

    def judge(results: Results) -> Finding:
        by_utility = {
            u: _gains(results, (credal, f"{u}_dependent"), (credal, "accuracy_dependent")) for u in UTILITIES
        }
        gains = np.concatenate(list(by_utility.values()))
        if len(gains) == 0:
            return Finding(datasets_word(0), None, note="No data set has prior-dependent rows.")
        inside = (gains >= low - ROUNDING) & (gains <= high + ROUNDING)
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
        return _figure(ours, float(inside.mean()) >= share - ROUNDING, None, note)

    return judge


def _gains(results: Results, utility: Value, accuracy: Value) -> FloatArray:
    return _ratios(*results.arrays(utility, accuracy)) - 1.0


def _ratios(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    # x/0 is an infinite gain, which counts as outside of every range; 0/0 says nothing and is dropped.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: FloatArray = numerator / denominator
    return ratios[~np.isnan(ratios)]


def _gain(gain: float) -> str:
    return f"{100.0 * gain:+.1f} %" if isfinite(gain) else "infinite"
