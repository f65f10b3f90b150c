"""Models on disk, read without running code from the file. It may import ``classifiers`` and below.

A model file is a zip archive: ``about.json`` with the format and the notes, ``model.json`` with the class,
its parameters, the encoding, the counts and the scores; and, next to it, the counts of pairs. Anything else
is derived when the model is loaded, by the ``_derive`` that ``fit`` ends with.

Anyone may have written a file. So the JSON is not compressed; the size of each array of pairs follows from
the encoding and the classes, and is compared before the array is read; and what would lead beyond a table, or
round in circles, is refused.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import skcredal
from skcredal._encoding.discretizer import MDLDiscretizer
from skcredal._encoding.encoding import Encoding
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.regions import Regions
from skcredal._ensemble.counts import SUMS, Counts
from skcredal._ensemble.line import Line
from skcredal._ensemble.tree import DecisionTree
from skcredal._files import replacing
from skcredal._validation import naming, safe_repr
from skcredal.classifiers._base import TabularClassifier

__all__ = ["load", "read_notes", "save"]

# Raised with every change that older versions could not read; 1 was that of version 0.1.0.dev0.
FORMAT = 5
_CLASSES = [getattr(skcredal, name) for name in skcredal.__all__ if name[0].isupper()]
ESTIMATORS = {kind.__name__: kind for kind in _CLASSES if hasattr(kind, "fit")}
# What a fitted estimator is made of.
_KINDS = (NumericFeature, CategoricalFeature, Encoding, Counts, DecisionTree, Regions, Line)
PARTS = {kind.__name__: kind for kind in _KINDS}


def save(estimator: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted estimator to a file, which :func:`load` reads without running code from it.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier of this package, or an :class:`~skcredal.MDLDiscretizer`. For pipelines and other
        estimators, use pickle, joblib or skops.
    path : path-like
        The file. It is written under another name in the same folder and then renamed: if anything fails on
        the way, the old file is intact.
    notes : mapping, optional
        Metadata to store with the model, such as where it comes from: anything that JSON can represent. You
        can read it with :func:`skcredal.persistence.read_notes`.

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
    if type(estimator) not in ESTIMATORS.values():
        others = "use pickle, joblib or skops to keep pipelines and other estimators"
        raise TypeError(f"estimator must be one of skcredal's own, got {safe_repr(estimator)}; {others}.")
    check_is_fitted(estimator)
    with naming("notes"):
        about = json.dumps({"format": FORMAT, "version": skcredal.__version__, "notes": dict(notes or {})})
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as file:
        for name, text in (("about.json", about), ("model.json", _model_json(estimator))):
            file.writestr(zipfile.ZipInfo(name), text)  # with no date, equal models are equal files
        for name in ("n_cab", "n_cza"):
            pairs = getattr(getattr(estimator, "counts_", None), name, np.empty(0))
            if pairs.size:
                content = pairs.astype("<f8").tobytes()
                file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def load(path: str | os.PathLike[str]) -> TabularClassifier | MDLDiscretizer:
    """Read an estimator that :func:`save` has written; no code in the file is run.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator : TabularClassifier or MDLDiscretizer
        The fitted estimator; it gives the same answers as the one that was saved.

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
    ValueError: ...notes.txt cannot be loaded: File is not a zip file.
    """
    loaded: TabularClassifier | MDLDiscretizer = _open(path, lambda _, file: _unpack(file))
    return loaded


def read_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the notes of a model file, without reading the model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        The notes that were passed to :func:`save`, empty if there are none. Anyone may have changed them:
        check them before use.

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
    return dict(_open(path, lambda about, _: about["notes"]))


def _learned_names(estimator: Any) -> list[str]:
    """Return what a file contains of a fitted estimator besides its parameters."""
    own = ["classes_", "_from_batches", "_encoding", "counts_", "_features"]
    return ["n_features_in_", "feature_names_in_", *own, *getattr(estimator, "_scores", ())]


def _model_json(estimator: Any) -> str:
    """Return the JSON of a fitted estimator; an error names what it cannot contain."""
    state, parameters = vars(estimator), estimator.get_params(deep=False)
    named = dict(parameters)
    if not isinstance(estimator, MDLDiscretizer):
        # Parameters may have been set after the fit: what load would refuse is not written.
        estimator._check_parameters()
        names = state.get("feature_names_in_", range(estimator.n_features_in_))
        columns = zip(names, estimator._encoding.features, strict=True)
        named |= {f"column {name!r}": feature for name, feature in columns}
    for where, value in named.items():  # for an error that names what is to blame
        with naming(where):
            json.dumps(value, default=_as_json)
    learned = {name: state[name] for name in _learned_names(estimator) if name in state}
    model = {"class": type(estimator).__name__, "parameters": parameters, "learned": learned}
    return json.dumps(model, default=_as_json)


def _as_json(value: Any) -> Any:
    """Return what JSON does not know as an object with its type as the only key."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim == 3:  # pairs stand beside the JSON
        return bool(value.size)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufUO":
        return {"array": [value.dtype.str, value.shape, value.ravel().tolist()]}
    if isinstance(value, CategoricalFeature) and tuple in map(type, value.values):
        value = value.values  # states that would come back as lists
    elif type(value) in PARTS.values():
        return {type(value).__name__: {one.name: getattr(value, one.name) for one in fields(value)}}
    raise TypeError(f"a model file contains text, numbers, booleans and lists, not {safe_repr(value)}")


def _from_json(node: dict[str, Any]) -> Any:
    """Return what :func:`_as_json` was given; for pairs, whether there are any."""
    kind = next(iter(node), None)
    if len(node) == 1 and kind in PARTS:
        return PARTS[kind](**node[kind])
    if len(node) != 1 or kind != "array":
        return node
    dtype, shape, items = node["array"]
    _need(np.dtype(dtype).kind in "biufUO", "an array")
    # The width of text is that of the longest: a file could claim any other.
    return np.array(items, str if np.dtype(dtype).kind == "U" else dtype).reshape(shape)


def _open(path: Any, work: Callable[[dict[str, Any], zipfile.ZipFile], Any]) -> Any:
    """Return what the work makes of an open model file, and of what it is about."""
    with Path(path).open("rb") as opened:
        try:
            with zipfile.ZipFile(opened) as file:
                about = json.loads(_read(file, "about.json"))
                if about["format"] != FORMAT:
                    raise ValueError(f"version {about['version']} of skcredal wrote it, in another format")
                return work(about, file)
        except Exception as error:  # there is nothing that a forged file could not make fail
            reason = " ".join(str(error).split()).removesuffix(".") or type(error).__name__
            raise ValueError(f"{os.fspath(path)} cannot be loaded: {reason[:500]}.") from error


def _read(file: zipfile.ZipFile, name: str, size: int | None = None) -> bytes:
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


def _unpack(file: zipfile.ZipFile) -> Any:
    """Return the estimator that a file contains."""
    model = json.loads(_read(file, "model.json"), object_hook=_from_json)
    made: Any = ESTIMATORS[model["class"]](**model["parameters"])
    # Nothing else: an attribute would hide a method of its class.
    _need(model["learned"].keys() <= set(_learned_names(made)), "an attribute")
    vars(made).update(model["learned"])
    if not isinstance(made, MDLDiscretizer):
        made._check_parameters()
        _need(len(made._encoding.features) == made.n_features_in_, "the number of features")
        # Only the tables of these have a place for a state that may be any.
        _need(hasattr(made, "conservative_features") or not made._encoding.conservative.any(), "a feature")
        _check_scores(made, len(made._encoding.kept), len(made.classes_))
        made.counts_ = _with_pairs(made, file)
    made._derive()
    return made


def _with_pairs(made: Any, file: zipfile.ZipFile) -> Counts:
    """Return the counts with those of pairs, if all are those of the states, regions and classes."""
    n_classes, n_values, trees = len(made.classes_), made._encoding.n_values, getattr(made, "_trees", None)
    counts: Counts = made.counts_
    n_leaves = [] if trees is None else trees.n_leaves.tolist()
    fits = counts.n_states.tolist() == made._encoding.n_states.tolist()
    _need(fits and counts.n_leaves.tolist() == n_leaves, "the number of states")
    if counts.n_cab or n_leaves:
        made._refuse_large_tables(made._encoding, sum(n_leaves))  # as in fit
    # Without any, they have the shapes of what was not counted.
    shapes = {"n_cab": (n_classes, n_values, n_values) if counts.n_cab else (n_classes, 0, 0)}
    shapes["n_cza"] = (n_classes, sum(n_leaves), n_values) if n_leaves else (0, 0, 0)
    found = {}
    for name, shape in shapes.items():
        content = _read(file, name, 8 * math.prod(shape)) if math.prod(shape) else b""
        found[name] = np.frombuffer(content, "<f8").reshape(shape)
    counts = replace(counts, **found)
    _check(counts, n_c=(n_classes,), n_ca=(n_classes, n_values), n_cz=shapes["n_cza"][:2], **shapes)
    _need(all((getattr(counts, name) >= 0.0).all() for name in SUMS), "a count")
    return counts


def _check_scores(made: Any, k: int, n_classes: int) -> None:
    """Refuse what else was learned from rows if it does not fit k features."""
    trees, line = getattr(made, "_trees", None), getattr(made, "_line", None)
    m = k + (trees is not None) + (line is not None)
    shapes: dict[str, Any] = {"log_likelihood_": (k,), "missing_counts_": (k, n_classes)}
    shapes |= {"weights_": (m,), "null_weight_": (), "covariance_": (1 + m, 1 + m)}
    # With the others nothing is computed.
    _check(made, **{name: shapes[name] for name in shapes.keys() & set(made._scores)})
    if trees is not None:
        _check_trees(trees, made.n_features_in_)
    if line is not None:
        _check_line(line, made.n_features_in_, n_classes)
    if "tree_" in made._scores:
        tree, n = made.tree_, len(made.tree_.feature)
        _check(tree, counts=(n, n_classes), feature=(n,), parent=(n,), value=(n,))
        # Nodes come before those below them, so that every path ends.
        _need((tree.feature < k).all() and _lie_below(tree.parent[1:], np.arange(1, n)), "a node")


def _check_trees(trees: Regions, n_columns: int) -> None:
    """Refuse trees that lead beyond the table, or in circles."""
    n, m, roots = len(trees.feature), len(trees.columns), trees.roots
    _check(trees, "i", columns=(m,), roots=(len(roots),), feature=(n,), left=(n,), right=(n,))
    _check(trees, fills=(m,), low=(m,), high=(m,), threshold=(n,))
    _need(_lie_below(trees.columns, n_columns) and _lie_below(trees.feature + 1, m + 1), "a column")
    _need(roots[0] == 0 and (np.diff(roots) > 0).all() and roots[-1] < n, "a root")
    # Children come after their parent, so that every path ends; a leaf has none.
    nodes, inner = np.arange(n), trees.feature >= 0
    for below in (trees.left, trees.right):
        _need(np.where(inner, (nodes < below) & (below < n), below == -1).all(), "a node")


def _check_line(line: Line, n_columns: int, n_classes: int) -> None:
    """Refuse a line that does not fit the table."""
    d = len(line.column)
    _check(line, "i", column=(d,), state=(d,))
    _check(line, mean=(d,), deviation=(d,), slopes=(n_classes, d), intercepts=(n_classes,))
    _need(_lie_below(line.column, n_columns) and (line.deviation > 0.0).all(), "the line")
    _need(len(line.values) == (line.state < 0).sum(), "the line")
    for values, weights in zip(line.values, line.weights, strict=True):
        _need(values.shape == weights.shape == (max(len(weights), 1),), "a rank")
        _need(np.isfinite(values).all() and np.isfinite(weights).all(), "a rank")


def _check(part: Any, kinds: str = "iuf", /, **shapes: Any) -> None:
    """Refuse attributes that are anything but finite numbers of these shapes."""
    for name, shape in shapes.items():
        array = np.asarray(getattr(part, name))
        _need(array.shape == shape and array.dtype.kind in kinds and np.isfinite(array).all(), name)


def _lie_below(indices: Any, ends: Any) -> bool:
    return bool(((indices >= 0) & (indices < ends)).all())
