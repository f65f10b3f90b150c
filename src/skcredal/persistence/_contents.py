"""What a model file holds of our estimators, and how it is checked.

Of a fitted classifier it holds the parameters, the encoding, the counts and the scores (what ``_count`` and
``_score`` have learned), as plain arrays, numbers and text by name. Everything else is derived anew when the
model is loaded, by the ``_derive`` that ``fit`` ends with.

The kernels look up codes in the tables without checking that they are there, and a file from a stranger may
hold any numbers under a correct checksum. So all sizes follow from the encoding and the classes, and every
array is compared with them before anything is made of it; what is derived from checked parts fits by itself.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn import config_context

from skcredal._arrays import CountArray, IntArray
from skcredal._config import get_config
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.learning import conservative_mask
from skcredal._encoding.table_encoding import Codings, Feature, TableEncoding
from skcredal._ensemble.counts import (
    ROUNDING,
    CodingCounts,
    JointCounts,
    Layout,
    ValueCounts,
    check_counts,
    pair_table_bytes,
)
from skcredal._ensemble.credal_tree import DecisionTree
from skcredal._validation import check_array, check_instance
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._log_pool import LogPoolAODE
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.classifiers._tree import state_texts

__all__ = ["pack_estimator", "unpack_estimator"]

State = dict[str, Any]

# What an estimator stores as a file holds it, besides its parameters and scores.
_PLAIN = ("classes_", "n_features_in_", "feature_names_in_", "_sklearn_output_config")
# What else was learned, by its names in a file.
_LEARNED = ("features", "codings", "stream", "n_c", "counts")
# What a file holds of counts, and of a tree: the names of features and states are those of the encoding.
_OF_COUNTS = ("n_ca", "n_cab", "complete")
_OF_TREE = ("feature", "counts", "parent", "value")


def pack_estimator(estimator: Any) -> State:
    """Return the state of an estimator without what can be derived."""
    # What a reader would refuse is not written: parameters may have been set after the fit.
    if isinstance(estimator, TabularClassifier):
        estimator._check_parameters()
    state = vars(estimator)
    stored = (*signature(type(estimator)).parameters, *_PLAIN)
    packed = {name: state[name] for name in stored if name in state}
    if "_metadata_request" in state:
        # As plain text: the request itself refers back to its owner.
        packed["requests"] = state["_metadata_request"]._serialize()
    # A column transformer keeps unfitted estimators, too.
    if "_features" in state:
        packed["features"] = state["_features"]
    if "_encoding" in state:
        packed |= _pack_learned(estimator)
    return packed


def _pack_learned(classifier: Any) -> State:
    encoding, counts = classifier._encoding, classifier.counts_
    packed: State = {name: getattr(classifier, name) for name in classifier._scores}
    if "tree_" in packed:
        packed["tree_"] = {name: getattr(classifier.tree_, name) for name in _OF_TREE}
    if (stream := getattr(classifier, "_stream", None)) is not None:
        packed["stream"], counts = stream.features, stream.counts
    else:
        packed["features"] = encoding.features
    if isinstance(encoding, Codings):
        # Only their cuts: all else of them is that of the features.
        cuts = [[getattr(feature, "cuts", None) for feature in coding] for coding in encoding.others]
        packed["codings"] = [list(pair) for pair in zip(encoding.bins, cuts, strict=True)]
    packed["n_c"] = counts.n_c
    packed["counts"] = [
        {name: getattr(one, name) for name in _OF_COUNTS if hasattr(one, name)}
        for one in (counts.codings if isinstance(counts, CodingCounts) else [counts])
    ]
    return packed


def unpack_estimator(kind: type, state: State) -> Any:
    """Return an estimator with the state, and refuse what no estimator can hold."""
    made: Any = object.__new__(kind)
    # Which weights the estimator asks a pipeline for.
    requests = state.pop("requests", {})
    learned = {name: state.pop(name) for name in _LEARNED if name in state}
    # A parameter that the version that wrote the file did not have takes its default.
    parameters = signature(kind).parameters
    made.__dict__ = {name: state.pop(name, one.default) for name, one in parameters.items()}
    # Nothing else: what is stored on an estimator hides the methods of its class, and what is derived would
    # not be checked.
    if foreign := state.keys() - {*_PLAIN, *getattr(made, "_scores", ())}:
        raise ValueError(f"{min(map(repr, foreign))} is not an attribute that {kind.__name__} stores")
    made.__dict__ |= state
    for method, asked in requests.items():
        if asked:
            with config_context(enable_metadata_routing=True):
                getattr(made, f"set_{method}_request")(**asked)
    if learned:
        _restore(made, **learned)
    return made


def _restore(
    learner: Any,
    features: Any = None,
    codings: Any = None,
    stream: Any = None,
    n_c: Any = None,
    counts: Any = None,
) -> None:
    """Check what was learned against the features and the classes, and derive the rest."""
    if isinstance(learner, MDLDiscretizer):
        _check_features(learner, features, NumericFeature)
        learner._features = features
        learner._derive()
        return
    learner._check_parameters()
    classes = learner.classes_
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or classes.size == 0:
        raise ValueError(f"classes_ must be an array of classes, got {classes!r}")
    check_counts("n_c", n_c, classes.shape)
    if stream is not None:
        _check_features(learner, stream, NumericFeature, Slots)
        [counted] = _unpack_counts(counts, n_c, [CountStream.n_slots_of(stream)])
        learner._learn_stream(CountStream(stream, counted))
        return
    _check_features(learner, features, NumericFeature, CategoricalFeature)
    if isinstance(learner, LogPoolAODE):
        learner._encoding = _unpack_codings(features, codings)
        n_states = [coding.n_states for coding in learner._encoding.codings.values()]
        learner.counts_ = CodingCounts(n_c, tuple(_unpack_counts(counts, n_c, n_states)))
    else:
        learner._encoding = TableEncoding(features)
        [learner.counts_] = _unpack_counts(counts, n_c, [learner._encoding.n_states])
    _check_scores(learner)
    learner._derive()


def _check_features(learner: Any, features: Any, *kinds: type) -> None:
    check_instance("features", features, list)
    if learner.n_features_in_ != len(features):
        raise ValueError(f"n_features_in_ must be {len(features)}, got {learner.n_features_in_}")
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        check_array("feature_names_in_", names, ("object",), (len(features),))
    conservative = conservative_mask(len(features), getattr(learner, "conservative_features", None), names)
    for j, feature in enumerate(features):
        check_instance("features", feature, kinds)
        # Only the tables of a conservative feature have room for the code of a missing value that may be any.
        if not isinstance(feature, Slots) and feature.is_conservative != conservative[j]:
            raise ValueError(f"the fill of the feature {j} does not fit conservative_features")


def _unpack_codings(features: list[Feature], given: Any) -> Codings:
    others: list[list[Feature]] = []
    for _, coding in given:
        others.append([])
        for feature, cuts in zip(features, coding, strict=True):
            others[-1].append(replace(feature, cuts=cuts) if isinstance(feature, NumericFeature) else feature)
            others[-1][-1].check()
    return Codings(features, tuple(bins for bins, _ in given), others)


def _unpack_counts(given: Any, n_c: CountArray, codings: list[IntArray]) -> list[Any]:
    """Return the counts in codings with these numbers of states: of pairs, where the file has them."""
    if len(given) != len(codings):
        raise ValueError(f"counts must be those of {len(codings)} codings, got {len(given)}")
    found: list[Any] = []
    for arrays, n_states in zip(given, codings, strict=True):
        counts: Any = ValueCounts(Layout(n_states, len(n_c)), n_c, arrays.pop("n_ca"))
        if arrays:
            # Integers are small in a file, and the tables that are derived from them many times as large.
            needed, limit = pair_table_bytes(n_states, len(n_c)), get_config()["pair_table_limit"]
            if needed > limit:
                raise ValueError(
                    f"the pair tables would take {needed:,} bytes, more than pair_table_limit ({limit:,})"
                )
            counts = JointCounts(counts, **arrays)
        counts.check()
        found.append(counts)
    return found


def _check_scores(classifier: Any) -> None:
    encoding, n_classes = classifier._encoding, len(classifier.classes_)
    m = len(encoding.kept)
    for name in classifier._scores:
        score = getattr(classifier, name)
        if name == "tree_":
            states = [state_texts(encoding.features[j]) for j in encoding.kept]
            classifier.tree_ = DecisionTree(classifier._kept_features().tolist(), states, **score)
            classifier.tree_.check(n_classes)
            continue
        if name == "missing_counts_":
            _check_missing_counts(score, encoding, classifier.counts_)
        elif name in ("log_likelihood_", "weights_"):
            check_array(name, score, ("float64",), (m,))
        elif name == "covariance_":
            check_array(name, score, ("float64",), (1 + m, 1 + m))
        else:
            check_instance(name, score, Real)
        # Where there are no weights to learn, the objective is NaN; nothing is computed with it.
        if name != "objective_" and not np.all(np.isfinite(score)):
            raise ValueError(f"{name} must hold finite numbers")


def _check_missing_counts(n_missing: Any, encoding: TableEncoding, counts: ValueCounts) -> None:
    check_counts("missing_counts_", n_missing, (len(encoding.kept), len(counts.n_c)))
    if n_missing[~encoding.conservative].any():
        raise ValueError("missing_counts_ must be 0 for features that are not conservative")
    for j, of_feature in enumerate(n_missing):
        n_cells = of_feature + counts.values(j).sum(axis=0, dtype=np.float64)
        if np.any(n_cells > counts.n_c * (1.0 + ROUNDING)):
            raise ValueError(f"missing_counts_ does not add up to the classes in the feature {j}")
