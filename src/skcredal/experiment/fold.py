"""One test fold: the table encoded once, all classifiers learned from the same rows, and what they said."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from skcredal._arrays import AnyArray, CodeArray, IntArray
from skcredal.classifiers.base import TabularClassifier, TrainingRows
from skcredal.classifiers.bayes import NullClassifier
from skcredal.classifiers.credal import CredalClassifier
from skcredal.data.encoding import TableEncoding
from skcredal.experiment.results import FoldSums, fold_sums

__all__ = ["EncodedTable", "encode_whole", "run_fold"]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """A table whose encoding was learned from all its rows, as the original experiments did."""

    encoding: TableEncoding
    codes: CodeArray


def encode_whole(features: Any, target: AnyArray) -> EncodedTable:
    """Learn medians, modes and cuts from the whole data set, test rows included (the setting ``"paper"``)."""
    reader = NullClassifier().fit(features, target)
    return EncodedTable(reader._encoding, reader._encode(features))


def run_fold(
    classifiers: Mapping[str, TabularClassifier],
    features: Any,
    target: AnyArray,
    train: IntArray,
    test: IntArray,
    whole: EncodedTable | None = None,
) -> dict[str, FoldSums]:
    """Learn all classifiers from the training rows and return what they did on the test rows.

    The table is encoded once, from the training rows or, where ``whole`` is given, as it says; counts, tables
    and likelihoods are computed once for all classifiers that need them. The seconds of each classifier
    include what it took from others, as if it had run alone.
    """
    start = time.perf_counter()
    reader = NullClassifier()
    if whole is None:
        rows = reader._encode_training(features.iloc[train], target[train], None)
        encoded = time.perf_counter()
        test_codes = reader._encode(features.iloc[test])
    else:
        reader.classes_, labels = np.unique(target[train], return_inverse=True)
        reader._encoding = whole.encoding
        rows = TrainingRows(np.ascontiguousarray(whole.codes[:, train]), labels.astype(np.int32), None)
        encoded = time.perf_counter()
        test_codes = np.ascontiguousarray(whole.codes[:, test])
    encode_seconds, encode_test_seconds = encoded - start, time.perf_counter() - encoded
    results = {}
    for name, classifier in classifiers.items():
        learner = clone(classifier)
        learner.classes_, learner._encoding = reader.classes_, reader._encoding
        start = time.perf_counter()
        learner._learn(rows)
        learned = time.perf_counter()
        y_proba = learner._proba_of_codes(test_codes)
        y_set = learner._sets_of_codes(test_codes) if isinstance(learner, CredalClassifier) else None
        results[name] = fold_sums(
            target[test],
            y_proba,
            y_set,
            learner.classes_,
            fit_seconds=encode_seconds + learned - start + rows.seconds_saved(),
            predict_seconds=encode_test_seconds + time.perf_counter() - learned,
        )
    return results
