"""Learning from batches of rows that need not fit in memory together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import validate_data

from skcredal._encoding.frames import read_table
from skcredal._encoding.statistics import EncodingStatistics
from skcredal._progress import ProgressChoice, report_progress
from skcredal._threads import thread_count
from skcredal.classifiers._base import TabularClassifier, fit_rows
from skcredal.classifiers._rows import LabelledRows, TrainingRows
from skcredal.scale._parquet import ParquetScan
from skcredal.scale._passes import (
    CHANGED,
    BatchEncoder,
    BatchReader,
    Edges,
    RowSource,
    check_learner,
    summed_rows,
)

__all__ = ["fit_batches"]

Classifier = TypeVar("Classifier", bound=TabularClassifier)
Value = TypeVar("Value")


def fit_batches(
    estimator: Classifier,
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    progress: ProgressChoice = False,
) -> Classifier:
    """Fit a classifier to rows that come in batches, of which only one is in memory at a time.

    There is one pass over the rows for the encoding and the cuts, one for the counts, and one more if the
    weights of the models depend on the rows themselves: on their likelihoods, or for ``LogPoolAODE`` and
    ``CredalLogPoolAODE`` on some of them. The model is that of ``fit`` on all rows, whatever the size and
    order of the batches: the same states, cuts and counts, and the same likelihoods to 1e-12.

    Parameters
    ----------
    estimator : TabularClassifier
        The classifier, which is fitted in place; any but ``MaplmgAODE``, ``CompressionNB``
        and ``CredalTree``.
    batches : iterable, or function that returns one
        Pairs ``(X, y)`` or triples ``(X, y, sample_weight)``, as for ``fit``. It is iterated again in every
        pass and must yield the same rows: a list, a :func:`scan_parquet`, or a function that returns a
        generator, but not a generator, which is exhausted after one pass.
    progress : bool or function, default=False
        Whether to show a progress bar with rows per second on stderr (plain lines without rich); or a
        function that is called with a :class:`~skcredal.scale.Progress` after every batch.

    Returns
    -------
    estimator : TabularClassifier
        The same classifier, fitted. If fitting fails, it stays as it was.

    See Also
    --------
    scan_parquet : Batches from Parquet files.
    fit_dask : The same over the partitions of a Dask collection.

    Notes
    -----
    Besides a batch and the model's tables, memory holds for every numeric feature how often each of its
    values was seen with each class. This is exact for up to 65,536 distinct values. A feature with more is
    first binned, in another pass, into 65,536 bins with about the same number of rows, and cuts lie between
    the bins. The bins depend on the values alone, so that the model still does not depend on the batches, but
    it may differ from that of ``fit``: on simulated data, the accuracy on other rows changed by at most
    0.0007. The user guide has a table of how far the cuts move.

    With real weights, the counts are equal up to rounding.

    ``LogPoolAODE`` and ``CredalLogPoolAODE`` choose the rows that their weights are learned from by number,
    where there are more than ``max_rows``: rows in another order are another choice. The codes of these rows
    are in memory.

    If the batches declare different states for a column (categories, Arrow dictionaries), it has all of them,
    in the order in which they come.

    Examples
    --------
    >>> from skcredal import AODE
    >>> from skcredal.scale import fit_batches
    >>> batches = [([["red"], ["red"]], ["apple", "apple"]), ([["yellow"]], ["banana"])]
    >>> clf = fit_batches(AODE(), batches)
    >>> clf.predict([["yellow"], ["red"]])
    array(['banana', 'apple'], dtype='<U6')
    """
    check_learner(estimator)
    source = BatchSource(batches, estimator, progress)
    return fit_rows(estimator, lambda learner: summed_rows(learner, source))


class BatchSource(RowSource):
    """Batches that are summed one after the other."""

    def __init__(self, batches: Any, estimator: TabularClassifier, progress: ProgressChoice) -> None:
        self.given = batches
        self.batches = restartable(batches)
        self.n_threads = thread_count(estimator.n_jobs)
        self.progress = progress
        # A scan knows its number of rows; otherwise it is known after the first pass.
        self.total: int | None = getattr(batches, "n_rows", None)
        self.last: Iterator[Any] | None = None

    def describe(self, estimator: TabularClassifier) -> BatchReader:
        """Tell the estimator its features, from the first batch that has rows."""
        for X, _, _ in self._triples():
            table = read_table(X, estimator=estimator)
            validate_data(estimator, table.data, reset=True, skip_check_array=True)
            return BatchReader(estimator)
        raise ValueError("batches must yield at least one row, got none.")

    def encoding_statistics(self, reader: BatchReader, edges: Edges | None = None) -> EncodingStatistics:
        """Return the sum of the first pass, or of one that counts the bins of some columns."""

        def work(batch: LabelledRows) -> EncodingStatistics:
            return reader.encoding_statistics(batch, edges, n_threads=self.n_threads)

        total: EncodingStatistics = self._sum("encoding" if edges is None else "bins", work, reader)
        return total

    def sum(self, stage: str, work: Callable[[TrainingRows], Value], encoder: BatchEncoder) -> Value:
        """Return the sum over all batches."""
        first_row = 0

        def work_on_codes(batch: LabelledRows) -> Value:
            nonlocal first_row
            rows = encoder.encode(batch, first_row, n_threads=self.n_threads)
            first_row += len(rows.labels)
            return work(rows)

        total: Value = self._sum(stage, work_on_codes, encoder.reader)
        return total

    def _sum(self, stage: str, work: Callable[[LabelledRows], Any], reader: BatchReader) -> Any:
        total, n_rows = None, 0
        with report_progress(self.progress, stage, self.total) as advance:
            for number, (X, y, weights) in enumerate(self._triples(), 1):
                with annotate_error(self.given, stage, number):
                    part = work(reader.read(X, y, weights))
                    total = part if total is None else total + part
                n_rows += n_rows_of(X)
                advance(n_rows_of(X))
        if total is None:
            raise ValueError(f"{CHANGED}, got none for the {stage}.")
        self.total = n_rows  # for the progress of the next passes
        return total

    def _triples(self) -> Iterator[tuple[Any, Any, Any]]:
        iterator = iter(self.batches())
        if iterator is self.last:
            # The function returns the same iterator again: this pass would miss the rows already taken.
            raise _spent(iterator, "Pass a function that makes a new one each time.")
        self.last = iterator
        for batch in iterator:
            is_tuple = isinstance(batch, (tuple, list))
            if not is_tuple or len(batch) not in (2, 3):
                got = f"{len(batch)} values" if is_tuple else type(batch).__name__
                remedy = " Pass target to scan_parquet." if isinstance(self.given, ParquetScan) else ""
                raise TypeError(f"batches must yield (X, y) or (X, y, sample_weight), got {got}.{remedy}")
            if n_rows_of(batch[0]) > 0:
                yield batch[0], batch[1], batch[2] if len(batch) == 3 else None


@contextmanager
def annotate_error(batches: Any, stage: str, number: int) -> Iterator[None]:
    """Add to an error in which batch it occurred."""
    try:
        yield
    except Exception as error:
        where = getattr(batches, "where", None)
        source = f", from {where}," if where else ""
        error.add_note(f"This happened in batch {number}{source} in the pass for the {stage}.")
        raise


def restartable(batches: Any) -> Callable[[], Iterable[Any]]:
    """Return a function that iterates the batches again; an error if that is possible only once."""
    if callable(batches) and not hasattr(batches, "__iter__"):
        make: Callable[[], Iterable[Any]] = batches
        return make
    refuse_path(batches)
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            f"batches must be iterable, or a function that returns an iterator, got {type(batches).__name__}."
        )
    if iter(batches) is batches:
        raise _spent(batches, "Pass the function that makes it.")
    return lambda: batches


def refuse_path(batches: Any) -> None:
    """Raise an error for a file name instead of rows."""
    if isinstance(batches, (str, os.PathLike)):
        raise TypeError(
            f"batches must be tables, got the path {str(batches)!r}; use scan_parquet to read batches from "
            "files."
        )


def _spent(iterator: Any, remedy: str) -> TypeError:
    return TypeError(
        f"batches must be iterable several times, got a {type(iterator).__name__}, which is exhausted after "
        f"one pass. {remedy}"
    )


def n_rows_of(X: Any) -> int:
    """Return the number of rows of a table."""
    # A scalar counts as one row here, so that reading it raises the error that says what is wrong.
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(np.atleast_1d(X) if np.isscalar(X) else X)
