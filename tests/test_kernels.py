"""The compiled loops, each against a twin in plain Python."""

import itertools
import math

import numpy as np
import pytest

from skcredal._kernels import (
    count_pairs,
    least_priors,
    sum_pairs,
)


def random_states(rng, k, n, n_values, dtype=np.uint16):
    """Return states (k, n) from 0 to the unknown one."""
    return rng.integers(0, n_values + 1, (k, n)).astype(dtype)


def sums_by_hand(parents, children, table):
    return [
        [
            [sum(plane[s][column[r]] for column in children) for r, s in enumerate(line)]
            for plane in table.tolist()
        ]
        for line in parents
    ]


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@pytest.mark.parametrize("n_children", range(10))
def test_pairs_are_summed(n_children, dtype):
    """Parents need not be the children, nor have as many states: leaves of trees are parents, too."""
    rng = np.random.default_rng(n_children)
    for n_parents, n_classes, n in itertools.product((0, 1, 3), (0, 1, 4), (0, 1, 7)):
        parents = random_states(rng, n_parents, n, 5, dtype)
        children = random_states(rng, n_children, n, 11, dtype)
        table = rng.integers(-9, 10, (n_classes, 6, 12)).astype(np.float64)  # whole, so that sums are exact
        out = np.full((n_parents, n_classes, n), np.nan)
        sum_pairs(parents, children, table, out)
        expected = np.array(sums_by_hand(parents.tolist(), children.tolist(), table), float)
        np.testing.assert_array_equal(out, expected.reshape(out.shape))


@pytest.mark.parametrize("n_shares", [1, 2, 5])
@pytest.mark.parametrize("n_children", [0, 1, 4, 5, 9])
def test_pairs_are_counted(n_children, n_shares):
    """Parents need not be the children; each has its own first child, the last line is unknown."""
    rng = np.random.default_rng(n_children)
    for n_parents, n_classes, n in itertools.product((0, 1, 3), (1, 4), (0, 1, 30)):
        parents, children = random_states(rng, n_parents, n, 5), random_states(rng, n_children, n, 11)
        first = rng.integers(0, n_children + 1, n_parents)
        labels = rng.integers(0, n_classes, n).astype(np.int32)
        weights = rng.integers(0, 9, n) / 8.0
        found = np.ones((n_classes, 6, 12))  # they are added to what is there
        expected = found.tolist()
        for share in range(n_shares):
            count_pairs(parents, children, first, labels, weights, share, n_shares, found)
        for j, i, r in itertools.product(range(n_parents), range(n_children), range(n)):
            if i >= first[j]:
                expected[labels[r]][parents[j, r]][children[i, r]] += weights[r]
        assert found.tolist() == expected


def candidates(d, lower, mass, spare):
    """Yield priors of which one has the least Σ_j d_j log y_j (§7, Proposition 2).

    Any of those against share what is free in proportion to |d_j|, or one takes it all, or, if somebody else
    can, none does.
    """
    size = len(d)
    if spare:
        yield [lower] * size
    else:
        for j in range(size):
            yield [mass - (size - 1) * lower if i == j else lower for i in range(size)]
    against = [j for j in range(size) if d[j] < 0]
    for m in range(1, len(against) + 1):
        for sharing in itertools.combinations(against, m):
            total = math.fsum(d[j] for j in sharing)
            free = mass - (size - m) * lower
            y = [d[j] / total * free if j in sharing else lower for j in range(size)]
            if min(y) >= lower:
                yield y


def least_by_hand(d, value, lower, mass, spare):
    return min(value(y) for y in candidates(d, lower, mass, spare))


def least_prior(d, members, lower, eps):
    """Return log y of the prior that the loop finds for one row, and the mass that the members share."""
    size, k = int(members.sum()), len(d)
    mass = 1.0 - eps - (k - size) * lower
    log_y = np.full((1, k), np.nan)
    one = (np.array([lower]), np.array([mass]), np.array([size]), np.array([size < k]))
    least_priors(np.where(members, d, 0.0)[None], *one, log_y)
    # Those without a say may as well not be there.
    of_members = np.full((1, size), np.nan)
    least_priors(d[members][None], *one, of_members)
    np.testing.assert_array_equal(of_members, log_y[:, members])
    return log_y[0], mass


def random_differences(rng, k):
    """Return differences of either sign, some of them equal, zero, or very small."""
    d = rng.normal(size=k) * 10.0 ** rng.uniform(-3, 0, k) + rng.choice([-2.0, 0.0, 0.0, 2.0])
    if rng.random() < 0.3:
        d = rng.choice([-0.5, -0.25, 0.0, 0.25], k)
    return d * rng.choice([1.0, 1.0, 1e-12, 1e-290])


@pytest.mark.parametrize("k", range(1, 7))
def test_the_least_prior_is_the_best_of_all_candidates(k):
    rng = np.random.default_rng(k)
    for _ in range(200):
        members = rng.random(k) < rng.choice([0.6, 1.0])
        if not members.any():
            continue
        limit = 1.0 / (k + 1)
        eps = float(rng.choice([0.01, 1e-5, 1e-100, 0.5 * limit, limit * (1 - 1e-9), limit]))
        # For robustness, a part of the reference prior is kept.
        lower = float(rng.choice([eps, (1.0 - eps) / k * rng.random() + 1e-300, (1.0 - eps) / k]))
        d = random_differences(rng, k)
        log_y, mass = least_prior(d, members, lower, eps)
        own, found = d[members].tolist(), log_y[members]
        spare, total = not members.all(), np.exp(found).sum()
        assert (found >= math.log(lower) - 1e-12).all()
        # At the limit, a single prior is left, and rounding is all that is free.
        assert total <= mass * (1 + 1e-9)
        assert spare or total == pytest.approx(mass)

        def value(y, own=own):
            return math.fsum(d_j * math.log(y_j) for d_j, y_j in zip(own, y, strict=True))

        best = least_by_hand(own, value, lower, max(mass, len(own) * lower), spare)
        scale = math.fsum(abs(d_j) * (1.0 + abs(math.log(lower))) for d_j in own)
        assert math.fsum(np.array(own) * found) == pytest.approx(best, rel=0, abs=1e-9 * scale)
