"""NCC's set of priors over the parameters of naive Bayes: the imprecise Dirichlet model (§8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, FloatArray
from skcredal._ensemble.counts import Layout, ValueCounts
from skcredal._ensemble.naive import NaiveEvidence

__all__ = ["DirichletPriors"]


@dataclass(frozen=True, slots=True, eq=False)
class DirichletPriors:
    """All priors that spread the pseudo-count s over the classes and the values within them.

    The part λ of it, the contamination, is spread evenly and cannot move.

    Parameters
    ----------
    layout : Layout
        Where the block of each feature lies.
    mass_c : ndarray of shape (n_classes,)
        n(c) + sλ/l: the counts with what cannot move.
    mass_a : ndarray
        n(c, a_j) + sλ/(l v_j).
    free : float
        s(1-λ): what moves.
    """

    layout: Layout
    mass_c: FloatArray
    mass_a: FloatArray
    free: float

    @classmethod
    def from_counts(cls, counts: ValueCounts, s: float, contamination: float) -> DirichletPriors:
        """Build the set around the counts.

        Where training cells are unknown, n(c) counts all rows of the class and n(c, a_j) those that know the
        cell. No value has more mass than its class, then as ever, and so the problem stays convex.

        Examples
        --------
        >>> import numpy as np
        >>> from skcredal._ensemble.counts import count_values
        >>> codes, labels = np.array([[0, 1, 1]], dtype=np.uint8), np.array([0, 0, 1], np.int32)
        >>> priors = DirichletPriors.from_counts(count_values(codes, labels, np.array([2]), 2), 2.0, 0.5)
        >>> priors.mass_c.tolist(), priors.mass_a.tolist(), priors.free
        ([2.5, 1.5], [1.25, 0.25, 1.25, 1.25], 1.0)
        """
        layout = counts.layout
        fixed = s * contamination / layout.n_classes
        fixed_a = np.repeat(fixed / layout.n_states, layout.n_states * layout.n_classes)
        return cls(layout, counts.n_c + fixed, counts.n_ca + fixed_a, s * (1.0 - contamination))

    def maximal_sets(self, evidence: NaiveEvidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        layout = self.layout
        kernels.ncc.ncc_sets(
            evidence.codes,
            layout.n_states,
            layout.value_offsets,
            self.mass_c,
            self.mass_a,
            self.free,
            evidence.reference.argmax(axis=1),
            out,
        )
        return out

    def intervals(self, evidence: NaiveEvidence) -> FloatArray:
        """Return bounds on the probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        layout = self.layout
        kernels.ncc.ncc_intervals(
            evidence.codes,
            layout.n_states,
            layout.value_offsets,
            self.mass_c,
            self.mass_a,
            self.free,
            evidence.reference,
            out,
        )
        return out
