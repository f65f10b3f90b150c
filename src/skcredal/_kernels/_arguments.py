"""Arguments of kernels that belong together travel as named tuples, which numba takes.

An empty array among them may mean that something is not wanted; where, is said here. Nothing here needs
numba, so that others can make the tuples without importing it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray, LabelArray

__all__ = [
    "NO_AVERAGE",
    "NO_LIKELIHOODS",
    "Average",
    "Bma",
    "Compression",
    "Decision",
    "DirichletMasses",
    "Evidence",
    "Folded",
    "Likelihoods",
    "Packed",
    "Tables",
]


class Tables(NamedTuple):
    """The parameters of all SPODEs (see ``parameters``)."""

    n_states: IntArray
    log_c: FloatArray
    log_a: FloatArray
    value_offsets: IntArray
    log_ratio: FloatArray
    line_offsets: IntArray


class Packed(NamedTuple):
    """The tables of one super-parent for look-ups of many rows (see ``packing``).

    Those of the feature ``features[t]`` begin at ``begins[t]``, one after the other for each class, of
    ``sizes[t]`` numbers each.
    """

    numbers: FloatArray
    begins: IntArray
    sizes: IntArray
    features: IntArray


class Folded(NamedTuple):
    """The tables of one coding with the weights of its SPODEs in them (see ``log_pool``)."""

    singles: FloatArray
    pairs: FloatArray
    value_offsets: IntArray
    line_offsets: IntArray


class Average(NamedTuple):
    """The mean of the SPODEs.

    ``mean``, (rows, n_classes): Σ_j w_j P(c | a, s_j), the weights renormalised over a row's SPODEs; where
    none is left, P(c) answers. ``posterior``, (k, rows, n_classes), or empty if it is not wanted: the
    P(c | a, s_j) themselves, with the number ``left_out`` for a SPODE that is left out of a row.
    """

    weights: FloatArray
    left_out: float
    mean: FloatArray
    posterior: FloatArray


class Decision(NamedTuple):
    """The most probable class of each row, and which rows need a closer look to know the classes that remain.

    The rows are those of the codes. ``doubtful``, (rows,): whether the class ``best``, (rows,), that of the
    largest ``mean``, fails a test of dominance over all others that gives SPODE j the factor between
    ``least`` and ``most`` that favours the other most (see ``find_doubtful`` in ``inference``).
    """

    mean: FloatArray
    least: FloatArray
    most: FloatArray
    tie: float
    best: IntArray
    doubtful: BoolArray


class Likelihoods(NamedTuple):
    """The conditional log-likelihoods of the SPODEs (§4); if they are wanted, nothing else is.

    ``log_lik``, (blocks, k), or empty: Σ_r w_r log P(c_r | a_r, s_j) of every block, each logarithm at least
    ``log_floor``. Without ``row_weights`` every row counts once.
    """

    labels: LabelArray
    row_weights: FloatArray
    log_floor: float
    log_lik: FloatArray


# What tells the kernel of inference that something is not wanted: empty arrays to fill in.
NO_AVERAGE = Average(np.empty(0), 0.0, np.empty((0, 0)), np.empty((0, 0, 0)))
NO_LIKELIHOODS = Likelihoods(np.empty(0, np.int32), np.empty(0), -np.inf, np.empty((0, 0)))


class Evidence(NamedTuple):
    """What every SPODE says of some rows, which a set of priors over the SPODEs judges.

    ``codes``, (k, n_rows), are the states of the super-parents: a SPODE whose own is unknown in a row (the
    number ``n_states`` itself) is left out of it. ``posterior``, (k, n_rows, n_classes), is P(c | a, s_j),
    ``reference``, (n_rows, n_classes), their mean under the reference prior and ``best`` its most probable
    class, of equal ones the first. Where no SPODE is left, P(c) answers: ``prior_set`` tells its most
    probable classes, ties kept.
    """

    codes: CodeArray
    n_states: IntArray
    posterior: FloatArray
    reference: FloatArray
    best: IntArray
    prior_set: BoolArray


class Bma(NamedTuple):
    """BMA-AODE*'s set of priors: P(s_j) ≥ ε over the SPODEs that survive the likelihood cut."""

    likelihood: FloatArray
    eps: float


class Compression(NamedTuple):
    """COMP-AODE*'s set of priors: P(s_0) = ε and P(s_j) ≥ ε.

    A SPODE is feasible if its upper coefficient is positive. With B = LL_0 + log ε, a coefficient is ``π_j =
    base_j + κ·log P(s_j)``, ``base_j = 1 - LL_j/B``, ``κ = -1/B``.
    """

    feasible: BoolArray
    base: FloatArray
    kappa: float
    eps: float


class DirichletMasses(NamedTuple):
    """NCC's set of priors: the counts of classes and values, with what is spread evenly (see ``ncc``).

    ``lower`` and ``upper`` hold the masses of each value with each class without and with the training cells
    that may have any value; ``known``, (k, n_classes), the masses of the classes in the rows that count for a
    feature, which are all rows of the features that are ``whole``; ``free`` is what a prior spreads as it
    likes.
    """

    n_states: IntArray
    offsets: IntArray
    mass_c: FloatArray
    lower: FloatArray
    upper: FloatArray
    known: FloatArray
    whole: BoolArray
    free: float
