"""What is said about each claim: the verdict in words, and why some do not hold; as JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite

from skcredal.paper._about import Reason, reasons_for
from skcredal.paper._claim_rules import (
    CONTRADICTED,
    DOES_NOT_HOLD,
    HOLDS,
    NOT_COMPARABLE,
    NOT_JUDGED,
    NOT_SEEN,
    SAME_DIRECTION,
)
from skcredal.paper._compare import format_p_value

__all__ = [
    "VERDICTS",
    "Claim",
    "claims_as_json",
    "claims_as_markdown",
    "reasons_of",
    "reasons_title",
    "tally",
    "verdict_kind",
]

# How each verdict is counted, in this order.
VERDICTS: dict[str, str] = {
    HOLDS: "hold",
    DOES_NOT_HOLD: "do not hold",
    SAME_DIRECTION: "same direction, not significant",
    NOT_SEEN: "not seen here",
    CONTRADICTED: "contradicted",
    NOT_COMPARABLE: "not comparable",
    NOT_JUDGED: "not judged",
}
# On the paper's data sets all three are counted, so that a 0 is seen as well.
_ON_PAPERS = (HOLDS, DOES_NOT_HOLD, NOT_JUDGED)
_ELSEWHERE = (HOLDS, SAME_DIRECTION, NOT_SEEN, CONTRADICTED, NOT_COMPARABLE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper, compared with what was found.

    Parameters
    ----------
    number : int
        Its number, from 1 to 30.
    text : str
        The claim.
    where : str
        Where it is in the paper.
    paper : str
        The paper's value.
    ours : str
        What was found, with the number of data sets.
    p_value : float or None
        The decisive p-value, if there is one.
    holds : bool or None
        Whether it holds; None if that cannot be told.
    verdict : str
        The same in words. On the paper's data sets: "holds", "does not hold" or "not judged". On others:
        "holds"; "same direction, not significant" and "not seen" on these data sets; "contradicted"; "not
        comparable", of a figure; or "not judged".
    note : str
        How it was judged, or why it was not.
    """

    number: int
    text: str
    where: str
    paper: str
    ours: str
    p_value: float | None
    holds: bool | None
    verdict: str
    note: str


def verdict_kind(verdict: str) -> str:
    """Return a verdict without the data sets that it is about.

    Examples
    --------
    >>> verdict_kind("not seen on these 3 data sets")
    'not seen'
    """
    return next(kind for kind in VERDICTS if verdict.startswith(kind))


def tally(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how often each kind of verdict was given.

    Examples
    --------
    >>> tally(["holds", "does not hold", "holds"])
    {'holds': 2, 'does not hold': 1, 'not judged': 0}
    >>> tally(["not comparable", "contradicted"])["contradicted"]
    1
    """
    kinds = [verdict_kind(verdict) for verdict in verdicts]
    counted = _ON_PAPERS if set(kinds) <= set(_ON_PAPERS) else _ELSEWHERE
    return {kind: kinds.count(kind) for kind in VERDICTS if kind in counted or kind in kinds}


def reasons_of(claims: Sequence[Claim]) -> list[Reason]:
    """Return why claims do not hold on the paper's data sets: those that were judged and do not hold here.

    Examples
    --------
    >>> claim = Claim(30, "a", "b", "c", "d", None, False, "does not hold", "")
    >>> [reason.what for reason in reasons_of([claim])]
    ['Differences of ranks at 90 %']
    """
    settled = (HOLDS, NOT_COMPARABLE, NOT_JUDGED)
    return reasons_for(claim.number for claim in claims if verdict_kind(claim.verdict) not in settled)


def reasons_title(claims: Sequence[Claim]) -> str:
    """Return the heading above the reasons, which are those of the paper's data sets."""
    if any(claim.verdict == DOES_NOT_HOLD for claim in claims):
        return "What does not hold, and why"
    return "What does not hold on the paper's own data sets, and why"


def claims_as_json(claims: list[Claim]) -> str:
    """Return the claims as JSON, a list of objects; numbers that are not finite become null.

    Examples
    --------
    >>> claim = Claim(1, "Night follows day", "Astronomy", "always", "3 of 3 days", None, True, "holds", "")
    >>> print(claims_as_json([claim]))
    [
      {
        "number": 1,
        "text": "Night follows day",
        "where": "Astronomy",
        "paper": "always",
        "ours": "3 of 3 days",
        "p_value": null,
        "holds": true,
        "verdict": "holds",
        "note": ""
      }
    ]
    """
    rows = [
        {
            name: None if isinstance(value, float) and not isfinite(value) else value
            for name, value in asdict(claim).items()
        }
        for claim in claims
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False)


def claims_as_markdown(claims: list[Claim]) -> str:
    """Return the claims as a Markdown table; below it why some do not hold, and notes.

    Examples
    --------
    >>> claim = Claim(
    ...     1, "Night follows day", "Astronomy", "always", "3 of 3 days", 0.25, True, "holds", "Seen."
    ... )
    >>> print(claims_as_markdown([claim]))
    |  # | verdict       |       p | claim | paper | ours | where |
    | -: | :------------ | ------: | :---- | :---- | :--- | :---- |
    |  1 | holds         |   0.250 | Night follows day | always | 3 of 3 days | Astronomy |
    <BLANKLINE>
    Notes
    <BLANKLINE>
    - Claim 1: Seen.
    """
    lines = [
        "|  # | verdict       |       p | claim | paper | ours | where |",
        "| -: | :------------ | ------: | :---- | :---- | :--- | :---- |",
    ]
    for claim in claims:
        texts = " | ".join(_cell(text) for text in (claim.text, claim.paper, claim.ours, claim.where))
        lines.append(
            f"| {claim.number:>2} | {claim.verdict:<13} | {format_p_value(claim.p_value):>7} | {texts} |"
        )
    reasons = [
        f"- {_cell(reason.what)} ({reason.numbers}): {_cell(reason.why)}" for reason in reasons_of(claims)
    ]
    if reasons:
        lines += ["", f"## {reasons_title(claims)}", "", *reasons]
    notes = [f"- Claim {claim.number}: {_cell(claim.note)}" for claim in claims if claim.note]
    return "\n".join([*lines, "", "Notes", "", *notes] if notes else lines)


def _cell(text: str) -> str:
    # A line break or a bar would end the cell.
    return " ".join(text.split()).replace("|", "\\|")
