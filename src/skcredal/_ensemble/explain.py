"""Why a row is decided or left undecided: the strongest rival, the prior that favours it, and votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal._arrays import BoolArray, FloatArray
from skcredal._ensemble.priors import BmaPriors, CompressionPriors

__all__ = ["CaseExplanation", "describe", "explain_case"]


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
    predicted = int(reference.argmax())
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


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
