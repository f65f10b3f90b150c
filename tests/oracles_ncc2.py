"""Slow, plain oracles of NCC2 from the definition of SPEC §13; nothing of ours is imported.

A table is a list of rows of codes `0..v_j-1`. A cell is None where it is unknown (or left out, with
`missing="marginalize"`), and ANY where it is missing and may be any value. All completions of the table and
the row are tried, one by one; each is a problem of §8, or of its form for features that some rows leave out.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from oracles_naive import GRID, Array

ANY = "any"
Cell = int | str | None
Row = Sequence[Cell]


def completions(rows: Sequence[Row], n_states: Sequence[int]) -> Iterator[list[list[int | None]]]:
    """Every table in which each ANY has become one of the states of its feature."""
    places = [(r, j) for r, row in enumerate(rows) for j, cell in enumerate(row) if cell == ANY]
    for values in itertools.product(*(range(n_states[j]) for _, j in places)):
        table: list[list[int | None]] = [
            [None if cell in (None, ANY) else int(cell) for cell in row] for row in rows
        ]
        for (r, j), value in zip(places, values, strict=True):
            table[r][j] = value
        yield table


def log_ratio(
    train: Sequence[Sequence[int | None]],
    y: Sequence[int],
    row: Sequence[int | None],
    n_states: Sequence[int],
    n_classes: int,
    pair: tuple[int, int],
    *,
    xi: Array,
    s: float,
    lam: float,
    left_out: Sequence[bool],
) -> Array:
    """§13: log h of a complete row, the ratio of two classes, by the share ξ of the free pseudo-count.

    A factor is `n_i(a, c')/(n'_i + s − x) · (n''_i + x)/(n_i(a, c'') + x)`, and `n_i` counts the rows that
    know the feature if it is `left_out`, else all rows.
    """
    c, d = pair
    free = s * (1 - lam)
    total = [y.count(e) + s * lam / n_classes for e in range(n_classes)]
    log_h = np.log(total[c] + free * (1 - xi)) - np.log(total[d] + free * xi)
    for i, a in enumerate(row):
        if a is None:
            continue
        share = s * lam / (n_classes * n_states[i])
        n_a = [sum(1 for cells, e in zip(train, y, strict=True) if e == f and cells[i] == a) for f in pair]
        n = [total[c], total[d]]
        if left_out[i]:
            n = [
                sum(1 for cells, e in zip(train, y, strict=True) if e == f and cells[i] is not None)
                + s * lam / n_classes
                for f in pair
            ]
        if n_a[0] + share == 0:
            return np.full_like(xi, -np.inf)
        log_h = log_h + math.log(n_a[0] + share) - np.log(n[0] + free * (1 - xi))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(n[1] + free * xi) - np.log(n_a[1] + share + free * xi)
        # 0/0 at ξ = 0, where no row of the class knows the feature: the limit.
        log_h = log_h + (np.zeros_like(xi) if n[1] == 0 else ratio)
    return np.asarray(log_h)


def margins(
    train: Sequence[Row],
    y: Sequence[int],
    row: Row,
    n_states: Sequence[int],
    n_classes: int,
    *,
    s: float = 1.0,
    lam: float = 0.0,
    left_out: Sequence[bool] | None = None,
) -> list[list[float]]:
    """§13: the least log-ratio of every ordered pair of classes over all completions and priors."""
    left_out = [False] * len(n_states) if left_out is None else left_out
    least = [[0.0 if c == d else math.inf for d in range(n_classes)] for c in range(n_classes)]
    tables, rows = list(completions(train, n_states)), list(completions([row], n_states))
    for c, d in itertools.permutations(range(n_classes), 2):
        for table, (whole,) in itertools.product(tables, rows):
            ratio = partial(
                log_ratio, table, y, whole, n_states, n_classes, (c, d), s=s, lam=lam, left_out=left_out
            )
            least[c][d] = min(least[c][d], _least(ratio))
    return least


def _least(ratio: Callable[..., Array]) -> float:
    """The minimum over [0, 1] of a convex function by ever finer grids."""
    grid, least = GRID[::20], math.inf
    grid = np.unique(np.append(grid, [0.0, 1.0]))
    for _ in range(7):
        values = ratio(xi=grid)
        place = int(values.argmin())
        least = min(least, float(values[place]))
        if math.isinf(least):
            break
        grid = np.linspace(grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)], 21)
    return least


def bounds(least: Sequence[Sequence[float]]) -> Array:
    """§13: bounds on the probabilities from the least ratios: exact for two classes, outer otherwise."""
    n_classes = len(least)
    found = []
    for c in range(n_classes):
        others = [d for d in range(n_classes) if d != c]
        lower = 1 / (
            1 + math.fsum(math.exp(-least[c][d]) if least[c][d] > -700 else math.inf for d in others)
        )
        upper = 1 / (1 + math.fsum(math.exp(least[d][c]) for d in others))
        found.append([lower, upper])
    return np.array(found)
