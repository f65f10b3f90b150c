"""The results of an experiment on disk, fold by fold, so that nothing is computed twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, fields
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._validation import check_path
from skcredal.evaluation._sums import SUM_NAMES, FoldSums

__all__ = ["ResultStore"]

# The columns follow FoldSums, so that a new sum cannot be forgotten here.
_COLUMNS = {field.name: "INTEGER" if field.type == "int" else "REAL" for field in fields(FoldSums)}
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS folds (
    plan TEXT NOT NULL,
    classifier TEXT NOT NULL,
    run INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    {", ".join(f"{name} {kind} NOT NULL" for name, kind in _COLUMNS.items())},
    PRIMARY KEY (plan, classifier, run, fold)
) WITHOUT ROWID
"""
_STUDY_SCHEMA = """
CREATE TABLE IF NOT EXISTS studies (
    plan TEXT NOT NULL,
    run INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    series TEXT NOT NULL,
    PRIMARY KEY (plan, run, fold)
) WITHOUT ROWID
"""


class ResultStore:
    """An SQLite file with a row for each plan, classifier or study, run and fold.

    The *plan* is a digest of everything that the results depend on: the data and their checksum, the
    protocol, the classifier's parameters and the version of the package. Results of other plans are kept, but
    not read. A fold is written in one transaction: if the process is killed, it is there completely or not at
    all.

    Parameters
    ----------
    path : path-like
        The file; it is created if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ResultStore(Path(folder.name) / "results.sqlite") as store:
    ...     store.write({("plan", "aode"): FoldSums(4, 3, 1.0, 1.5, 2.0)}, run=0, fold=1)
    ...     store.read("plan", "aode")[0, 1].correct
    3
    >>> folder.cleanup()
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        check_path("path", path)
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # joblib consumes the tasks, which read the store, in a thread of its own; the lock makes that safe.
        self._connection = sqlite3.connect(self.path, check_same_thread=False)
        self._lock = Lock()
        try:
            with self._transaction() as cursor:
                cursor.execute(_SCHEMA)
                cursor.execute(_STUDY_SCHEMA)
                there = [row[1] for row in cursor.execute("PRAGMA table_info(folds)")]
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise ValueError(
                f"{self.path} is not a store of results ({error}). Move it away, or start over with --fresh."
            ) from None
        if there[4:] != list(SUM_NAMES):
            self._connection.close()
            # Their folds lack sums that cannot be computed from the others.
            raise ValueError(
                f"{self.path} holds results of another version of skcredal. Move it away, or start over with "
                "--fresh."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with self._lock, self._connection, closing(self._connection.cursor()) as cursor:
            yield cursor

    def write(
        self,
        results: Mapping[tuple[str, str], FoldSums],
        studies: Mapping[str, Mapping[str, FloatArray]] | None = None,
        *,
        run: int,
        fold: int,
    ) -> None:
        """Store the results of a fold, all of them or none.

        Parameters
        ----------
        results : mapping
            The sums by plan and classifier.
        studies : mapping, optional
            The sums of each series of a study, by plan.
        run, fold : int
            Numbers of the run and of the fold, from 0.
        """
        rows = [(plan, name, run, fold, *astuple(sums)) for (plan, name), sums in results.items()]
        series = [
            (plan, run, fold, json.dumps({name: sums.tolist() for name, sums in of_plan.items()}))
            for plan, of_plan in (studies or {}).items()
        ]
        placeholders = ", ".join("?" * (4 + len(SUM_NAMES)))
        with self._transaction() as cursor:
            # Two processes may have run the same fold; the results are the same, and the later one wins.
            cursor.executemany(f"INSERT OR REPLACE INTO folds VALUES ({placeholders})", rows)
            cursor.executemany("INSERT OR REPLACE INTO studies VALUES (?, ?, ?, ?)", series)

    def read(self, plan: str, classifier: str) -> dict[tuple[int, int], FoldSums]:
        """Return the stored sums of a plan and classifier, in the order of runs and folds."""
        with self._transaction() as cursor:
            cursor.execute(
                f"SELECT run, fold, {', '.join(SUM_NAMES)} FROM folds WHERE plan = ? AND classifier = ? "
                "ORDER BY run, fold",
                (plan, classifier),
            )
            return {(run, fold): FoldSums(*sums) for run, fold, *sums in cursor.fetchall()}

    def read_study(self, plan: str) -> dict[tuple[int, int], dict[str, FloatArray]]:
        """Return the stored sums of each series of a study, in the order of runs and folds."""
        with self._transaction() as cursor:
            cursor.execute("SELECT run, fold, series FROM studies WHERE plan = ? ORDER BY run, fold", (plan,))
            return {
                (run, fold): {name: np.array(sums) for name, sums in json.loads(series).items()}
                for run, fold, series in cursor.fetchall()
            }
