"""Why a row is decided or left undecided: the strongest rival, and what speaks for either, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, IntArray
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, Evidence

__all__ = ["describe", "describe_odds", "rounded", "votes_and_sentences"]

# A feature that changes the odds by a smaller factor is not worth a word.
NOTABLE = 1.05
NOTHING_KNOWN = "nothing is known of this case but how frequent the classes are"


def votes_and_sentences(
    priors: BmaPriors | CompressionPriors,
    evidence: Evidence,
    sets: BoolArray,
    classes: list[str],
    super_parents: list[str],
) -> tuple[IntArray, dict[str, list[Any]]]:
    """Return the rival in each row, and what decides it: the votes of the SPODEs, the prior, all in words.

    A vote is P(predicted | a, s_j) - P(rival | a, s_j), of every SPODE whose super-parent is known, from the
    strongest for the predicted class to the strongest for the rival.
    """
    rival, prior = priors.contest(evidence)
    found: dict[str, list[Any]] = {name: [] for name in ("super_parents", "votes", "prior", "sentence")}
    for r, (b, d) in enumerate(zip(evidence.best, rival, strict=True)):
        of_best, of_rival = evidence.posterior[:, b, r], evidence.posterior[:, d, r]
        # Without a prior to blame, nothing that a SPODE says decides.
        voters = np.flatnonzero(evidence.known[:, r] & ~np.isnan(prior[:, r]).any())
        voters = voters[np.argsort(of_rival[voters] - of_best[voters], kind="stable")]
        votes = of_best[voters] - of_rival[voters]
        names = [super_parents[j] for j in voters]
        # What the strongest voices on either side say of the class that they speak for.
        voices = [(names[0], of_best[voters[0]]), (names[-1], of_rival[voters[-1]])] if names else []
        others = [classes[c] for c in np.flatnonzero(sets[r]) if c != b]
        counts = int((votes > 0).sum()), int((votes < 0).sum()), len(votes)
        named_rival = None if d < 0 else classes[d]
        found["super_parents"].append(names)
        found["votes"].append(votes.tolist())
        found["prior"].append(prior[voters, r].tolist())
        found["sentence"].append(
            describe(classes[b], evidence.reference[r, b], named_rival, others, voices, counts)
        )
    return rival, found


def describe(
    predicted: str,
    probability: float,
    rival: str | None,
    remaining: list[str],
    voices: list[tuple[str, float]],
    counts: tuple[int, int, int],
) -> str:
    """Put an explanation into words for somebody who knows the case but not the method.

    ``remaining`` are the other classes of the set, ``voices`` the super-parents that speak most for the
    predicted class and most for its rival, with the probability that each gives it; ``counts`` are how many
    speak for the one, for the other, and at all.

    Examples
    --------
    >>> describe("ill", 0.7, "well", [], [("crp", 0.9), ("age", 0.6)], (3, 1, 4))
    'ill (70%), whichever of the models is trusted most: 3 of 4 speak for it, most of all the one around \
crp, and too little for well the one around age.'
    """
    answer = f"{predicted} ({probability:.0%})"
    if rival is None:
        return f"{answer}: the only class there is."
    if not voices:
        return f"{answer}: {NOTHING_KNOWN}."
    (first, p_first), (last, p_last) = voices
    n_for, n_against, n = counts
    if remaining:
        choice = f"Undecided between {answer} and {_listed(remaining)}."
        if not n_against:
            return f"{choice} The models give {rival} nearly the same probability."
        return (
            f"{choice} The model around {first} ({p_first:.0%}) speaks most for {predicted}, the one around "
            f"{last} ({p_last:.0%}) most for {rival}: the answer depends on which is trusted more."
        )
    support = f"{n_for} of {n} speak for it, most of all the one around {first}"
    against = f", and too little for {rival} the one around {last}" if n_against else ""
    return f"{answer}, whichever of the models is trusted most: {support}{against}."


def describe_odds(case: Mapping[str, Any], *, speaks: bool) -> str:
    """Put the odds of a class over its rival into words, given a row of LP-AODE*'s explanation.

    Where no model ``speaks``, there is nothing but the class frequencies.

    Examples
    --------
    >>> case = {"predicted": "ill", "probability": 0.75, "rival": "well", "set": ["ill", "well"], "odds": 3.0}
    >>> case |= {"lower_odds": 0.8, "upper_odds": 11.2, "features": ["crp", "age"]}
    >>> describe_odds(case | {"contributions": [0.875, -0.511]}, speaks=True)
    'ill rather than well by odds of 3 to 1; crp speaks most for ill (×2.4), age most against (×0.6); as \
uncertain as the weights are, the odds lie between 0.8 and 11 to 1, so both remain.'
    """
    predicted, rival, remaining, features = (case[key] for key in ("predicted", "rival", "set", "features"))
    if rival is None or not speaks:
        reason = "the only class there is" if rival is None else NOTHING_KNOWN
        return f"{predicted} ({case['probability']:.0%}): {reason}."
    with np.errstate(over="ignore"):
        factors = np.exp(case["contributions"])
    parts = [f"{predicted} rather than {rival} by odds of {rounded(case['odds'])} to 1"]
    if features and factors[0] > NOTABLE:
        parts.append(f"{features[0]} speaks most for {predicted} (×{rounded(factors[0])})")
        if factors[-1] < 1.0 / NOTABLE:
            parts[-1] += f", {features[-1]} most against (×{rounded(factors[-1])})"
    elif features and factors[-1] < 1.0 / NOTABLE:
        parts.append(f"{features[-1]} speaks most against {predicted} (×{rounded(factors[-1])})")
    if len(remaining) == 1:
        outcome = f"{predicted} alone remains"
    else:
        outcome = "both remain" if len(remaining) == 2 else f"{_listed(remaining)} remain"
    low, high = rounded(case["lower_odds"]), rounded(case["upper_odds"])
    parts.append(f"as uncertain as the weights are, the odds lie between {low} and {high} to 1, so {outcome}")
    return "; ".join(parts) + "."


def rounded(number: float) -> str:
    """Return a number with two digits that count."""
    if number >= 1e6:
        return "over a million"
    if number < 1e-6:
        return "less than a millionth"
    return f"{float(f'{number:.2g}'):,.6f}".rstrip("0").rstrip(".")


def _listed(names: Sequence[Any]) -> str:
    return f"{', '.join(map(str, names[:-1]))} and {names[-1]}" if len(names) > 1 else str(names[0])
