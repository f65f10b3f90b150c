"""What a model file may hold: our estimators, and what of scikit-learn's pipelines numpy alone handles.

Compiled parts of scikit-learn (trees, support vectors, random states) use numbers from the file as addresses
in memory, and a function may do anything. So a file can name only what is listed here. A listed function may
end up in a ``FunctionTransformer`` that is given the reader's data: none of them reads or writes a file,
imports, or evaluates text.
"""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
from typing import Any

import numpy as np

from skcredal import classifiers
from skcredal._encoding.discretizer import MDLDiscretizer

__all__ = [
    "ESTIMATORS",
    "ForeignNameError",
    "check_one_hot",
    "find_by_name",
    "find_type",
    "is_score_function",
    "name_of",
    "short_name",
]

ESTIMATORS: tuple[type, ...] = (
    MDLDiscretizer,
    *(
        kind
        for kind in (getattr(classifiers, name) for name in classifiers.__all__)
        if isinstance(kind, type) and issubclass(kind, classifiers.TabularClassifier) and not isabstract(kind)
    ),
)
# By their modules, which are imported when a file names one of the types: most models hold none of them.
_OF_SCIKIT_LEARN = {
    "sklearn.pipeline": "Pipeline FeatureUnion",
    # The last is what a column transformer keeps of the columns that no step names.
    "sklearn.compose._column_transformer": "ColumnTransformer make_column_selector _RemainderColsList",
    "sklearn.impute": "SimpleImputer MissingIndicator",
    "sklearn.preprocessing": (
        "OrdinalEncoder OneHotEncoder TargetEncoder LabelEncoder StandardScaler MinMaxScaler MaxAbsScaler "
        "RobustScaler Normalizer PowerTransformer QuantileTransformer KBinsDiscretizer Binarizer "
        "FunctionTransformer"
    ),
    "sklearn.feature_selection": (
        "SelectKBest SelectPercentile SelectFpr SelectFdr SelectFwe VarianceThreshold GenericUnivariateSelect"
    ),
}
# What stands in a file by its name alone: types of values, and functions of arrays.
_BUILTINS = {kind.__name__: kind for kind in (bool, int, float, str, object)}
_SCORE_FUNCTIONS = (
    "chi2 f_classif f_oneway f_regression mutual_info_classif mutual_info_regression r_regression"
)


class ForeignNameError(ValueError):
    """What is named here must not be in a model file."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"it holds {name}, but a model file may hold only estimators of skcredal, and pipelines, column "
            "transformers, encoders, imputers, scalers and selectors of scikit-learn, with ufuncs of numpy "
            "and scipy"
        )


def short_name(kind: type) -> str:
    """Return the package and name of a type: in which module it lies may differ between versions.

    Examples
    --------
    >>> short_name(MDLDiscretizer)
    'skcredal.MDLDiscretizer'
    """
    return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"


def find_type(name: str) -> type | None:
    """Return the type of this short name whose objects a file may hold, or ``None``."""
    for kind in ESTIMATORS:
        if name == short_name(kind):
            return kind
    package, _, own_name = name.partition(".")
    for module, names in _OF_SCIKIT_LEARN.items():
        if package == "sklearn" and own_name in names.split():
            return getattr(import_module(module), own_name, None)
    return None


def find_by_name(name: str) -> Any:
    """Return the type, ufunc or function that stands in a file by its name alone, or ``None``."""
    package, _, own_name = name.partition(".")
    if package == "builtins":
        return _BUILTINS.get(own_name)
    if package == "sklearn" and own_name in _SCORE_FUNCTIONS.split():
        return getattr(import_module("sklearn.feature_selection"), own_name)
    if package in ("numpy", "scipy"):
        one = getattr(import_module("numpy" if package == "numpy" else "scipy.special"), own_name, None)
        if isinstance(one, np.ufunc) or (isinstance(one, type) and issubclass(one, np.generic)):
            return one
    return None


def is_score_function(one: Any) -> bool:
    """Tell whether it is what SelectKBest and the like score columns by."""
    return any(find_by_name(f"sklearn.{name}") is one for name in _SCORE_FUNCTIONS.split())


def name_of(one: Any) -> str | None:
    """Return the name under which :func:`find_by_name` finds it, or ``None``."""
    if hasattr(one, "__name__"):
        for package in ("builtins", "numpy", "scipy", "sklearn"):
            if find_by_name(name := f"{package}.{one.__name__}") is one:
                return name
    return None


def check_one_hot(encoder: Any) -> None:
    """Refuse a one-hot encoder whose parts do not fit together.

    It is the one admitted type that hands numbers from the file to compiled code without a check: columns of
    a sparse matrix. Encoding every category once shows whether these columns exist, however its version
    stores them.
    """
    categories = [list(of_column) for of_column in encoder.categories_]
    n_rows = max(map(len, categories), default=0)
    table = np.empty((n_rows + 1, len(categories)), object)
    for j, of_column in enumerate(categories):
        table[:, j] = [of_column[r % len(of_column)] for r in range(n_rows + 1)]
        # Last a category that it does not know, if it accepts such.
        if encoder.handle_unknown != "error":
            table[-1, j] = "?" * 9 if isinstance(of_column[0], str) else -9e99
    sparse = type(encoder)()
    # The table has no names, and no DataFrame holds a sparse matrix.
    without = ("feature_names_in_", "_sklearn_output_config")
    state = {name: value for name, value in vars(encoder).items() if name not in without}
    sparse.__dict__ = {**state, "sparse_output": True}
    found = sparse.transform(table)
    if found.indices.max(initial=-1) >= found.shape[1] or found.indices.min(initial=0) < 0:
        raise ValueError("the columns of a OneHotEncoder do not fit its categories")
