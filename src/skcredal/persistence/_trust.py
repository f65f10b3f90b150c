"""What a model file may name: our estimators, and what scikit-learn's pipelines and searches hold.

skops refuses what is not listed. It trusts scikit-learn's estimators, arrays, and numpy's and scipy's ufuncs
by itself, but not the trees of scikit-learn, which take memory addresses from the file. A function that is
listed here may end up in a ``FunctionTransformer`` that meets the reader's data: none of them reads or writes
a file, imports, or evaluates text.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from typing import Any
from zipfile import ZipFile

from sklearn import feature_selection, model_selection
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit

from skcredal import metrics
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal.classifiers._aode import AODE
from skcredal.classifiers._bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers._bma_aode import BmaAODE, CredalBmaAODE
from skcredal.classifiers._comp_aode import CompAODE, CredalCompAODE
from skcredal.classifiers._maplmg import MaplmgAODE
from skcredal.classifiers._naive_credal import CredalModelAveraging, NaiveCredal
from skcredal.classifiers._tree import CredalTree

__all__ = ["ACCEPTED", "ESTIMATORS", "advice", "called_functions", "trusted_names"]

ACCEPTED = (
    "a model file may name only estimators of skcredal and scikit-learn (no trees, forests or neighbours by "
    "tree), ufuncs of numpy and scipy, and scores of scikit-learn and skcredal"
)

ESTIMATORS: tuple[type, ...] = (
    AODE,
    BmaAODE,
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalModelAveraging,
    CredalTree,
    MDLDiscretizer,
    MaplmgAODE,
    NaiveBayes,
    NaiveCredal,
    NullClassifier,
    TAN,
)

# Measures of sets, which make_set_scorer takes: functions of arrays, without side effects.
_MEASURES = (
    metrics.determinacy_score,
    metrics.discounted_accuracy_score,
    metrics.indeterminate_output_size,
    metrics.set_accuracy_score,
    metrics.single_accuracy_score,
    metrics.u65_score,
    metrics.u80_score,
    metrics.utility_score,
)

# What tells columns apart in SelectKBest and the like: the same.
_COLUMN_SCORES = (
    feature_selection.chi2,
    feature_selection.f_classif,
    feature_selection.f_regression,
    feature_selection.mutual_info_classif,
    feature_selection.mutual_info_regression,
    feature_selection.r_regression,
)
# How scikit-learn calls measures of predictions; its other metrics make scorers, matrices and plots.
_ENDINGS_OF_MEASURES = ("_score", "_loss", "_error", "_deviance", "_corrcoef")

# What scikit-learn's meta-estimators keep besides estimators; skops does not list them. A partial binds only
# what is trusted to what is trusted.
_INSIDE_SCIKIT_LEARN = (
    "builtins.object",
    "functools.partial",
    "numpy.dtype",
    "numpy.number",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._split._CVIterableWrapper",
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)


@cache
def trusted_names() -> tuple[str, ...]:
    """Return the names, with their modules, of all that a file may name besides what skops itself trusts."""
    splitters = [
        kind
        for kind in vars(model_selection).values()
        if isinstance(kind, type) and issubclass(kind, (BaseCrossValidator, BaseShuffleSplit))
    ]
    repeated = [model_selection.RepeatedKFold, model_selection.RepeatedStratifiedKFold]
    ours = [*ESTIMATORS, type(metrics.make_set_scorer(metrics.u65_score))]
    types = [_full_name(kind) for kind in (*ours, *splitters, *repeated)]
    return tuple(sorted({*types, *_INSIDE_SCIKIT_LEARN, *_function_names()}))


@cache
def _function_names() -> frozenset[str]:
    measures: list[Callable[..., Any]] = [
        getattr(sklearn_metrics, name)
        for name in sklearn_metrics.__all__
        if name.endswith(_ENDINGS_OF_MEASURES)
    ]
    # Behind "accuracy", "positive_likelihood_ratio" and the like, which a fitted search keeps.
    named = [get_scorer(name)._score_func for name in get_scorer_names()]
    return frozenset(map(_full_name, (*_MEASURES, *_COLUMN_SCORES, *measures, *named)))


def _full_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__name__}"


def called_functions(content: bytes) -> list[str]:
    """Return the trusted functions that an archive of skops does not only name.

    To skops, a name that is trusted is trusted as a constructor, too: called while the file is read, with
    whatever the file holds. A function has no business there.
    """
    with ZipFile(io.BytesIO(content)) as archive:
        waiting: list[Any] = [json.loads(archive.read("schema.json"))]
    found = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            waiting.extend(node.values())
            name = f"{node.get('__module__')}.{node.get('__class__')}"
            if name in _function_names() and node.get("__loader__") not in ("FunctionNode", "CachedNode"):
                found.add(name)
    return sorted(found)


def advice(foreign: str) -> str:
    """Return what to do about something that a model file cannot hold.

    Examples
    --------
    >>> advice("sklearn.tree._tree.Tree")
    'Leave the trees out'
    """
    if foreign.startswith(("sklearn.neighbors.", "sklearn.metrics._dist_metrics.")):
        return 'Give algorithm="brute" to the neighbours'
    if foreign.startswith(("sklearn.tree.", "sklearn.ensemble.")):
        return "Leave the trees out"
    return "Replace it by a transformer of scikit-learn or a ufunc such as numpy.log1p"
