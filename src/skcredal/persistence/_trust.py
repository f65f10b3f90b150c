"""What a model file may hold: our estimators, and what of scikit-learn's pipelines numpy alone handles.

Compiled parts of scikit-learn (trees, support vectors, random states) take numbers from a file as places in
memory, and a function may do anything. So a file can name only what is listed here. A function that is listed
may end up in a ``FunctionTransformer`` that meets the reader's data: none of them reads or writes a file,
imports, or evaluates text.
"""

from __future__ import annotations

from inspect import isabstract, isfunction
from typing import Any

import numpy as np
from scipy import special
from sklearn import compose, feature_selection, impute, pipeline, preprocessing
from sklearn.compose import _column_transformer
from sklearn.preprocessing import OneHotEncoder

from skcredal import classifiers
from skcredal._encoding.discretizer import MDLDiscretizer

__all__ = [
    "ESTIMATORS",
    "FUNCTIONS",
    "NAMED",
    "OBJECTS",
    "ForeignNameError",
    "check_one_hot",
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

_OF_SCIKIT_LEARN: tuple[type, ...] = (
    *(pipeline.Pipeline, pipeline.FeatureUnion),
    *(compose.ColumnTransformer, compose.make_column_selector),
    *(impute.SimpleImputer, impute.MissingIndicator),
    *(preprocessing.OrdinalEncoder, OneHotEncoder, preprocessing.TargetEncoder, preprocessing.LabelEncoder),
    *(preprocessing.StandardScaler, preprocessing.MinMaxScaler, preprocessing.MaxAbsScaler),
    *(preprocessing.RobustScaler, preprocessing.Normalizer, preprocessing.PowerTransformer),
    *(preprocessing.QuantileTransformer, preprocessing.KBinsDiscretizer, preprocessing.Binarizer),
    preprocessing.FunctionTransformer,
    *(feature_selection.SelectKBest, feature_selection.SelectPercentile, feature_selection.SelectFpr),
    *(feature_selection.SelectFdr, feature_selection.SelectFwe, feature_selection.VarianceThreshold),
    feature_selection.GenericUnivariateSelect,
    # What a column transformer keeps of the columns that nobody names.
    *filter(None, [getattr(_column_transformer, "_RemainderColsList", None)]),
)


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


OBJECTS: dict[str, type] = {short_name(kind): kind for kind in (*ESTIMATORS, *_OF_SCIKIT_LEARN)}
# What tells columns apart in SelectKBest and the like: functions of arrays alone.
FUNCTIONS: tuple[Any, ...] = tuple(
    one for name in feature_selection.__all__ if isfunction(one := getattr(feature_selection, name))
)


def _is_harmless(one: Any) -> bool:
    return isinstance(one, np.ufunc) or (isinstance(one, type) and issubclass(one, np.generic))


# Everything that stands in a file by its name alone: types, ufuncs and these functions.
NAMED: dict[str, Any] = {
    f"{package}.{one.__name__}": one
    for package, found in (
        ("builtins", (bool, int, float, str, object)),
        ("sklearn", FUNCTIONS),
        ("scipy", filter(_is_harmless, vars(special).values())),
        ("numpy", filter(_is_harmless, vars(np).values())),
    )
    for one in found
}


def check_one_hot(encoder: OneHotEncoder) -> None:
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
    sparse = OneHotEncoder()
    sparse.__dict__ = {**vars(encoder), "sparse_output": True}
    vars(sparse).pop("feature_names_in_", None)  # the table has none
    found = sparse.transform(table)
    if found.indices.max(initial=-1) >= found.shape[1] or found.indices.min(initial=0) < 0:
        raise ValueError("the columns of a OneHotEncoder do not fit its categories")
