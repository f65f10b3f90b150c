"""What a model file holds of our estimators, and how it is checked.

Of a fitted classifier it holds the parameters, the encoding, the counts and the scores (what ``_count`` and
``_score`` have learned), as plain arrays, numbers and text by name. Everything else is derived anew when the
model is loaded, by the ``_derive`` that ``fit`` ends with.

The kernels look up codes in the tables without asking whether they are there, and a file from a stranger may
hold any numbers under a right checksum. So all sizes follow from the encoding and the classes, and every
array is compared with them before anything is made of it; what is derived from checked parts fits by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._metadata_requests import SIMPLE_METHODS

from skcredal._arrays import AnyArray, CountArray, IntArray
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.table_encoding import Feature, TableEncoding
from skcredal._ensemble.counts import JointCounts, Layout, ValueCounts, pair_cells
from skcredal._ensemble.credal_tree import DecisionTree
from skcredal._state import State
from skcredal.classifiers._base import LEARNED, TabularClassifier
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.classifiers._tree import state_texts
from skcredal.persistence._states import states_from_text, states_to_text

__all__ = ["pack_estimator", "unpack_estimator"]

# Which metadata, such as weights, an estimator asks a pipeline for.
_REQUEST = "_metadata_request"
# Fitted attributes that a file holds as they are.
_PLAIN = ("classes_", "n_features_in_", "feature_names_in_")
_TREE = ("feature", "depths", "counts", "branch_offsets", "branches")


def pack_estimator(estimator: Any, state: State) -> State:
    """Return the state of an estimator as plain values, without what can be derived."""
    packed = {
        name: value
        for name, value in state.items()
        if name in _PLAIN or not (name.endswith("_") or name in LEARNED or name == "_features")
    }
    if _REQUEST in state:
        # The request points back to its owner, and a file has no way to say so.
        request = state[_REQUEST]
        wanted = {method: dict(getattr(request, method).requests) for method in SIMPLE_METHODS}
        packed[_REQUEST] = {method: aliases for method, aliases in wanted.items() if aliases}
    if isinstance(estimator, MDLDiscretizer) and "_features" in state:
        packed["features"] = [_pack_feature(feature) for feature in state["_features"]]
    if isinstance(estimator, TabularClassifier) and "_encoding" in state:
        packed["features"] = [_pack_feature(feature) for feature in state["_encoding"].features]
        packed["counts"] = _pack_counts(state["counts_"])
        packed["scores"] = {name: _pack_score(state[name]) for name in estimator._scores}
        if state.get("_stream") is not None:
            packed["stream"] = _pack_stream(state["_stream"])
    return packed


def unpack_estimator(estimator: Any, state: State) -> State:
    """Return the state as it was, and refuse what no estimator can hold."""
    kind = type(estimator)
    if not isinstance(state, dict):
        raise ValueError(f"the state of {kind.__name__} must be a dictionary, got {type(state).__name__}")
    for name in state:
        # What is stored on an estimator goes before the methods of its class.
        defined = getattr(kind, str(name), None)
        if not isinstance(name, str) or callable(defined) or isinstance(defined, property):
            raise ValueError(f"{name!r} is no attribute that {kind.__name__} stores")
    # A parameter that the version that wrote the file did not have takes its default.
    unpacked = {name: parameter.default for name, parameter in signature(kind).parameters.items()} | state
    if _REQUEST in unpacked:
        unpacked[_REQUEST] = _metadata_request(estimator, unpacked[_REQUEST])
    learned = {name: unpacked.pop(name, None) for name in ("features", "counts", "scores", "stream")}
    learner = object.__new__(kind)
    learner.__dict__ = unpacked
    if learned["features"] is not None:
        if isinstance(learner, MDLDiscretizer):
            _restore_discretizer(learner, learned["features"])
        else:
            _restore_classifier(learner, learned)
    return unpacked


def _restore_discretizer(discretizer: MDLDiscretizer, given: Any) -> None:
    features = [_unpack_feature(feature) for feature in _list("features", given)]
    _require(discretizer.n_features_in_ == len(features), "n_features_in_", "does not fit the features")
    numeric = [feature for feature in features if isinstance(feature, NumericFeature)]
    _require(len(numeric) == len(features), "features", "must be numeric")
    discretizer._features = numeric
    discretizer._derive()


def _restore_classifier(classifier: TabularClassifier, learned: dict[str, Any]) -> None:
    """Check what was learned against the encoding and the classes, and derive the rest."""
    classifier._check_parameters()
    features = [_unpack_feature(feature) for feature in _list("features", learned["features"])]
    encoding, state = TableEncoding(features), vars(classifier)
    _require(state.get("n_features_in_") == len(features), "n_features_in_", "does not fit the features")
    names = state.get("feature_names_in_")
    if names is not None:
        _array("feature_names_in_", names, ("object",), (len(features),))
    classes = state.get("classes_")
    _require(isinstance(classes, np.ndarray) and classes.ndim == 1, "classes_", "must be an array of classes")
    n_states, n_classes = encoding.n_states, len(state["classes_"])
    _require(n_classes > 0, "classes_", "must not be empty")
    classifier._encoding = encoding
    classifier.counts_ = _unpack_counts(learned["counts"], n_states, n_classes)
    for name in classifier._scores:
        scores = _dict("scores", learned["scores"])
        _require(name in scores, name, "is missing")
        setattr(classifier, name, _SCORES[name](classifier, scores[name]))
    if learned["stream"] is not None:
        classifier._stream = _unpack_stream(learned["stream"], len(features), n_classes)
    classifier._derive()


def _metadata_request(estimator: Any, wanted: dict[str, dict[str, Any]]) -> Any:
    request = estimator.get_metadata_routing()
    for method, aliases in wanted.items():
        if method not in SIMPLE_METHODS:
            raise ValueError(f"metadata can be requested for {', '.join(SIMPLE_METHODS)}, not {method!r}")
        for param, alias in aliases.items():
            getattr(request, method).add_request(param=param, alias=alias)
    return request


# Features.


def _pack_feature(feature: Feature | Slots) -> State:
    if isinstance(feature, NumericFeature):
        return {"cuts": feature.cuts, "fill": feature.fill}
    if isinstance(feature, Slots):
        return {
            "label": feature.label,
            "slots": states_to_text(list(feature.slots)),
            "declared_by_type": feature.declared_by_type,
            "by_choice": feature.by_choice,
            "declared": None if feature.declared is None else states_to_text(feature.declared),
        }
    return {
        "states": states_to_text(list(feature.lookup)),
        "codes": np.array(list(feature.lookup.values()), np.int64),
        "names": states_to_text(feature.states),
        "n_observed": feature.n_observed,
        "fill": feature.fill,
        "refuse_unknown": feature.refuse_unknown,
    }


def _unpack_feature(given: Any) -> Feature:
    fields = _dict("features", given)
    if "cuts" in fields:
        return _numeric_feature(fields)
    states, names = states_from_text(fields["states"]), states_from_text(fields["names"])
    codes, fill, n_observed = fields["codes"], fields["fill"], fields["n_observed"]
    _array("codes", codes, ("int64",), (len(states),))
    _require(np.all((codes >= 0) & (codes < len(names))), "codes", "must be indices of states")
    _integer("fill", fill, low=0, high=len(names))
    _integer("n_observed", n_observed, low=0, high=len(names))
    _require(isinstance(fields["refuse_unknown"], bool), "refuse_unknown", "must be true or false")
    lookup = dict(zip(states, codes.tolist(), strict=True))
    return CategoricalFeature(lookup, names, int(n_observed), int(fill), fields["refuse_unknown"])


def _numeric_feature(fields: State) -> NumericFeature:
    cuts, fill = fields["cuts"], fields["fill"]
    _require(isinstance(cuts, np.ndarray) and cuts.ndim == 1, "cuts", "must be an array of numbers")
    _array("cuts", cuts, ("float64",), cuts.shape)
    _require(np.all(cuts[1:] > cuts[:-1]) and not np.isnan(cuts).any(), "cuts", "must ascend")
    _require(isinstance(fill, float), "fill", "must be a number")
    return NumericFeature(cuts, fill)


# Counts.


def _pack_counts(counts: ValueCounts | JointCounts) -> State:
    packed: State = {"n_c": counts.n_c, "n_ca": counts.n_ca}
    if isinstance(counts, JointCounts):
        packed |= {"n_cab": counts.n_cab, "complete": counts.complete}
    return packed


def _unpack_counts(given: Any, n_states: IntArray, n_classes: int) -> ValueCounts | JointCounts:
    fields = _dict("counts", given)
    n_c, n_ca, n_cab = fields["n_c"], fields["n_ca"], fields.get("n_cab")
    # In Python's integers, and before any offset is made: a few bytes may claim more than memory holds.
    sizes = [int(v) for v in n_states]
    _counts("n_c", n_c, n_classes)
    _counts("n_ca", n_ca, sum(sizes) * n_classes)
    if n_cab is not None:
        _counts("n_cab", n_cab, pair_cells(sizes) * n_classes)
    layout = Layout(n_states, n_classes)
    singles = ValueCounts(layout, n_c, n_ca)
    _add_up("n_ca", [singles.values(j).sum(axis=0) for j in range(len(sizes))], n_c)
    if n_cab is None:
        return singles
    _require(isinstance(fields["complete"], bool), "complete", "must be true or false")
    if len(layout.pairs):
        _add_up("n_cab", np.add.reduceat(n_cab, layout.pair_offsets[:-1]), n_c.sum())
    return JointCounts(singles, n_cab, fields["complete"])


def _counts(name: str, value: Any, size: int) -> None:
    _array(name, value, ("int64", "float64"), (size,))
    _require(np.all(np.isfinite(value)) and np.all(value >= 0), name, "must hold finite numbers ≥ 0")


def _add_up(name: str, parts: Any, whole: CountArray) -> None:
    """Refuse more rows with a value, or a pair of values, than there are."""
    # Sums of real weights may differ from their total in the last digits.
    _require(np.all(np.asarray(parts) <= whole * (1.0 + 1e-9)), name, "does not add up to the classes")


# Scores: likelihoods, weights and trees.


def _pack_score(score: Any) -> Any:
    return {name: getattr(score, name) for name in _TREE} if isinstance(score, DecisionTree) else score


def _unpack_vector(name: str) -> Callable[[TabularClassifier, Any], AnyArray]:
    def unpack(classifier: TabularClassifier, value: Any) -> AnyArray:
        _array(name, value, ("float64",), (len(classifier._encoding.kept),))
        _require(np.all(np.isfinite(value)), name, "must hold finite numbers")
        found: AnyArray = value
        return found

    return unpack


def _unpack_number(name: str) -> Callable[[TabularClassifier, Any], Any]:
    def unpack(_: TabularClassifier, value: Any) -> Any:
        _require(isinstance(value, Real) and not isinstance(value, bool), name, "must be a number")
        return value

    return unpack


def _unpack_tree(classifier: TabularClassifier, given: Any) -> DecisionTree:
    """Return a tree whose nodes and branches lead somewhere, and onwards only, so that every way ends."""
    fields = _dict("tree_", given)
    n_states, n_classes = classifier._encoding.n_states, len(classifier.classes_)
    feature, counts, offsets, branches = (
        fields[name] for name in ("feature", "counts", "branch_offsets", "branches")
    )
    _require(isinstance(feature, np.ndarray) and len(feature) > 0, "feature", "must hold nodes")
    n_nodes, k = len(feature), len(n_states)
    for name in ("feature", "depths", "branch_offsets"):
        _array(name, fields[name], ("int64",), (n_nodes,))
    _array("counts", counts, ("int64", "float64"), (n_nodes, n_classes))
    _require(np.all(np.isfinite(counts)) and np.all(counts >= 0), "counts", "must hold finite numbers ≥ 0")
    _require(isinstance(branches, np.ndarray), "branches", "must be an array")
    _array("branches", branches, ("int64",), (branches.size,))
    _require(np.all((feature >= -1) & (feature < k)), "feature", "must be indices of features")
    for node in np.flatnonzero(feature >= 0).tolist():
        begin = int(offsets[node])
        end = begin + int(n_states[feature[node]])
        _require(0 <= begin <= end <= branches.size, "branch_offsets", "must be indices of branches")
        targets = branches[begin:end]
        onwards = (targets == -1) | ((targets > node) & (targets < n_nodes))
        _require(np.all(onwards), "branches", "must lead to later nodes")
    states = [state_texts(classifier._encoding.features[j]) for j in classifier._encoding.kept]
    names = classifier._kept_features().tolist()
    return DecisionTree(names, states, **{name: fields[name] for name in _TREE})


_SCORES: dict[str, Callable[[TabularClassifier, Any], Any]] = {
    "log_likelihood_": _unpack_vector("log_likelihood_"),
    "weights_": _unpack_vector("weights_"),
    "n_iter_": _unpack_number("n_iter_"),
    "objective_": _unpack_number("objective_"),
    "tree_": _unpack_tree,
}


# What partial_fit goes on from.


def _pack_stream(stream: CountStream) -> State:
    return {
        "features": [_pack_feature(feature) for feature in stream.features],
        "counts": _pack_counts(stream.counts),
    }


def _unpack_stream(given: Any, n_features: int, n_classes: int) -> CountStream:
    fields = _dict("stream", given)
    features = [_unpack_slots(feature) for feature in _list("stream", fields["features"])]
    _require(len(features) == n_features, "stream", "does not fit the features")
    n_slots = CountStream.n_slots_of(features)
    counts = _unpack_counts(fields["counts"], n_slots, n_classes)
    if not isinstance(counts, JointCounts):
        raise ValueError("stream must count pairs")
    return CountStream(features, counts)


def _unpack_slots(given: Any) -> NumericFeature | Slots:
    fields = _dict("stream", given)
    if "cuts" in fields:
        return _numeric_feature(fields)
    _require(isinstance(fields["label"], str), "label", "must be text")
    for name in ("declared_by_type", "by_choice"):
        _require(isinstance(fields[name], bool), name, "must be true or false")
    slots = {state: slot for slot, state in enumerate(states_from_text(fields["slots"]), 1)}
    declared = None if fields["declared"] is None else states_from_text(fields["declared"])
    return Slots(fields["label"], slots, fields["declared_by_type"], fields["by_choice"], declared)


# Rules.


def _require(holds: Any, name: str, rule: str) -> None:
    if not holds:
        raise ValueError(f"{name} {rule}")


def _dict(name: str, value: Any) -> State:
    _require(isinstance(value, dict), name, f"must be a dictionary, not {type(value).__name__}")
    return value  # type: ignore[no-any-return]


def _list(name: str, value: Any) -> list[Any]:
    _require(isinstance(value, list), name, f"must be a list, not {type(value).__name__}")
    return value  # type: ignore[no-any-return]


def _array(name: str, value: Any, kinds: tuple[str, ...], shape: tuple[int, ...]) -> None:
    _require(isinstance(value, np.ndarray), name, f"must be an array, not {type(value).__name__}")
    _require(value.dtype in kinds, name, f"must be of {' or '.join(kinds)}, not {value.dtype}")
    _require(value.shape == shape, name, f"must have the shape {shape}, not {value.shape}")
    _require(value.flags.c_contiguous, name, "must lie row by row")


def _integer(name: str, value: Any, *, low: int, high: int) -> None:
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    _require(is_integer and low <= value <= high, name, f"must be a whole number in [{low}, {high}]")
