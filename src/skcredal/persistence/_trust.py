"""What a model file may hold: our estimators, and what of scikit-learn's pipelines numpy alone handles.

Compiled parts of scikit-learn (trees, support vectors, random states) take numbers from a file as places in
memory, and a function may do anything. So a file can name only what is listed here. A function that is listed
may end up in a ``FunctionTransformer`` that meets the reader's data: none of them reads or writes a file,
imports, or evaluates text.
"""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract, isfunction
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

_ACCEPTED = (
    "a model file may hold only estimators of skcredal, and pipelines, column transformers, encoders, "
    "imputers, scalers and selectors of scikit-learn, with ufuncs of numpy and scipy"
)

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
    # The last is what a column transformer keeps of the columns that nobody names.
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
_BUILTINS = {kind.__name__: kind for kind in (bool, int, float, str, object)}


class ForeignNameError(ValueError):
    """What is named here must not be in a model file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"it holds {name}, but {_ACCEPTED}")


def short_name(kind: type) -> str:
    """Return the package and name of a type: in which module it lies may differ between versions.

    Examples
    --------
    >>> short_name(MDLDiscretizer)
    'skcredal.MDLDiscretizer'
    """
    return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"


_OURS = {short_name(kind): kind for kind in ESTIMATORS}


def find_type(name: str) -> type | None:
    """Return the type of this short name whose objects a file may hold, or ``None``."""
    if name in _OURS:
        return _OURS[name]
    package, _, own_name = name.partition(".")
    for module, names in _OF_SCIKIT_LEARN.items():
        if package == "sklearn" and own_name in names.split():
            return getattr(import_module(module), own_name, None)
    return None


def is_score_function(one: Any) -> bool:
    """Tell whether it is what tells columns apart in SelectKBest and the like: a function of arrays alone."""
    if not isfunction(one) or not one.__module__.startswith("sklearn.feature_selection."):
        return False
    module: Any = import_module("sklearn.feature_selection")
    return one.__name__ in module.__all__ and getattr(module, one.__name__) is one


def _is_harmless(one: Any) -> bool:
    return isinstance(one, np.ufunc) or (isinstance(one, type) and issubclass(one, np.generic))


def find_by_name(name: str) -> Any:
    """Return the type, ufunc or function that stands in a file by its name alone, or ``None``."""
    package, _, own_name = name.partition(".")
    if package == "builtins":
        return _BUILTINS.get(own_name)
    modules = {"numpy": "numpy", "scipy": "scipy.special", "sklearn": "sklearn.feature_selection"}
    if package not in modules:
        return None
    one = getattr(import_module(modules[package]), own_name, None)
    accepts = is_score_function if package == "sklearn" else _is_harmless
    return one if accepts(one) else None


def name_of(one: Any) -> str | None:
    """Return the name under which :func:`find_by_name` finds it, or ``None``."""
    if not (isinstance(one, (type, np.ufunc)) or isfunction(one)):
        return None
    for package in ("builtins", "numpy", "scipy", "sklearn"):
        name = f"{package}.{one.__name__}"
        if find_by_name(name) is one:
            return name
    return None


def check_one_hot(encoder: Any) -> None:
    """Refuse a one-hot encoder whose parts do not fit together.

    It is the one admitted type that hands numbers from the file to compiled code without a check: columns of
    a sparse matrix. What it makes of every category tells whether these exist, in whatever its version keeps
    them.
    """
    categories = [np.asarray(of_column) for of_column in encoder.categories_]
    n_rows = max((len(of_column) for of_column in categories), default=0)
    table = np.empty((n_rows + 1, len(categories)), object)
    for j, of_column in enumerate(categories):
        table[:-1, j] = [of_column[r % len(of_column)] for r in range(n_rows)]
        # A category that it does not know, where it takes one.
        takes_unknown = encoder.handle_unknown != "error"
        table[-1, j] = (
            ("?" * 9 if of_column.dtype.kind in "OUS" else -9e99) if takes_unknown else of_column[0]
        )
    sparse = type(encoder)()
    sparse.__dict__ = {**vars(encoder), "sparse_output": True}
    vars(sparse).pop("feature_names_in_", None)  # the table has none
    found = sparse.transform(table)
    if found.indices.max(initial=-1) >= found.shape[1] or found.indices.min(initial=0) < 0:
        raise ValueError("the columns of a OneHotEncoder do not fit its categories")
