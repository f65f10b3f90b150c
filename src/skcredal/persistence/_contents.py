"""What a model file holds of our estimators, and how it is checked.

Of a fitted classifier it holds the parameters, the encoding, the counts and the scores (what ``_count`` and
``_score`` have learned), as plain arrays, numbers and text by name. Everything else is derived anew when the
model is loaded, by the ``_derive`` that ``fit`` ends with.

The arrays of counts and scores are files of their own in the archive, and are read only when it is known from
the features how large they must be: few bytes of a zip may unpack to more than memory holds.

The kernels look up codes in the tables without asking whether they are there, and a file from a stranger may
hold any numbers under a right checksum. So all sizes follow from the encoding and the classes, and every
array is compared with them before anything is made of it; what is derived from checked parts fits by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, IntArray
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.table_encoding import Codings, Feature, TableEncoding, conservative_mask
from skcredal._ensemble.counts import (
    ROUNDING,
    CodingCounts,
    JointCounts,
    Layout,
    ValueCounts,
    check_counts,
    pair_cells,
)
from skcredal._ensemble.credal_tree import DecisionTree
from skcredal._validation import check_array, check_instance, naming
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._log_pool import LogPoolAODE
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.classifiers._tree import state_texts
from skcredal.persistence._states import states_from_text, states_to_text

__all__ = ["pack_estimator", "unpack_estimator"]

State = dict[str, Any]
# Reads an array of counts or scores, by what it is called in errors, its number and the shape it must have.
ReadCounts = Callable[[str, Any, tuple[int, ...]], AnyArray]

# What an estimator stores as a file holds it, besides its parameters.
_PLAIN = ("classes_", "n_features_in_", "feature_names_in_", "_sklearn_output_config")
# Which metadata, such as weights, an estimator asks a pipeline for.
_REQUEST = "_metadata_request"
# What was learned, by its names in a file; in batches, features and counts are those of the stream.
_LEARNED = ("features", "codings", "counts", "scores", "in_batches")
# What a file holds of each kind of part.
_FIELDS: dict[type, tuple[str, ...]] = {
    NumericFeature: ("cuts", "fill", "low", "high"),
    CategoricalFeature: ("lookup", "states", "n_observed", "fill", "refuse_unknown"),
    Slots: ("label", "slots", "declared_by_type", "by_choice", "declared"),
    ValueCounts: ("n_c", "n_ca"),
    JointCounts: ("n_c", "n_ca", "n_cab", "complete"),
    CodingCounts: ("n_c", "codings"),
    DecisionTree: ("feature", "counts", "parent", "value"),
}


def pack_estimator(estimator: Any, arrays: list[AnyArray]) -> State:
    """Return the state of an estimator as plain values, without what can be derived.

    Arrays of counts and scores are added to ``arrays``, and the state refers to them by their numbers.
    """
    # What a reader would refuse is not written: parameters may have been set after the fit.
    if isinstance(estimator, TabularClassifier):
        estimator._check_parameters()
    state = vars(estimator)
    stored = (*signature(type(estimator)).parameters, *_PLAIN)
    packed = {name: state[name] for name in stored if name in state}
    if _REQUEST in state:
        # The request points back to its owner, and a file has no way to say so.
        packed[_REQUEST] = state[_REQUEST]._serialize()
    if isinstance(estimator, MDLDiscretizer) and "_features" in state:
        packed["features"] = [_pack(feature) for feature in state["_features"]]
    if isinstance(estimator, TabularClassifier) and "_encoding" in state:
        stream = state.get("_stream")
        features, counts = state["_encoding"].features, state["counts_"]
        if stream is not None:
            features, counts = stream.features, stream.counts
        packed["features"] = [_pack(feature) for feature in features]
        if isinstance(state["_encoding"], Codings):
            # Only their cuts: all else of them is that of the features.
            others = zip(state["_encoding"].bins, state["_encoding"].others, strict=True)
            packed["codings"] = {str(bins): _all_cuts(coding) for bins, coding in others}
        packed["counts"] = _store(_pack(counts), arrays)
        packed["scores"] = {name: _store(_pack(state[name]), arrays) for name in estimator._scores}
        packed["in_batches"] = stream is not None
    return packed


def _pack(part: Any) -> Any:
    """Return the fields of a part by name, states as text; what is no part as it is."""
    if type(part) not in _FIELDS:
        return part
    packed = {name: getattr(part, name) for name in _FIELDS[type(part)]}
    for name, value in packed.items():
        if name == "lookup":
            packed[name] = states_to_text([tuple(part.values), tuple(part.codes.tolist())])
        elif name == "slots":
            packed[name] = states_to_text([tuple(value), tuple(value.values())])
        elif isinstance(value, list):
            packed[name] = states_to_text(value)
        elif isinstance(value, tuple):
            packed[name] = [_pack(one) for one in value]
    return packed


def _store(part: Any, arrays: list[AnyArray]) -> Any:
    """Return counts or a score with the numbers of its arrays in place of them."""
    if isinstance(part, np.ndarray):
        arrays.append(part)
        return len(arrays) - 1
    if isinstance(part, list):
        return [_store(one, arrays) for one in part]
    # Only of counts: how large the arrays of a tree must be does not follow from the features.
    if isinstance(part, dict) and "n_c" in part:
        return {name: _store(one, arrays) for name, one in part.items()}
    return part


def _all_cuts(features: list[Feature]) -> list[Any]:
    """Return the cuts of the numeric features, in the order of the columns."""
    return [feature.cuts for feature in features if isinstance(feature, NumericFeature)]


def _unpack(name: str, given: Any, *kinds: type) -> tuple[type, State]:
    """Return the kind of a part, one of some, and its fields."""
    check_instance(name, given, dict)
    kind = next((kind for kind in kinds if given.keys() == set(_FIELDS[kind])), None)
    if kind is None:
        expected = " or ".join(", ".join(_FIELDS[kind]) for kind in kinds)
        raise ValueError(f"{name} must hold {expected}, got {', '.join(map(str, given))}")
    fields = dict(given)
    for field, value in given.items():
        with naming(field):
            if field == "lookup":
                fields["values"], fields["codes"] = _unpack_numbered(fields.pop(field))
            elif field == "slots":
                fields["values"], slots = _unpack_numbered(fields.pop(field))
                if not np.array_equal(slots, np.arange(1, 1 + len(slots))):
                    raise ValueError(f"slots must be numbered from 1, got {slots.tolist()}")
            elif field == "states" or (field == "declared" and value is not None):
                fields[field] = states_from_text(value)
    return kind, fields


def _unpack_numbered(text: str) -> tuple[list[Any], IntArray]:
    """Return distinct states and the number of each."""
    numbered = dict(zip(*states_from_text(text), strict=True))
    for number in numbered.values():
        check_instance("number", number, int)
    return list(numbered), np.array(list(numbered.values()), np.int64)


def unpack_estimator(estimator: Any, state: State, read: ReadCounts) -> State:
    """Return the state as it was, and refuse what no estimator can hold."""
    kind = type(estimator)
    check_instance(f"the state of {kind.__name__}", state, dict)
    parameters = signature(kind).parameters
    # Nothing else: what is stored on an estimator goes before the methods of its class, and what can be
    # derived would come unchecked.
    foreign = state.keys() - {*parameters, *_PLAIN, _REQUEST, *_LEARNED}
    if foreign:
        raise ValueError(f"{min(map(repr, foreign))} is no attribute that {kind.__name__} stores")
    # A parameter that the version that wrote the file did not have takes its default.
    unpacked = {name: parameter.default for name, parameter in parameters.items()} | state
    if _REQUEST in state:
        unpacked[_REQUEST] = estimator.get_metadata_routing()
        for method, aliases in state[_REQUEST].items():
            for param, alias in aliases.items():
                getattr(unpacked[_REQUEST], method).add_request(param=param, alias=alias)
    learned = {name: unpacked.pop(name, None) for name in _LEARNED}
    learner = object.__new__(kind)
    learner.__dict__ = unpacked
    if learned["features"] is not None:
        _restore(learner, read, **learned)
    return unpacked


def _restore(
    learner: Any,
    read: ReadCounts,
    *,
    features: Any,
    codings: Any,
    counts: Any,
    scores: Any,
    in_batches: Any,
) -> None:
    """Check what was learned against the features and the classes, and derive the rest."""
    if isinstance(learner, MDLDiscretizer):
        learner._features = _unpack_features(learner, features, NumericFeature)
        learner._derive()
        return
    learner._check_parameters()
    check_instance("classes_", learner.classes_, np.ndarray)
    if learner.classes_.ndim != 1 or learner.classes_.size == 0:
        raise ValueError(f"classes_ must be a list of classes, got {learner.classes_!r}")
    n_classes = len(learner.classes_)
    if in_batches:
        if not hasattr(learner, "partial_fit"):
            raise ValueError(f"{type(learner).__name__} does not learn in batches")
        slots = _unpack_features(learner, features, NumericFeature, Slots)
        counted = _unpack_counts(counts, read, CountStream.n_slots_of(slots), n_classes, JointCounts)
        learner._learn_stream(CountStream(slots, counted))
        return
    encoding = TableEncoding(_unpack_features(learner, features, NumericFeature, CategoricalFeature))
    if isinstance(learner, LogPoolAODE):
        learner._encoding = _unpack_codings(encoding.features, codings)
        learner.counts_ = _unpack_coding_counts(counts, read, learner._encoding, n_classes)
    else:
        learner._encoding = encoding
        learner.counts_ = _unpack_counts(counts, read, encoding.n_states, n_classes, ValueCounts, JointCounts)
    check_instance("scores", scores, dict)
    for name in learner._scores:
        setattr(learner, name, _unpack_score(learner, name, scores.get(name), read))
    learner._derive()


def _unpack_features(learner: Any, given: Any, *kinds: type) -> list[Any]:
    check_instance("features", given, list)
    if learner.n_features_in_ != len(given):
        raise ValueError(
            f"n_features_in_ does not fit the {len(given)} of features: {learner.n_features_in_}"
        )
    if hasattr(learner, "feature_names_in_"):
        check_array("feature_names_in_", learner.feature_names_in_, ("object",), (len(given),))
    names = getattr(learner, "feature_names_in_", None)
    conservative = conservative_mask(len(given), getattr(learner, "conservative_features", None), names)
    features: list[Any] = []
    for j, fields in enumerate(given):
        kind, checked = _unpack("features", fields, *kinds)
        features.append(kind(**checked))
        features[-1].check()
        # The code of a missing value that may be any is in the tables of no other classifier.
        if kind is not Slots and features[-1].is_conservative != conservative[j]:
            raise ValueError(f"the fill of the feature {j} does not fit conservative_features")
    return features


def _unpack_codings(features: list[Feature], given: Any) -> Codings:
    check_instance("codings", given, dict)
    others = []
    for bins, all_cuts in given.items():
        check_instance("codings", all_cuts, list)
        if not bins.isdecimal() or len(all_cuts) != len(_all_cuts(features)):
            raise ValueError(f"codings must hold the cuts of every numeric feature, got those of {bins!r}")
        cuts, coding = iter(all_cuts), []
        for feature in features:
            coding.append(
                replace(feature, cuts=next(cuts)) if isinstance(feature, NumericFeature) else feature
            )
            coding[-1].check()
        others.append(coding)
    return Codings(features, tuple(map(int, given)), others)


def _unpack_coding_counts(given: Any, read: ReadCounts, encoding: Codings, n_classes: int) -> CodingCounts:
    _, fields = _unpack("counts", given, CodingCounts)
    check_instance("codings", fields["codings"], list)
    states = [coding.n_states for coding in encoding.codings.values()]
    if len(fields["codings"]) != len(states):
        raise ValueError(f"counts must hold those of {len(states)} codings, got {len(fields['codings'])}")
    codings = [
        _unpack_counts(of_coding, read, n_states, n_classes, JointCounts)
        for of_coding, n_states in zip(fields["codings"], states, strict=True)
    ]
    n_c = read("n_c", fields["n_c"], (n_classes,))
    check_counts("n_c", n_c, (n_classes,))
    for of_coding in codings:
        if not np.array_equal(of_coding.n_c, n_c):
            raise ValueError("counts must be those of the same rows in every coding")
    return CodingCounts(n_c, tuple(codings))


def _unpack_counts(given: Any, read: ReadCounts, n_states: IntArray, n_classes: int, *kinds: type) -> Any:
    kind, fields = _unpack("counts", given, *kinds)
    # In Python's integers, which do not overflow.
    sizes = n_states.tolist()
    n_c = read("n_c", fields["n_c"], (n_classes,))
    n_ca = read("n_ca", fields["n_ca"], (sum(sizes) * n_classes,))
    counts: Any = ValueCounts(Layout(n_states, n_classes), n_c, n_ca)
    if kind is JointCounts:
        n_cab = read("n_cab", fields["n_cab"], (pair_cells(sizes) * n_classes,))
        counts = JointCounts(counts, n_cab, fields["complete"])
    counts.check()
    return counts


def _unpack_score(classifier: TabularClassifier, name: str, score: Any, read: ReadCounts) -> Any:
    encoding = classifier._encoding
    if name == "tree_":
        states = [state_texts(encoding.features[j]) for j in encoding.kept]
        _, fields = _unpack(name, score, DecisionTree)
        tree = DecisionTree(classifier._kept_features().tolist(), states, **fields)
        tree.check(len(classifier.classes_))
        return tree
    if name in ("n_iter_", "n_models_", "objective_", "null_weight_"):
        check_instance(name, score, Real)
        if name == "null_weight_" and not np.isfinite(score):
            raise ValueError(f"{name} must be a finite number")
        return score
    m = len(encoding.kept)
    if name == "missing_counts_":
        return _unpack_missing_counts(classifier, score, read)
    shape = (1 + m, 1 + m) if name == "covariance_" else (m,)
    found = read(name, score, shape)
    check_array(name, found, ("float64",), shape)
    if not np.all(np.isfinite(found)):
        raise ValueError(f"{name} must hold finite numbers")
    return found


def _unpack_missing_counts(classifier: TabularClassifier, given: Any, read: ReadCounts) -> Any:
    encoding, counts = classifier._encoding, classifier.counts_
    shape = (len(encoding.kept), len(classifier.classes_))
    n_missing = read("missing_counts_", given, shape)
    check_counts("missing_counts_", n_missing, shape)
    if n_missing[~encoding.conservative].any():
        raise ValueError("missing_counts_ must be 0 for features that are not conservative")
    for j, of_feature in enumerate(n_missing):
        n_cells = of_feature + counts.values(j).sum(axis=0, dtype=np.float64)
        if np.any(n_cells > counts.n_c * (1.0 + ROUNDING)):
            raise ValueError(f"missing_counts_ does not add up to the classes in the feature {j}")
    return n_missing
