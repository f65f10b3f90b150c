"""Data sets by name: embedded ones, those in a folder of ARFF files, and the paper's from OpenML."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._validation import check_instance, safe_repr
from skcredal.datasets._arff import read_arff
from skcredal.datasets._embedded import EMBEDDED, Table
from skcredal.datasets._openml import OPENML, load_openml

if TYPE_CHECKING:
    import pandas

__all__ = ["Dataset", "list_datasets", "load_dataset"]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table with a class for every row.

    Attributes
    ----------
    name : str
        The name under which it was loaded.
    features : pandas.DataFrame
        Numeric features as float64, nominal ones as categoricals with their whole declared domain.
    target : pandas.Series
        The classes, as a categorical with all declared classes.
    description : str
        What it is and where it comes from.

    Examples
    --------
    >>> data = load_dataset("balance_scale")
    >>> data.name, data.features.shape
    ('balance_scale', (625, 4))
    >>> data.target.cat.categories.to_list()
    ['L', 'B', 'R']
    """

    name: str
    features: pandas.DataFrame
    target: pandas.Series[str]
    description: str

    def checksum(self) -> str:
        """Return a SHA-256 of the table, the same on every machine.

        Returns
        -------
        str
            64 hexadecimal digits. They depend on the names, order and kinds of the columns, on the declared
            domains and on every cell, but not on the name of the data set or its description.

        Examples
        --------
        >>> data = load_dataset("iris")
        >>> renamed = Dataset("flowers", data.features, data.target, "The same table.")
        >>> data.checksum() == renamed.checksum()
        True
        >>> shuffled = Dataset("iris", data.features[::-1], data.target[::-1], data.description)
        >>> data.checksum() == shuffled.checksum()
        False
        """
        digest = hashlib.sha256()
        for column in (*(column for _, column in self.features.items()), self.target):
            for part in _canonical(column):
                # With the length of each part, two different tables cannot give the same bytes.
                digest.update(len(part).to_bytes(8, "little"))
                digest.update(part)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Source:
    """Where data sets come from: what errors call it, the names in it, and how one of them is loaded."""

    title: str
    names: list[str]
    load: Callable[[str], Table]


def list_datasets(source: str | os.PathLike[str] | None = "embedded") -> list[str]:
    """List the names of the data sets in a source.

    Parameters
    ----------
    source : str, path-like or None, default="embedded"
        ``"embedded"``, ``"openml"`` (the 39 data sets of the paper, from openml.org), or the path of a folder
        of ARFF files. None means the source named by the environment variable ``SKCREDAL_DATA`` or, if that
        is not set, ``"embedded"``. For a folder called ``embedded``, write ``"./embedded"``.

    Returns
    -------
    list of str
        The names in alphabetical order.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    TypeError
        If the source is not a string, a path or None.

    Examples
    --------
    >>> list_datasets()
    ['balance_scale', 'breast_cancer', 'digits', 'iris', 'led', 'monks1', 'monks2', 'monks3',
     'tic_tac_toe', 'waveform', 'wine']
    """
    return _resolve(source).names


def load_dataset(
    name: str,
    source: str | os.PathLike[str] | None = "embedded",
    *,
    data_home: str | os.PathLike[str] | None = None,
) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of the names that `list_datasets` returns; in a folder, the name of a file without ``.arff``.
    source : str, path-like or None, default="embedded"
        As in `list_datasets`. In an ARFF file the last attribute is the class and must be nominal.
    data_home : str, path-like or None, default=None
        The cache of ``"openml"``; other sources ignore it. None means scikit-learn's folder
        (`sklearn.datasets.get_data_home`), which can be set by the environment variable
        ``SCIKIT_LEARN_DATA``.

    Returns
    -------
    Dataset
        Its features, its classes and a description. An embedded data set is the same on every call.

    Raises
    ------
    ValueError
        If the source has no data set of that name, its file cannot be read, or OpenML returns a table that
        differs from the paper's.
    FileNotFoundError
        If there is no such folder.
    ConnectionError
        If the data set has to be downloaded and openml.org cannot be reached.
    TypeError
        If the source is not a string, a path or None.
    ImportError
        If pandas is not installed.

    Examples
    --------
    In the first of the monk's problems, half of the 432 cases are positive: those whose first two attributes
    agree (a third) and, of the others, those whose fifth is 1 (a quarter).

    >>> data = load_dataset("monks1")
    >>> data.features.shape
    (432, 6)
    >>> int((data.target == "1").sum())
    216
    """
    found = _resolve(source, data_home)
    if name not in found.names:
        listed = ", ".join(map(repr, found.names)) or "there are none"
        raise ValueError(
            f"name must be one of the data sets in {found.title} ({listed}), got {safe_repr(name)}."
        )
    return Dataset(name, *found.load(name))


def _canonical(column: pandas.Series[Any]) -> Iterator[bytes]:
    """Yield a column's name, kind, domain and cells as bytes that do not depend on the version of pandas."""
    yield str(column.name).encode()
    if column.dtype == "category":
        domain = [str(value).encode() for value in column.cat.categories]
        yield b"nominal"
        yield len(domain).to_bytes(8, "little")
        yield from domain
        # pandas stores codes in the smallest type that fits, which the checksum must not see.
        yield column.cat.codes.to_numpy().astype("<i8").tobytes()
    elif column.dtype.kind in "biuf":
        yield b"numeric"
        values = column.to_numpy().astype("<f8")
        # NaN has many bit patterns and zero has two (-0.0 + 0.0 is 0.0): the checksum must not see them.
        yield np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8").tobytes()
    else:
        yield b"string"
        for value, missing in zip(column, column.isna(), strict=True):
            yield b"?" if missing else b"=" + str(value).encode()


def _resolve(
    source: str | os.PathLike[str] | None, data_home: str | os.PathLike[str] | None = None
) -> _Source:
    if source is None:
        source = os.environ.get("SKCREDAL_DATA") or "embedded"
    if source == "embedded":
        return _Source("the source 'embedded'", sorted(EMBEDDED), lambda name: EMBEDDED[name]())
    if source == "openml":
        return _Source("the source 'openml'", sorted(OPENML), lambda name: load_openml(name, data_home))
    check_instance("source", source, (str, os.PathLike))
    folder = Path(source).expanduser()
    if not os.fspath(source) or not folder.is_dir():
        rule = "source must be 'embedded', 'openml' or a folder of ARFF files (None means SKCREDAL_DATA)"
        raise FileNotFoundError(f"{rule}, got {os.fspath(source)!r}.")
    files = {
        file.stem: file
        for file in folder.iterdir()
        # macOS leaves a file ._iris.arff next to iris.arff on foreign disks.
        if not file.name.startswith(".") and file.suffix.lower() == ".arff" and file.is_file()
    }
    return _Source(f"the folder {str(folder)!r}", sorted(files), lambda name: _read_file(files[name]))


def _read_file(file: Path) -> Table:
    table = read_arff(file)
    target = table.frame.iloc[:, -1]
    if target.dtype != "category":
        rule = "the last attribute is the class and must be nominal"
        raise ValueError(f"{file}, attribute {target.name!r}: {rule}, got dtype {target.dtype}.")
    description = f"The relation {table.relation!r}, read from the file {file.name}."
    return Table(table.frame.iloc[:, :-1], target, description)
