"""Common classifiers of scikit-learn to compare with, on the same folds; none of them is tuned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from skcredal._extras import require
from skcredal._validation import check_choice

__all__ = ["BASELINES", "make_baseline"]

# Gradient boosting has at most 255 bins per feature, and needs one for missing and unknown categories.
_MOST_CATEGORIES = 250


def make_baseline(name: str, features: Any) -> Pipeline:
    """Return an unfitted classifier for the features that it will learn from.

    Every column that is not numeric holds categories; a missing category is a category of its own, and one
    that was not seen in training is none of those that were. Missing numbers become the median, but gradient
    boosting reads them as they are. A numeric column without a known value is left out.
    """
    make = BASELINES[check_choice("name", name, tuple(BASELINES))]
    types = require("pandas.api.types", extra="cli", purpose="A table of mixed columns")
    numbers, categories = [], []
    for index, kind in enumerate(features.dtypes):
        if not types.is_numeric_dtype(kind) or types.is_bool_dtype(kind):
            categories.append(index)
        # Gradient boosting cannot make bins of nothing.
        elif features.iloc[:, index].notna().any():
            numbers.append(index)
    return make(numbers, categories)


def _random_forest(numbers: list[int], categories: list[int]) -> Pipeline:
    forest = _SmoothedForest(n_estimators=500, random_state=0)
    return make_pipeline(_columns(numbers, categories, _imputer(), _one_hot()), forest)


class _SmoothedForest(RandomForestClassifier):  # type: ignore[misc]
    """A random forest whose probabilities are (T·p + 1)/(T + l), as if every class had one more tree.

    By itself it gives a class that no tree votes for the probability 0, and a single such row would decide
    the log-loss.
    """

    def predict_proba(self, X: Any) -> Any:
        proba, n_trees = super().predict_proba(X), self.n_estimators
        return (n_trees * proba + 1.0) / (n_trees + proba.shape[1])


def _gradient_boosting(numbers: list[int], categories: list[int]) -> Pipeline:
    ordinal = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=_MOST_CATEGORIES
    )
    boosting = HistGradientBoostingClassifier(
        # The columns of categories come first; see _columns.
        categorical_features=list(range(len(categories))),
        # By default large tables would be treated in another way than small ones, and a rare class refused.
        early_stopping=False,
        random_state=0,
    )
    return make_pipeline(_columns(numbers, categories, "passthrough", ordinal), boosting)


def _logistic_regression(numbers: list[int], categories: list[int]) -> Pipeline:
    scaled = make_pipeline(_imputer(), StandardScaler())
    return make_pipeline(_columns(numbers, categories, scaled, _one_hot()), LogisticRegression(max_iter=2000))


def _columns(numbers: list[int], categories: list[int], of_numbers: Any, of_categories: BaseEstimator) -> Any:
    as_text = FunctionTransformer(_as_text)
    return ColumnTransformer(
        [
            ("categories", make_pipeline(as_text, of_categories), categories),
            ("numbers", of_numbers, numbers),
        ],
        # A forest would grow far slower on a sparse table.
        sparse_threshold=0.0,
    )


def _as_text(table: Any) -> Any:
    """Return the categories as text, since encoders refuse columns of texts and other values."""
    return table.astype(object).where(table.notna(), "missing").astype(str).to_numpy(dtype=object)


def _imputer() -> SimpleImputer:
    return SimpleImputer(strategy="median")


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


BASELINES: dict[str, Callable[[list[int], list[int]], Pipeline]] = {
    "random-forest": _random_forest,
    "gradient-boosting": _gradient_boosting,
    "logistic-regression": _logistic_regression,
}
