"""Classifiers by the names used in the paper and on the command line, and scikit-learn's for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from skcredal._arrays import AnyArray, FloatArray
from skcredal._threads import one_blas_thread
from skcredal._validation import check_texts, safe_repr
from skcredal.classifiers._aode import AODE, BmaAODE, CompAODE, MaplmgAODE
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._bayes import TAN, CompressionNB, NaiveBayes, NullClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers._log_pool import CredalLogPoolAODE, LogPoolAODE
from skcredal.classifiers._naive_credal import CredalModelAveraging, NaiveCredal
from skcredal.classifiers._tree import CredalTree
from skcredal.evaluation._names import COMPARED

__all__ = ["BASELINES", "CLASSIFIERS", "MOST_ROWS", "Baseline", "display_name", "make_classifiers"]

# A baseline learns from no more rows: on hundreds of thousands, a forest would take most of the time.
MOST_ROWS = 50_000


class Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of scikit-learn for a table of mixed columns; it is not tuned.

    Every column that is not numeric contains categories. A missing category is a separate category, and a
    category that was not seen in training matches none of the others. Missing numbers become the median, but
    gradient boosting reads them as they are. A numeric column without a known value is left out. On a large
    table, it learns from a random sample of `MOST_ROWS` rows.
    """

    classes_: AnyArray

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from a DataFrame."""
        if len(X) > MOST_ROWS:
            some = np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False)
            X, y = X.iloc[some], np.asarray(y)[some]
        is_number = [dtype.kind in "iuf" for dtype in X.dtypes]
        # Gradient boosting cannot make bins of nothing.
        numbers = [j for j, is_one in enumerate(is_number) if is_one and X.iloc[:, j].notna().any()]
        categories = [j for j, is_one in enumerate(is_number) if not is_one]
        of_numbers, of_categories, classifier = self._steps(len(categories))
        columns = ColumnTransformer(
            [
                ("categories", make_pipeline(FunctionTransformer(_as_text), of_categories), categories),
                ("numbers", of_numbers, numbers),
            ],
            # A forest would grow far slower on a sparse table.
            sparse_threshold=0.0,
        )
        # Where training has a single class, logistic regression would refuse it.
        inner = make_pipeline(columns, classifier) if len(np.unique(y)) > 1 else DummyClassifier()
        # With more threads, last digits depend on the machine.
        with one_blas_thread():
            self.pipeline_ = inner.fit(X, y)
        self.classes_ = self.pipeline_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes."""
        with one_blas_thread():
            proba: FloatArray = self.pipeline_.predict_proba(X)
        return proba

    def _steps(self, n_categories: int) -> tuple[Any, Any, Any]:
        """Return what prepares numbers, what prepares categories, which come first, and the classifier."""
        raise NotImplementedError


class Forest(Baseline):
    """A random forest whose probabilities are (T·p + 1)/(T + l), as if every class had one more tree.

    By itself it gives a class that no tree votes for the probability 0, and a single such row would decide
    the log-loss.
    """

    def __init__(self, n_trees: int = 100, n_jobs: int | None = None) -> None:
        self.n_trees = n_trees
        self.n_jobs = n_jobs

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the smoothed probabilities."""
        proba = super().predict_proba(X)
        smoothed: FloatArray = (self.n_trees * proba + 1.0) / (self.n_trees + proba.shape[1])
        return smoothed

    def _steps(self, n_categories: int) -> tuple[Any, Any, Any]:
        forest = RandomForestClassifier(n_estimators=self.n_trees, random_state=0, n_jobs=self.n_jobs)
        return SimpleImputer(strategy="median"), _one_hot(), forest


class Boosting(Baseline):
    """Gradient boosting by histograms."""

    def _steps(self, n_categories: int) -> tuple[Any, Any, Any]:
        # It has at most 255 bins per feature, and needs one for missing and unknown categories.
        ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=250)
        boosting = HistGradientBoostingClassifier(
            categorical_features=list(range(n_categories)),
            # By default it would treat large tables differently, and refuse a rare class.
            early_stopping=False,
            random_state=0,
        )
        return "passthrough", ordinal, boosting


class Logistic(Baseline):
    """Logistic regression on scaled numbers and indicators of categories."""

    def _steps(self, n_categories: int) -> tuple[Any, Any, Any]:
        scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
        return scaled, _one_hot(), LogisticRegression(max_iter=2000)


def _as_text(table: Any) -> Any:
    """Return the categories as text, since encoders refuse columns of texts and other values."""
    return table.astype(object).where(table.notna(), "missing").astype(str).to_numpy(dtype=object)


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


# In the order of the tables, which is that of NAMES.
CLASSIFIERS: dict[str, Callable[..., TabularClassifier]] = {
    "aode": AODE,
    "bma-aode": BmaAODE,
    "comp-aode": CompAODE,
    "maplmg": MaplmgAODE,
    "lp-aode": LogPoolAODE,
    "bma-spode": partial(BmaAODE, likelihood="marginal"),
    "comp-nb": CompressionNB,
    "naive-bayes": NaiveBayes,
    "tan": TAN,
    "null": NullClassifier,
    "bma-aode*": CredalBmaAODE,
    "comp-aode*": CredalCompAODE,
    "lp-aode*": CredalLogPoolAODE,
    "ncc": NaiveCredal,
    "ncc2": partial(NaiveCredal, conservative_features="all"),
    "cma": CredalModelAveraging,
    "cdt": CredalTree,
}
BASELINES: dict[str, Callable[..., Baseline]] = {
    "random-forest": Forest,
    "gradient-boosting": Boosting,
    "logistic-regression": Logistic,
}


def make_classifiers(names: Iterable[str] | str | None = None, **parameters: Any) -> dict[str, Any]:
    """Return new classifiers by name.

    Parameters
    ----------
    names : iterable of str or "all", optional
        Names of `CLASSIFIERS`, where ``-star`` can be written for the star, and of scikit-learn's
        ``random-forest``, ``gradient-boosting`` and ``logistic-regression``. By default the ones to compare
        first: LP-AODE*, COMP-AODE*, NCC, the null model, logistic regression and a random forest.
    **parameters
        Set for every classifier that has the parameter, ``epsilon`` only for those with sets.

    Examples
    --------
    >>> make_classifiers(["comp-aode-star", "comp-aode"], epsilon=0.001)
    {'comp-aode*': CredalCompAODE(epsilon=0.001), 'comp-aode': CompAODE()}
    """
    known = CLASSIFIERS | BASELINES
    if names is None or names == "all":
        names = COMPARED if names is None else known
    chosen: dict[str, Any] = {}
    for name in check_texts("names", names):
        # Shells expand a star, so users may write it out.
        written = name.lower()
        key = f"{written.removesuffix('-star')}*" if written.endswith("-star") else written
        if key not in known:
            raise ValueError(f"There is no classifier {safe_repr(name)}. Choose from {', '.join(known)}.")
        chosen[key] = known[key]()
    for parameter, value in parameters.items():
        concerned = [
            one
            for one in chosen.values()
            # COMP-AODE has an epsilon, too, but nobody who widens sets wants to change it.
            if parameter in one.get_params() and (parameter != "epsilon" or isinstance(one, CredalMixin))
        ]
        if not concerned:
            raise ValueError(f"{parameter} is not a parameter of {', '.join(chosen)}.")
        for one in concerned:
            one.set_params(**{parameter: value})
    return chosen


def display_name(name: str) -> str:
    """Return the name of a classifier as the paper prints it: all but a few are acronyms."""
    if name in BASELINES or name == "naive-bayes":
        return name.replace("-", " ").replace("bayes", "Bayes")
    return name.upper() if name in CLASSIFIERS and name != "null" else name
