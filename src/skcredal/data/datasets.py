"""Data sets by name: embedded ones, and those of a folder of ARFF files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from skcredal.data._embedded import EMBEDDED
from skcredal.data.files import read_arff

if TYPE_CHECKING:
    import pandas

__all__ = ["Dataset", "list_datasets", "load_dataset"]

_FOLDER_VARIABLE = "SKCREDAL_DATA"


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table with a class for every row.

    Attributes
    ----------
    name : str
        The name it was loaded by.
    features : pandas.DataFrame
        Numeric features as float64, nominal ones as categoricals that declare their whole domain.
    target : pandas.Series
        The classes, a categorical that declares all of them.
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


class _Source(Protocol):
    """Where data sets come from: it knows their names and loads one of these names."""

    def names(self) -> list[str]: ...

    def load(self, name: str) -> Dataset: ...

    def __str__(self) -> str: ...


def list_datasets(source: str | os.PathLike[str] | None = "embedded") -> list[str]:
    """List the names of the data sets of a source.

    Parameters
    ----------
    source : str, path-like or None, default="embedded"
        ``"embedded"``, or the path of a folder of ARFF files. None is the folder that the environment
        variable ``SKCREDAL_DATA`` names and, where that is not set, ``"embedded"``. A folder that is called
        ``embedded`` is reached by ``"./embedded"``.

    Returns
    -------
    list of str
        The names in alphabetical order.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    TypeError
        If the source is neither text, a path nor None.

    Examples
    --------
    >>> list_datasets()
    ['balance_scale', 'breast_cancer', 'digits', 'iris', 'led', 'monks1', 'monks2', 'monks3',
     'tic_tac_toe', 'waveform', 'wine']
    """
    return _resolve(source).names()


def load_dataset(name: str, source: str | os.PathLike[str] | None = "embedded") -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of the names that `list_datasets` gives for the source: in a folder, a file without ``.arff``.
    source : str, path-like or None, default="embedded"
        As in `list_datasets`. In an ARFF file the last attribute is the class and must be nominal.

    Returns
    -------
    Dataset
        Its features, its classes and a description. An embedded set is the same at every call.

    Raises
    ------
    ValueError
        If the source has no data set of that name, or its file cannot be read as one.
    FileNotFoundError
        If there is no such folder.
    TypeError
        If the source is neither text, a path nor None.
    ImportError
        If pandas is not installed.

    Examples
    --------
    In the first of the monk's problems, half of the 432 cases are positive: those where the first two
    attributes agree (a third) and, of the others, those where the fifth is 1 (a quarter).

    >>> data = load_dataset("monks1")
    >>> data.features.shape
    (432, 6)
    >>> int((data.target == "1").sum())
    216
    """
    found = _resolve(source)
    names = found.names()
    if name not in names:
        listed = ", ".join(map(repr, names)) if names else "there are none"
        raise ValueError(f"name must be one of the data sets of {found} ({listed}), got {name!r}.")
    return found.load(name)


def _resolve(source: str | os.PathLike[str] | None) -> _Source:
    if source is None:
        folder = os.environ.get(_FOLDER_VARIABLE)
        return _Folder(folder, _FOLDER_VARIABLE) if folder else _Embedded()
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be {_named()}, the path of a folder or None, got {source!r}.")
    if isinstance(source, str) and source in _NAMED_SOURCES:
        return _NAMED_SOURCES[source]()
    return _Folder(source, "source")


class _Folder:
    """The ARFF files of a folder."""

    def __init__(self, path: str | os.PathLike[str], parameter: str) -> None:
        self._path = Path(path).expanduser()
        if not self._path.is_dir():
            choices = "the path of a folder of ARFF files"
            if parameter == "source":
                choices = f"{_named()} or {choices}"
            raise FileNotFoundError(f"{parameter} must be {choices}, got {os.fspath(path)!r}.")

    def __str__(self) -> str:
        return f"the folder {str(self._path)!r}"

    def _files(self) -> dict[str, Path]:
        # Names with a leading dot are the copies that some systems leave beside a file.
        files = (file for file in self._path.iterdir() if not file.name.startswith("."))
        return {file.stem: file for file in files if file.suffix.lower() == ".arff" and file.is_file()}

    def names(self) -> list[str]:
        return sorted(self._files())

    def load(self, name: str) -> Dataset:
        file = self._files()[name]
        table = read_arff(file)
        target = table.frame.iloc[:, -1]
        if target.dtype != "category":
            rule = "the last attribute is the class and must be nominal"
            raise ValueError(f"{file}, attribute {target.name!r}: {rule}, got dtype {target.dtype}.")
        description = f"The relation {table.relation!r}, read from the file {file.name}."
        return Dataset(name, table.frame.iloc[:, :-1], target, description)


class _Embedded:
    """The data sets that scikit-learn contains or a few lines define; no network, no files of ours."""

    def __str__(self) -> str:
        return "the source 'embedded'"

    def names(self) -> list[str]:
        return sorted(EMBEDDED)

    def load(self, name: str) -> Dataset:
        return Dataset(name, *EMBEDDED[name]())


_NAMED_SOURCES: dict[str, Callable[[], _Source]] = {"embedded": _Embedded}


def _named() -> str:
    return " or ".join(map(repr, _NAMED_SOURCES))
