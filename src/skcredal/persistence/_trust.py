"""What a model file may hold: our estimators, and what of scikit-learn's pipelines numpy alone handles.

skops refuses what it does not know, but it trusts far more of scikit-learn than a stranger's file may hold:
compiled parts (trees, support vectors, random states) take numbers from the file as places in memory. So a
file is refused unless everything in it is listed here. A function that is listed may end up in a
``FunctionTransformer`` that meets the reader's data: none of them reads or writes a file, imports, or
evaluates text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from inspect import isabstract, isfunction
from typing import Any
from zipfile import ZipFile

import numpy as np
from sklearn import compose, feature_selection, impute, pipeline, preprocessing
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder

from skcredal import classifiers
from skcredal._encoding.discretizer import MDLDiscretizer

__all__ = ["ACCEPTED", "ESTIMATORS", "check_encoders", "foreign_names", "trusted_names"]

ACCEPTED = (
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
)
# What they keep besides arrays and each other.
_INSIDE_SCIKIT_LEARN = (
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)
# How skops may build what it finds: of plain values, of arrays, and of names; but not by calling something.
_PLAIN_LOADERS = {
    *("DictNode", "ListNode", "TupleNode", "SetNode", "SliceNode", "JsonNode", "BytesNode", "CachedNode"),
    *("NdArrayNode", "DTypeNode"),
}


@cache
def trusted_names() -> tuple[str, ...]:
    """Return the names, with their modules, of all types and functions that a file may name."""
    types = map(_full_name, (*ESTIMATORS, *_OF_SCIKIT_LEARN))
    return tuple(
        sorted(
            {
                *types,
                *_INSIDE_SCIKIT_LEARN,
                *_function_names(),
                "functools.partial",
                "numpy.dtype",
                "numpy.number",
            }
        )
    )


@cache
def _function_names() -> frozenset[str]:
    """Return what tells columns apart in SelectKBest and the like: functions of arrays alone."""
    of_columns = filter(isfunction, (getattr(feature_selection, name) for name in feature_selection.__all__))
    return frozenset(map(_full_name, of_columns))


def _full_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__name__}"


def foreign_names(io: Any, archive: ZipFile, content: bytes) -> list[str]:
    """Return what an archive of skops holds beyond what it may, before anything is made of it."""
    found = {name for name, loader in _nodes(archive) if not _is_admitted(name, loader)}
    # What nodes name in other ways, skops knows.
    return sorted(found | (set(io.get_untrusted_types(data=content)) - set(trusted_names())))


def _is_admitted(name: str, loader: str) -> bool:
    if loader in _PLAIN_LOADERS:
        return True
    if loader == "FunctionNode":
        # Ufuncs are left to skops, which lists them.
        return not name.startswith("sklearn.") or name in _function_names()
    if loader == "TypeNode":
        return name.startswith(("numpy.", "builtins."))
    # A function has no business here: skops would call it, with whatever the file holds.
    return (
        loader in ("ObjectNode", "PartialNode") and name in trusted_names() and name not in _function_names()
    )


def _nodes(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """Yield the name and the loader of every node."""
    waiting: list[Any] = [json.loads(archive.read("schema.json"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            waiting.extend(node.values())
            if "__loader__" in node:
                yield f"{node.get('__module__')}.{node.get('__class__')}", str(node["__loader__"])


def check_encoders(estimator: Any) -> None:
    """Refuse a one-hot encoder, anywhere inside, whose parts do not fit together.

    It is the one admitted type that hands numbers from the file to compiled code without a check: columns of
    a sparse matrix. What it makes of every category tells whether these exist, in whatever its version keeps
    them.
    """
    waiting, seen = [estimator], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, OneHotEncoder) and hasattr(one, "categories_"):
            _check_one_hot(one)
        if isinstance(one, BaseEstimator):
            waiting.extend(vars(one).values())
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)


def _check_one_hot(encoder: OneHotEncoder) -> None:
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
    sparse.__dict__ = {**vars(encoder), "sparse_output": True, "feature_names_in_": None}
    del sparse.feature_names_in_
    found = sparse.transform(table)
    if found.indices.max(initial=-1) >= found.shape[1] or found.indices.min(initial=0) < 0:
        raise ValueError("the columns of a OneHotEncoder do not fit its categories")
