"""Learning from batches of rows that need not fit in memory together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.validation import _num_samples

from skcredal._progress import ProgressChoice, report_progress
from skcredal._validation import naming, safe_repr
from skcredal.classifiers._base import Classifier, TabularClassifier, fit_on
from skcredal.classifiers._rows import LabelledRows, read_rows
from skcredal.scale._rows import PassRows, check_learner

__all__ = ["BatchRows", "fit_batches", "reading"]


def fit_batches(
    estimator: Classifier,
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    progress: ProgressChoice = False,
) -> Classifier:
    """Fit a classifier to rows that come in batches, with only one batch in memory at a time.

    There is one pass over the rows for the encoding and the cuts, one for the counts, and one more if the
    weights of the models depend on likelihoods. In the first pass, ``LogPoolAODE`` and ``CredalLogPoolAODE``
    choose the rows from which they learn weights; the choice depends on the order of the rows. The model is
    the same as that of ``fit`` on all rows: it has the same states and cuts, and the same counts and
    likelihoods to 1e-12. It does not depend on the size of the batches or, except for these two classifiers,
    on their order.

    Parameters
    ----------
    estimator : TabularClassifier
        The classifier to fit, in place; any except ``MaplmgAODE``, ``CompressionNB`` and ``CredalTree``.
    batches : iterable, or function that returns one
        Pairs ``(X, y)`` or triples ``(X, y, sample_weight)``, as for ``fit``. It is iterated again in every
        pass and must yield the same rows: a list, a :func:`scan_parquet`, or a function that returns a
        generator, but not a generator, which is exhausted after one pass.
    progress : bool or function, default=False
        Whether to show a progress bar on stderr where tqdm is installed, and then the rows per second; or a
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
    Besides a batch and the model's tables, the counts of all values and classes of each numeric feature are
    in memory. They are exact for up to 65,536 distinct values. If a feature has more, values that differ only
    in their last binary digits are counted together until 65,536 remain, and cuts lie between these. This
    depends only on the values: the model still does not depend on the batches, but it may differ from that of
    ``fit``. The user guide has a table of how far the cuts move.

    If there are more than ``max_rows`` rows, ``LogPoolAODE`` and ``CredalLogPoolAODE`` choose by number the
    rows from which they learn weights: a different order of the rows gives a different choice. The codes of
    these rows are in memory.

    If the batches declare different states for a column (categories, Arrow dictionaries), the column has all
    of them, in the order in which they come.

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
        with reading(self.batches, stage, self.progress, self.total) as batches:
            for X, y, weights in batches:
                # The first batch tells the classifier its features.
                reset = not hasattr(self.classifier, "n_features_in_")
                rows = read_rows(self.classifier, X, y, weights, reset=reset)
                if len(rows.labels) > 0:
                    part = work(rows, first)
                    total = part if total is None else total + part
                first, n_rows = first + len(rows.labels), n_rows + _num_samples(X)
        if total is None:
            raise ValueError(
                f"batches must yield a row of positive weight in every pass, got none for the {stage}."
            )
        self.total = n_rows  # for the progress of the next passes
        return total


@contextmanager
def reading(
    batches: Any, stage: str, progress: ProgressChoice, total: int | None, *, learning: bool = True
) -> Iterator[Iterator[tuple[Any, Any, Any]]]:
    """Yield the tables, classes and weights of all batches with rows, and show how far they have been used.

    An error says in which batch it occurred. To learn there must be classes, and further passes.
    """
    found: Any = batches() if callable(batches) and not hasattr(batches, "__iter__") else batches
    is_iterable = hasattr(found, "__iter__") and not isinstance(found, (str, os.PathLike))
    if not is_iterable or (learning and found is batches and iter(found) is found):
        raise TypeError(
            "batches must be an iterable of tables (to learn, one that can be iterated again) or a function "
            f"that returns one, got {safe_repr(found)}; scan_parquet reads them from files."
        )
    number = 1

    def triples() -> Iterator[tuple[Any, Any, Any]]:
        nonlocal number
        for batch in found:
            X, y, weights = _triple(batch, learning=learning)
            with naming("X"):
                n_rows = _num_samples(X)
            if n_rows > 0:
                yield X, y, weights
                advance(n_rows)
            number += 1

    with report_progress(progress, stage, total) as advance:
        try:
            yield triples()
        except Exception as error:
            where = f", from {batches.where}," if hasattr(batches, "where") else ""
            error.add_note(f"This happened in batch {number}{where} in the pass for the {stage}.")
            raise


def _triple(batch: Any, *, learning: bool) -> tuple[Any, Any, Any]:
    if not learning and not isinstance(batch, tuple):
        return batch, None, None
    if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
        raise TypeError(
            f"batches must yield (X, y) or (X, y, sample_weight), got {type(batch).__name__}; for a "
            "scan_parquet, pass target."
        )
    return batch[0], batch[1], batch[2] if len(batch) == 3 else None
