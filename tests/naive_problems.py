"""Random tables for the tests of NCC and CMA, with all their odd cases."""

from dataclasses import dataclass

import numpy as np

import oracles
from problems import as_rows, as_states, random_codes
from skcredal._ensemble.counts import count_values

KINDS = (
    "ordinary",
    "no feature",
    "one feature",
    "zero counts",
    "unknown values",
    "missing cells",
    "ten classes",
    "two classes",
    "one class",
    "mirrored classes",
    "hundreds of rows",
)


@dataclass
class Table:
    """A training table and a few rows to classify, for our code and for the oracles."""

    codes: np.ndarray  # (k, n)
    labels: np.ndarray  # (n,)
    n_states: np.ndarray  # (k,)
    n_classes: int
    test: np.ndarray  # (k, rows)

    @property
    def counts(self):
        states = as_states(self.codes, self.n_states)
        return count_values(states, self.labels, np.ones(len(self.labels)), self.n_states, self.n_classes)

    @property
    def test_states(self):
        return as_states(self.test, self.n_states)

    @property
    def train_rows(self):
        return as_rows(self.codes, self.n_states) if len(self.codes) else [[] for _ in self.labels]

    @property
    def test_rows(self):
        return as_rows(self.test, self.n_states) if len(self.test) else [[]] * self.test.shape[1]

    @property
    def oracle_counts(self):
        return oracles.count_tables(
            self.train_rows, self.labels.tolist(), self.n_states.tolist(), self.n_classes
        )


def random_table(rng, kind, *, k=None, n_test=3):
    """Return a random table of a kind; every class occurs in it."""
    sizes = {"no feature": 0, "one feature": 1, "ten classes": 2}
    k = sizes.get(kind, int(rng.integers(2, 6)) if k is None else k)
    n_classes = {"ten classes": 10, "two classes": 2, "mirrored classes": 2, "one class": 1}.get(
        kind, int(rng.integers(2, 4))
    )
    n = 400 if kind == "hundreds of rows" else int(rng.integers(n_classes, 40))
    codes, labels, n_states, _ = random_codes(
        rng,
        n=n,
        k=k,
        n_classes=n_classes,
        unknown=0.2 if kind == "missing cells" else 0.0,
        most_states=8 if kind == "zero counts" else 4,
    )
    labels[:n_classes] = np.arange(n_classes)
    test = rng.integers(0, n_states[:, None], (k, n_test)).astype(np.uint8)
    if kind == "mirrored classes":
        # Every row once with each class: all counts are equal, and so the two always tie.
        codes, labels = np.hstack([codes, codes]), np.concatenate([labels, 1 - labels])
    if kind in ("unknown values", "missing cells"):
        unknown = rng.random(test.shape) < 0.4
        unknown[:, 0] = True
        test = np.where(unknown, n_states[:, None], test).astype(np.uint8)
    return Table(codes, labels, n_states, n_classes, test)
