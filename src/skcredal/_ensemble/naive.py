"""The BDeu parameters of naive Bayes, from the counts of classes and values (§2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray
from skcredal._ensemble.counts import Layout, ValueCounts

__all__ = ["NaiveEvidence", "NaiveTables", "class_prior", "naive_tables"]


@dataclass(frozen=True, slots=True, eq=False)
class NaiveEvidence:
    """Rows that a set of priors judges: their codes (k, n_rows), and the reference prior's answers."""

    codes: CodeArray
    reference: FloatArray


def class_prior(n_c: CountArray, ess: float) -> FloatArray:
    """Return P(c) = (n(c) + s/l)/(n + s).

    Examples
    --------
    >>> import numpy as np
    >>> class_prior(np.array([3, 1]), 1.0)
    array([0.7, 0.3])
    """
    prior: FloatArray = (n_c + ess / len(n_c)) / (n_c.sum() + ess)
    return prior


@dataclass(frozen=True, slots=True, eq=False)
class NaiveTables:
    """log P(c) and log P(a|c), with a slot of zeros for the unknown value (see ``kernels.parameters``).

    Parameters
    ----------
    layout : Layout
        Where each block lies, with a slot for the unknown value.
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    log_a : ndarray
        The factors of the values.
    """

    layout: Layout
    log_c: FloatArray
    log_a: FloatArray

    @property
    def prior(self) -> FloatArray:
        """P(c), what the null model answers."""
        return np.exp(self.log_c)

    def log_joints(self, codes: CodeArray) -> FloatArray:
        """Return log P(c, a) of a chunk of codes (k, rows) as an array (rows, n_classes)."""
        out = np.empty((codes.shape[1], self.layout.n_classes))
        kernels.naive.naive_log_joints(codes, self.log_c, self.log_a, self.layout.value_offsets, out)
        return out

    def posteriors(self, codes: CodeArray) -> FloatArray:
        """Return P(c | a) of a chunk likewise."""
        out = self.log_joints(codes)
        kernels.naive.normalise_rows(out)
        return out


def naive_tables(counts: ValueCounts, ess: float) -> NaiveTables:
    """Learn the parameters of naive Bayes from the counts.

    Examples
    --------
    Three rows of class 0 and one of class 1, no feature: P(c) = (n(c) + 1/2)/(n + 1).

    >>> import numpy as np
    >>> from skcredal._ensemble.counts import count_values
    >>> labels = np.array([0, 0, 0, 1], np.int32)
    >>> counts = count_values(np.empty((0, 4), np.uint8), labels, np.empty(0, np.int64), 2)
    >>> naive_tables(counts, 1.0).prior
    array([0.7, 0.3])
    """
    n_states, n_classes = counts.layout.n_states, counts.layout.n_classes
    layout = Layout(n_states, n_classes, slots=1)
    log_a = np.empty(layout.value_offsets[-1])
    kernels.parameters.fill_values(
        counts.n_ca,
        n_states,
        counts.layout.value_offsets,
        layout.value_offsets,
        n_classes,
        ess,
        log_a,
        np.empty_like(log_a),  # masses are for super-parents, and there are none
    )
    return NaiveTables(layout, np.log(class_prior(counts.n_c, ess)), log_a)
