"""Marginal likelihoods, in which the parameters are averaged over their prior (§8, §13)."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from skcredal import _kernels as kernels
from skcredal._arrays import CountArray, FloatArray
from skcredal._ensemble.counts import JointCounts
from skcredal._threads import parts, run_in_threads

__all__ = ["log_marginal", "spode_log_marginals"]

# Fewer pairs are done before a thread has started.
PAIRS_WORTH_A_THREAD = 64


def log_marginal(counts: CountArray, alpha: float) -> float:
    """Return the log marginal likelihood of counts (values, columns) with the pseudo-count alpha per cell.

    Each column has its own Dirichlet prior.

    Examples
    --------
    Two rows of two states with pseudo-counts 1/2: the first has probability 1/2, the second, of the same
    state, 3/4.

    >>> import numpy as np
    >>> round(float(np.exp(log_marginal(np.array([[2], [0]]), 0.5))), 9)
    0.375
    """
    # In logarithms, since the gamma function of large counts overflows.
    total = alpha * len(counts)
    columns = gammaln(total) - gammaln(counts.sum(axis=0) + total)
    values = gammaln(counts + alpha) - gammaln(alpha)
    return float(columns.sum() + values.sum())


def spode_log_marginals(counts: JointCounts, ess: float, *, n_threads: int = 1) -> FloatArray:
    """Return log P(D | s_j) of every SPODE: the BDeu marginal likelihood of all cells and classes.

    Where training cells are unknown, every known cell still counts exactly once, whichever the super-parent;
    otherwise a SPODE that has fewer cells to explain would win by that.

    Examples
    --------
    One feature that tells two classes of a row each: 1/2 · 1/4 for the classes, 1/2 for each value.

    >>> import numpy as np
    >>> from skcredal._ensemble.counting import count
    >>> codes, labels = np.array([[0, 1]], dtype=np.uint8), np.array([0, 1], np.int32)
    >>> float(np.exp(spode_log_marginals(count(codes, labels, np.array([2]), 2), 1.0))[0]) * 32
    1.0
    """
    layout = counts.layout
    n_classes, pairs = layout.n_classes, layout.pairs
    of_class = log_marginal(counts.n_c[:, None], ess / n_classes)
    log_p = np.array(
        [
            of_class + log_marginal(counts.values(j), ess / (n_classes * v))
            for j, v in enumerate(layout.n_states)
        ]
    )
    of_pairs = np.empty((len(pairs), 2))

    def fill_some(some: slice) -> None:
        kernels.marginal.pair_log_marginals(
            counts.n_cab,
            counts.n_ca,
            layout.n_states,
            pairs[some],
            layout.pair_offsets[some],
            layout.value_offsets,
            n_classes,
            ess,
            of_pairs[some],
        )

    run_in_threads(fill_some, parts(len(pairs), 4 * n_threads, PAIRS_WORTH_A_THREAD), n_threads)
    # One pair after the other, whichever thread computed it.
    for column in (0, 1):
        np.add.at(log_p, pairs[:, column], of_pairs[:, column])
    return log_p
