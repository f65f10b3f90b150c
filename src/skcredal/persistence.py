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
from skcredal._encoding.regions import Regions
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.line import Line
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
# The counts of pairs, which stand beside the JSON.
PAIRS = ("n_cab", "n_cza")
# What a fitted estimator is made of.
PARTS = {
    kind.__name__: kind
    for kind in (NumericFeature, CategoricalFeature, Encoding, Counts, DecisionTree, View, Regions, Line)
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
        for name in PAIRS:
            pairs = getattr(getattr(estimator, "counts_", None), name, np.empty(0))
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
        _check_view(getattr(made, "_view", View()), made.n_features_in_, len(made.classes_))
        made.counts_ = _with_pairs(made, file)
        _check_scores(made, len(made._encoding.kept), len(made.classes_))
    made._derive()
    return made


def _with_pairs(made: Any, file: zipfile.ZipFile) -> Counts:
    """Return the counts with those of pairs, if all are those of the states, regions and classes."""
    counts: Counts = made.counts_
    n_classes, n_values = len(made.classes_), made._encoding.n_values
    trees = getattr(made, "_view", View()).trees
    n_leaves = [] if trees is None else trees.n_leaves.tolist()
    _need(counts.n_states.tolist() == made._encoding.n_states.tolist(), "n_states")
    _need(counts.n_leaves.tolist() == n_leaves, "n_leaves")
    _check_numbers("n_c", counts.n_c, (n_classes,))
    _check_numbers("n_ca", counts.n_ca, (n_classes, n_values))
    if n_leaves:
        _check_numbers("n_cz", counts.n_cz, (n_classes, sum(n_leaves)))
    if counts.n_cab or n_leaves:
        made._refuse_large_tables(made._encoding, sum(n_leaves))  # as in fit
    # Without any, they have the shapes of what was not counted.
    shapes = {"n_cab": (n_classes, n_values, n_values) if counts.n_cab else (n_classes, 0, 0)}
    shapes["n_cza"] = (n_classes, sum(n_leaves), n_values) if n_leaves else (0, 0, 0)
    found = {}
    for name, shape in shapes.items():
        content = _read(file, name, 8 * math.prod(shape)) if math.prod(shape) else b""
        found[name] = np.frombuffer(content, "<f8").reshape(shape)
        _check_numbers(name, found[name], shape)
    return replace(counts, **found)


def _check_view(view: View, n_columns: int, n_classes: int) -> None:
    """Refuse trees and a line that lead beyond the table, or nowhere."""
    trees, line = view.trees, view.line
    if trees is not None:
        n, m, inner = len(trees.feature), len(trees.columns), trees.feature >= 0
        _check_indices("a column of a tree", trees.columns, n_columns)
        _check_indices("a column of a tree", trees.feature[inner], m)
        _check_indices("a root", np.append(0, trees.roots), n)
        _need(trees.roots[0] == 0 and (np.diff(trees.roots) > 0).all(), "a root")
        # Children come after their parent, inside the same tree, so that every path ends.
        end = np.append(trees.roots, n)[np.searchsorted(trees.roots, np.arange(n), side="right")]
        for below in (trees.left, trees.right):
            _need(np.shape(below) == (n,) and (below[inner] > np.flatnonzero(inner)).all(), "a node")
            _check_indices("a node", below[inner], n)
            _need((below < end)[inner].all(), "a node")
        _check_numbers("a threshold", trees.threshold, (n,), -np.inf)
        _check_numbers("a column of a tree", trees.fills, (m,), -np.inf)
        for limit in (trees.low, trees.high):  # NaN for a category
            _check_numbers("a column of a tree", np.where(np.isnan(limit), 0.0, limit), (m,), -np.inf)
    if line is not None:
        d = len(line.column)
        _check_indices("a column of the line", line.column, n_columns)
        _check_numbers("the line", line.intercepts, (n_classes,), -np.inf)
        _check_numbers("the line", line.slopes, (n_classes, d), -np.inf)
        _check_numbers("the line", [line.mean, line.deviation], (2, d), -np.inf)
        _need((line.deviation > 0.0).all() and np.shape(line.state) == (d,), "the line")
        _need(len(line.values) == len(line.weights) == np.isnan(line.state).sum(), "a rank")
        for values, weights in zip(line.values, line.weights, strict=True):
            _check_numbers("a rank", [values, weights], (2, len(values)), -np.inf)
            _need(len(values) > 0 and (np.diff(values) > 0).all() and (weights > 0).all(), "a rank")


def _check_indices(name: str, indices: Any, n: int) -> None:
    is_list = np.ndim(indices) == 1 and indices.dtype.kind == "i"
    _need(is_list and (indices >= 0).all() and (indices < n).all(), name)


def _check_numbers(name: str, array: Any, shape: tuple[int, ...], low: float = 0.0) -> None:
    _need(np.shape(array) == shape and np.isfinite(array).all() and np.min(array, initial=0.0) >= low, name)


def _check_scores(made: Any, k: int, n_classes: int) -> None:
    """Refuse what else was learned from rows if it does not fit k features."""
    view = getattr(made, "_view", View())
    m = k + (view.trees is not None) + (view.line is not None)
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
