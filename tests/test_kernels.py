"""The compiled loops, each against a twin in plain Python."""

import itertools
import math

import numpy as np
import pytest

from answers import candidate_priors
from skcredal._kernels import BLOCK_ROWS, count_pairs, find_leaves, find_pieces, least_priors, sum_pairs


def random_states(rng, k, n, n_values, dtype=np.uint16):
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


@pytest.mark.parametrize("n", [BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 5])
def test_rows_beyond_a_block_are_counted(n):
    rng = np.random.default_rng(n)
    states, labels = random_states(rng, 5, n, 8), rng.integers(0, 2, n).astype(np.int32)
    weights, found = rng.integers(1, 5, n) / 4.0, np.zeros((2, 9, 9))
    count_pairs(states, states, np.arange(5), labels, weights, 0, 1, found)
    expected = np.zeros((2, 9, 9))
    for j, i in itertools.combinations_with_replacement(range(5), 2):
        np.add.at(expected, (labels, states[j], states[i]), weights)
    np.testing.assert_array_equal(found, expected)


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


def least_by_hand(d, value, lower, mass, spare):
    return min(value(y) for y in candidate_priors(d, lower, mass, spare=spare))


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


@pytest.mark.parametrize("eps", [0.01, 1e-100])
def test_differences_as_small_as_doubles_get_still_give_a_prior(eps):
    least = 5e-324
    for d in (
        [-least],
        [-least, -least],
        [-3 * least, least],
        [-least, -0.5],
        [0.0, 0.0],
        [-least, -1e-300, 0.3],
    ):
        log_y, _ = least_prior(np.array(d), np.ones(len(d), np.bool_), eps, eps)
        assert (log_y >= math.log(eps) - 1e-12).all()
        assert (log_y <= 1e-9).all()
    # Whoever is against gets it all, however little it is against.
    log_y, mass = least_prior(np.array([least, -least, 0.5]), np.ones(3, np.bool_), eps, eps)
    np.testing.assert_allclose(np.exp(log_y), [eps, mass - 2 * eps, eps], rtol=0.05)
