"""Sets of priors over naive Bayes: NCC's over its parameters, CMA's over which features matter (§8, §13)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray, StateArray
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.dominance import bounds_of_log_ratios, undominated
from skcredal._ensemble.naive import NaiveTables, averaged_tables
from skcredal._ties import best_class

__all__ = ["DirichletPriors", "InclusionPriors", "NaiveEvidence"]

# A log-ratio must exceed this: classes that are equal up to rounding stay together.
TIE = 1e-10
# Newton's last step, relative to the nearest pole.
LAST_STEP, MOST_STEPS = 1e-10, 200


class NaiveEvidence(NamedTuple):
    """What these sets of priors judge: states (k, rows), and the probabilities under the reference prior."""

    states: StateArray
    reference: FloatArray


class _LogRatios:
    """Sets and bounds from the least log-ratio of two classes over the priors of the set."""

    def least_log_ratio(self, states: StateArray, c: IntArray | int, d: int) -> FloatArray:
        """Return the least log-ratio of the scores of c, one class or one for each row, over d, (rows,)."""
        raise NotImplementedError

    def maximal_sets(self, evidence: NaiveEvidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes)."""

        def dominates(rows: IntArray, c: IntArray | int, d: int) -> BoolArray:
            return self.least_log_ratio(evidence.states[:, rows], c, d) > TIE

        return undominated(dominates, best_class(evidence.reference), evidence.reference.shape[1])

    def intervals(self, evidence: NaiveEvidence) -> FloatArray:
        """Return bounds on the probabilities, (rows, n_classes, 2)."""
        return bounds_of_log_ratios(
            lambda c, d: self.least_log_ratio(evidence.states, c, d), evidence.reference
        )


@dataclass(frozen=True, eq=False)
class InclusionPriors(_LogRatios):
    """CMA's set: each feature's inclusion probability is between ε and 1 - ε, independently of the others."""

    # The average of the models if all inclusion probabilities are ε, and if all are 1 - ε. The ratio of two
    # classes is monotone in each, so its extremes lie at one or the other for each feature.
    low: NaiveTables
    high: NaiveTables

    @classmethod
    def from_counts(
        cls, naive: NaiveTables, counts: Counts, ess: float, log_e: FloatArray, eps: float
    ) -> InclusionPriors:
        """Build the set for features of the given log E_j."""
        log_odds = math.log(eps) - math.log1p(-eps)
        low = averaged_tables(naive, counts, ess, log_e, log_odds)
        return cls(low, averaged_tables(naive, counts, ess, log_e, -log_odds))

    def least_log_ratio(self, states: StateArray, c: IntArray | int, d: int) -> FloatArray:
        low = self.low.log_a[c, states] - self.low.log_a[d, states]
        high = self.high.log_a[c, states] - self.high.log_a[d, states]
        least: FloatArray = self.low.log_c[c] - self.low.log_c[d] + np.minimum(low, high).sum(axis=0)
        return least


@dataclass(frozen=True, eq=False)
class DirichletPriors(_LogRatios):
    """All priors that spread the pseudo-count s over the classes and the values within them: NCC and NCC2.

    A share λ of it, the contamination, is spread evenly under every prior and added to the counts; s(1-λ) is
    ``free``. With x of it the ratio of two classes is

        log h(x) = log(n_c + free - x) - log(n_d + x)
                   + Σ_i log lower_ic - log(known_ic + free - x) + log(known_id + x) - log(upper_id + x),

    over the features whose value the row knows, or which may have any. It is convex in x.
    """

    n_states: IntArray  # (k,): how many states each feature has
    mass_c: FloatArray  # (n_classes,): the masses of the classes
    # lower, upper: (n_classes, V + 2): the masses of the states, without and with the cells that may have had
    # any value
    lower: FloatArray
    upper: FloatArray
    # (n_classes, k): the mass that a state is divided by: that of the class, unless rows without the cell do
    # not count
    known: FloatArray
    free: float  # what is spread differently from prior to prior

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        s: float,
        contamination: float,
        n_missing: FloatArray,
        left_out: BoolArray,
    ) -> DirichletPriors:
        """Build the set around the counts.

        Parameters
        ----------
        counts : Counts
            How often each class and state was seen.
        s, contamination : float
            The pseudo-count, and the share λ of it that is spread evenly.
        n_missing : ndarray of shape (k, n_classes)
            How many rows of each class have a missing cell that may have any value (§13).
        left_out : ndarray of shape (k,)
            For which features the rows do not count at all in which the cell is unknown.

        Examples
        --------
        >>> import numpy as np
        >>> from skcredal._ensemble.counts import count_values
        >>> states, labels = np.array([[0, 1, 1]], np.uint16), np.array([0, 0, 1], np.int32)
        >>> counts = count_values(states, labels, np.ones(3), np.array([2]), 2)
        >>> priors = DirichletPriors.from_counts(counts, 2.0, 0.5, np.array([[1, 0]]), np.array([False]))
        >>> priors.mass_c.tolist(), priors.lower[:, :2].tolist(), priors.free
        ([2.5, 1.5], [[1.25, 1.25], [0.25, 1.25]], 1.0)

        One more row, of class 0, may have either value:

        >>> priors.upper[:, :2].tolist()
        [[2.25, 2.25], [0.25, 1.25]]
        """
        v, even = counts.n_states, s * contamination / len(counts.n_c)
        lower = counts.n_ca + even / counts.n_states_of
        upper = lower + n_missing.T.repeat(v, axis=1)
        mass_c = counts.n_c + even
        known = np.where(left_out, counts.sum_over_features(counts.n_ca) + even, mass_c[:, None])
        pad = ((0, 0), (0, 2))
        return cls(v, mass_c, np.pad(lower, pad), np.pad(upper, pad), known, s * (1.0 - contamination))

    def least_log_ratio(self, states: StateArray, c: IntArray | int, d: int) -> FloatArray:
        """Return the minimum of log h over all priors, and over all values of the cells that may have any.

        Such a cell has the factor of its worst state, the inverse of the highest of the lines (upper_ad +
        x)/lower_ac. Which state that is depends on x, on the feature and on the classes, but not on the
        row: cut [0, free] wherever it changes, and take the least of the convex pieces.
        """
        is_open = states > self.n_states.sum()  # V is unknown, V + 1 may be any
        if not is_open.any():
            return self._minimum(states, c, d, 0.0, self.free)
        least = np.full(states.shape[1], np.inf)
        of_rows = np.broadcast_to(c, least.shape)
        for one in np.unique(of_rows).tolist():
            rows = np.flatnonzero(of_rows == one)
            for low, high, worst in self._pieces(np.flatnonzero(is_open.any(axis=1)).tolist(), one, d):
                filled = states[:, rows]
                for i, state in worst.items():
                    filled[i, is_open[i, rows]] = state
                least[rows] = np.minimum(least[rows], self._minimum(filled, one, d, low, high))
        return least

    def _pieces(self, features: list[int], c: int, d: int) -> Iterator[tuple[float, float, dict[int, int]]]:
        """Yield the pieces of [0, free] on which the worst states of features stay the same, and these."""
        starts = np.cumsum(self.n_states) - self.n_states
        own = {i: slice(starts[i], starts[i] + self.n_states[i]) for i in features}
        lines = {i: (self.lower[c, own[i]], self.upper[d, own[i]]) for i in features}
        ends = [0.0, self.free]  # one piece at least, even if nothing is free
        with np.errstate(divide="ignore", invalid="ignore"):
            for lower, upper in lines.values():
                crossing = (upper[:, None] * lower - upper * lower[:, None]) / (lower[:, None] - lower)
                ends += crossing[(crossing > 0.0) & (crossing < self.free)].tolist()
            for low, high in pairwise(sorted(set(ends)) if self.free > 0.0 else ends):
                x = (low + high) / 2.0
                worst = {i: ((upper + x) / lower).argmax() for i, (lower, upper) in lines.items()}
                yield low, high, {i: int(starts[i] + a) for i, a in worst.items()}

    def _minimum(self, states: StateArray, c: IntArray | int, d: int, low: float, high: float) -> FloatArray:
        """Return the minimum of log h over [low, high]: at an end, or by Newton's method within a bracket."""
        n, free = states.shape[1], self.free
        c = np.broadcast_to(c, n)
        counts_in = states < self.n_states.sum()
        n_c, n_d = self.mass_c[c], self.mass_c[d]
        lower_c, upper_d = self.lower[c, states], self.upper[d][states]
        known_c, known_d = self.known[c].T, np.broadcast_to(self.known[d][:, None], states.shape)
        # No row of class d knows the feature: a ratio x/x, which is 1 throughout.
        upper_d = np.where(known_d == 0.0, 1.0, upper_d)
        known_d = np.where(known_d == 0.0, 1.0, known_d)

        def derivatives(x: FloatArray, some: IntArray) -> tuple[FloatArray, FloatArray]:
            inside = counts_in[:, some]
            up, own = 1.0 / (known_d[:, some] + x), 1.0 / (upper_d[:, some] + x)
            down = 1.0 / (known_c[:, some] + (free - x))
            of_c, of_d = 1.0 / (n_c[some] + (free - x)), 1.0 / (n_d + x)
            slope = np.where(inside, up + down - own, 0.0).sum(axis=0) - of_c - of_d
            curvature = np.where(inside, down**2 - up**2 + own**2, 0.0).sum(axis=0) - of_c**2 + of_d**2
            return slope, curvature

        with np.errstate(divide="ignore", invalid="ignore"):
            # The slopes at the ends say whether the minimum is at one of them; they are ±inf at a pole.
            every = np.arange(n)
            at_high = derivatives(np.full(n, high), every)[0] <= 0.0
            at_low = derivatives(np.full(n, low), every)[0] >= 0.0
            x = np.where(at_high, high, low)
            rows = every[~at_high & ~at_low]
            left, right = np.full(len(rows), low), np.full(len(rows), high)
            x[rows] = (low + high) / 2.0
            pole = np.minimum(n_c, known_c.min(axis=0, initial=np.inf))
            for _ in range(MOST_STEPS):
                if not len(rows):
                    break
                now = x[rows]
                slope, curvature = derivatives(now, rows)
                left, right = np.where(slope < 0.0, now, left), np.where(slope < 0.0, right, now)
                new = now - slope / curvature
                new = np.where((left < new) & (new < right), new, (left + right) / 2.0)
                x[rows] = new
                moving = np.abs(new - now) > LAST_STEP * np.minimum(new, pole[rows] + (free - new))
                rows, left, right = rows[moving], left[moving], right[moving]
            terms = np.log(lower_c) - np.log(known_c + (free - x)) + np.log(known_d + x) - np.log(upper_d + x)
            log_h = np.log(n_c + (free - x)) - np.log(n_d + x) + np.where(counts_in, terms, 0.0).sum(axis=0)
        # A value never seen with c gives c no weight under some prior: it dominates no class.
        never_seen = (counts_in & (lower_c == 0.0)).any(axis=0)
        return np.where(never_seen, -np.inf, log_h)
