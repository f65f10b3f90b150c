"""MAPLMG from its definition (SPEC §5): rows left out by counting anew, weights by a general solver.

Nothing of ours is imported. Rows and classes are as in `oracles`.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import LinearConstraint, minimize

from oracles import Number, Row, class_prior, count_tables, spode_posteriors


def left_out_posteriors(
    codes: Sequence[Row],
    y: Sequence[int],
    n_states: Sequence[int],
    n_classes: int,
    ess: int | Fraction = 1,
    weights: Sequence[Number] | None = None,
) -> list[list[Fraction]]:
    """§5: P_{−i}(c_i|a_i,s_j), every count made anew without row i; an unknown super-parent: P_{−i}(c_i)."""
    table = []
    for i, (row, c) in enumerate(zip(codes, y, strict=True)):
        others = [Fraction(1 if weights is None else weights[r]) for r in range(len(y))]
        others[i] -= min(Fraction(1), others[i])
        counts = count_tables(codes, y, n_states, n_classes, others)
        prior = class_prior(counts, ess)
        table.append([prior[c] if p is None else p[c] for p in spode_posteriors(counts, row, ess)])
    return table


def objective(
    mixture: Sequence[float],
    posteriors: Sequence[Sequence[Number]],
    weights: Sequence[Number] | None = None,
) -> float:
    """§5: Σ_i log Σ_j w_j P_ij + Σ_j log w_j."""
    times = [1] * len(posteriors) if weights is None else weights
    terms = [
        float(t) * math.log(math.fsum(w * float(p) for w, p in zip(mixture, row, strict=True)))
        for t, row in zip(times, posteriors, strict=True)
    ]
    return math.fsum([*terms, *(math.log(w) for w in mixture)])


def gradient(
    mixture: Sequence[float],
    posteriors: Sequence[Sequence[Number]],
    weights: Sequence[Number] | None = None,
) -> npt.NDArray[np.float64]:
    """§5: the derivatives of the objective, Σ_i P_ij / Σ_h w_h P_ih + 1/w_j."""
    w, p = np.array(mixture), np.array(posteriors, float)
    times = np.ones(len(p)) if weights is None else np.array(weights, float)
    return np.asarray((times / (p @ w)) @ p + 1.0 / w)


def optimality_gap(
    mixture: Sequence[float],
    posteriors: Sequence[Sequence[Number]],
    weights: Sequence[Number] | None = None,
) -> float:
    """A bound on how far the concave objective lies below its maximum: max over the simplex of g·(x − w)."""
    g = gradient(mixture, posteriors, weights)
    return float(g.max() - g @ np.array(mixture))


def best_weights(
    posteriors: Sequence[Sequence[Number]], weights: Sequence[Number] | None = None
) -> list[float]:
    """§5: the maximum on the simplex by scipy's SLSQP, from uniform weights."""
    k = len(posteriors[0])
    scale = len(posteriors) + k

    def cost(w: npt.NDArray[np.float64]) -> float:
        return -objective(w.tolist(), posteriors, weights) / scale

    def slope(w: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return -gradient(w.tolist(), posteriors, weights) / scale

    solution = minimize(
        cost,
        np.ones(k) / k,
        jac=slope,
        method="SLSQP",
        bounds=[(1e-7, 1.0)] * k,
        constraints=LinearConstraint(np.ones((1, k)), 1.0, 1.0),
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return [float(w) for w in solution.x / solution.x.sum()]
