"""Whether what was read from a model file fits together.

The kernels take the places of states from the encoding and look them up in the tables without asking
whether they are there. A file from a stranger may hold any numbers under a right checksum: before a model is
handed out, every shape, type and index that a kernel relies on is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from skcredal._arrays import IntArray
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.table_encoding import TableEncoding
from skcredal._ensemble.counts import JointCounts, Layout
from skcredal._ensemble.credal_tree import DecisionTree
from skcredal._ensemble.idm import DirichletPriors
from skcredal._ensemble.inclusion import InclusionPriors
from skcredal._ensemble.naive import NaiveTables, ValueCounts
from skcredal._ensemble.priors import BmaPriors, CompressionPriors
from skcredal._ensemble.tan import TanTables
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.classifiers._tree import CredalTree

__all__ = ["check_estimator", "check_part"]

FLOATS = ("float64",)
INTS = ("int64",)
COUNTS = ("int64", "float64")
# More cells than any memory holds: sizes beyond would overflow the integers that the offsets are made of.
MOST_CELLS = 2**48


def check_part(part: Any) -> None:
    """Refuse a part whose fields do not fit together."""
    _CHECKS[type(part)](part)


def check_estimator(estimator: Any, state: dict[str, Any]) -> None:
    """Refuse the state of an estimator whose parts do not fit together."""
    if isinstance(estimator, MDLDiscretizer):
        for feature in state.get("_features", ()):
            _require(isinstance(feature, NumericFeature), "_features", "must hold numeric features")
    if not isinstance(estimator, TabularClassifier):
        return
    parts = [value for value in state.values() if type(value) in _CHECKS]
    encoding = state.get("_encoding")
    if encoding is None:
        _require(not parts and "classes_" not in state, "_encoding", "is missing")
        return
    _require(isinstance(encoding, TableEncoding), "_encoding", "must be a TableEncoding")
    _require(
        state.get("n_features_in_") == len(encoding.features), "n_features_in_", "does not fit the encoding"
    )
    classes = state.get("classes_")
    _require(isinstance(classes, np.ndarray) and classes.ndim == 1, "classes_", "must be an array of classes")
    n_states, n_classes = encoding.n_states, len(state["classes_"])
    sizes = {"k": len(n_states), "classes": n_classes}
    for name, kinds in _ATTRIBUTES.items():
        _require(isinstance(state.get(name), (*kinds, type(None))), name, f"must be one of {_listed(kinds)}")
    for name, size in _VECTORS.items():
        if name in state:
            _array(name, state[name], FLOATS, (sizes[size],))
    if isinstance(estimator, CredalTree):
        _require(isinstance(state.get("tree_"), DecisionTree), "tree_", "must be a DecisionTree")
    stream = state.get("_stream")
    if stream is not None:
        _require(isinstance(stream, CountStream), "_stream", "must be a CountStream")
        _require(len(stream.features) == len(encoding.features), "_stream", "does not fit the features")
        _require(stream.counts.layout.n_classes == n_classes, "_stream", "does not fit the classes")
    for part in parts:
        _fits(part, n_states, n_classes)


# Attributes that hold what kernels read, and what they may be.
_ATTRIBUTES: dict[str, tuple[type, ...]] = {
    "counts_": (JointCounts, ValueCounts),
    "_tables": (NaiveTables, TanTables),
    "_priors": (BmaPriors, CompressionPriors, DirichletPriors, InclusionPriors),
}
# Attributes that kernels read, and how long they are.
_VECTORS = {
    "weights_": "k",
    "log_likelihood_": "k",
    "inclusion_": "k",
    "prior_": "classes",
}


def _listed(kinds: Sequence[type]) -> str:
    return ", ".join(kind.__name__ for kind in kinds)


def _require(holds: Any, name: str, rule: str) -> None:
    if not holds:
        raise ValueError(f"{name} {rule}")


def _array(name: str, value: Any, kinds: Sequence[str], shape: tuple[int, ...]) -> None:
    _require(isinstance(value, np.ndarray), name, f"must be an array, not {type(value).__name__}")
    _require(value.dtype in kinds, name, f"must be of {' or '.join(kinds)}, not {value.dtype}")
    _require(value.shape == shape, name, f"must have the shape {shape}, not {value.shape}")
    _require(value.flags.c_contiguous, name, "must lie row by row")


def _number(name: str, value: Any, *, low: float, high: float) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    _require(is_number and low <= value <= high, name, f"must be a number in [{low:g}, {high:g}]")


def _numeric_feature(part: NumericFeature) -> None:
    _require(isinstance(part.cuts, np.ndarray) and part.cuts.ndim == 1, "cuts", "must be an array of numbers")
    _array("cuts", part.cuts, FLOATS, part.cuts.shape)
    _require(np.all(part.cuts[1:] > part.cuts[:-1]), "cuts", "must ascend")
    _require(isinstance(part.fill, float), "fill", "must be a number")


def _categorical_feature(part: CategoricalFeature) -> None:
    n_states = len(part.states)
    codes = list(part.lookup.values())
    _require(all(0 <= code < n_states for code in codes), "lookup", "must hold places of states")
    _number("fill", part.fill, low=0, high=n_states)
    _number("n_observed", part.n_observed, low=0, high=n_states)
    _require(isinstance(part.fill, Integral), "fill", "must be a whole number")


def _slots(part: Slots) -> None:
    _require(isinstance(part.label, str), "label", "must be text")
    _require(isinstance(part.places, dict), "places", "must hold the slots of states")
    slots = list(part.places.values())
    _require(slots == list(range(1, len(slots) + 1)), "places", "must count up from 1")
    for name in ("declared_by_type", "by_wish"):
        _require(isinstance(getattr(part, name), bool), name, "must be true or false")
    _require(part.declared is None or isinstance(part.declared, list), "declared", "must hold states")


def _stream(part: CountStream) -> None:
    fit = isinstance(part.features, list) and all(
        isinstance(feature, (NumericFeature, Slots)) for feature in part.features
    )
    _require(fit, "features", "must hold features")
    _require(isinstance(part.counts, JointCounts), "counts", "must be JointCounts")
    _require(np.array_equal(part.counts.layout.n_states, part.n_slots), "counts", "do not fit the features")


def _encoding(part: TableEncoding) -> None:
    fit = isinstance(part.features, list) and all(
        isinstance(feature, (NumericFeature, CategoricalFeature)) for feature in part.features
    )
    _require(fit, "features", "must hold features")


def _layout(part: Layout) -> None:
    n_states = part.n_states
    _require(isinstance(n_states, np.ndarray) and n_states.ndim == 1, "n_states", "must be an array")
    _array("n_states", n_states, INTS, n_states.shape)
    _require(isinstance(part.n_classes, Integral), "n_classes", "must be a whole number")
    _number("n_classes", part.n_classes, low=1, high=MOST_CELLS)
    _require(part.slots in (0, 1), "slots", "must be 0 or 1")
    _require(np.all(n_states >= 1), "n_states", "must be positive")
    widest = sum(int(v) + 1 for v in n_states.tolist())
    _require(widest**2 * part.n_classes <= MOST_CELLS, "n_states", "must describe a table that can be")


def _table(part: Any, slots: int) -> Layout:
    layout = part.layout
    _require(isinstance(layout, Layout), "layout", "must be a Layout")
    _require(layout.slots == slots, "layout", f"must have {slots} slots besides the states")
    return layout  # type: ignore[no-any-return]


def _counts(part: JointCounts | ValueCounts) -> None:
    layout = _table(part, 0)
    _array("n_c", part.n_c, COUNTS, (layout.n_classes,))
    _array("n_ca", part.n_ca, COUNTS, (int(layout.value_offsets[-1]),))
    if isinstance(part, JointCounts):
        _array("n_cab", part.n_cab, COUNTS, (int(layout.pair_offsets[-1]),))
        _require(isinstance(part.complete, bool), "complete", "must be true or false")


def _naive(part: NaiveTables) -> None:
    layout = _table(part, 1)
    _array("log_c", part.log_c, FLOATS, (layout.n_classes,))
    _array("log_a", part.log_a, FLOATS, (int(layout.value_offsets[-1]),))


def _tan(part: TanTables) -> None:
    _require(isinstance(part.naive, NaiveTables), "naive", "must be NaiveTables")
    n_states, n_classes = part.naive.layout.n_states, part.naive.layout.n_classes
    k = len(n_states)
    _array("pairs", part.pairs, INTS, (max(k - 1, 0), 2))
    first, second = part.pairs[:, 0], part.pairs[:, 1]
    _require(np.all((first >= 0) & (first < second) & (second < k)), "pairs", "must hold places of features")
    widths = n_states + 1
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths[first] * widths[second] * n_classes)])
    _array("pair_offsets", part.pair_offsets, INTS, ends.shape)
    _require(np.array_equal(part.pair_offsets, ends), "pair_offsets", "must fit the states")
    _array("log_ratio", part.log_ratio, FLOATS, (int(ends[-1]),))


def _bma(part: BmaPriors) -> None:
    _require(isinstance(part.likelihood, np.ndarray), "likelihood", "must be an array")
    _array("likelihood", part.likelihood, FLOATS, (len(part.likelihood),))
    _number("eps", part.eps, low=0.0, high=1.0)


def _compression(part: CompressionPriors) -> None:
    _require(isinstance(part.base, np.ndarray), "base", "must be an array")
    _array("base", part.base, FLOATS, (len(part.base),))
    _array("feasible", part.feasible, ("bool",), part.base.shape)
    _number("kappa", part.kappa, low=0.0, high=np.inf)
    _number("eps", part.eps, low=0.0, high=1.0)


def _dirichlet(part: DirichletPriors) -> None:
    layout = _table(part, 0)
    _array("mass_c", part.mass_c, FLOATS, (layout.n_classes,))
    _array("mass_a", part.mass_a, FLOATS, (int(layout.value_offsets[-1]),))
    _number("free", part.free, low=0.0, high=np.inf)


def _inclusion(part: InclusionPriors) -> None:
    for name, tables in (("low", part.low), ("high", part.high)):
        _require(isinstance(tables, NaiveTables), name, "must be NaiveTables")


def _tree(part: DecisionTree) -> None:
    _require(isinstance(part.feature, np.ndarray) and len(part.feature) > 0, "feature", "must hold nodes")
    n_nodes, k = len(part.feature), len(part.states)
    for name in ("feature", "depths", "branch_offsets"):
        _array(name, getattr(part, name), INTS, (n_nodes,))
    _require(isinstance(part.branches, np.ndarray), "branches", "must be an array")
    _array("branches", part.branches, INTS, (part.branches.size,))
    _require(isinstance(part.counts, np.ndarray) and part.counts.ndim == 2, "counts", "must be a table")
    _array("counts", part.counts, COUNTS, (n_nodes, part.counts.shape[1]))
    _require(len(part.features) == k, "states", "must be those of the features")
    _require(np.all((part.feature >= -1) & (part.feature < k)), "feature", "must hold places of features")
    for node in np.flatnonzero(part.feature >= 0).tolist():
        begin = int(part.branch_offsets[node])
        end = begin + len(part.states[part.feature[node]])
        _require(0 <= begin <= end <= part.branches.size, "branch_offsets", "must be places of branches")
        targets = part.branches[begin:end]
        # Upwards only, so that every way through the tree ends.
        onwards = (targets == -1) | ((targets > node) & (targets < n_nodes))
        _require(np.all(onwards), "branches", "must lead to later nodes")


_CHECKS: dict[type, Callable[[Any], None]] = {
    BmaPriors: _bma,
    CategoricalFeature: _categorical_feature,
    CompressionPriors: _compression,
    CountStream: _stream,
    DecisionTree: _tree,
    DirichletPriors: _dirichlet,
    InclusionPriors: _inclusion,
    JointCounts: _counts,
    Layout: _layout,
    NaiveTables: _naive,
    NumericFeature: _numeric_feature,
    Slots: _slots,
    TableEncoding: _encoding,
    TanTables: _tan,
    ValueCounts: _counts,
}


def _fits(part: Any, n_states: IntArray, n_classes: int) -> None:
    """Refuse a part of an estimator that was made for other features or classes."""
    name = type(part).__name__
    if isinstance(part, TanTables):
        _fits(part.naive, n_states, n_classes)
    elif isinstance(part, InclusionPriors):
        _fits(part.low, n_states, n_classes)
        _fits(part.high, n_states, n_classes)
    elif isinstance(part, (BmaPriors, CompressionPriors)):
        vector = part.likelihood if isinstance(part, BmaPriors) else part.base
        _require(len(vector) == len(n_states), name, "does not fit the features")
    elif isinstance(part, DecisionTree):
        _require(np.array_equal(part.n_states, n_states), name, "does not fit the features")
        _require(part.counts.shape[1] == n_classes, name, "does not fit the classes")
    elif hasattr(part, "layout"):
        _require(np.array_equal(part.layout.n_states, n_states), name, "does not fit the features")
        _require(part.layout.n_classes == n_classes, name, "does not fit the classes")
