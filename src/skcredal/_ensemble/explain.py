"""Why a row is decided or left undecided: the strongest rival, and what speaks for either, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skcredal._arrays import BoolArray, FloatArray
from skcredal._ensemble.priors import BmaPriors, CompressionPriors
from skcredal._ties import best_class

__all__ = [
    "CaseExplanation",
    "as_factor",
    "describe",
    "describe_odds",
    "explain_case",
    "rounded",
    "strongest",
]

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, eq=False)
class CaseExplanation:
    """What decides one row.

    Parameters
    ----------
    predicted : int
        The class of the reference prior.
    rival : int or None
        The class that some prior of the set brings closest to it, or past it; ``None`` with a single class.
    prior : ndarray of shape (k,)
        The prior over the SPODEs that favours the rival most; NaN if no SPODE takes part.
    votes : ndarray of shape (k,)
        P(predicted | a, s_j) - P(rival | a, s_j) of every SPODE; NaN where its super-parent is unknown.
    """

    predicted: int
    rival: int | None
    prior: FloatArray
    votes: FloatArray

    @property
    def order(self) -> list[int]:
        """The SPODEs from the strongest vote for the predicted class to the strongest for the rival."""
        return [int(j) for j in np.argsort(-self.votes, kind="stable") if not np.isnan(self.votes[j])]


def explain_case(
    priors: BmaPriors | CompressionPriors,
    posterior: FloatArray,
    known: BoolArray,
    reference: FloatArray,
) -> CaseExplanation:
    """Explain one row from the posteriors of every SPODE, (k, n_classes), and their mean."""
    k, n_classes = posterior.shape
    predicted = int(best_class(reference))
    unsaid = np.full(k, np.nan)
    rivals = [d for d in range(n_classes) if d != predicted]
    if not rivals:
        return CaseExplanation(predicted, None, unsaid, unsaid)
    # Without a SPODE there is no prior to blame: the class frequencies answer, and the next one is the rival.
    if not priors.members(known).any():
        second = max(rivals, key=lambda d: reference[d])
        return CaseExplanation(predicted, second, unsaid, unsaid)
    found = {d: priors.worst_prior(posterior, known, predicted, d) for d in rivals}
    rival = min(rivals, key=lambda d: found[d][0])
    votes = np.where(known, posterior[:, predicted] - posterior[:, rival], np.nan)
    return CaseExplanation(predicted, rival, found[rival][1], votes)


def describe(
    case: CaseExplanation,
    mask: BoolArray,
    reference: FloatArray,
    posterior: FloatArray,
    classes: list[str],
    super_parents: list[str],
) -> str:
    """Put an explanation into words for somebody who knows the case but not the method."""
    predicted = classes[case.predicted]
    answer = f"{predicted} ({reference[case.predicted]:.0%})"
    if case.rival is None:
        return f"{answer}: the only class there is."
    rival = classes[case.rival]
    if not case.order:
        return f"{answer}: nothing is known of this case but how frequent the classes are."
    first, last = case.order[0], case.order[-1]

    def voice(j: int, c: int) -> str:
        return f"{super_parents[j]} ({posterior[j, c]:.0%})"

    for_rival = [j for j in case.order if case.votes[j] < 0]
    n_for = len([j for j in case.order if case.votes[j] > 0])
    if mask.sum() > 1:
        others = [classes[c] for c in np.flatnonzero(mask) if c != case.predicted]
        choice = f"Undecided between {answer} and {_listed(others)}."
        if not for_rival:
            return f"{choice} The models give {rival} nearly the same probability."
        return (
            f"{choice} The model around {voice(first, case.predicted)} speaks most for {predicted}, the one "
            f"around {voice(last, case.rival)} most for {rival}: the answer depends on which is trusted more."
        )
    support = f"{n_for} of {len(case.order)} speak for it, most of all the one around {super_parents[first]}"
    against = f", and too little for {rival} the one around {super_parents[last]}" if for_rival else ""
    return f"{answer}, whichever of the models is trusted most: {support}{against}."


def describe_odds(
    predicted: str,
    rival: str,
    remaining: list[str],
    odds: tuple[float, float, float],
    features: list[str],
    factors: list[float],
) -> str:
    """Put the odds of a class over its rival into words.

    ``odds`` are those of the answer, and their bounds; ``factors`` are what each feature multiplies them by,
    from the one that speaks most for the answer to the one that speaks most against it.

    Examples
    --------
    >>> describe_odds("ill", "well", ["ill", "well"], (3.0, 0.8, 11.2), ["crp", "age"], [2.4, 0.6])
    'ill rather than well by odds of 3 to 1; crp speaks most for ill (×2.4), age most against (×0.6); as \
uncertain as the weights are, the odds lie between 0.8 and 11 to 1, so both remain.'
    """
    parts = [f"{predicted} rather than {rival} by odds of {rounded(odds[0])} to 1"]
    if features and factors[0] > 1.0:
        parts.append(f"{features[0]} speaks most for {predicted} (×{rounded(factors[0])})")
        if factors[-1] < 1.0:
            parts[-1] += f", {features[-1]} most against (×{rounded(factors[-1])})"
    elif features and factors[-1] < 1.0:
        parts.append(f"{features[-1]} speaks most against {predicted} (×{rounded(factors[-1])})")
    if len(remaining) == 1:
        outcome = f"{predicted} alone remains"
    else:
        outcome = "both remain" if len(remaining) == 2 else f"{_listed(remaining)} remain"
    low, high = (rounded(bound) for bound in odds[1:])
    parts.append(f"as uncertain as the weights are, the odds lie between {low} and {high} to 1, so {outcome}")
    return "; ".join(parts) + "."


def as_factor(log_factor: float) -> str:
    """Write what something adds to a logarithm of odds as what it multiplies the odds by.

    Examples
    --------
    >>> import math
    >>> [as_factor(math.log(factor)) for factor in (2.38, 0.6, 1.04, 1.0, 12_345.0)]
    ['×2.4', '×0.6', '×1.04', '×1', '×12,000']
    >>> as_factor(800.0), as_factor(-20.0)
    ('×10³⁴⁷', '×10⁻⁹')
    """
    power = log_factor / math.log(10.0)
    # Beyond a million, only the magnitude is of interest; and the factor itself may overflow.
    if abs(power) > 6.0:
        return "×10" + f"{power:.0f}".translate(_SUPERSCRIPTS)
    factor = math.exp(log_factor)
    text = rounded(factor)
    # Many small factors make a large one: close to 1, two digits would hide them.
    return f"×{factor:.2f}".removesuffix(".00") if text == "1" else f"×{text}"


def strongest(contributions: Sequence[float], n: int) -> tuple[list[int], float]:
    """Return the indices of the n strongest contributions, in their order, and what the others add up to.

    Examples
    --------
    >>> strongest([2.0, 0.5, -0.25, -1.0], 2)
    ([0, 3], 0.25)
    """
    by_strength = sorted(range(len(contributions)), key=lambda i: -abs(contributions[i]))
    return sorted(by_strength[:n]), math.fsum(contributions[i] for i in by_strength[n:])


def rounded(number: float) -> str:
    """Return a number with two digits that count."""
    if number >= 1e6:
        return "over a million"
    if number < 1e-6:
        return "less than a millionth"
    return f"{float(f'{number:.2g}'):,.6f}".rstrip("0").rstrip(".")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
