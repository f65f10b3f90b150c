"""The generated tables that everything is measured on: categorical codes, seeded.

The class speaks to every feature and neighbouring features to each other, as in real tables: without that,
every SPODE would say the same and no set would ever hold two classes.
"""

from dataclasses import dataclass

import numpy as np

__all__ = ["FRAME", "PROBLEMS", "Problem", "Table", "declared", "make_table"]

TEST_ROWS = 10_000
# What one row of a DataFrame is asked of.
FRAME = "A as a DataFrame"


@dataclass(frozen=True)
class Problem:
    """The size of a table: rows, states of each feature, classes, and rows to predict."""

    name: str
    n: int
    states: tuple[int, ...]
    n_classes: int
    n_test: int = TEST_ROWS

    @property
    def k(self):
        return len(self.states)

    @property
    def description(self):
        low, high = min(self.states), max(self.states)
        v = f"{low}" if low == high else f"{low}…{high}"
        return f"n = {self.n:,}, k = {self.k}, v = {v}, l = {self.n_classes}"


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("A", 100_000, (5,) * 30, 3),
        Problem("B", 1_000_000, (4,) * 20, 2),
        Problem("C", 2_000, (4,) * 200, 4),
        Problem("D", 12_960, (2, 3, 4, 5, 2, 3, 4, 5), 5),
    )
}


@dataclass(frozen=True, eq=False)
class Table:
    """Codes ``X[r, j]`` (row-major, uint8) and classes ``y`` (int32) to learn from, and rows to predict."""

    problem: Problem
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def declared(problem):
    """Return the parameters that declare all features categorical, with their states."""
    return {"categorical_features": "all", "categories": [np.arange(v) for v in problem.states]}


def make_table(problem, seed=0):
    """Return the table of a problem.

    Every value is, by chance, a noisy message of the class, a copy of the feature before (renamed), or drawn
    from the feature's own distribution. The messages are the rarer the more features there are, so that the
    class stays a question with 8 features and with 200.
    """
    rng = np.random.default_rng([seed, problem.n, problem.k, max(problem.states), problem.n_classes])
    n_rows = problem.n + problem.n_test
    shares = rng.dirichlet(np.full(problem.n_classes, 5.0))
    y = rng.choice(problem.n_classes, n_rows, p=shares).astype(np.int32)
    y[: problem.n_classes] = np.arange(problem.n_classes)  # every class occurs
    X = np.empty((n_rows, problem.k), np.uint8)
    for j, v in enumerate(problem.states):
        X[:, j] = rng.choice(v, n_rows, p=rng.dirichlet(np.full(v, 3.0)))
        chance = rng.random(n_rows)
        of_class = rng.uniform(0.2, 1.0) / np.sqrt(problem.k)
        of_neighbour = rng.uniform(0.1, 0.4)
        said = rng.integers(0, v, problem.n_classes).astype(np.uint8)
        X[:, j] = np.where(chance < of_class, said[y], X[:, j])
        if j > 0:
            renamed = rng.permutation(max(v, problem.states[j - 1])).astype(np.uint8) % v
            X[:, j] = np.where(chance > 1.0 - of_neighbour, renamed[X[:, j - 1]], X[:, j])
        X[:v, j] = np.arange(v)[: len(X)]  # every state occurs
    n = problem.n
    return Table(problem, X[:n].copy(), y[:n].copy(), X[n:].copy(), y[n:].copy())
