"""What all classifiers share: reading tables, classes and weights, and scikit-learn's contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._arrays import AnyArray, CodeArray, CountArray, LabelArray
from skcredal._config import get_config
from skcredal._threads import thread_count
from skcredal._validation import check_choice, check_integer
from skcredal.data.columns import read_table
from skcredal.data.encoding import EncodingRules, TableEncoding, learn_encoding
from skcredal.data.target import encode_target, read_weights
from skcredal.ensemble.counts import is_complete, pair_table_bytes

__all__ = ["TabularClassifier", "TrainingRows"]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """The training table as codes (k, n), labels (n,) and weights (n,) or ``None``."""

    codes: CodeArray
    labels: LabelArray
    weights: CountArray | None


class TabularClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of tables with numeric and categorical columns and missing values, discretised inside.

    Subclasses take the parameters that are read here in their ``__init__``, call :meth:`_encode_training` in
    ``fit``, and :meth:`_encode` before they predict.
    """

    categorical_features: Any
    categories: Any
    missing: str
    handle_unknown: str
    max_categories: int | None
    n_jobs: int | None

    classes_: AnyArray
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

    def _encode_training(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Read the training table, learn its encoding and the classes, and return the rows that count."""
        rules = self._encoding_rules()
        n_threads = thread_count(self.n_jobs)
        table = read_table(X, estimator=self)
        validate_data(self, table.data, reset=True, skip_check_array=True)
        weights = read_weights(sample_weight, table.n_rows)
        classes, labels = encode_target(y, n_rows=table.n_rows, estimator=self)
        if weights is not None and not weights.all():
            # A row of weight 0 is absent: its values declare no state and its class may vanish with it.
            rows = weights > 0
            table, weights = table.select(rows), weights[rows]
            present, places = np.unique(labels[rows], return_inverse=True)
            classes, labels = classes[present], places.astype(np.int32)
        names = getattr(self, "feature_names_in_", None)
        self._encoding, codes = learn_encoding(
            table, labels, weights, len(classes), rules, names=names, n_threads=n_threads
        )
        self.classes_ = classes
        self.super_parents_ = self._labels_of(self._encoding)
        self._check_table_size(codes)
        return TrainingRows(codes, labels, weights)

    def _encode(self, X: Any) -> CodeArray:
        """Read a table to predict and return its codes (k, n)."""
        check_is_fitted(self)
        table = read_table(X, estimator=self)
        validate_data(self, table.data, reset=False, skip_check_array=True)
        return self._encoding.encode(table, n_threads=thread_count(self.n_jobs))

    def _encoding_rules(self) -> EncodingRules:
        check_choice("missing", self.missing, ("impute", "marginalize"))
        check_choice("handle_unknown", self.handle_unknown, ("ignore", "error"))
        if self.max_categories is not None:
            check_integer("max_categories", self.max_categories, low=2)
        return EncodingRules(
            self.categorical_features,
            self.categories,
            self.missing,
            self.handle_unknown,
            self.max_categories,
        )

    def _labels_of(self, encoding: TableEncoding) -> AnyArray:
        """Return the features kept: their names, or their indices where there are no names."""
        kept = np.array(encoding.kept, np.int64)
        names = getattr(self, "feature_names_in_", None)
        return kept if names is None else names[kept]

    def _check_table_size(self, codes: CodeArray) -> None:
        """Refuse pair tables beyond the limit before they are allocated."""
        n_states = self._encoding.n_states
        complete = is_complete(codes, n_states)
        needed = pair_table_bytes(n_states, len(self.classes_), complete=complete)
        limit = get_config()["pair_table_limit"]
        if needed <= limit:
            return
        most = np.argsort(-n_states, kind="stable")[:3]
        worst = ", ".join(f"{self.super_parents_[place]!s} ({n_states[place]} states)" for place in most)
        raise ValueError(
            f"The pair tables of {len(n_states)} features and {len(self.classes_)} classes would take "
            f"{needed / 1024**3:.2f} GiB, beyond the limit of {limit / 1024**3:.2f} GiB. The features with "
            f"most states are {worst}. Set max_categories to merge their rarest states, drop them, or raise "
            "the limit with skcredal.set_config(pair_table_limit=...)."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
