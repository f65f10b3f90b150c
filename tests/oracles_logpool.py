"""LP-AODE and LP-AODE* from their definition (SPEC §12 and §14): plain, slow, independent of the package.

`LogPoolOracle.fit` learns from a table and answers single rows; what it is made of stands below, one part of
the definition after another. Columns are lists of cells: a number, a category, or None where it is missing.
Experts are numbered from the null model, 0, over the SPODEs in the order of the table to the regions and the
line. What they say of a row is an array `logs[j, c] = log p_j(c|a)`. Counts are exact fractions; trees and
line are scikit-learn's, which the definition names. The weights come from scipy's general solver and Newton
steps, minima over the credal set from the closed forms and, to be compared with them, from SLSQP.

Points that §12 and §14 leave open are decided here as follows.

- The rank of row i, in the sample and in the folds, is `splitmix64(splitmix64(random_state) XOR i)`, where
  `splitmix64(x)` is the first output of the generator whose state is x, all modulo 2**64; i numbers all rows
  of positive weight. The N rows stay in the order of the table.
- Rows of weight 0 are absent: their classes and states, too.
- With `missing="impute"` a missing cell is known, as the imputed value: to the line, whose ranks and means
  count it, and where it is asked whether a row knows anything.
- Where `max_categories` merges states, "state" is the merged one, also for trees and line, and in a fold,
  where it is known as soon as one of its values was seen. The mode is that of the states before they merge
  (as in §1), in the order that they have among all rows.
- Whether a training row knows anything, and so takes part in J, is asked of the whole model as it is of a new
  row, not of the fold's: otherwise no row of a fold without columns would take part, and it would not matter
  what regions and line say there.
- Columns that all lack spread (trees have columns, the known cells of the sample are constant) leave a line
  of intercepts alone.
- Real weights: the median's half, and ties between cuts, are met within 1e-12 of the total (§12's slack), and
  a total of at most 1 is not cut, log2(N−1) being undefined.
- The most probable classes of P(c) are tied within 1e-12, as in §7.
"""

import math
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

import mpmath  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import erf, erfinv, logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import ExtraTreeClassifier

from oracles import (
    Number,
    _cut_between,
    _exact_weights,
    _mean_of_two,
    _most_probable,
    _mpf,
    bin_of,
    maximal_set,
    mdl_cuts,
    mode,
)

Array = npt.NDArray[np.float64]
Cell = Any  # a float, a category, or None where it is missing
Row = Sequence[Cell]
Missing = Literal["impute", "marginalize"]

ESS = 4.0
N_REGIONS = 20
MAX_ROWS = 5000
MOST_FOLDS = 10
CLOSE = 1e-12  # of the total weight: what real weights may lack
AT_BOUND = 1e-6  # of the prior weight: what is nearer to the bound lies on it
TAU = 1e-10  # of the largest log-odds: what log-odds must exceed


# --- one feature ----------------------------------------------------------------------------------


class States(NamedTuple):
    """§1, §14: the categories of a column in their order, and the number of each; merged ones share one."""

    order: list[Hashable]
    numbers: dict[Hashable, int]
    declared: bool

    @classmethod
    def of(
        cls,
        cells: Sequence[Cell],
        weights: Sequence[Fraction],
        declared: Sequence[Hashable] | None,
        max_categories: int | None,
    ) -> "States":
        """§1: the declared states, else the sorted observed ones; beyond max_categories the rarest merge."""
        seen = {x for x in cells if x is not None}
        order: list[Hashable] = sorted(seen) if declared is None else list(declared)
        numbers = {state: number for number, state in enumerate(order)}
        if max_categories is not None and len(order) > max_categories:
            total = dict.fromkeys(order, Fraction(0))
            for x, weight in zip(cells, weights, strict=True):
                if x in total:
                    total[x] += weight
            # Of equally frequent states the first stay; those that stay keep their order.
            stay = set(sorted(order, key=lambda state: -total[state])[: max_categories - 1])
            kept = [state for state in order if state in stay]
            numbers = {state: kept.index(state) if state in stay else len(kept) for state in order}
        return cls(order, numbers, declared is not None)


class Feature(NamedTuple):
    """§1, §14: what some rows tell of a column: the imputed value, the cuts or the states, if it is kept.

    Values are numbers, or the numbers of states.
    """

    states: States | None  # None: a numeric feature
    known: frozenset[int]  # the numbers of the states that are not unknown
    fill: float | None  # the imputed value, None where nothing was seen
    cuts: list[float]
    n_states: int
    is_kept: bool
    missing: Missing

    @classmethod
    def learn(
        cls,
        cells: Sequence[Cell],
        y: Sequence[int],
        weights: Sequence[Fraction],
        states: States | None,
        missing: Missing,
    ) -> "Feature":
        """§1: impute, then cut; with marginalize the cuts come from the known cells."""
        if states is not None:
            return cls._learn_states(cells, weights, states, missing)
        seen = [(float(x), w) for x, w in zip(cells, weights, strict=True) if x is not None]
        if not seen:
            return cls(None, frozenset(), None, [], 0, False, missing)
        fill = median([x for x, _ in seen], [w for _, w in seen])
        values = [(fill if missing == "impute" else None) if x is None else float(x) for x in cells]
        used = [(x, c, w) for x, c, w in zip(values, y, weights, strict=True) if x is not None]
        found = cuts([x for x, _, _ in used], [c for _, c, _ in used], [w for _, _, w in used])
        return cls(None, frozenset(), fill, found, len(found) + 1, len(found) > 0, missing)

    @classmethod
    def _learn_states(
        cls, cells: Sequence[Cell], weights: Sequence[Fraction], states: States, missing: Missing
    ) -> "Feature":
        """§1, §14: states keep their numbers; those that are not declared are the ones seen here."""
        seen = frozenset(states.numbers[x] for x in cells if x in states.numbers)
        known = frozenset(states.numbers.values()) if states.declared else seen
        fill = states.numbers[mode(list(cells), states.order, list(weights))] if seen else None
        return cls(states, known, fill, [], len(known), len(seen) > 1, missing)

    def value(self, cell: Cell) -> float | None:
        """§1: the cell's value, None where it is unknown; what is missing is imputed, or unknown, too."""
        if cell is None:
            return self.fill if self.missing == "impute" else None
        if self.states is None:
            return float(cell)
        number = self.states.numbers.get(cell)
        return number if number in self.known else None

    def imputed(self, cell: Cell) -> float | None:
        """§14: what goes down the trees: the imputed value for missing and unknown cells, in any case."""
        value = self.value(cell)
        return self.fill if value is None else value

    def code(self, cell: Cell) -> int | None:
        """§1: the bin, or the number of the state; None where it is unknown or there was nothing to learn."""
        value = self.value(cell)
        if value is None or self.n_states == 0:
            return None
        return int(value) if self.states is not None else bin_of(value, self.cuts)


def median(values: Sequence[float], weights: Sequence[Fraction]) -> float:
    """§1: the weighted median; where a value ends half of the weight, the mean of it and the next."""
    total = sum(weights, Fraction(0))
    slack = _slack(weights)
    passed = Fraction(0)
    lower = None
    for value, weight in sorted(zip(values, weights, strict=True)):
        passed += weight
        if lower is None and passed >= total / 2 - slack:
            lower = value
        if lower is not None and passed > total / 2 + slack:
            return _mean_of_two(lower, value)
    raise ValueError("there is no weight.")


def cuts(values: Sequence[float], labels: Sequence[int], weights: Sequence[Fraction]) -> list[float]:
    """§1: Fayyad–Irani cuts; real weights go by the same rule with N = Σ weights (§2)."""
    if all(weight.denominator == 1 for weight in weights):
        return mdl_cuts(values, labels, weights)
    table = {value: [Fraction(0)] * (max(labels) + 1) for value in sorted(values)}
    for value, c, weight in zip(values, labels, weights, strict=True):
        table[value][c] += weight
    with mpmath.workdps(60):
        return _cuts_within(list(table.items()))


def _cuts_within(cells: list[tuple[float, list[Fraction]]]) -> list[float]:
    """§1: the best cut of the ascending values, if accepted, and those of both its sides."""
    places = range(1, len(cells))
    sides = {q: (_by_class(cells[:q]), _by_class(cells[q:])) for q in places}
    whole = _by_class(cells)
    n = _mpf(sum(whole, Fraction(0)))
    if not places or n <= 1:
        return []
    entropy = {q: _entropy_sum(left) + _entropy_sum(right) for q, (left, right) in sides.items()}
    tie = CLOSE * (n + 1) * mpmath.log(n + 1, 2)
    best = next(q for q in places if entropy[q] <= min(entropy.values()) + tie)
    left, right = sides[best]
    delta = mpmath.log(3 ** _present(whole) - 2, 2) - _penalty(whole) + _penalty(left) + _penalty(right)
    if not (_entropy_sum(whole) - entropy[best]) / n > (mpmath.log(n - 1, 2) + delta) / n:
        return []
    cut = _cut_between(cells[best - 1][0], cells[best][0])
    return [*_cuts_within(cells[:best]), cut, *_cuts_within(cells[best:])]


def _by_class(cells: Sequence[tuple[float, list[Fraction]]]) -> list[Fraction]:
    """Return the weight of each class in some cells."""
    return [sum(column, Fraction(0)) for column in zip(*(counts for _, counts in cells), strict=True)]


def _present(counts: Sequence[Fraction]) -> int:
    """§1: m, how many classes are present."""
    return sum(1 for count in counts if count)


def _entropy_sum(counts: Sequence[Fraction]) -> Any:
    """§1: N·Ent in bits."""
    n = sum(counts, Fraction(0))
    return mpmath.fsum(_mpf(count) * mpmath.log(_mpf(n / count), 2) for count in counts if count)


def _penalty(counts: Sequence[Fraction]) -> Any:
    """§1: m·Ent."""
    return _present(counts) * _entropy_sum(counts) / _mpf(sum(counts, Fraction(0)))


def _slack(weights: Sequence[Fraction]) -> Fraction:
    """§12: how far sums of real weights may be off; whole numbers are exact."""
    whole = all(weight.denominator == 1 for weight in weights)
    return Fraction(0) if whole else Fraction(CLOSE) * sum(weights, Fraction(0)) / 2


# --- super-parents: SPODEs and regions ------------------------------------------------------------


class SuperParent:
    """§2, §3, §14: n(c,a_j) and n(c,a_j,a_i) of one super-parent, be it a feature or the regions of a tree.

    `rows` hold the codes of the children by feature. A row counts where the cells concerned are known.
    """

    def __init__(
        self,
        parents: Sequence[int | None],
        n_states: int,
        rows: Sequence[dict[int, int | None]],
        children: dict[int, int],
        y: Sequence[int],
        weights: Sequence[Fraction],
        n_classes: int,
        ess: Fraction,
    ) -> None:
        self.n_states, self.children, self.n_classes, self.ess = n_states, children, n_classes, ess
        self.counts: dict[Any, Fraction] = {}
        for a, row, c, weight in zip(parents, rows, y, weights, strict=True):
            if a is None:
                continue
            # The second and the last key are what the first and the third are divided by (§1, marginalize).
            cells = [(i, row[i]) for i in children if row[i] is not None]
            for key in [(c, a), c, *((i, c, a, b) for i, b in cells), *((i, c, a) for i, _ in cells)]:
                self.counts[key] = self.counts.get(key, Fraction(0)) + weight

    def p_value(self, a: int, c: int) -> Fraction:
        """§2: P(a_j|c), the prior of one pseudo-count spread over l·v_j cells."""
        s, cells = self.ess, self.n_classes * self.n_states
        return (self._n(c, a) + s / cells) / (self._n(c) + s / self.n_classes)

    def p_child(self, i: int, b: int, a: int, c: int) -> Fraction:
        """§2: P(a_i = b|a_j = a, c)."""
        s, cells = self.ess, self.n_classes * self.n_states
        return (self._n(i, c, a, b) + s / (cells * self.children[i])) / (self._n(i, c, a) + s / cells)

    def log_joint(self, a: int, row: dict[int, int | None], log_prior: Array) -> Array:
        """§3: log P(c) + log P(a_j|c) + Σ_i log P(a_i|a_j,c) over the known children."""
        known = [(i, b) for i, b in row.items() if i in self.children and b is not None]
        return np.array(
            [
                log_prior[c]
                + _log(self.p_value(a, c))
                + sum(_log(self.p_child(i, b, a, c)) for i, b in known)
                for c in range(self.n_classes)
            ]
        )

    def _n(self, *key: int) -> Fraction:
        return self.counts.get(key if len(key) > 1 else key[0], Fraction(0))


def _log(p: Fraction) -> float:
    return math.log(p.numerator) - math.log(p.denominator)


def class_frequencies(
    y: Sequence[int], weights: Sequence[Fraction], n_classes: int, ess: Fraction
) -> list[Fraction]:
    """§2: P(c) = (n(c) + s/l)/(n + s)."""
    total = sum(weights, Fraction(0))
    own = [sum((w for d, w in zip(y, weights, strict=True) if d == c), Fraction(0)) for c in range(n_classes)]
    return [(n_c + ess / n_classes) / (total + ess) for n_c in own]


# --- trees ----------------------------------------------------------------------------------------


class Scale(NamedTuple):
    """§14: how the trees see a column: a number by where it lies between lo and hi, a state by its number."""

    feature: int
    lo: float | None  # None: a category
    hi: float | None

    def __call__(self, value: float) -> float:
        """§14: (x − lo)/(hi − lo) clipped to [0, 1]; all three halved first if the difference overflows."""
        lo, hi = self.lo, self.hi
        if lo is None or hi is None:
            return float(value)
        if math.isinf(hi - lo):
            value, lo, hi = value / 2, lo / 2, hi / 2
        return min(1.0, max(0.0, (value - lo) / (hi - lo)))


class Tree:
    """§14: an extremely randomised tree whose leaves are regions; `ω < 10`: one leaf, nothing is fitted."""

    def __init__(
        self, x: Array, features: Sequence[int], y: Sequence[int], weights: Sequence[Fraction], seed: int
    ) -> None:
        total = sum(weights, Fraction(0))
        self.features, self.fitted = list(features), None
        if total >= 10:
            self.fitted = ExtraTreeClassifier(
                max_leaf_nodes=min(256, max(32, math.floor(total / 16))),
                max_features=None,
                min_weight_fraction_leaf=(1 - 1e-9) * 5 / float(total),
                random_state=seed,
            ).fit(x, np.array(y), sample_weight=np.array([float(w) for w in weights]))

    @property
    def n_leaves(self) -> int:
        return 1 if self.fitted is None else int(self.fitted.tree_.n_leaves)

    def regions(self, x: Array) -> list[int]:
        """§14: the leaf of each row, by the number of its node."""
        return [0] * len(x) if self.fitted is None else [int(leaf) for leaf in self.fitted.apply(x)]

    def region(self, x: Sequence[float]) -> int:
        """§14: the leaf of one row."""
        return self.regions(np.array([x]))[0]

    def path(self, leaf: int) -> list[int]:
        """§14: the nodes from the root to a leaf."""
        nodes = [leaf]
        while nodes[0] != 0:
            nodes.insert(0, next(node for node, pair in self._splits().items() if nodes[0] in pair))
        return nodes

    def leaves_below(self, node: int) -> list[int]:
        """§14: the leaves under a node, itself if it is one."""
        below = self._splits().get(node)
        return [node] if below is None else [leaf for child in below for leaf in self.leaves_below(child)]

    def asks_about(self, node: int) -> int:
        """§14: the feature that a node asks about, by its number in the table."""
        assert self.fitted is not None
        return self.features[int(self.fitted.tree_.feature[node])]

    def _splits(self) -> dict[int, tuple[int, int]]:
        """Return the two children of each node that has any."""
        if self.fitted is None:
            return {}
        left, right = self.fitted.tree_.children_left, self.fitted.tree_.children_right
        return {node: (int(left[node]), int(right[node])) for node in range(len(left)) if left[node] >= 0}


def tree_seeds(random_state: int, n_regions: int) -> list[int]:
    """§14: s_t, the numbers of RandomState(random_state mod 2**32).randint(2**31 − 1, size=T)."""
    drawn = np.random.RandomState(random_state % 2**32).randint(2**31 - 1, size=n_regions)
    return [int(seed) for seed in drawn]


# --- the line -------------------------------------------------------------------------------------


class RankColumn(NamedTuple):
    """§14: a number's rank among the known cells, less its mean, over its standard deviation.

    `passed[q]` is the weight of the first q of the distinct values.
    """

    feature: int
    values: list[float]
    passed: list[Fraction]
    mean: Fraction
    deviation: float

    @classmethod
    def of(
        cls, feature: int, cells: Sequence[float | None], weights: Sequence[Fraction]
    ) -> "RankColumn | None":
        """§14: None without spread."""
        weight_of: dict[float, Fraction] = {}
        for x, w in sorted((x, w) for x, w in zip(cells, weights, strict=True) if x is not None):
            weight_of[x] = weight_of.get(x, Fraction(0)) + w
        if len(weight_of) < 2:
            return None
        passed = list(accumulate(weight_of.values(), initial=Fraction(0)))
        plain = cls(feature, list(weight_of), passed, Fraction(0), 1.0)
        ranks = [(plain.rank(x), w / passed[-1]) for x, w in weight_of.items()]
        mean = sum((u * w for u, w in ranks), Fraction(0))
        variance = sum((w * (u - mean) ** 2 for u, w in ranks), Fraction(0))
        return plain._replace(mean=mean, deviation=math.sqrt(variance))

    def rank(self, x: float) -> Fraction:
        """§14: u(x) = (weight below x + ½ weight of x)/weight, of any number."""
        below, up_to = bisect_left(self.values, x), bisect_right(self.values, x)
        return (self.passed[below] + self.passed[up_to]) / (2 * self.passed[-1])

    def __call__(self, x: float | None) -> float:
        return 0.0 if x is None else float(self.rank(x) - self.mean) / self.deviation


class StateColumn(NamedTuple):
    """§14: the indicator of one state, less its mean among the known cells."""

    feature: int
    state: int
    mean: Fraction

    def __call__(self, x: float | None) -> float:
        return 0.0 if x is None else float((x == self.state) - self.mean)


class Line:
    """§14: logistic regression on ranks and indicators, with one more row of weight 1/l for each class."""

    def __init__(
        self,
        values: dict[int, list[float | None]],
        numeric: set[int],
        y: Sequence[int],
        weights: Sequence[Fraction],
        n_classes: int,
    ) -> None:
        self.columns: list[RankColumn | StateColumn] = []
        for j, cells in values.items():
            if j in numeric:
                ranks = RankColumn.of(j, cells, weights)
                self.columns += [] if ranks is None else [ranks]
                continue
            known = [(x, w) for x, w in zip(cells, weights, strict=True) if x is not None]
            total = sum((w for _, w in known), Fraction(0))
            for state in sorted({int(x) for x, _ in known}):
                mean = sum((w for x, w in known if x == state), Fraction(0)) / total
                self.columns += [StateColumn(j, state, mean)] if mean < 1 else []
        rows = [self.row({j: values[j][r] for j in values}) for r in range(len(y))]
        x = np.array([*rows, *[[0.0] * len(self.columns)] * n_classes])
        if not self.columns:
            x = np.zeros((len(x), 1))  # scikit-learn wants a column
        omega = [*(float(w) for w in weights), *[1 / n_classes] * n_classes]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the definition says not to pass it on
            fitted = LogisticRegression(C=0.3, tol=1e-8, max_iter=1000).fit(
                x, np.array([*y, *range(n_classes)]), sample_weight=np.array(omega)
            )
        self.alpha: Array = np.zeros(n_classes)
        self.beta: Array = np.zeros((n_classes, x.shape[1]))
        # Two classes have one vector, that of the second.
        self.alpha[-len(fitted.intercept_) :] = fitted.intercept_
        self.beta[-len(fitted.coef_) :] = fitted.coef_
        self.beta = self.beta[:, : len(self.columns)]

    def row(self, values: dict[int, float | None]) -> list[float]:
        """§14: the columns of a row, 0 where the cell is missing or unknown."""
        return [column(values[column.feature]) for column in self.columns]

    def logs(self, values: dict[int, float | None]) -> Array:
        """§14: log p_ℓ, the log-softmax of α_c + β_c·x."""
        return _normalised(self.alpha + self.beta @ np.array(self.row(values)))


def _normalised(scores: Array) -> Array:
    """Return logarithms whose exponentials sum to 1."""
    return np.asarray(scores - logsumexp(scores))


# --- what is learned from some rows ---------------------------------------------------------------


class Settings(NamedTuple):
    """What is the same for the whole table and for every fold."""

    n_classes: int
    states: list[States | None]  # by column; None: numeric
    missing: Missing
    ess: Fraction
    seeds: list[int]
    line: bool


class Model:
    """§14: coding, counts, trees and line; those of the whole table, or those of a fold.

    Coding, counts and imputed values come from all `rows`, trees and line from those that `sample` names.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        y: Sequence[int],
        weights: Sequence[Fraction],
        sample: Sequence[int],
        settings: Settings,
    ) -> None:
        self.settings, ess, n_classes = settings, settings.ess, settings.n_classes
        self.features = [
            Feature.learn([row[j] for row in rows], y, weights, states, settings.missing)
            for j, states in enumerate(settings.states)
        ]
        self.kept = [j for j, feature in enumerate(self.features) if feature.is_kept]
        self.prior = class_frequencies(y, weights, n_classes, ess)
        self.log_prior: Array = np.array([_log(p) for p in self.prior])
        sizes = {j: self.features[j].n_states for j in self.kept}
        codes = [self.codes(row) for row in rows]

        def super_parent(parents: Sequence[int | None], n_states: int, but: int | None) -> SuperParent:
            children = {i: v for i, v in sizes.items() if i != but}
            return SuperParent(parents, n_states, codes, children, y, weights, n_classes, ess)

        self.spodes = {j: super_parent([code[j] for code in codes], sizes[j], j) for j in self.kept}
        self.scales = self._scales([rows[r] for r in sample])
        own_y, own_weights = [y[r] for r in sample], [weights[r] for r in sample]
        self.trees: list[Tree] = []
        self.regions: list[SuperParent] = []
        self.line: Line | None = None
        if not self.scales:
            return
        seen = np.array([self.tree_row(row) for row in rows])
        for seed in settings.seeds:
            tree = Tree(seen[list(sample)], [s.feature for s in self.scales], own_y, own_weights, seed)
            self.trees.append(tree)
            self.regions.append(super_parent(tree.regions(seen), tree.n_leaves, None))
        if settings.line:
            values = {
                s.feature: [self.features[s.feature].value(rows[r][s.feature]) for r in sample]
                for s in self.scales
            }
            numeric = {j for j in values if settings.states[j] is None}
            self.line = Line(values, numeric, own_y, own_weights, n_classes)

    def _scales(self, rows: Sequence[Row]) -> list[Scale]:
        """§14: the features with two distinct values after imputation among these rows."""
        found = []
        for j, feature in enumerate(self.features):
            cells = [feature.imputed(row[j]) for row in rows]
            values = {value for value in cells if value is not None}
            if len(values) > 1:
                numeric = feature.states is None
                found.append(Scale(j, *((min(values), max(values)) if numeric else (None, None))))
        return found

    def codes(self, row: Row) -> dict[int, int | None]:
        """§1: the codes of a row by feature, those of the features kept."""
        return {j: self.features[j].code(row[j]) for j in self.kept}

    def tree_row(self, row: Row) -> list[float]:
        """§14: a row as the trees see it."""
        values = [(scale, self.features[scale.feature].imputed(row[scale.feature])) for scale in self.scales]
        return [scale(value) for scale, value in values if value is not None]

    def line_values(self, row: Row) -> dict[int, float | None]:
        """§14: the cells that the line looks at."""
        return {s.feature: self.features[s.feature].value(row[s.feature]) for s in self.scales}

    def columns(self) -> list[int]:
        """§14: the columns of coding, trees and line, in the order of the table."""
        found = set(self.kept)
        if self.trees:
            found |= {scale.feature for scale in self.scales}
        if self.line is not None:
            found |= {column.feature for column in self.line.columns}
        return sorted(found)

    def knows(self, row: Row) -> bool:
        """§14: whether any cell of the row is known among these columns."""
        return any(self.features[j].value(row[j]) is not None for j in self.columns())

    def spode_logs(self, j: int, row: Row) -> Array | None:
        """§3: log P(c|a,s_j); None where the feature is dropped or its value unknown."""
        codes = self.codes(row)
        value = codes.get(j)
        if value is None:
            return None
        return _normalised(self.spodes[j].log_joint(value, codes, self.log_prior))

    def region_logs(self, row: Row) -> Array | None:
        """§14: log p_T = (1/T) Σ_t log p_t; None without trees."""
        if not self.trees:
            return None
        codes, x = self.codes(row), self.tree_row(row)
        said = [
            _normalised(counts.log_joint(tree.region(x), codes, self.log_prior))
            for tree, counts in zip(self.trees, self.regions, strict=True)
        ]
        return np.asarray(np.mean(said, axis=0))

    def line_logs(self, row: Row) -> Array | None:
        """§14: log p_ℓ; None without a line."""
        return None if self.line is None else self.line.logs(self.line_values(row))


# --- rows and folds --------------------------------------------------------------------------------

_MASK = 2**64 - 1


def splitmix64(state: int) -> int:
    """§12: the first output of the splitmix64 generator with this state, in integers modulo 2**64."""
    z = (state + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def row_rank(random_state: int, number: int) -> int:
    """§12: the hash of (random_state, row number): splitmix64(splitmix64(random_state) XOR number)."""
    return splitmix64(splitmix64(random_state & _MASK) ^ number)


def used_rows(weights: Sequence[Number], max_rows: int = MAX_ROWS, random_state: int = 0) -> list[int]:
    """§12, §14: the N rows: all of positive weight, or the max_rows of them of least rank."""
    positive = [r for r, weight in enumerate(weights) if weight > 0]
    if len(positive) <= max_rows:
        return positive
    numbers = sorted(range(len(positive)), key=lambda number: (row_rank(random_state, number), number))
    return sorted(positive[number] for number in numbers[:max_rows])


def deal(labels: Sequence[int], numbers: Sequence[int], random_state: int) -> list[int]:
    """§14: the fold of each of the N rows, given its class and its number i; none if there are fewer than 6.

    By class, inside a class by rank, then to the folds in turn.
    """
    if len(labels) < 6:
        return []
    n_folds = min(MOST_FOLDS, len(labels) // 3)
    order = sorted(
        range(len(labels)), key=lambda r: (labels[r], row_rank(random_state, numbers[r]), numbers[r])
    )
    folds = [0] * len(labels)
    for place, r in enumerate(order):
        folds[r] = place % n_folds
    return folds


# --- the objective --------------------------------------------------------------------------------


class Problem(NamedTuple):
    """§12: all that J hangs on: of each row used its experts' logarithms, class, weight, whether it speaks.

    A row that knows nothing does not speak: its answer is P(c).
    """

    logs: list[Array]
    y: list[int]
    omega: list[float]
    speaks: list[bool]
    centre: Array
    strength: Array


def prior_weights(n_spodes: int, regions: bool = False, line: bool = False) -> tuple[Array, Array]:
    """§14: w⁰ and λ: every block that is present has the same share; the null model has 0 and 1."""
    blocks = [[1 / n_spodes] * n_spodes if n_spodes else [], [1.0] * regions, [1.0] * line]
    n_blocks = sum(1 for block in blocks if block)
    centre = [0.0, *(share / n_blocks for block in blocks for share in block)]
    strength = [1.0, *(1 / (3 * w) ** 2 for w in centre[1:])]
    return np.array(centre), np.array(strength)


def lower_bounds(n_experts: int) -> Array:
    """§12: w_0 ≥ −1, and w_j ≥ 0 for all others; n_experts counts the null model."""
    return np.array([-1.0] + [0.0] * (n_experts - 1))


def objective(problem: Problem, w: Array) -> float:
    """§12: J(w) = −Σ_r ω_r log P_{−r}(c_r|a_r; w) + ½ Σ_j λ_j (w_j − w⁰_j)²."""
    total = 0.5 * float(problem.strength @ (w - problem.centre) ** 2)
    for logs, c, omega, speaks in _rows_of(problem):
        scores = w @ logs
        total -= omega * float(scores[c] - logsumexp(scores) if speaks else logs[0, c])
    return total


def gradient(problem: Problem, w: Array) -> Array:
    """§12: ∇J = −Σ_r ω_r (L_r[:, c_r] − E_P L_r) + Λ(w − w⁰)."""
    total: Array = problem.strength * (w - problem.centre)
    for logs, c, omega, speaks in _rows_of(problem):
        if speaks:
            total = total - omega * (logs[:, c] - logs @ pool_posterior(w, logs))
    return total


def hessian(problem: Problem, w: Array) -> Array:
    """§12: Σ_r ω_r Cov_P(L_r) + Λ."""
    total: Array = np.diag(problem.strength)
    for logs, _, omega, speaks in _rows_of(problem):
        if speaks:
            p = pool_posterior(w, logs)
            centred = logs - (logs @ p)[:, None]
            total = total + omega * (centred * p) @ centred.T
    return total


def averaged_hessian(problem: Problem, w: Array) -> Array:
    """§12: Λ + Σ_q 6 β_q v_q⁵ Σ_r ω_r Cov(L_r; v_q³ w) over the eight Gauss–Legendre nodes on (0, 1)."""
    penalty = np.diag(problem.strength)
    total: Array = penalty
    for x, weight in zip(*np.polynomial.legendre.leggauss(8), strict=True):
        v, beta = (x + 1) / 2, weight / 2
        total = total + 6 * beta * v**5 * (hessian(problem, v**3 * w) - penalty)
    return total


def curvature_of_a_margin(xi: float) -> float:
    """§12: the integral 2∫ u f''(uξ) du of a row of two classes, 2(log 2 − f(ξ) + ξ f'(ξ))/ξ²."""
    if xi == 0:
        return 0.25
    loss, slope = math.log1p(math.exp(-xi)), -1 / (1 + math.exp(xi))
    return 2 * (math.log(2) - loss + xi * slope) / xi**2


def _rows_of(problem: Problem) -> Any:
    """Return the rows of J one by one."""
    return zip(problem.logs, problem.y, problem.omega, problem.speaks, strict=True)


# --- the minimum ----------------------------------------------------------------------------------


def projected_gradient(problem: Problem, w: Array) -> Array:
    """§12: g_P, the residuals of the KKT conditions: the gradient, but 0 where it presses against a bound."""
    slope = gradient(problem, w)
    return np.where((w <= lower_bounds(len(w))) & (slope > 0), 0.0, slope)


def kkt_residual(problem: Problem, w: Array) -> float:
    """§12: the largest violation of the KKT conditions, those of the bounds included."""
    outside = np.maximum(lower_bounds(len(w)) - w, 0.0)
    return float(max(np.abs(projected_gradient(problem, w)).max(), outside.max()))


def error_bound(problem: Problem, w: Array) -> float:
    """§12: ‖g_P‖_{Λ⁻¹}, which ‖ŵ − w‖_Λ cannot exceed."""
    return float(np.sqrt((projected_gradient(problem, w) ** 2 / problem.strength).sum()))


def best_weights(problem: Problem) -> Array:
    """§12: ŵ by scipy's L-BFGS-B, then projected Newton steps to a KKT residual below 1e-9."""
    low = lower_bounds(len(problem.centre))

    def cost(w: Array) -> float:
        return objective(problem, w)

    def slope(w: Array) -> Array:
        return gradient(problem, w)

    found = minimize(
        cost,
        problem.centre,
        jac=slope,
        method="L-BFGS-B",
        bounds=[(bound, None) for bound in low],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    w: Array = np.maximum(np.asarray(found.x, float), low)
    for _ in range(100):
        residual = kkt_residual(problem, w)
        w_next = _newton_step(problem, w)
        # At the end only rounding is left: the value no longer tells which is better, the residual does.
        if kkt_residual(problem, w_next) >= residual and residual < 1e-9:
            return w
        w = w_next
    raise RuntimeError(f"the KKT residual is still {kkt_residual(problem, w)}.")


def _newton_step(problem: Problem, w: Array) -> Array:
    """§12: one Newton step of the coordinates that no bound holds, halved until J does not rise."""
    low, slope = lower_bounds(len(w)), gradient(problem, w)
    # Nearly at the bound and pressed against it: such a coordinate must not shorten the others' step.
    held = (w - low <= 1e-9) & (slope > 0)
    start = np.where(held, low, w)
    free = np.flatnonzero(~held)
    step = np.zeros_like(w)
    step[free] = -np.linalg.solve(hessian(problem, w)[np.ix_(free, free)], slope[free])
    here, share = objective(problem, w), 1.0
    while share > 1e-12:
        there: Array = np.maximum(start + share * step, low)
        if objective(problem, there) <= here + 1e-13 * (1 + abs(here)):
            return there
        share /= 2
    return start


# --- a fitted pool --------------------------------------------------------------------------------


class Pool(NamedTuple):
    """§12: J and ŵ, the coordinates F, and H there."""

    problem: Problem
    weights: Array
    free: list[int]
    hessian: Array


def pool_at(problem: Problem, w: Array) -> Pool:
    """§12: the pool whose weights are w, found here or elsewhere."""
    free = free_coordinates(problem, w)
    return Pool(problem, w, free, averaged_hessian(problem, w)[np.ix_(free, free)])


def free_coordinates(problem: Problem, w: Array) -> list[int]:
    """§12: F, the coordinates farther from their bounds than 1e-6·w⁰_j (null: 1e-6)."""
    near = AT_BOUND * np.where(np.arange(len(w)) == 0, 1.0, problem.centre)
    return [int(j) for j in np.flatnonzero(w - lower_bounds(len(w)) > near)]


def covariance(pool: Pool) -> Array:
    """§12: C, the inverse of H restricted to F; 0 for the coordinates that stay where they are."""
    found = np.zeros((len(pool.weights), len(pool.weights)))
    found[np.ix_(pool.free, pool.free)] = np.linalg.inv(pool.hessian)
    return found


def pool_posterior(w: Array, logs: Array) -> Array:
    """§12: P(c|a; w) ∝ exp Σ_j w_j log p_j(c|a)."""
    return np.asarray(softmax(w @ logs), float)


def log_odds(w: Array, logs: Array, c: int, d: int) -> float:
    """§12: wᵀδ with δ_j = log p_j(c) − log p_j(d)."""
    return float(w @ (logs[:, c] - logs[:, d]))


# --- minima over the credal set -------------------------------------------------------------------

Least = Callable[[Pool, Array, int, int, float], float]


def z_value(credibility: float) -> float:
    """§12: z = √2 erf⁻¹(γ)."""
    return math.sqrt(2) * float(erfinv(credibility))


def deviation(pool: Pool, logs: Array, c: int, d: int) -> float:
    """§12: s = √(δ_Fᵀ C δ_F), C the inverse of H restricted to F."""
    delta = (logs[:, c] - logs[:, d])[pool.free]
    return math.sqrt(max(0.0, float(delta @ np.linalg.solve(pool.hessian, delta)))) if pool.free else 0.0


def least_log_odds(pool: Pool, logs: Array, c: int, d: int, credibility: float) -> float:
    """§12: the least log-odds of c over d in the set, ŵᵀδ − z·s."""
    return log_odds(pool.weights, logs, c, d) - z_value(credibility) * deviation(pool, logs, c, d)


def least_log_odds_numerically(pool: Pool, logs: Array, c: int, d: int, credibility: float) -> float:
    """§12: the least wᵀδ over the ellipsoid by SLSQP."""
    delta = logs[:, c] - logs[:, d]
    return least_over_ellipsoid(pool, credibility, lambda w: float(w @ delta), lambda w: delta)


def least_over_ellipsoid(
    pool: Pool, credibility: float, value: Callable[[Array], float], slope: Callable[[Array], Array]
) -> float:
    """§12: the minimum of a function of w over (w − ŵ)ᵀ H (w − ŵ) ≤ z² in the coordinates F, by SLSQP.

    The unknowns u are in units of z/√H_jj, so that the region is about as large in every direction.
    """
    z, start = z_value(credibility), value(pool.weights)
    if not pool.free or z == 0:
        return start
    unit = z / np.sqrt(np.diag(pool.hessian))
    shape = pool.hessian * np.outer(unit, unit) / z**2
    steepness = float(np.abs(slope(pool.weights)[pool.free] * unit).max())
    if steepness == 0:
        return start

    def point(u: Array) -> Array:
        w = pool.weights.copy()
        w[pool.free] += unit * u
        return w

    def cost(u: Array) -> float:
        return (value(point(u)) - start) / steepness

    def scaled_slope(u: Array) -> Array:
        return np.asarray(slope(point(u))[pool.free] * unit / steepness)

    inside: Any = {"type": "ineq", "fun": lambda u: 1 - u @ shape @ u, "jac": lambda u: -2 * shape @ u}
    found = minimize(
        cost,
        np.zeros(len(unit)),
        jac=scaled_slope,
        method="SLSQP",
        constraints=inside,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    # SLSQP may stop a hair outside.
    size = math.sqrt(float(found.x @ shape @ found.x))
    return value(point(found.x / max(1.0, size)))


# --- sets, bounds, robustness ---------------------------------------------------------------------


def threshold(pool: Pool, logs: Array) -> float:
    """§14: τ = 1e-10·max|ŵᵀδ_cd| over the pairs of classes."""
    scores = pool.weights @ logs
    return TAU * float(scores.max() - scores.min())


def dominates(
    pool: Pool, logs: Array, c: int, d: int, credibility: float, least: Least = least_log_odds
) -> bool:
    """§12: whether the least log-odds of c over d exceed τ."""
    return least(pool, logs, c, d, credibility) > threshold(pool, logs)


def pool_set(pool: Pool, logs: Array, credibility: float, least: Least = least_log_odds) -> list[bool]:
    """§12: the classes that no class dominates, every pair tried."""
    return maximal_set(logs.shape[1], lambda c, d: dominates(pool, logs, c, d, credibility, least))


def bounds(pool: Pool, logs: Array, credibility: float) -> tuple[list[float], list[float]]:
    """§12: lower and upper P(c) = 1/(1 + Σ_d exp(−(ŵᵀδ_cd ∓ z·s_cd)))."""
    z, classes = z_value(credibility), range(logs.shape[1])

    def bound(c: int, sign: int) -> float:
        others = [d for d in classes if d != c]
        odds = [log_odds(pool.weights, logs, c, d) + sign * z * deviation(pool, logs, c, d) for d in others]
        return 1 / (1 + math.fsum(math.exp(-odd) for odd in odds))

    return [bound(c, -1) for c in classes], [bound(c, +1) for c in classes]


def bounds_numerically(pool: Pool, logs: Array, credibility: float) -> tuple[list[float], list[float]]:
    """§12: the least and the greatest posterior found over the ellipsoid by SLSQP.

    With two classes these are the bounds of §12. With more the formula may be wider.
    """
    classes = range(logs.shape[1])

    # Log-odds against all others together: the posterior and its logarithm are flat near 0 or 1, where SLSQP
    # would stop early.
    def odds(w: Array, c: int) -> float:
        scores = w @ logs
        return float(scores[c] - logsumexp(np.delete(scores, c)))

    def slope(w: Array, c: int) -> Array:
        others = np.delete(logs, c, axis=1)
        return np.asarray(logs[:, c] - others @ softmax(w @ others))

    def extreme(c: int, sign: int) -> float:
        found = least_over_ellipsoid(
            pool, credibility, lambda w: -sign * odds(w, c), lambda w: -sign * slope(w, c)
        )
        return 1 / (1 + math.exp(sign * found))

    return [extreme(c, -1) for c in classes], [extreme(c, +1) for c in classes]


def robustness(pool: Pool, logs: Array) -> float:
    """§12: erf(max(0, min_d (ŵᵀδ_td − τ)/s_td)/√2) of the first most probable class t."""
    top, tau = most_probable(pool, logs), threshold(pool, logs)
    ratios = [math.inf]  # one class
    for d in range(logs.shape[1]):
        if d != top:
            odds, s = log_odds(pool.weights, logs, top, d), deviation(pool, logs, top, d)
            ratios.append((odds - tau) / s if s > 0 else math.inf if odds > tau else 0.0)
    return float(erf(max(0.0, min(ratios)) / math.sqrt(2)))


def robustness_by_bisection(pool: Pool, logs: Array, least: Least = least_log_odds, steps: int = 60) -> float:
    """§12: the supremum of the credibilities at which t dominates all others; 0 if it does at none."""
    top = most_probable(pool, logs)
    others = [d for d in range(logs.shape[1]) if d != top]

    def alone(credibility: float) -> bool:
        return all(dominates(pool, logs, top, d, credibility, least) for d in others)

    below, above = 0.0, 1.0
    if not alone(below):
        return 0.0
    for _ in range(steps):
        middle = (below + above) / 2
        if not below < middle < above:
            break
        below, above = (middle, above) if alone(middle) else (below, middle)
    return above


def most_probable(pool: Pool, logs: Array) -> int:
    """§5, §12: the class of the largest score, ties to the first."""
    return int(np.argmax(pool.weights @ logs))


# --- a table --------------------------------------------------------------------------------------


class LogPoolOracle:
    """§12, §14: LP-AODE and LP-AODE* of a table, made by `fit`; every method answers one row of cells.

    `classes` are the labels, sorted. `experts` are pairs of a kind, "spode", "regions" or "line", and the
    feature's number or None; `weights` has the null model's before theirs. `p0` is P(c) of all rows, `free`
    are the coordinates F, `covariance` is C with zeros elsewhere, `leaves` the number of leaves of each tree.
    `pool`, `model` (of all rows), `rows` (the N of them, by their number in the table) and `folds` (of each
    of these rows) are what they came from. One class: there are no experts, and nothing of this is learned.
    """

    classes: list[Any]
    experts: list[tuple[str, int | None]]
    weights: Array
    p0: Array
    free: list[int]
    covariance: Array
    leaves: list[int]
    pool: "Pool"
    model: Model
    rows: list[int]
    folds: list[int]

    @classmethod
    def fit(
        cls,
        columns: Sequence[Sequence[Cell]],
        y: Sequence[Any],
        weights: Sequence[Number] | None = None,
        *,
        kinds: Sequence[str],
        declared: Sequence[Sequence[Hashable] | None],
        missing: Missing = "impute",
        max_categories: int | None = None,
        ess: float = ESS,
        n_regions: int = N_REGIONS,
        line: bool = True,
        max_rows: int = MAX_ROWS,
        random_state: int = 0,
    ) -> "LogPoolOracle":
        """§14: learn from columns of cells; None is missing, kinds are "numeric" and "categorical"."""
        self = cls()
        omega = _exact_weights(weights, len(y))
        present = [r for r, weight in enumerate(omega) if weight > 0]  # the row of each number i
        table = [[column[r] for column in columns] for r in present]
        omega = [omega[r] for r in present]
        self.classes = sorted({y[r] for r in present})
        labels = [self.classes.index(y[r]) for r in present]
        states = [
            States.of([row[j] for row in table], omega, declared[j], max_categories)
            if kind == "categorical"
            else None
            for j, kind in enumerate(kinds)
        ]
        n_classes = len(self.classes)
        one = n_classes == 1  # nothing is learned
        seeds = [] if one else tree_seeds(random_state, n_regions)
        settings = Settings(n_classes, states, missing, Fraction(ess), seeds, line and not one)
        numbers = used_rows(omega, max_rows, random_state)
        self.rows = [present[i] for i in numbers]
        self.model = Model(table, labels, omega, numbers, settings)
        self.p0 = np.array([float(p) for p in self.model.prior])
        self.leaves = [tree.n_leaves for tree in self.model.trees]
        self.experts = [] if one else [("spode", j) for j in self.model.kept]
        self.experts += [("regions", None)] if self.model.trees else []
        self.experts += [("line", None)] if self.model.line is not None else []
        self.folds = [] if one else deal([labels[i] for i in numbers], numbers, random_state)
        self.pool = pool_at(problem := self._problem(table, labels, omega, numbers), best_weights(problem))
        self.weights, self.free, self.covariance = self.pool.weights, self.pool.free, covariance(self.pool)
        return self

    def _problem(
        self, table: Sequence[Row], labels: Sequence[int], omega: Sequence[Fraction], numbers: Sequence[int]
    ) -> "Problem":
        """§14: J of what the experts of the other folds say of each of the N rows."""
        kinds = [kind for kind, _ in self.experts]
        prior = prior_weights(kinds.count("spode"), "regions" in kinds, "line" in kinds)
        said: dict[int, Array] = {}
        for fold in sorted(set(self.folds)):
            others = [i for i, own in zip(numbers, self.folds, strict=True) if own != fold]
            model = Model(
                [table[i] for i in others],
                [labels[i] for i in others],
                [omega[i] for i in others],
                range(len(others)),
                self.model.settings,
            )
            for i, own in zip(numbers, self.folds, strict=True):
                if own == fold:
                    said[i] = self._said(model, table[i])
        used = [i for i in numbers if i in said]
        return Problem(
            [said[i] for i in used],
            [labels[i] for i in used],
            [float(omega[i]) for i in used],
            [self.model.knows(table[i]) for i in used],
            *prior,
        )

    def _said(self, model: Model, row: Row) -> Array:
        """§14: what the experts of a model say of a row; p_0 of all rows where they know nothing."""
        null = self.model.log_prior
        logs = [null]
        for kind, j in self.experts:
            if kind == "spode":
                said = None if j is None else model.spode_logs(j, row)
            else:
                said = model.region_logs(row) if kind == "regions" else model.line_logs(row)
            logs.append(null if said is None else said)
        return np.array(logs)

    def knows(self, row: Row) -> bool:
        """§14: whether the row has a known cell among the columns of coding, trees and line; if not: P(c)."""
        return len(self.classes) > 1 and self.model.knows(row)

    def expert_logs(self, row: Row) -> Array:
        """§14: log p_j(c|a), shape (1 + experts, classes): the null model, SPODEs, regions, line."""
        return self._said(self.model, row)

    def proba(self, row: Row) -> list[float]:
        """§12: P(c|a; ŵ)."""
        if not self.knows(row):
            return [float(p) for p in self.p0]
        return [float(p) for p in pool_posterior(self.weights, self.expert_logs(row))]

    def set(self, row: Row, credibility: float) -> list[bool]:
        """§12: the classes that no class dominates."""
        if not self.knows(row):
            return _most_probable(self.p0.tolist())
        return pool_set(self.pool, self.expert_logs(row), credibility)

    def interval(self, row: Row, credibility: float) -> tuple[list[float], list[float]]:
        """§12: lower and upper probabilities."""
        if not self.knows(row):
            return self.p0.tolist(), self.p0.tolist()
        return bounds(self.pool, self.expert_logs(row), credibility)

    def robustness(self, row: Row) -> float:
        """§12: the supremum of the credibilities at which the most probable class is alone."""
        if not self.knows(row):
            return 1.0 if sum(_most_probable(self.p0.tolist())) == 1 else 0.0
        return robustness(self.pool, self.expert_logs(row))

    def log_odds(self, row: Row, c: int, d: int) -> float:
        """§12: ŵᵀδ of class c over class d, both by their numbers."""
        if not self.knows(row):
            return float(self.model.log_prior[c] - self.model.log_prior[d])
        return log_odds(self.weights, self.expert_logs(row), c, d)

    def contributions(self, row: Row, c: int, d: int) -> tuple[float, Array]:
        """§14: what the class frequencies and each column of the table add to the log-odds of c over d."""
        model, features = self.model, np.zeros(len(self.model.features))
        frequencies = float(model.log_prior[c] - model.log_prior[d])
        if not self.knows(row):
            return frequencies, features
        codes = model.codes(row)
        # The line is the one expert that P(c) does not multiply.
        shares = [w for w, (kind, _) in zip(self.weights[1:], self.experts, strict=True) if kind != "line"]
        frequencies *= float(self.weights[0]) + math.fsum(shares)

        def add_children(counts: SuperParent, a: int, weight: float) -> None:
            for i in counts.children:
                b = codes[i]
                if b is not None:
                    features[i] += weight * _log(counts.p_child(i, b, a, c) / counts.p_child(i, b, a, d))

        for w, (kind, j) in zip(self.weights[1:].tolist(), self.experts, strict=True):
            if kind == "spode" and j is not None:
                a = codes[j]
                if a is not None:
                    counts = model.spodes[j]
                    features[j] += w * _log(counts.p_value(a, c) / counts.p_value(a, d))
                    add_children(counts, a, w)
            elif kind == "regions":
                x = model.tree_row(row)
                for tree, counts in zip(model.trees, model.regions, strict=True):
                    share, leaf = w / len(model.trees), tree.region(x)
                    add_children(counts, leaf, share)
                    odds = {node: _odds_below(tree, counts, node, c, d) for node in tree.path(leaf)}
                    for node, child in pairwise(odds):
                        features[tree.asks_about(node)] += share * (odds[child] - odds[node])
            elif kind == "line" and model.line is not None:
                frequencies += w * float(model.line.alpha[c] - model.line.alpha[d])
                slopes = model.line.beta[c] - model.line.beta[d]
                own = model.line.row(model.line_values(row))
                for column, slope, value in zip(model.line.columns, slopes.tolist(), own, strict=True):
                    features[column.feature] += w * slope * value
        return frequencies, features


def _odds_below(tree: Tree, counts: SuperParent, node: int, c: int, d: int) -> float:
    """§14: Δ log P(node|c), P(node|c) the sum of P(z|c) over the leaves below."""
    below = tree.leaves_below(node)
    sums = [sum((counts.p_value(leaf, e) for leaf in below), Fraction(0)) for e in (c, d)]
    return _log(sums[0] / sums[1])
