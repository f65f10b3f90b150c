"""What a model file may name: our estimators, and what scikit-learn's pipelines and searches hold.

skops refuses what is not listed. It trusts scikit-learn's estimators, arrays, and numpy's and scipy's ufuncs
by itself, but not the trees and forests of scikit-learn, which read places in memory from the file.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sklearn import metrics as sklearn_metrics
from sklearn import model_selection
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit

from skcredal import metrics
from skcredal.classifiers.aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers.bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers.cma import CredalModelAveraging
from skcredal.classifiers.credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers.maplmg import MaplmgAODE
from skcredal.classifiers.ncc import NaiveCredal
from skcredal.classifiers.tree import CredalTree
from skcredal.data.discretise import MDLDiscretizer

__all__ = ["ESTIMATORS", "trusted_names"]

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

# What scikit-learn's meta-estimators keep besides estimators; skops does not list them.
_INSIDE_SCIKIT_LEARN = (
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
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
    # The functions behind "accuracy", "roc_auc" and the like, which a fitted search keeps.
    scorers = [getattr(get_scorer(name), "_score_func", None) for name in get_scorer_names()]
    functions = [function for function in scorers if hasattr(sklearn_metrics, _name(function))]
    ours: list[Any] = [*ESTIMATORS, *_MEASURES, type(metrics.make_set_scorer(metrics.u65_score))]
    listed = [f"{thing.__module__}.{_name(thing)}" for thing in (*ours, *splitters, *functions)]
    return tuple(sorted({*listed, *_INSIDE_SCIKIT_LEARN}))


def _name(thing: Any) -> str:
    return str(getattr(thing, "__name__", ""))
