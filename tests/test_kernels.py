"""The compiled loops, each against a twin in plain Python."""

import itertools
import math

import numpy as np
import pytest

import oracles
from skcredal._kernels import (
    count_pairs,
    find_leaves,
    find_pieces,
    least_priors,
    lower_bounds,
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


def random_tree(rng, n_inner, n_columns, first):
    """Return the nodes of a tree, numbered from the first: columns (-1 for a leaf), thresholds, children."""
    feature, threshold, left, right = [-1], [0.0], [-1], [-1]
    for _ in range(n_inner):
        leaf = int(rng.choice(np.flatnonzero(np.array(feature) < 0)))
        feature[leaf], threshold[leaf] = int(rng.integers(n_columns)), float(rng.choice([0.25, 0.5, 0.1]))
        left[leaf], right[leaf] = first + len(feature), first + len(feature) + 1
        feature, threshold = [*feature, -1, -1], [*threshold, 0.0, 0.0]
        left, right = [*left, -1, -1], [*right, -1, -1]
    return feature, threshold, left, right


def leaf_by_hand(row, node, nodes):
    feature, threshold, left, right = nodes
    if feature[node] < 0:
        return node
    below = left if row[feature[node]] <= threshold[node] else right
    return leaf_by_hand(row, below[node], nodes)


@pytest.mark.parametrize("n_values", [1, 2, 3, 4, 7, 8, 9, 100])
def test_pieces_between_and_at_values_are_found(n_values):
    values = np.sort(np.random.default_rng(n_values).normal(size=n_values))
    x = np.concatenate([values, np.nextafter(values, -9.0), np.nextafter(values, 9.0), [-9.0, 9.0, np.nan]])
    out = np.empty(len(x), np.int64)
    find_pieces(values, x, out)
    assert out.tolist() == [sum(v < one for v in values) + sum(v <= one for v in values) for one in x]


@pytest.mark.parametrize("n_inner", [0, 1, 2, 20])
def test_leaves_are_found(n_inner):
    """A number is compared as it is, in single precision, with a threshold of double precision."""
    rng = np.random.default_rng(n_inner)
    for n_trees, n_columns, n in itertools.product((0, 1, 3), (1, 4), (0, 1, 50)):
        roots, nodes = [], [[], [], [], []]
        for _ in range(n_trees):
            roots.append(len(nodes[0]))
            made = random_tree(rng, n_inner, n_columns, len(nodes[0]))
            nodes = [one + more for one, more in zip(nodes, made, strict=True)]
        x = rng.choice(np.array([0.0, 0.1, 0.25, 0.3, 0.5, 1.0], np.float32), (n_columns, n))
        found = np.full((n_trees, n), -1)
        feature, threshold, left, right = nodes
        # A leaf is its own child, and asks about any column.
        below = zip(left, right, strict=True)
        pairs = [(own if one < 0 else one) for own, both in enumerate(below) for one in both]
        asks, children = np.maximum(np.array(feature, np.int64), 0), np.array(pairs, np.int64)
        find_leaves(x, np.array(roots, np.int64), asks, np.array(threshold, float), children, found)
        rows = x.T.astype(float).tolist()
        assert found.tolist() == [[leaf_by_hand(row, root, nodes) for row in rows] for root in roots]


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


@pytest.mark.parametrize("spare", [False, True])
def test_the_least_prior_is_that_of_a_general_optimiser(spare):
    rng = np.random.default_rng(14)
    for _ in range(150):
        k = int(rng.integers(1, 7))
        k_total = k + (int(rng.integers(1, 4)) if spare else 0)
        eps = float(rng.choice([0.01, 1e-5, 0.5 / (k_total + 1), 0.99 / (k_total + 1)]))
        log_lik_null = -(10.0 ** rng.uniform(0, 4))
        members = np.arange(k_total) < k
        log_lik = np.where(members, log_lik_null * rng.uniform(0, 0.9, k_total), 3.0 * log_lik_null - 50.0)
        d = rng.normal(size=k_total) * 10.0 ** rng.uniform(-3, 0, k_total) + rng.choice([-2.0, 0.0, 0.0, 2.0])
        d = np.where(members, d, 0.0)
        b = log_lik_null + math.log(eps)
        log_y, mass = least_prior(d, members, eps, eps)
        found = float(d @ (1.0 - (log_lik + log_y) / b))
        expected = oracles.comp_min_difference(
            d.tolist(), log_lik.tolist(), log_lik_null, eps, starts=6, available=members.tolist()
        )
        scale = np.abs(d) @ (np.abs(1.0 - log_lik / b) + abs(math.log(eps) / b))
        assert found == pytest.approx(expected, abs=1e-8 * scale)
        total = np.exp(log_y[:k]).sum()
        assert (log_y >= math.log(eps) - 1e-9).all()
        assert total <= mass * (1 + 1e-9)
        assert spare or total == pytest.approx(mass)


@pytest.mark.parametrize("k", range(1, 5))
def test_bounds_are_where_the_least_difference_changes_its_sign(k):
    """By bisection over t: the minimum of Σ_j (p_j - t) π_j is positive below the bound, negative above."""
    rng = np.random.default_rng(k)
    checked = 0
    for _ in range(100):
        members = rng.random(k) < rng.choice([0.6, 1.0])
        if not members.any():
            continue
        eps = float(rng.choice([0.01, 1e-5, 1e-100, 0.5 / (k + 1), 1.0 / (k + 1)]))
        b = math.log(eps) - 10.0 ** rng.uniform(0.0, 4.0)
        kappa = -1.0 / b
        base = rng.uniform(0.2, 1.3, k) - kappa * math.log(eps)  # every coefficient is positive
        p = rng.choice([0.3, rng.random()], k) if rng.random() < 0.3 else rng.random(k)
        size, spare = int(members.sum()), not members.all()
        mass = max(1.0 - eps - (k - size) * eps, size * eps)
        own_p, own_base = p[members].tolist(), base[members].tolist()

        def least(t, own_p=own_p, own_base=own_base, kappa=kappa, eps=eps, mass=mass, spare=spare):
            d = [p_j - t for p_j in own_p]

            def value(y):
                terms = zip(d, own_base, y, strict=True)
                return math.fsum(d_j * (base_j + kappa * math.log(y_j)) for d_j, base_j, y_j in terms)

            return least_by_hand(d, value, eps, mass, spare)

        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if least(middle) > 0 else (low, middle)
        start = np.array([float(np.mean(own_p))])
        lower_bounds(p[None], members[None], base, kappa, eps, np.array([mass]), np.array([spare]), start)
        assert start[0] == pytest.approx(low, abs=1e-12)
        checked += 1
    assert checked > 20


def test_every_row_has_its_own_bound():
    """Rows of different members and starts, in one call and alone."""
    rng = np.random.default_rng(9)
    n, k, eps = 40, 5, 0.05
    p, members = rng.random((n, k)), rng.random((n, k)) < 0.7
    members[:, 0] = True
    base, size = rng.uniform(0.5, 1.0, k), members.sum(axis=1)
    mass, spare, start = 1.0 - eps - (k - size) * eps, size < k, rng.random(n)
    together = start.copy()
    lower_bounds(p, members, base, 0.05, eps, mass, spare, together)
    for r in range(n):
        alone, row = start[r : r + 1].copy(), slice(r, r + 1)
        lower_bounds(p[row], members[row], base, 0.05, eps, mass[row], spare[row], alone)
        assert alone[0] == together[r]
