"""Random problems for the tests: tables of codes, and ensembles as their posteriors and likelihoods."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from skcredal._ensemble.counts import Counts, count


def random_codes(rng, *, n=None, k=None, n_classes=None, unknown=0.0, most_states=4):
    """Return codes (k, n), labels (n,), n_states (k,) and the number of classes."""
    n = int(rng.integers(1, 40)) if n is None else n
    k = int(rng.integers(1, 5)) if k is None else k
    n_classes = int(rng.integers(1, 4)) if n_classes is None else n_classes
    n_states = rng.integers(2, most_states + 1, k)
    labels = rng.integers(0, n_classes, n).astype(np.int32)
    # Half the codes follow the class, so that the features say something.
    codes = np.where(
        rng.random((k, n)) < 0.5, labels % n_states[:, None], rng.integers(0, n_states[:, None], (k, n))
    )
    codes = np.where(rng.random((k, n)) < unknown, n_states[:, None], codes)
    return codes.astype(np.uint8), labels, n_states.astype(np.int64), n_classes


def as_states(codes, n_states):
    """Return codes (k, n), of each feature from 0, as states of all features: V is unknown, V + 1 any."""
    ends = np.cumsum(n_states)[:, None]
    n_values, v = int(np.sum(n_states)), np.reshape(n_states, (-1, 1))
    states = codes + np.where(codes < v, ends - v, n_values - v)
    return states.astype(np.uint16 if n_values + 1 < 2**16 else np.uint32)


def counts_of(codes, labels, n_states, n_classes, weights=None, **options):
    """Return the counts of codes; every row counts once unless it has another weight."""
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    return count(as_states(codes, n_states), labels, weights, n_states, n_classes, **options)


def value_counts(n_states, n_c, n_ca):
    """Return given counts of classes and states, (n_classes, V), without those of pairs."""
    n_c, n_ca = np.asarray(n_c, np.float64), np.asarray(n_ca, np.float64)
    return Counts(np.asarray(n_states), n_c, n_ca, np.empty((len(n_c), 0, 0)))


def as_rows(codes, n_states):
    """Return codes (k, n) as the oracles want them: a list of rows with None for unknown."""
    return [
        [None if a == v else int(a) for a, v in zip(row, n_states, strict=True)] for row in codes.T.tolist()
    ]


def frame_of(codes, n_states):
    """Return codes (k, n) as a DataFrame of declared categories; the unknown code becomes a missing value."""
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical.from_codes(np.where(column == v, -1, column.astype(int)), range(v))
            for j, (column, v) in enumerate(zip(codes, n_states, strict=True))
        }
    )


def varied_problem(rng, *, n=30, k=4, n_classes=3, unknown=0.0):
    """Return random codes in which every feature and class takes at least two known values."""
    while True:
        codes, labels, n_states, n_classes = random_codes(rng, n=n, k=k, n_classes=n_classes, unknown=unknown)
        varied = all(len(set(column) - {v}) > 1 for column, v in zip(codes.tolist(), n_states, strict=True))
        if varied and len(np.unique(labels)) == n_classes:
            return codes, labels, n_states, n_classes


def undecided_problem(seed, *, n=25, k=4, n_classes=3, unseen=False):
    """Return a table (n, k), classes, and rows to classify: so little evidence that the prior often decides.

    With ``unseen``, some columns of the rows have a value that was not there.
    """
    rng = np.random.default_rng(seed)
    codes, labels, n_states, _ = random_codes(rng, n=n, k=k, n_classes=n_classes)
    labels[:n_classes] = np.arange(n_classes)
    extra = rng.random((k, 1)) < 0.2 if unseen else 0
    test = rng.integers(0, n_states[:, None] + extra, (k, 30))
    return codes.T.astype(int), labels, test.T.astype(int)


def mixed_table(rng, n=40, n_classes=3):
    """Return numbers, text and flags with missing cells, their classes, and the rows for the oracles."""
    y = rng.integers(0, n_classes, n)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n).round(1)),
            "kind": [rng.choice(["a", "b", "c"]) if rng.random() < 0.5 else "abc"[c] for c in y],
            "flag": rng.random(n) < 0.2 + 0.2 * y,
        }
    )
    frame.loc[rng.random(n) < 0.1, "kind"] = None
    cells = frame.to_numpy(dtype=object).tolist()
    return frame, y, [[None if pd.isna(cell) else cell for cell in row] for row in cells]


@dataclass
class EnsembleProblem:
    """What the SPODEs say of one row, and how likely they are."""

    kind: str
    posterior: np.ndarray  # (k, n_classes)
    log_lik: np.ndarray  # (k,)
    log_lik_null: float
    eps: float
    prior: np.ndarray  # (n_classes,)
    known: np.ndarray  # (k,) whether the row knows the super-parent

    @property
    def oracle_posteriors(self):
        return [p.tolist() if known else None for p, known in zip(self.posterior, self.known, strict=True)]


KINDS = (
    "ordinary",
    "one model",
    "one feasible",
    "some infeasible",
    "all feasible",
    "hardly any evidence",
    "wide spread",
    "ten classes",
    "unknown super-parents",
    "agreement",
)


def random_ensemble(rng, kind):
    """Return a random problem of a kind; close calls are as likely as clear ones."""
    k = 1 if kind == "one model" else int(rng.integers(2, 9))
    n_classes = 10 if kind == "ten classes" else int(rng.integers(2, 5))
    sharpness = 10.0 ** rng.uniform(-1.0, 1.0)
    common = rng.normal(size=n_classes) * (3.0 if kind == "agreement" else rng.uniform(0.0, 2.0))
    scores = common + sharpness * rng.normal(size=(k, n_classes)) * (0.1 if kind == "agreement" else 1.0)
    posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    n = 10.0 ** rng.uniform(1.0, 4.0)
    log_lik_null = -n * rng.uniform(0.3, 1.0)
    log_lik = log_lik_null * rng.uniform(0.1, 0.95, k)
    if kind in ("ordinary", "agreement", "unknown super-parents", "ten classes"):
        log_lik = log_lik_null * 0.5 + rng.normal(size=k) * 2.0
    if kind == "one feasible":
        log_lik = log_lik_null * rng.uniform(1.2, 2.0, k) - 20.0
        log_lik[rng.integers(k)] = 0.3 * log_lik_null
    if kind == "some infeasible":
        log_lik = log_lik_null * rng.uniform(0.3, 1.7, k)
    if kind == "hardly any evidence":
        log_lik_null = -rng.uniform(0.01, 5.0)
        log_lik = log_lik_null * rng.uniform(0.5, 1.3, k)
    if kind == "wide spread":
        log_lik_null = -2e5
        log_lik = -np.sort(rng.uniform(0.0, 1e5, k))
        log_lik[-1] = log_lik[0] - 1e5
    known = np.ones(k, np.bool_)
    if kind == "unknown super-parents":
        known = rng.random(k) < 0.6
    eps = float(rng.choice([0.01, 1e-4, 0.3 / (k + 1), 0.9 / (k + 1)]))
    prior = rng.dirichlet(np.full(n_classes, 3.0))
    return EnsembleProblem(kind, posterior, log_lik, log_lik_null, eps, prior, known)
