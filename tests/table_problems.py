"""Random tables, ordinary and degenerate, with what the oracles need to know of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

import oracles


@dataclass
class TableProblem:
    """A training table with classes and weights, and new rows, as DataFrames and as the oracles see them."""

    X: pd.DataFrame
    y: np.ndarray
    weights: np.ndarray | None
    missing: str
    X_new: pd.DataFrame
    kept: list[str]
    n_states: list[int]
    classes: np.ndarray
    labels: list[int]
    rows: list[list[int | None]]
    rows_new: list[list[int | None]]

    @property
    def n_classes(self):
        return len(self.classes)

    def counts(self):
        return oracles.count_tables(self.rows, self.labels, self.n_states, self.n_classes, self.weights)


def random_table(rng, *, unknown=0.0, weighting="none", k=None, n=None, n_classes=None):
    """Return a table of declared categories; some columns are constant, and then none may be kept.

    With unknown cells in training they are marginalised. New rows hold all states, and foreign ones.
    """
    k = int(rng.integers(0, 6)) if k is None else k
    n = int(rng.integers(1, 40)) if n is None else n
    n_classes = int(rng.integers(1, 5)) if n_classes is None else n_classes
    y = rng.integers(0, n_classes, n)
    n_states = rng.integers(2, 5, k)
    codes = np.where(
        rng.random((k, n)) < 0.6, y % n_states[:, None], rng.integers(0, n_states[:, None], (k, n))
    )
    if k > 2 and rng.random() < 0.3:
        codes[2], n_states[2] = codes[0], n_states[0]  # a copy: ties
    if k > 0 and rng.random() < 0.3:
        codes[0] = 1
    codes = np.where(rng.random((k, n)) < unknown, -1, codes)
    new = rng.integers(0, n_states[:, None] + 1, (k, 12))
    weights = None
    if weighting == "integer":
        weights = rng.integers(1, 5, n)
    if weighting == "real":
        weights = rng.integers(1, 30, n) / 8.0  # eighths, so that sums are exact

    kept = [j for j in range(k) if len(set(codes[j].tolist()) - {-1}) > 1]
    classes, labels = np.unique(y, return_inverse=True)
    X = pd.DataFrame({f"a{j}": pd.Categorical.from_codes(codes[j], range(n_states[j])) for j in range(k)})
    X["same"] = pd.Categorical(["s"] * n)  # never kept, and so there is a column even without features
    X_new = pd.DataFrame({f"a{j}": pd.Categorical(new[j], range(n_states[j] + 1)) for j in range(k)})
    X_new["same"] = pd.Categorical(["s"] * new.shape[1])
    return TableProblem(
        X=X,
        y=np.array(["w", "x", "y", "z"])[y],
        weights=weights,
        missing="marginalize" if unknown else "impute",
        X_new=X_new,
        kept=[f"a{j}" for j in kept],
        n_states=[int(n_states[j]) for j in kept],
        classes=np.array(["w", "x", "y", "z"])[classes],
        labels=labels.tolist(),
        rows=[[None if codes[j, r] < 0 else int(codes[j, r]) for j in kept] for r in range(n)],
        rows_new=[
            [None if new[j, r] == n_states[j] else int(new[j, r]) for j in kept] for r in range(new.shape[1])
        ],
    )


def as_weights(problem):
    """Return the weights of a problem as ``fit`` takes them."""
    return {} if problem.weights is None else {"sample_weight": problem.weights}
