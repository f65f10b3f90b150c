"""What a model file holds of our estimators, and how it is checked.

Of a fitted classifier it holds the parameters, the encoding, the counts and the scores (what ``_count`` and
``_score`` have learned), as plain arrays, numbers and text by name. Everything else is derived anew when the
model is loaded, by the ``_derive`` that ``fit`` ends with.

The arrays of counts and scores are files of their own in the archive, written and read in the same order: of
the classes, of each coding, the scores. They are read only when it is known from the features how large they
must be: few bytes of a zip may unpack to more than memory holds.

The kernels look up codes in the tables without asking whether they are there, and a file from a stranger may
hold any numbers under a right checksum. So all sizes follow from the encoding and the classes, and every
array is compared with them before anything is made of it; what is derived from checked parts fits by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, CountArray, IntArray
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
from skcredal._validation import check_array, check_instance
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._log_pool import LogPoolAODE
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.classifiers._tree import state_texts

__all__ = ["pack_estimator", "unpack_estimator"]

State = dict[str, Any]
# Reads the next array of counts or scores, by what it is called in errors and the shape it must have.
ReadCounts = Callable[[str, tuple[int, ...]], AnyArray]

# What an estimator stores as a file holds it, besides its parameters.
_PLAIN = ("classes_", "n_features_in_", "feature_names_in_", "_sklearn_output_config")
# Which metadata, such as weights, an estimator asks a pipeline for.
_REQUEST = "_metadata_request"
# What was learned, by its names in a file; in batches, features and counts are those of the stream.
_LEARNED = ("features", "codings", "complete", "scores", "in_batches")
# What a file holds of a tree; the names of features and states are those of the encoding.
_OF_TREE = ("feature", "counts", "parent", "value")
# The shapes of the scores that are arrays, given the numbers of codes of a row and of classes; others are
# numbers.
_SHAPES: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    "log_likelihood_": lambda m, _: (m,),
    "weights_": lambda m, _: (m,),
    "covariance_": lambda m, _: (1 + m, 1 + m),
    "missing_counts_": lambda m, n_classes: (m, n_classes),
}


def pack_estimator(estimator: Any, write: Callable[[AnyArray], None]) -> State:
    """Return the state of an estimator without what can be derived, and write its counts and scores."""
    # What a reader would refuse is not written: parameters may have been set after the fit.
    if isinstance(estimator, TabularClassifier):
        estimator._check_parameters()
    state = vars(estimator)
    stored = (*signature(type(estimator)).parameters, *_PLAIN)
    packed = {name: state[name] for name in stored if name in state}
    if _REQUEST in state:
        # The request points back to its owner, and a file has no way to say so.
        packed[_REQUEST] = state[_REQUEST]._serialize()
    if "_features" in state:
        packed["features"] = state["_features"]
    if "_encoding" in state:
        packed |= _pack_learned(estimator, write)
    return packed


def _pack_learned(classifier: Any, write: Callable[[AnyArray], None]) -> State:
    encoding, stream = classifier._encoding, getattr(classifier, "_stream", None)
    features, counts = encoding.features, classifier.counts_
    if stream is not None:
        features, counts = stream.features, stream.counts
    packed: State = {"features": features, "in_batches": stream is not None, "complete": [], "scores": {}}
    if isinstance(encoding, Codings):
        # Only their cuts: all else of them is that of the features.
        cuts = [[getattr(feature, "cuts", None) for feature in coding] for coding in encoding.others]
        packed["codings"] = dict(zip(encoding.bins, cuts, strict=True))
    write(counts.n_c)
    for one in counts.codings if isinstance(counts, CodingCounts) else [counts]:
        write(one.n_ca)
        if isinstance(one, JointCounts):
            write(one.n_cab)
        packed["complete"].append(getattr(one, "complete", None))
    for name in classifier._scores:
        score = getattr(classifier, name)
        if name in _SHAPES:
            write(score)
        elif isinstance(score, DecisionTree):
            packed["scores"][name] = {field: getattr(score, field) for field in _OF_TREE}
        else:
            packed["scores"][name] = score
    return packed


def unpack_estimator(kind: type, state: State, read: ReadCounts) -> Any:
    """Return an estimator with the state, and refuse what no estimator can hold."""
    parameters = signature(kind).parameters
    # Nothing else: what is stored on an estimator goes before the methods of its class, and what can be
    # derived would come unchecked.
    foreign = state.keys() - {*parameters, *_PLAIN, _REQUEST, *_LEARNED}
    if foreign:
        raise ValueError(f"{min(map(repr, foreign))} is no attribute that {kind.__name__} stores")
    made: Any = object.__new__(kind)
    # A parameter that the version that wrote the file did not have takes its default.
    made.__dict__ = {name: parameter.default for name, parameter in parameters.items()} | {
        name: value for name, value in state.items() if name not in (*_LEARNED, _REQUEST)
    }
    if _REQUEST in state:
        request = made.get_metadata_routing()
        for method, aliases in state[_REQUEST].items():
            for param, alias in aliases.items():
                getattr(request, method).add_request(param=param, alias=alias)
        made._metadata_request = request
    if "features" in state:
        _restore(made, {name: state.get(name) for name in _LEARNED}, read)
    return made


def _restore(learner: Any, learned: State, read: ReadCounts) -> None:
    """Check what was learned against the features and the classes, and derive the rest."""
    features, complete = learned["features"], learned["complete"]
    if isinstance(learner, MDLDiscretizer):
        _check_features(learner, features, NumericFeature)
        learner._features = features
        learner._derive()
        return
    learner._check_parameters()
    classes = learner.classes_
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or classes.size == 0:
        raise ValueError(f"classes_ must be an array of classes, got {classes!r}")
    n_c = read("n_c", classes.shape)
    check_counts("n_c", n_c, classes.shape)
    if learned["in_batches"]:
        _check_features(learner, features, NumericFeature, Slots)
        [counted] = _unpack_counts(complete, read, n_c, [CountStream.n_slots_of(features)])
        learner._learn_stream(CountStream(features, counted))
        return
    _check_features(learner, features, NumericFeature, CategoricalFeature)
    if isinstance(learner, LogPoolAODE):
        learner._encoding = _unpack_codings(features, learned["codings"])
        n_states = [coding.n_states for coding in learner._encoding.codings.values()]
        learner.counts_ = CodingCounts(n_c, tuple(_unpack_counts(complete, read, n_c, n_states)))
    else:
        learner._encoding = TableEncoding(features)
        [learner.counts_] = _unpack_counts(complete, read, n_c, [learner._encoding.n_states])
    check_instance("scores", learned["scores"], dict)
    for name in learner._scores:
        setattr(learner, name, _unpack_score(learner, name, learned["scores"].get(name), read))
    learner._derive()


def _check_features(learner: Any, features: Any, *kinds: type) -> None:
    check_instance("features", features, list)
    if learner.n_features_in_ != len(features):
        raise ValueError(
            f"n_features_in_ does not fit the {len(features)} of features: {learner.n_features_in_}"
        )
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        check_array("feature_names_in_", names, ("object",), (len(features),))
    conservative = conservative_mask(len(features), getattr(learner, "conservative_features", None), names)
    for j, feature in enumerate(features):
        check_instance("features", feature, kinds)
        # The code of a missing value that may be any is in the tables of no other classifier.
        if not isinstance(feature, Slots) and feature.is_conservative != conservative[j]:
            raise ValueError(f"the fill of the feature {j} does not fit conservative_features")


def _unpack_codings(features: list[Feature], given: Any) -> Codings:
    check_instance("codings", given, dict)
    others: list[list[Feature]] = []
    for coding in given.values():
        others.append([])
        for feature, cuts in zip(features, coding, strict=True):
            others[-1].append(replace(feature, cuts=cuts) if isinstance(feature, NumericFeature) else feature)
            others[-1][-1].check()
    return Codings(features, tuple(given), others)


def _unpack_counts(
    complete: Any, read: ReadCounts, n_c: CountArray, codings: list[IntArray]
) -> Iterable[Any]:
    """Return the counts in codings with these numbers of states; of pairs, unless complete is unknown."""
    check_instance("complete", complete, list)
    if len(complete) != len(codings):
        raise ValueError(f"counts must be those of {len(codings)} codings, got {len(complete)}")
    for is_complete, n_states in zip(complete, codings, strict=True):
        # In Python's integers, which do not overflow.
        sizes, n_classes = n_states.tolist(), len(n_c)
        n_ca = read("n_ca", (sum(sizes) * n_classes,))
        counts: Any = ValueCounts(Layout(n_states, n_classes), n_c, n_ca)
        if is_complete is not None:
            n_cab = read("n_cab", (pair_cells(sizes) * n_classes,))
            counts = JointCounts(counts, n_cab, is_complete)
        counts.check()
        yield counts


def _unpack_score(classifier: TabularClassifier, name: str, score: Any, read: ReadCounts) -> Any:
    encoding, n_classes = classifier._encoding, len(classifier.classes_)
    if name == "tree_":
        states = [state_texts(encoding.features[j]) for j in encoding.kept]
        tree = DecisionTree(classifier._kept_features().tolist(), states, **score)
        tree.check(n_classes)
        return tree
    if name in _SHAPES:
        score = read(name, _SHAPES[name](len(encoding.kept), n_classes))
    else:
        check_instance(name, score, Real)
    # Where there are no weights to learn, the objective is NaN; nothing is computed with it.
    if name != "objective_" and not np.all(np.isfinite(score)):
        raise ValueError(f"{name} must hold finite numbers")
    if name == "missing_counts_":
        _check_missing_counts(classifier, score)
    elif name in _SHAPES:
        check_array(name, score, ("float64",), score.shape)
    return score


def _check_missing_counts(classifier: TabularClassifier, n_missing: CountArray) -> None:
    check_counts("missing_counts_", n_missing, n_missing.shape)
    if n_missing[~classifier._encoding.conservative].any():
        raise ValueError("missing_counts_ must be 0 for features that are not conservative")
    counts = classifier.counts_
    for j, of_feature in enumerate(n_missing):
        n_cells = of_feature + counts.values(j).sum(axis=0, dtype=np.float64)
        if np.any(n_cells > counts.n_c * (1.0 + ROUNDING)):
            raise ValueError(f"missing_counts_ does not add up to the classes in the feature {j}")
