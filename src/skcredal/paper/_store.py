"""The results of an experiment on disk, fold by fold, so that nothing is computed twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import astuple, fields
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._validation import check_instance
from skcredal.evaluation._sums import SUM_NAMES, FoldSums

__all__ = ["ResultStore"]

# The columns follow FoldSums, so that a new sum cannot be forgotten here.
_COLUMNS = {field.name: "INTEGER" if field.type == "int" else "REAL" for field in fields(FoldSums)}
_TYPES = [int if kind == "INTEGER" else float for kind in _COLUMNS.values()]
# How many seconds to wait for another process that is writing.
_PATIENCE = 5.0
_WAY_OUT = "Move it away, or start over with --fresh."
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_OF_THE_DISK = (
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
)
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
    all. Several processes may use a store at once.

    Parameters
    ----------
    path : path-like
        The file; it is created if it does not exist. An empty file next to it tells processes about each
        other.
    fresh : bool
        Whether to forget all results, which is refused while another process uses them. A file that is
        not a store of results is replaced.

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

    def __init__(self, path: str | PathLike[str], *, fresh: bool = False) -> None:
        check_instance("path", path, (str, PathLike))
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()
        with ExitStack() as opened:
            self._use = opened.enter_context(closing(self._note_use(alone=fresh)))
            if fresh:
                self._forget()
                # Others may come again.
                self._use.rollback()
                _share(self._use)
            self._connection = opened.enter_context(closing(self._connect()))
            self._prepare()
            opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._use.close()

    def _connect(self) -> sqlite3.Connection:
        # joblib consumes the tasks, which read the store, in a thread of its own; the lock makes that safe.
        return sqlite3.connect(self.path, check_same_thread=False, timeout=_PATIENCE)

    def _note_use(self, *, alone: bool) -> sqlite3.Connection:
        """Let other processes know that the store is in use; the system takes it back if this one is killed.

        Not by a lock of the store itself, which would keep others from writing.
        """
        path = self.path.with_name(f".{self.path.name}.lock")
        use = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=_PATIENCE)
        try:
            if alone:
                use.execute("BEGIN EXCLUSIVE")
            else:
                _share(use)
        except sqlite3.Error as error:
            use.close()
            raise self._reason(error) from None
        return use

    def _forget(self) -> None:
        try:
            with closing(self._connect()) as connection, connection:
                connection.execute("DROP TABLE IF EXISTS folds")
                connection.execute("DROP TABLE IF EXISTS studies")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _code(error) in (*_IN_USE, *_OF_THE_DISK):
                raise self._reason(error) from None
            # With what is left of a transaction in it: in a new store, that would be nonsense.
            for unusable in (self.path, self.path.with_name(f"{self.path.name}-journal")):
                unusable.unlink(missing_ok=True)

    def _prepare(self) -> None:
        with self._transaction() as cursor:
            cursor.execute(_SCHEMA)
            cursor.execute(_STUDY_SCHEMA)
            there = [row[1] for row in cursor.execute("PRAGMA table_info(folds)")]
        if there[4:] != list(SUM_NAMES):
            # Their folds lack sums that cannot be computed from the others.
            raise ValueError(f"{self.path} holds results of another version of skcredal. {_WAY_OUT}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        try:
            with self._lock, self._connection, closing(self._connection.cursor()) as cursor:
                yield cursor
        # sqlite3 does not manage to say what is wrong with a table whose name is damaged.
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._reason(error) from None

    def _reason(self, error: Exception) -> Exception:
        """Return what went wrong with the file, and what to do about it."""
        if _code(error) in _IN_USE:
            return BlockingIOError(
                f"{self.path} is in use by another process. Wait until that has ended, or choose another "
                "folder with --out."
            )
        if _code(error) in _OF_THE_DISK:
            return OSError(f"{self.path} cannot be used: {error}.")
        if _code(error) == sqlite3.SQLITE_NOTADB:
            return ValueError(f"{self.path} is not a store of results ({error}). {_WAY_OUT}")
        return self._damaged(error)

    def _damaged(self, why: object) -> ValueError:
        return ValueError(f"{self.path} is damaged ({why}). {_WAY_OUT}")

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
            rows = cursor.fetchall()
        for _, _, *sums in rows:
            if [type(value) for value in sums] != _TYPES:
                raise self._damaged(f"sums of {classifier} are not numbers")
        return {(run, fold): FoldSums(*sums) for run, fold, *sums in rows}

    def read_study(self, plan: str) -> dict[tuple[int, int], dict[str, FloatArray]]:
        """Return the stored sums of each series of a study, in the order of runs and folds."""
        with self._transaction() as cursor:
            cursor.execute("SELECT run, fold, series FROM studies WHERE plan = ? ORDER BY run, fold", (plan,))
            rows = cursor.fetchall()
        try:
            return {
                (run, fold): {name: np.array(sums, float) for name, sums in json.loads(series).items()}
                for run, fold, series in rows
            }
        except (ValueError, TypeError, AttributeError) as error:
            raise self._damaged(error) from None


def _share(use: sqlite3.Connection) -> None:
    """Take a lock that many processes can hold at once, until the connection is closed."""
    use.execute("BEGIN")
    use.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _code(error: Exception) -> int:
    # The lower byte is the kind of error, the others tell more of it.
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF
