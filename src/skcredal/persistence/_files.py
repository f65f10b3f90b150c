"""Model files: a header with a checksum, and the estimator.

A file begins with three lines, which ``head -3`` shows: the format, the SHA-256 of all that follows, and a
header in JSON. After them comes the estimator: another line of JSON, and its arrays as numpy writes them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn import __version__ as sklearn_version
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import skcredal  # for its version, which is not yet there by the time this module is imported
from skcredal._files import check_destination, replacing
from skcredal._validation import check_instance, check_path, naming
from skcredal.persistence._plain import pack, unpack
from skcredal.persistence._trust import ForeignNameError, short_name

__all__ = ["FORMAT", "load", "read_notes", "save"]

# Raised with every change that older versions could not read.
FORMAT = 1
_FIRST_LINE = re.compile(rb"skcredal model, format ([1-9]\d{0,8})\n")


def save(estimator: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted estimator to a file, which :func:`load` reads without running code from it.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or transformer of this package, or a pipeline or column transformer that holds
        one, with encoders, imputers, scalers and selectors of scikit-learn.
    path : path-like
        The file. It is written under another name beside it and then renamed: whatever happens on the way,
        the path holds the old file or the new one.
    notes : mapping, optional
        What goes with the model but is not part of it, such as where it comes from: whatever JSON can hold.
        Anyone can read it, with :func:`skcredal.persistence.read_notes`.

    Raises
    ------
    TypeError
        If it is not an estimator, or holds anything that :func:`load` would refuse, such as your own
        function in a ``FunctionTransformer``; the message names it.

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
    check_path("path", path)
    notes = {} if notes is None else notes
    check_instance("notes", notes, Mapping)
    check_destination(path)  # before the work
    if not isinstance(estimator, BaseEstimator):
        given = f"the class {estimator.__name__}" if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(f"estimator must be a fitted estimator of skcredal or scikit-learn, got {given}.")
    check_is_fitted(estimator)
    header = {
        "class": short_name(type(estimator)),
        "skcredal": skcredal.__version__,
        "scikit-learn": sklearn_version,
        "notes": dict(notes),
    }
    with naming("notes"):
        line = json.dumps(header).encode() + b"\n"
    # The header is under the checksum, too: its class is compared with what the content turns out to be.
    body = line + _pack(estimator)
    checksum = hashlib.sha256(body).hexdigest()
    with replacing(path) as unfinished:
        unfinished.write_bytes(f"skcredal model, format {FORMAT}\n{checksum}\n".encode() + body)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator that :func:`save` has written; nothing in the file is run.

    The file names types and functions, and only harmless ones are accepted: our estimators, and
    pipelines, column transformers, encoders, imputers, scalers and selectors of scikit-learn. The parts of
    our estimators are checked to fit together before they are handed out. Nothing is compressed, so that a
    small file takes little memory. A file is read by every version that knows its format, the number in its
    first line.

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
        If it is not a model file, is damaged or was altered, was written by a newer version, or names
        anything but the above. The message names the file and the reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import skcredal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "notes.txt").write_text("eggs, milk")
    ...     skcredal.load(Path(folder) / "notes.txt")
    Traceback (most recent call last):
    ValueError: ...notes.txt cannot be loaded: it is not a model file of skcredal.
    """
    with _naming_file(path):
        header, content = _read(path)
        try:
            estimator = unpack(content)
        except ForeignNameError:
            raise
        except Exception as error:
            raise ValueError(f"its content does not fit together ({_reason(error)})") from error
        if not isinstance(estimator, BaseEstimator) or short_name(type(estimator)) != header["class"]:
            raise ValueError(f"its header declares {header['class']}, but it contains something else")
    return estimator


def read_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the notes of a model file, without reading the model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        The notes that :func:`save` was given, empty if it was given none. Whoever wrote the file may have
        written anything here: check them before use.

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
    with _naming_file(path):
        notes: dict[str, Any] = _read(path)[0]["notes"]
    return notes


@contextmanager
def _naming_file(path: Any) -> Iterator[None]:
    check_path("path", path)
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} cannot be loaded: {error}.") from error.__cause__


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], bytes]:
    """Return the header and the content of a file that is whole and of a version that can be read."""
    data = Path(path).read_bytes()
    first = _FIRST_LINE.match(data)
    if first is None:
        raise ValueError("it is not a model file of skcredal")
    if int(first[1]) > FORMAT:
        raise ValueError(
            f"it has the format {int(first[1])}, of a newer version of skcredal than {skcredal.__version__}, "
            f'which reads up to {FORMAT}. "pip install --upgrade skcredal" brings one that reads it'
        )
    checksum, _, body = data[first.end() :].partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise ValueError("its checksum is wrong: it was truncated, damaged or altered")
    line, _, content = body.partition(b"\n")
    try:
        header = json.loads(line)
        for name, kind in (("class", str), ("skcredal", str), ("notes", dict)):
            check_instance(name, header[name], kind)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise ValueError(f"its header is damaged ({_reason(error)})") from None
    return header, content


def _pack(estimator: Any) -> bytes:
    name = type(estimator).__name__
    try:
        return pack(estimator)
    except ForeignNameError as error:
        # A search holds scorers and splitters, which the estimator that it found does not need.
        advice = "Save its best_estimator_, or keep" if hasattr(estimator, "best_estimator_") else "Keep"
        raise TypeError(
            f"{name} cannot be kept in a model file: {error}. {advice} it with pickle or joblib, at your own "
            "risk: their files run code when they are read."
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"{name} cannot be kept in a model file: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """Return an error in one line."""
    text = " ".join(str(error).split()).removesuffix(".") or type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."
