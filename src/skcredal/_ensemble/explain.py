"""Why a row is decided or left undecided: the strongest rival, and what supports either, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, Evidence

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# A feature that changes the odds by a smaller factor is not worth a word.
NOTABLE = 1.05
ONLY_CLASS = "the only class there is"
NOTHING_KNOWN = "nothing is known about this case but how frequent the classes are"


def cast_votes(
    priors: BmaPriors | CompressionPriors, evidence: Evidence, super_parents: list[str]
) -> tuple[IntArray, dict[str, list[Any]], list[Any]]:
    """Return the rival in each row, the votes of the SPODEs with the prior that favours it most, and voices.

    A vote is P(predicted | a, s_j) - P(rival | a, s_j), of every SPODE whose super-parent is known, from the
    strongest for the predicted class to the strongest for the rival. The voices are these two: how probable
    either finds the class that it favours.
    """
    rival, prior = priors.contest(evidence)
    found: dict[str, list[Any]] = {name: [] for name in ("super_parents", "votes", "prior")}
    voices = []
    for r, (b, d) in enumerate(zip(evidence.best, rival, strict=True)):
        of_best, of_rival = evidence.posterior[:, b, r], evidence.posterior[:, d, r]
        # Without a prior to blame, nothing that a SPODE says decides.
        voters = np.flatnonzero(evidence.known[:, r] & ~np.isnan(prior[:, r]).any())
        voters = voters[np.argsort(of_rival[voters] - of_best[voters], kind="stable")]
        found["super_parents"].append([super_parents[j] for j in voters])
        found["votes"].append((of_best[voters] - of_rival[voters]).tolist())
        found["prior"].append(prior[voters, r].tolist())
        voices.append((of_best[voters[0]], of_rival[voters[-1]]) if len(voters) else ())
    return rival, found, voices


def with_sentences(
    found: dict[str, list[Any]], describe: Callable[..., str], *more: Iterable[Any]
) -> dict[str, list[Any]]:
    """Add a sentence about each row, which is made of its explanation and more."""
    cases = [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
    return found | {"sentence": [describe(*row) for row in zip(cases, *more, strict=True)]}


def describe_votes(
    case: Mapping[str, Any], proba: FloatArray, in_set: BoolArray, voices: Sequence[float]
) -> str:
    """Put an explanation into words for a reader who knows the case but not the method.

    ``proba`` are the probabilities of the classes, ``in_set`` tells which of them are in the set.

    Examples
    --------
    >>> case = {"predicted": "ill", "probability": 0.7, "rival": "well", "set": ["ill"]}
    >>> case |= {"super_parents": ["crp", "bmi", "sex", "age"], "votes": [0.8, 0.5, 0.1, -0.2]}
    >>> describe_votes(case, np.array([0.7, 0.3]), np.array([True, False]), (0.9, 0.6))
    'ill (70 %), whichever model you trust most: 3 of 4 favour it, above all the one built on crp. The one \
built on age prefers well, but not by enough.'
    """
    predicted, rival, votes = (case[key] for key in ("predicted", "rival", "votes"))
    answer = f"{predicted} ({_percent(case['probability'])})"
    if rival is None or not votes:
        return f"{answer}: {ONLY_CLASS if rival is None else NOTHING_KNOWN}."
    first, last = case["super_parents"][0], case["super_parents"][-1]
    others = [label for label in case["set"] if label != predicted]
    choice = f"Undecided between {_listed([answer, *others])}{_together(proba, in_set)}."
    if others and votes[-1] >= 0.0:
        return f"{choice} The models give {rival} nearly the same probability."
    if others:
        return (
            f"{choice} The model built on {first} favours {predicted} ({_percent(voices[0])}), the one on "
            f"{last} favours {rival} ({_percent(voices[1])}); the answer depends on which you trust more."
        )
    support = f"{sum(vote > 0.0 for vote in votes)} of {len(votes)} favour it"
    against = f" The one built on {last} prefers {rival}, but not by enough." if votes[-1] < 0.0 else ""
    return (
        f"{answer}, whichever model you trust most: {support}, above all the one built on {first}.{against}"
    )


def describe_odds(case: Mapping[str, Any], proba: FloatArray, in_set: BoolArray, speaks: bool) -> str:
    """Put the odds of a class over its rival into words, given a row of LP-AODE*'s explanation.

    Where no model ``speaks``, there is nothing but the class frequencies.

    Examples
    --------
    >>> case = {"predicted": "ill", "probability": 0.75, "rival": "well", "set": ["ill", "well"], "odds": 3.0}
    >>> case |= {"lower_odds": 0.8, "upper_odds": 11.2, "features": ["crp", "age"]}
    >>> case |= {"contributions": [0.875, -0.511]}
    >>> describe_odds(case, np.array([0.75, 0.25]), np.array([True, True]), speaks=True)
    'Most likely ill (3 to 1). crp supports ill (×2.4), age counts against it (×0.6). The data leave the \
odds anywhere between 0.8 and 11 to 1, so neither class can be ruled out.'
    """
    predicted, rival, labels, features = (case[key] for key in ("predicted", "rival", "set", "features"))
    if rival is None or not speaks:
        reason = ONLY_CLASS if rival is None else NOTHING_KNOWN
        return f"{predicted} ({_percent(case['probability'])}): {reason}."
    with np.errstate(over="ignore"):
        factors = np.exp(case["contributions"])
    over = "" if len(proba) == 2 else f" over {rival}"
    answer = f"Most likely {predicted} ({rounded(case['odds'])} to 1{over})."
    support = []
    if features and factors[0] > NOTABLE:
        support.append(f"{features[0]} supports {predicted} (×{rounded(factors[0])})")
    if features and factors[-1] < 1.0 / NOTABLE:
        support.append(f"{features[-1]} counts against it (×{rounded(factors[-1])})")
    reasons = f" {', '.join(support)}." if support else ""
    if len(labels) == 1:
        outcome = "no other class can be the most probable"
    elif len(proba) == 2:
        outcome = "neither class can be ruled out"
    else:
        outcome = f"{_listed(labels)} cannot be ruled out{_together(proba, in_set)}"
    low, high = rounded(case["lower_odds"]), rounded(case["upper_odds"])
    return f"{answer}{reasons} The data leave the odds anywhere between {low} and {high} to 1, so {outcome}."


def rounded(number: float) -> str:
    """Return a number with two digits that count."""
    if number >= 1e6:
        return "over a million"
    if number < 1e-6:
        return "less than a millionth"
    return f"{float(f'{number:.2g}'):,.6f}".rstrip("0").rstrip(".")


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


def strongest(
    reason: Mapping[str, Any], values: Mapping[str, str], most: int
) -> list[tuple[str, str, float]]:
    """Return what makes up the log-odds of an explanation: name, value and contribution.

    The class frequencies come first, then the strongest features in their order, then the others together.

    Examples
    --------
    >>> reason = {"frequencies": 0.75, "features": ["age", "sex", "pain"], "contributions": [2.0, 0.5, -1.0]}
    >>> for part in strongest(reason, {"age": "70", "sex": "f", "pain": "none"}, most=2):
    ...     print(part)
    ('class frequencies', '', 0.75)
    ('age', '70', 2.0)
    ('pain', 'none', -1.0)
    ('1 more together', '', 0.5)
    """
    names, logs = reason["features"], list(reason["contributions"])
    by_strength = sorted(range(len(logs)), key=lambda i: -abs(logs[i]))
    parts = [("class frequencies", "", reason["frequencies"])]
    parts += [(names[i], values[names[i]], logs[i]) for i in sorted(by_strength[:most])]
    if rest := by_strength[most:]:
        parts.append((f"{len(rest)} more together", "", math.fsum(logs[i] for i in rest)))
    return parts


def _together(proba: FloatArray, in_set: BoolArray) -> str:
    """Return how probable the classes of a set are together, unless they are all classes."""
    return "" if in_set.all() else f" ({_percent(proba[in_set].sum())} together)"


def _percent(p: float) -> str:
    return f"{100.0 * p:.0f} %"


def _listed(names: Sequence[Any]) -> str:
    return f"{', '.join(map(str, names[:-1]))} and {names[-1]}" if len(names) > 1 else str(names[0])
