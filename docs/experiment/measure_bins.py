"""Measure what dropped digits change: the cuts of a stream beside those of the same rows in memory.

    python docs/experiment/measure_bins.py

Three numeric features of one distribution, with 65,536 different values at least; from class to class they
move by half a unit, those of the log-normal before the exponential. Every cut of the one model is compared
with the one of the other that has the fewest rows between, and the other way round; the models then classify
rows that neither has seen.
"""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from skcredal import CompAODE
from skcredal.scale import fit_batches

DATA = Path(__file__).parent / "data"
N_ROWS, N_TEST, BATCH = 400_000, 100_000, 100_000
N_FEATURES, SEEDS = 3, 4

Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]
DISTRIBUTIONS: dict[str, Draw] = {
    "uniform": lambda rng, shift: 4 * rng.random(len(shift)) + shift,
    "normal": lambda rng, shift: rng.normal(size=len(shift)) + shift,
    "log-normal, σ = 1": lambda rng, shift: np.exp(rng.normal(size=len(shift)) + shift),
    "log-normal, σ = 2": lambda rng, shift: np.exp(2 * rng.normal(size=len(shift)) + shift),
    "Cauchy": lambda rng, shift: rng.standard_cauchy(len(shift)) + shift,
    "two normals, a million apart": lambda rng, shift: (
        np.where(rng.random(len(shift)) < 0.7, 0.0, 1e6) + rng.normal(size=len(shift)) + shift
    ),
    "whole numbers and a log-normal tail, σ = 3": lambda rng, shift: np.where(
        rng.random(len(shift)) < 0.5,
        rng.integers(0, 5, len(shift)) + 2 * shift,
        np.exp(3 * rng.normal(size=len(shift))),
    ),
}


def rows(draw: Draw, n: int, n_classes: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return features and classes."""
    y = rng.integers(0, n_classes, n)
    return np.column_stack([draw(rng, y / 2.0) for _ in range(N_FEATURES)]), y


def nearest(cuts: np.ndarray, others: np.ndarray, ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the nearest of the other cuts is from each: in value, and in the share of rows."""
    places, other_places = np.searchsorted(ordered, cuts), np.searchsorted(ordered, others)
    distances = np.abs(places[:, None] - other_places)
    best = distances.argmin(axis=1)
    return np.abs(cuts - others[best]), distances.min(axis=1) / len(ordered)


def compare(draw: Draw, n_classes: int, seed: int) -> Iterator[dict[str, np.ndarray | float]]:
    """Yield what was found for every feature, and the accuracy of both models with the first."""
    rng = np.random.default_rng([seed, n_classes])
    X, y = rows(draw, N_ROWS, n_classes, rng)
    X_test, y_test = rows(draw, N_TEST, n_classes, rng)
    batches = [(X[r : r + BATCH], y[r : r + BATCH]) for r in range(0, N_ROWS, BATCH)]
    exact, streamed = CompAODE(n_jobs=-1).fit(X, y), fit_batches(CompAODE(n_jobs=-1), batches)
    accuracy = exact.score(X_test, y_test)
    change = streamed.score(X_test, y_test) - accuracy
    for j in range(N_FEATURES):
        ordered = np.sort(X[:, j])
        assert np.count_nonzero(np.diff(ordered)) >= 65_536
        ours, theirs = streamed._encoding.features[j].cuts, exact._encoding.features[j].cuts
        there, back = nearest(theirs, ours, ordered), nearest(ours, theirs, ordered)
        yield {
            "cuts": len(theirs),
            "more": len(ours) - len(theirs),
            "value": np.concatenate([there[0], back[0]]),
            "share": np.concatenate([there[1], back[1]]),
            "quartiles": np.subtract(*np.quantile(ordered, [0.75, 0.25])),
            "deviation": ordered.std(),
            "accuracy": accuracy,
            "change": change,
        }


def number(value: float) -> str:
    """Return a number with two digits that count."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2g}" if value >= 1e-4 or value == 0 else f"{value:.0e}".replace("e-0", "e-")


def line(name: str, n_classes: int) -> list[str]:
    """Return a line of the table."""
    found = [one for seed in range(SEEDS) for one in compare(DISTRIBUTIONS[name], n_classes, seed)]
    relative = np.concatenate([one["value"] / one["quartiles"] for one in found])
    more = [one["more"] for one in found]
    return [
        name,
        str(n_classes),
        f"{np.mean([one['cuts'] for one in found]):.0f}",
        f"{min(more):+d} to {max(more):+d}" if any(more) else "0",
        number(np.median(relative)),
        number(relative.max()),
        "–" if name == "Cauchy" else number(max((one["value"] / one["deviation"]).max() for one in found)),
        number(max(100 * one["share"].max() for one in found)),
        f"{np.mean([one['accuracy'] for one in found]):.4f}",
        f"{max((one['change'] for one in found), key=abs):+.5f}",
    ]


if __name__ == "__main__":
    header = ["values", "classes", "cuts", "more or fewer", "moved, half of them", "moved, most"]
    header += ["in standard deviations", "rows between, most, %", "accuracy", "its change, most"]
    table = [line(name, n_classes) for name in DISTRIBUTIONS for n_classes in (2, 5)]
    with (DATA / "bins.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([header, *table])
