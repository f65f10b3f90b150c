"""Models on disk, read without running code from the file. It may import ``classifiers`` and below.

A model file is a zip archive: ``model.json`` with the class, its parameters, the encoding, the counts, the
scores and the notes, and beside it the counts of pairs. What is not in it is derived when the model is
loaded, by the ``_derive`` that ``fit`` ends with.

Anyone may have written a file. So the JSON is not compressed; the size of each array of pairs follows from
the encoding and the classes, and is compared before the array is read; and what would lead beyond a table, or
round in circles, is refused.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from inspect import isabstract
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import skcredal  # for its version
from skcredal import classifiers
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.encoding import Encoding
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.regions import LineColumns, Regions
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.line import Line
from skcredal._ensemble.regions import RegionCounts
from skcredal._ensemble.tree import DecisionTree
from skcredal._files import replacing
from skcredal._validation import check_instance, naming, safe_repr
from skcredal.classifiers._experts import View

__all__ = ["load", "read_notes", "save"]

# Raised with every change that older versions could not read; 1 was that of version 0.1.0.dev0.
FORMAT = 3
ESTIMATORS = {
    kind.__name__: kind
    for kind in (MDLDiscretizer, *(getattr(classifiers, name) for name in classifiers.__all__))
    if hasattr(kind, "fit") and not isabstract(kind)
}
# What a fitted estimator is made of.
PARTS = {
    kind.__name__: kind
    for kind in (
        *(NumericFeature, CategoricalFeature, Encoding, Counts, DecisionTree),
        *(View, Regions, LineColumns, Line, RegionCounts),
    )
}


def save(estimator: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted estimator to a file, which :func:`load` reads without running code from it.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier of this package, or an :class:`~skcredal.MDLDiscretizer`. A pipeline or another
        estimator is for pickle, joblib or skops.
    path : path-like
        The file. It is written under another name beside it and then renamed: whatever happens on the way,
        the path holds the old file or the new one.
    notes : mapping, optional
        What goes with the model but is not part of it, such as where it comes from: anything that JSON can
        hold. Anyone can read it, with :func:`skcredal.persistence.read_notes`.

    Raises
    ------
    TypeError
        If it is not an estimator of this package, or if a parameter, a class or a state of a column is
        anything but text, a number or a boolean; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import skcredal
    >>> clf = skcredal.NaiveBayes().fit([["red"], ["red"], ["green"]], ["apple", "apple", "pear"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     skcredal.save(clf, Path(folder) / "fruit.skcredal")
    ...     skcredal.load(Path(folder) / "fruit.skcredal").predict([["green"]])
    array(['pear'], dtype='<U5')
    """
    check_instance("path", path, (str, os.PathLike))
    if type(estimator) not in ESTIMATORS.values():
        raise TypeError(
            "estimator must be a fitted classifier of skcredal or an MDLDiscretizer, got "
            f"{safe_repr(estimator)}; use pickle, joblib or skops to keep pipelines and other estimators."
        )
    check_is_fitted(estimator)
    packed = _pack(estimator)
    with naming("notes"):
        text = json.dumps({**packed, "notes": dict(notes or {})})
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as file:
        # With no date, equal models are equal files.
        file.writestr(zipfile.ZipInfo("model.json"), text)
        for name, pairs in _pairs(estimator).items():
            if pairs.size:
                content = pairs.astype("<f8").tobytes()
                file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator that :func:`save` has written; nothing in the file is run.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator : estimator
        The fitted estimator, with the answers of the one that was saved.

    Raises
    ------
    ValueError
        If it is not a model file, is damaged, was altered so that its parts do not fit together, has the
        format of another version, or if its pair tables would exceed the limit of
        :func:`skcredal.set_config`. The message names the file and the reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import skcredal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "notes.txt").write_text("eggs, milk")
    ...     skcredal.load(Path(folder) / "notes.txt")
    Traceback (most recent call last):
    ValueError: ...notes.txt cannot be loaded: it is not a model file of skcredal, or is damaged.
    """
    with _opened(path) as (header, file):
        return _unpack(header, file)


def read_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the notes of a model file, without reading the model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        The notes that :func:`save` was given, empty if it was given none. Anyone may have written anything
        here: check them before use.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import skcredal
    >>> clf = skcredal.NaiveBayes().fit([["red"], ["green"]], ["apple", "pear"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     skcredal.save(clf, Path(folder) / "fruit.skcredal", notes={"target": "fruit"})
    ...     read_notes(Path(folder) / "fruit.skcredal")
    {'target': 'fruit'}
    """
    with _opened(path) as (header, _):
        return dict(header["notes"])


def _learned_names(estimator: Any) -> list[str]:
    """Return what a file holds of a fitted estimator besides its parameters."""
    own = ["classes_", "_from_batches", "_encoding", "counts_", "_features"]
    return ["n_features_in_", "feature_names_in_", *own, *getattr(estimator, "_scores", ())]


def _pairs(estimator: Any) -> dict[str, Any]:
    """Return the counts of pairs: of two states, and of regions and states."""
    found = {"n_cab": estimator.counts_.n_cab} if hasattr(estimator, "counts_") else {}
    regions = getattr(estimator, "_region_counts", None)
    return found if regions is None else {**found, "n_cza": regions.n_cza}


def _pack(estimator: Any) -> dict[str, Any]:
    """Return what stands in the JSON, but for the notes."""
    state = vars(estimator)
    if not isinstance(estimator, MDLDiscretizer):
        # Parameters may have been set after the fit: what load would refuse is not written.
        estimator._check_parameters()
        names = state.get("feature_names_in_", range(estimator.n_features_in_))
        for name, feature in zip(names, estimator._encoding.features, strict=True):
            _plain(feature, f"column {name!r}")  # for an error that names the column
    return {
        "format": FORMAT,
        "version": skcredal.__version__,
        "class": type(estimator).__name__,
        "parameters": {name: _plain(one, name) for name, one in estimator.get_params(deep=False).items()},
        "learned": {name: _plain(state[name], name) for name in _learned_names(estimator) if name in state},
    }


def _plain(value: Any, where: str) -> Any:
    """Return a value as JSON holds it: what JSON does not know is an object with its type as the key."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_plain(one, where) for one in value]
    if kind in (tuple, dict):
        return {kind.__name__: _plain(list(value if kind is tuple else value.items()), where)}
    if kind is np.ndarray and value.dtype.kind in "biufUO":
        if value.ndim == 3:  # pairs stand beside the JSON
            return bool(value.size)
        return {"array": [value.dtype.str, list(value.shape), _plain(value.ravel().tolist(), where)]}
    if kind in PARTS.values():
        return {kind.__name__: {one.name: _plain(getattr(value, one.name), where) for one in fields(value)}}
    raise TypeError(
        f"A model file holds text, numbers, booleans and lists of them, got {safe_repr(value)} in {where}; "
        "use pickle or joblib to keep it."
    )


def _value(node: Any) -> Any:
    """Return what :func:`_plain` was given; for pairs, whether there are any."""
    if isinstance(node, list):
        return [_value(one) for one in node]
    if not isinstance(node, dict):
        return node
    ((kind, content),) = node.items()
    if kind in PARTS:
        return PARTS[kind](**{name: _value(one) for name, one in content.items()})
    if kind != "array":
        return {"tuple": tuple, "dict": dict}[kind](_value(content))
    dtype, shape, items = np.dtype(content[0]), content[1], _value(content[2])
    _need(dtype.kind in "biufUO", "an array")
    # The width of text is that of the longest: a file could claim any other.
    return np.array(items, str if dtype.kind == "U" else dtype).reshape(shape)


@contextmanager
def _opened(path: Any) -> Iterator[tuple[dict[str, Any], zipfile.ZipFile]]:
    """Open a model file, and read its JSON."""
    check_instance("path", path, (str, os.PathLike))
    with Path(path).open("rb") as opened:
        try:
            if not zipfile.is_zipfile(opened):
                raise ValueError("it is not a model file of skcredal, or is damaged")
            with zipfile.ZipFile(opened) as file:
                length = os.fstat(opened.fileno()).st_size
                _need(all(part.compress_size <= length for part in file.infolist()), "the size of a part")
                header = json.loads(_read(file, "model.json", None))
                if header["format"] != FORMAT:
                    raise ValueError(f"version {header['version']} of skcredal wrote it, in another format")
                yield header, file
        except Exception as error:  # there is nothing that a forged file could not make fail
            reason = " ".join(str(error).split()).removesuffix(".") or type(error).__name__
            raise ValueError(f"{os.fspath(path)} cannot be loaded: {reason[:500]}.") from error


def _read(file: zipfile.ZipFile, name: str, size: int | None) -> bytes:
    """Return a part of the file: not compressed, or of a size beyond which nothing is unpacked."""
    part = file.getinfo(name)
    kinds = [zipfile.ZIP_STORED] if size is None else [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]
    expected = part.compress_size if size is None else size
    _need(part.compress_type in kinds and part.file_size == expected, f"the size of {name}")
    with file.open(part) as content:
        return content.read(expected)


def _need(condition: Any, what: str) -> None:
    if not condition:
        raise ValueError(f"it is damaged, or was altered: {what} does not fit")


def _unpack(header: dict[str, Any], file: zipfile.ZipFile) -> Any:
    """Return the estimator that a file holds."""
    made: Any = ESTIMATORS[header["class"]](**{k: _value(node) for k, node in header["parameters"].items()})
    # Nothing else: an attribute would hide a method of its class.
    _need(header["learned"].keys() <= set(_learned_names(made)), "an attribute")
    vars(made).update({name: _value(node) for name, node in header["learned"].items()})
    if not isinstance(made, MDLDiscretizer):
        made._check_parameters()
        _need(len(made._encoding.features) == made.n_features_in_, "the number of features")
        # Only the tables of these have a place for a state that may be any.
        _need(hasattr(made, "conservative_features") or not made._encoding.conservative.any(), "a feature")
        _check_view(made)
        _take_pairs(made, file)
        _check_scores(made, len(made._encoding.kept), len(made.classes_))
    made._derive()
    return made


def _take_pairs(made: Any, file: zipfile.ZipFile) -> None:
    """Give the counts those of pairs, if all are those of the states, regions and classes."""
    counts, n_classes, n_values = made.counts_, len(made.classes_), made._encoding.n_values
    _need(np.array_equal(counts.n_states, made._encoding.n_states), "n_states")
    regions = getattr(made, "_region_counts", None)
    n_leaves = 0 if regions is None else int(made._view.trees.n_leaves.sum())
    if any(_pairs(made).values()):
        made._refuse_large_tables(made._encoding, n_leaves)  # as in fit

    def pairs(name: str, n_parents: int, *, are_there: bool) -> Any:
        shape = (n_classes, n_parents, n_values) if are_there else (n_classes, 0, 0)
        content = _read(file, name, 8 * math.prod(shape)) if are_there and math.prod(shape) else b""
        found = np.frombuffer(content, "<f8").reshape(shape)
        _check_numbers(name, found, shape)
        return found

    made.counts_ = replace(counts, n_cab=pairs("n_cab", n_values, are_there=counts.n_cab))
    _check_numbers("n_ca", counts.n_ca, (n_classes, n_values))
    _check_numbers("n_c", counts.n_c, (n_classes,))
    if regions is not None:
        made._region_counts = replace(regions, n_cza=pairs("n_cza", n_leaves, are_there=True))
        _need(np.array_equal(regions.n_leaves, made._view.trees.n_leaves), "n_leaves")
        _check_numbers("n_cz", regions.n_cz, (n_classes, n_leaves))


def _check_view(made: Any) -> None:
    """Refuse trees and a line that lead beyond the table, or nowhere."""
    view, n_columns, n_classes = getattr(made, "_view", View()), made.n_features_in_, len(made.classes_)
    _need((view.trees is None) == (getattr(made, "_region_counts", None) is None), "a tree")
    if (trees := view.trees) is not None:
        m, n, inner = len(trees.columns), len(trees.feature), trees.feature >= 0
        for name in ("fills", "low", "high"):
            _need(np.shape(getattr(trees, name)) == (m,), "a tree")
        _check_numbers("a tree", trees.fills, (m,), -np.inf)
        _check_numbers("a tree", trees.threshold, (n,), -np.inf)
        _need(_are_within(trees.columns, n_columns) and (trees.feature < m).all(), "a column of a tree")
        # Children come after their parent, inside the same tree, so that every path ends.
        ends = np.append(trees.roots, n)[1:]
        _need(trees.roots[0] == 0 and (np.diff(trees.roots) > 0).all() and trees.roots[-1] < n, "a root")
        for below in (trees.left, trees.right):
            _need(np.shape(below) == (n,), "a node")
            end = ends.repeat(ends - trees.roots)
            _need(((below > np.arange(n)) & (below < end))[inner].all(), "a node")
    _need((view.line is None) == (view.columns is None), "the line")
    if view.line is not None:
        columns, d = view.columns, len(view.columns.column)
        _need(_are_within(columns.column, n_columns), "a column of the line")
        _check_numbers("the line", view.line.intercepts, (n_classes,), -np.inf)
        _check_numbers("the line", view.line.slopes, (n_classes, d), -np.inf)
        _check_numbers("the line", columns.mean, (d,), -np.inf)
        _check_numbers("the line", columns.deviation, (d,))
        _need((columns.deviation > 0.0).all(), "the line")
        n_ranks = int(np.isnan(columns.state).sum())
        _need(np.shape(columns.state) == (d,) and len(columns.values) == len(columns.weights) == n_ranks, "a rank")
        for values, weights in zip(columns.values, columns.weights, strict=True):
            _need(len(values) > 0 and (np.diff(values) > 0).all(), "a rank")
            _check_numbers("a rank", values, (len(values),), -np.inf)
            _check_numbers("a rank", weights, (len(values),))


def _are_within(indices: Any, n: int) -> bool:
    return np.ndim(indices) == 1 and bool((indices >= 0).all() and (indices < n).all())


def _check_numbers(name: str, array: Any, shape: tuple[int, ...], low: float = 0.0) -> None:
    _need(np.shape(array) == shape and np.isfinite(array).all() and np.min(array, initial=0.0) >= low, name)


def _check_scores(made: Any, k: int, n_classes: int) -> None:
    """Refuse what else was learned from rows if it does not fit k features."""
    m = sum(made._sizes()) if hasattr(made, "_view") else k
    shapes = {"log_likelihood_": (k,), "weights_": (m,), "null_weight_": (), "covariance_": (1 + m, 1 + m)}
    shapes["missing_counts_"] = (k, n_classes)
    # With the others nothing is computed.
    for name in shapes.keys() & set(made._scores):
        _check_numbers(name, getattr(made, name), shapes[name], -np.inf)
    if "tree_" in made._scores:
        tree, above, n_states = made.tree_, made.tree_.parent[1:], np.diff(made.tree_.starts)
        _check_numbers("a node", tree.counts, (len(tree.feature), n_classes))
        _need((tree.feature < k).all() and np.array_equal(n_states, made._encoding.n_states), "a node")
        # Nodes come before those below them, so that every path ends.
        _need((above >= 0).all() and (above < np.arange(1, len(tree.feature))).all(), "the parent of a node")
