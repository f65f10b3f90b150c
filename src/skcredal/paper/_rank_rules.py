"""When the paper's claims about the ranks of credal classifiers hold: Friedman and Nemenyi (§11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skcredal._arrays import FloatArray
from skcredal.paper._claim_rules import Finding, Results, Rule, counted
from skcredal.paper._compare import (
    FriedmanResult,
    format_p_value,
    friedman_test,
    nemenyi_critical_distance,
    nemenyi_p_values,
)

__all__ = ["best_rank", "no_rank_differs", "only_these_differ"]

_UTILITIES = ("u65", "u80")
# Two data sets rank three classifiers alike with probability 1/6, three with 1/36.
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class _Ranking:
    utility: str
    classifiers: tuple[str, ...]
    values: FloatArray
    test: FriedmanResult

    def __str__(self) -> str:
        ranked = sorted(zip(self.test.average_ranks, self.classifiers, strict=True))
        return f"{self.utility}: " + ", ".join(f"{name.upper()} {rank:.2f}" for rank, name in ranked)


def no_rank_differs(classifiers: tuple[str, ...], *, level: float = 0.05) -> Rule:
    """Return the rule: under both utilities the Friedman test finds no difference at the level."""

    def judge(results: Results) -> Finding:
        rankings = _rankings(results, classifiers)
        if (n := rankings[0].test.n) < _FEWEST:
            return _too_few(n)
        tests = [ranking.test for ranking in rankings]
        parts = [
            f"{ranking.utility}: F = {ranking.test.statistic:.2f}, "
            f"p {format_p_value(ranking.test.p_value, relation=True)}"
            for ranking in rankings
        ]
        note = f"Judged at the {level:g} level; p is the smaller of the two."
        if any(test.has_ties for test in tests):
            corrected = [friedman_test(ranking.values, correct_ties=True).p_value for ranking in rankings]
            note += (
                " Corrected for ties: "
                + ", ".join(f"p {format_p_value(p, relation=True)}" for p in corrected)
                + "."
            )
        smallest = min(test.p_value for test in tests)
        return Finding(f"{'; '.join(parts)} ({counted(n)})", smallest >= level, smallest, note)

    return Rule(classifiers, judge)


def best_rank(classifier: str, classifiers: tuple[str, ...]) -> Rule:
    """Return the rule: under both utilities the classifier has a lower average rank than the others."""

    def judge(results: Results) -> Finding:
        rankings = _rankings(results, classifiers)
        if (n := rankings[0].test.n) == 0:
            return _too_few(n, fewest=1)
        place = classifiers.index(classifier)
        holds = all(
            ranking.test.average_ranks[place] < min(np.delete(ranking.test.average_ranks, place))
            for ranking in rankings
        )
        distance = nemenyi_critical_distance(len(classifiers), n, 0.05)
        note = f"Judged by the order of the ranks alone. Critical distance at 95 %: {distance:.2f}."
        return Finding(f"{_listed(rankings)} ({counted(n)})", holds, None, note)

    return Rule(classifiers, judge)


def only_these_differ(
    classifiers: tuple[str, ...], differences: dict[str, tuple[str, str]], *, level: float, remark: str
) -> Rule:
    """Return the rule: of all pairs, those named by their utility differ at the level, the better one first.

    A pair differs if the Friedman test rejects at the level and the ranks lie further apart than Nemenyi's
    critical distance.
    """

    def judge(results: Results) -> Finding:
        rankings = _rankings(results, classifiers)
        if (n := rankings[0].test.n) < _FEWEST:
            return _too_few(n)
        distance = nemenyi_critical_distance(len(classifiers), n, level)
        found = {ranking.utility: _differing(ranking, distance, level) for ranking in rankings}
        texts = [f"{a.upper()} above {b.upper()} under {u}" for u in found for a, b in found[u]]
        p_values = []
        for ranking in rankings:
            first, second = (classifiers.index(name) for name in differences[ranking.utility])
            p_values.append(float(nemenyi_p_values(ranking.test.average_ranks, n)[first, second]))
        ours = f"{'; '.join(texts) or 'no difference'} (critical distance {distance:.2f}, {counted(n)})"
        holds = all(found[u] == [differences[u]] for u in _UTILITIES)
        note = f"{remark} p is the larger of Nemenyi's for the two pairs. Ranks: {_listed(rankings)}."
        return Finding(ours, holds, max(p_values), note)

    return Rule(classifiers, judge)


def _rankings(results: Results, classifiers: tuple[str, ...]) -> list[_Ranking]:
    """Rank the classifiers under each utility, on the data sets that have all of them under both."""
    columns = results.common(*((name, u) for u in _UTILITIES for name in classifiers))
    k = len(classifiers)
    rankings = []
    for place, u in enumerate(_UTILITIES):
        values = np.column_stack(columns[place * k : (place + 1) * k])
        rankings.append(_Ranking(u, classifiers, values, friedman_test(values)))
    return rankings


def _differing(ranking: _Ranking, distance: float, level: float) -> list[tuple[str, str]]:
    if ranking.test.p_value >= level:
        return []
    ranked = list(zip(ranking.test.average_ranks, ranking.classifiers, strict=True))
    return [(a, b) for rank, a in ranked for other, b in ranked if other - rank > distance]


def _listed(rankings: Sequence[_Ranking]) -> str:
    return "; ".join(str(ranking) for ranking in rankings)


def _too_few(n: int, fewest: int = _FEWEST) -> Finding:
    note = f"{counted(n).capitalize()} with all of the classifiers; {fewest} are needed."
    return Finding(counted(n), None, None, note)
