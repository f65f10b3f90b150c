"""What a model file may name: our estimators, and what scikit-learn's pipelines and searches hold.

skops refuses what is not listed. It trusts scikit-learn's estimators, arrays, and numpy's and scipy's ufuncs
by itself, but not the trees of scikit-learn, which take memory addresses from the file. A function that is
listed here may end up in a ``FunctionTransformer`` that meets the reader's data: none of them reads or writes
a file, imports, or evaluates text.
"""

from __future__ import annotations

import io
import json
from functools import cache
from inspect import isabstract, isfunction
from typing import Any
from zipfile import ZipFile

from sklearn import feature_selection, model_selection
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import get_scorer, get_scorer_names

from skcredal import classifiers, metrics
from skcredal._encoding.discretizer import MDLDiscretizer

__all__ = ["ACCEPTED", "ESTIMATORS", "refuse_calls", "trusted_names"]

ACCEPTED = (
    "a model file may name only estimators of skcredal and scikit-learn (no trees, forests or neighbours by "
    "tree), ufuncs of numpy and scipy, and scores of scikit-learn and skcredal"
)

ESTIMATORS: tuple[type, ...] = (
    MDLDiscretizer,
    *(
        kind
        for kind in (getattr(classifiers, name) for name in classifiers.__all__)
        if isinstance(kind, type) and issubclass(kind, classifiers.TabularClassifier) and not isabstract(kind)
    ),
)

# How measures of predictions are called, here and in scikit-learn; what else is in these modules makes
# scorers, matrices and plots.
_ENDINGS_OF_MEASURES = ("_score", "_loss", "_error", "_deviance", "_corrcoef", "_output_size")

# What scikit-learn's meta-estimators keep besides estimators; skops does not list them. A partial binds only
# what is trusted to what is trusted.
_INSIDE_SCIKIT_LEARN = {
    "builtins": ("object",),
    "functools": ("partial",),
    "numpy": ("dtype", "number"),
    "sklearn.calibration": ("_CalibratedClassifier", "_SigmoidCalibration", "_TemperatureScaling"),
    "sklearn.compose._column_transformer": ("_RemainderColsList", "make_column_selector"),
    "sklearn.metrics._scorer": ("_CurveScorer", "_MultimetricScorer", "_PassthroughScorer", "_Scorer"),
    "sklearn.model_selection._split": ("_CVIterableWrapper",),
    "sklearn.multiclass": ("_ConstantPredictor",),
    "sklearn.utils._bunch": ("Bunch",),
    "sklearn.utils._metadata_requests": ("MetadataRequest", "MethodMetadataRequest"),
}


@cache
def trusted_names() -> tuple[str, ...]:
    """Return the names, with their modules, of all that a file may name besides what skops itself trusts."""
    splitters = [
        kind
        for kind in vars(model_selection).values()
        if isinstance(kind, type) and kind.__module__ == "sklearn.model_selection._split"
    ]
    set_scorer = type(metrics.make_set_scorer(metrics.u65_score))
    types = map(_full_name, (*ESTIMATORS, set_scorer, *splitters))
    inside = [f"{module}.{name}" for module, names in _INSIDE_SCIKIT_LEARN.items() for name in names]
    return tuple(sorted({*types, *inside, *_function_names()}))


@cache
def _function_names() -> frozenset[str]:
    """Return the names of functions of arrays without side effects: measures and scores of columns."""
    measures = [
        getattr(module, name)
        for module in (metrics, sklearn_metrics)
        for name in module.__all__
        if name.endswith(_ENDINGS_OF_MEASURES)
    ]
    # Behind "accuracy", "positive_likelihood_ratio" and the like, which a fitted search keeps.
    named = [get_scorer(name)._score_func for name in get_scorer_names()]
    # What tells columns apart in SelectKBest and the like.
    of_columns = filter(isfunction, (getattr(feature_selection, name) for name in feature_selection.__all__))
    return frozenset(map(_full_name, (*measures, *named, *of_columns)))


def _full_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__name__}"


def refuse_calls(content: bytes) -> None:
    """Refuse an archive of skops in which a trusted function is not only named.

    To skops, a name that is trusted is trusted as a constructor, too: called while the file is read, with
    whatever the file holds. A function has no business there.
    """
    with ZipFile(io.BytesIO(content)) as archive:
        waiting: list[Any] = [json.loads(archive.read("schema.json"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            waiting.extend(node.values())
            name = f"{node.get('__module__')}.{node.get('__class__')}"
            if name in _function_names() and node.get("__loader__") not in ("FunctionNode", "CachedNode"):
                raise ValueError(f"it would call {name} while it is read")
