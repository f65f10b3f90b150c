"""When the paper's claims about the ranks of credal classifiers hold: Friedman and Nemenyi (§11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skcredal._arrays import FloatArray
from skcredal.paper._claim_rules import CONTRADICTED, HOLDS, NOT_SEEN, SAME_DIRECTION, Finding, Rule
from skcredal.paper._compare import (
    FriedmanResult,
    format_p_value,
    friedman_test,
    nemenyi_critical_distance,
    nemenyi_p_values,
)
from skcredal.paper._studies import UTILITIES
from skcredal.paper._summary import Results, datasets_word

__all__ = ["best_rank", "no_rank_differs", "only_these_differ"]

# By chance, two data sets rank three classifiers in the same order with probability 1/6, three with 1/36.
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
    """Return the rule: under both utilities the Friedman test finds no significant difference."""

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
        # Demšar's statistic, which the paper uses, ignores ties; the note says what correcting for them
        # changes.
        if any(test.has_ties for test in tests):
            corrected = [friedman_test(ranking.values, correct_ties=True).p_value for ranking in rankings]
            note += (
                " Corrected for ties: "
                + ", ".join(f"p {format_p_value(p, relation=True)}" for p in corrected)
                + "."
            )
        # The claim fails as soon as one of the two tests is significant.
        smallest = min(test.p_value for test in tests)
        holds = smallest >= level
        ours = f"{'; '.join(parts)} ({datasets_word(n)})"
        return Finding(ours, holds, smallest, note, HOLDS if holds else CONTRADICTED)

    return judge


def best_rank(classifier: str, classifiers: tuple[str, ...], *, level: float = 0.05) -> Rule:
    """Return the rule: under both utilities the classifier has a lower average rank than the others.

    On data sets other than the paper's, only a classifier that is significantly better contradicts it.
    """

    def judge(results: Results) -> Finding:
        rankings = _rankings(results, classifiers)
        if (n := rankings[0].test.n) == 0:
            return _too_few(n, fewest=1)
        index = classifiers.index(classifier)
        holds = all(
            ranking.test.average_ranks[index] < min(np.delete(ranking.test.average_ranks, index))
            for ranking in rankings
        )
        distance = nemenyi_critical_distance(len(classifiers), n, level)
        note = (
            "Judged by the order of the ranks alone. Critical distance at "
            f"{(1.0 - level) * 100.0:g} %: {distance:.2f}."
        )
        beaten = any(
            second == classifier for ranking in rankings for _, second in _differing(ranking, distance, level)
        )
        elsewhere = HOLDS if holds else CONTRADICTED if beaten else NOT_SEEN
        return Finding(f"{_listed(rankings)} ({datasets_word(n)})", holds, None, note, elsewhere)

    return judge


def only_these_differ(
    classifiers: tuple[str, ...], differences: dict[str, tuple[str, str]], *, level: float, remark: str
) -> Rule:
    """Return the rule: under each utility the named pair differs, the better one first, and no other does.

    A pair differs if the Friedman test rejects at the level and the ranks are further apart than Nemenyi's
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
        ours = f"{'; '.join(texts) or 'no difference'} (critical distance {distance:.2f}, {datasets_word(n)})"
        holds = all(found[u] == [differences[u]] for u in UTILITIES)
        note = f"{remark} p is the larger of Nemenyi's p-values of the two. Ranks: {_listed(rankings)}."
        elsewhere = HOLDS if holds else _ranks_elsewhere(rankings, found, differences)
        return Finding(ours, holds, max(p_values), note, elsewhere)

    return judge


def _ranks_elsewhere(
    rankings: Sequence[_Ranking],
    found: dict[str, list[tuple[str, str]]],
    differences: dict[str, tuple[str, str]],
) -> str:
    """Return the verdict on data sets other than the paper's, if not exactly the named pairs differ."""
    if any(set(found[u]) - {differences[u]} for u in UTILITIES):
        return CONTRADICTED
    for ranking in rankings:
        better, worse = (ranking.classifiers.index(name) for name in differences[ranking.utility])
        if ranking.test.average_ranks[better] >= ranking.test.average_ranks[worse]:
            return NOT_SEEN
    return SAME_DIRECTION


def _rankings(results: Results, classifiers: tuple[str, ...]) -> list[_Ranking]:
    """Rank the classifiers under each utility, on the data sets that have all of them under both."""
    # On the same data sets under both utilities, or the two rankings could not be compared.
    columns = results.arrays(*((name, u) for u in UTILITIES for name in classifiers))
    k = len(classifiers)
    rankings = []
    for i, u in enumerate(UTILITIES):
        values = np.column_stack(columns[i * k : (i + 1) * k])
        rankings.append(_Ranking(u, classifiers, values, friedman_test(values)))
    return rankings


def _differing(ranking: _Ranking, distance: float, level: float) -> list[tuple[str, str]]:
    # Nemenyi's is a post-hoc test: it counts only after a significant Friedman test.
    if ranking.test.p_value >= level:
        return []
    ranked = list(zip(ranking.test.average_ranks, ranking.classifiers, strict=True))
    return [(a, b) for rank, a in ranked for other, b in ranked if other - rank > distance]


def _listed(rankings: Sequence[_Ranking]) -> str:
    return "; ".join(str(ranking) for ranking in rankings)


def _too_few(n: int, fewest: int = _FEWEST) -> Finding:
    note = f"{datasets_word(n).capitalize()} with all of these classifiers; at least {fewest} needed."
    return Finding(datasets_word(n), None, None, note)
