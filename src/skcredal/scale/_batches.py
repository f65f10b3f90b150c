"""Learning from batches of rows that need not fit in memory together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from skcredal._progress import ProgressChoice, report_progress
from skcredal.classifiers._base import TabularClassifier, fit_on
from skcredal.classifiers._rows import LabelledRows, read_rows
from skcredal.scale._rows import PassRows, check_learner

__all__ = ["fit_batches"]

Classifier = TypeVar("Classifier", bound=TabularClassifier)


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
    order of the batches: the same states and cuts, and the same counts and likelihoods to 1e-12.

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
    values was seen with each class. This is exact for up to 65,536 distinct values. Of a feature with more,
    values that differ only in their last binary digits are counted together, until 65,536 remain, and cuts
    lie between them. This depends on the values alone, so that the model still does not depend on the
    batches, but it may differ from that of ``fit``. The user guide has a table of how far the cuts move.

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
    return fit_on(estimator, lambda learner: BatchRows(learner, batches, progress))


class BatchRows(PassRows):
    """Training rows that come in batches, which are summed one after the other."""

    def __init__(self, classifier: TabularClassifier, batches: Any, progress: ProgressChoice) -> None:
        self.batches, self.progress = batches, progress
        # A scan knows its number of rows; otherwise it is known after the first pass.
        self.total: int | None = getattr(batches, "n_rows", None)
        super().__init__(classifier)

    def _pass(self, stage: str, work: Callable[[LabelledRows, int], Any]) -> Any:
        total, n_rows, first = None, 0, 0
        with report_progress(self.progress, stage, self.total) as advance:
            for number, batch in enumerate(iterated(self.batches), 1):
                with annotate_error(self.batches, stage, number):
                    X, y, weights = _triple(batch)
                    if n_rows_of(X) == 0:
                        continue
                    # The first batch tells the classifier its features.
                    reset = not hasattr(self.classifier, "n_features_in_")
                    rows = read_rows(self.classifier, X, y, weights, reset=reset)
                    if len(rows.labels) > 0:
                        part = work(rows, first)
                        total = part if total is None else total + part
                first, n_rows = first + len(rows.labels), n_rows + n_rows_of(X)
                advance(n_rows_of(X))
        if total is None:
            raise ValueError(
                f"batches must yield a row of positive weight in every pass, got none for the {stage}."
            )
        self.total = n_rows  # for the progress of the next passes
        return total


def iterated(batches: Any, *, once: bool = False) -> Iterable[Any]:
    """Return an iterable of the batches; refuse what can be iterated only once, unless that is enough."""
    found: Iterable[Any] = batches() if callable(batches) and not hasattr(batches, "__iter__") else batches
    if isinstance(found, (str, os.PathLike)) or not hasattr(found, "__iter__"):
        raise TypeError(
            f"batches must be an iterable of tables, or a function that returns one, got {found!r}; "
            "scan_parquet reads them from files."
        )
    if not once and found is batches and iter(found) is found:
        raise TypeError(
            f"batches must be iterable several times, got a {type(found).__name__}; pass the function that "
            "makes it."
        )
    return found


def _triple(batch: Any) -> tuple[Any, Any, Any]:
    if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
        raise TypeError(
            f"batches must yield (X, y) or (X, y, sample_weight), got {type(batch).__name__}; for a "
            "scan_parquet, pass target."
        )
    return batch[0], batch[1], batch[2] if len(batch) == 3 else None


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


def n_rows_of(X: Any) -> int:
    """Return the number of rows of a table."""
    # A scalar counts as one row here, so that reading it raises the error that says what is wrong.
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(np.atleast_1d(X) if np.isscalar(X) else X)
