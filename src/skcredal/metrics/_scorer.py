"""Set-valued measures as scikit-learn scorers."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest

from skcredal._pipelines import innermost, innermost_with


def make_set_scorer(
    metric: Callable[..., float], *, greater_is_better: bool = True, **kwargs: Any
) -> _SetScorer:
    """Make a scorer from a measure of sets, for `cross_validate`, `GridSearchCV` and so on.

    Parameters
    ----------
    metric : callable
        ``metric(y_true, y_set, **kwargs)``, or ``metric(y_set, **kwargs)`` if its first parameter is named
        ``y_set``. If it has a parameter ``labels``, this is set to the classes of the estimator.
    greater_is_better : bool, default=True
        If False, the scorer returns the measure with its sign changed.
    **kwargs : object
        Further arguments of the metric.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``. The estimator must have ``predict_set``, or be a
        pipeline that ends in such an estimator, or a fitted search over one.

    Notes
    -----
    With metadata routing enabled, ``scorer.set_score_request(sample_weight=True)`` asks for the weights.

    Select models by a measure that is defined for every row, such as `u65_score`. One that averages over only
    some of the rows, such as `set_accuracy_score`, is NaN if there are none.

    Examples
    --------
    A classifier that always answers with both classes earns 0.65 a row:

    >>> from skcredal.metrics import make_set_scorer, u65_score
    >>> class Doubter:
    ...     classes_ = ["no", "yes"]
    ...     def predict_set(self, X):
    ...         return [[True, True] for row in X]
    >>> scorer = make_set_scorer(u65_score)
    >>> scorer
    make_set_scorer(u65_score)
    >>> scorer(Doubter(), [[0.1], [0.2]], ["no", "yes"])
    0.65
    """
    return _SetScorer(metric, greater_is_better, kwargs)


class _SetScorer:
    """A scorer as scikit-learn expects it: callable, can be pickled, and routes metadata."""

    def __init__(self, metric: Callable[..., float], greater_is_better: bool, kwargs: dict[str, Any]) -> None:
        self._metric = metric
        self._greater_is_better = greater_is_better
        self._kwargs = kwargs
        self._parameters = list(signature(metric).parameters)
        # Some measures of sets do not need the true classes.
        self._needs_truth = self._parameters[:1] != ["y_set"]
        self._weight_request: bool | str | None = None
        # A search turns errors into NaN scores, so that wrong or missing arguments must fail here.
        signature(metric).bind(*[None] * (1 + self._needs_truth), **kwargs)

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        y_set = predict_set(estimator, X)
        kwargs = dict(self._kwargs)
        # The columns of the sets are classes_, and a test fold may lack some of these.
        if "labels" in self._parameters and "labels" not in kwargs:
            kwargs["labels"] = innermost(estimator)[0].classes_
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        score = float(self._metric(*([y, y_set] if self._needs_truth else [y_set]), **kwargs))
        return score if self._greater_is_better else -score

    def __repr__(self) -> str:
        name = getattr(self._metric, "__name__", repr(self._metric))
        sign = [] if self._greater_is_better else ["greater_is_better=False"]
        arguments = [name, *sign, *(f"{key}={value!r}" for key, value in self._kwargs.items())]
        return f"make_set_scorer({', '.join(arguments)})"

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Request weights (True, or the name they are passed under), ignore (False) or refuse them (None)."""
        # Without routing nobody reads the request, and the scores would silently be unweighted.
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError("set_score_request needs sklearn.set_config(enable_metadata_routing=True).")
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return the metadata that the scorer requests."""
        request = MetadataRequest(owner=repr(self))
        if "sample_weight" in self._parameters:
            request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, GridSearchCV calls this before it passes on the weights given to fit.
        return "sample_weight" in self._parameters


def predict_set(estimator: Any, X: Any) -> Any:
    """Return the sets that a fitted estimator predicts, even inside a pipeline or a search.

    scikit-learn's pipelines and searches forward only the methods they know; this function applies the
    transformers of a pipeline, and uses the best estimator of a search, itself.

    Parameters
    ----------
    estimator : object
        An estimator with ``predict_set``, a pipeline that ends in one, or a search over one.
    X : array-like or DataFrame of shape (n_rows, n_features)
        The rows to classify.

    Returns
    -------
    y_set : ndarray of bool of shape (n_rows, n_classes)
        What the estimator's own ``predict_set`` returns.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skcredal import CredalCompAODE, MDLDiscretizer
    >>> from skcredal.metrics import predict_set
    >>> X, y = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1]
    >>> pipeline = make_pipeline(MDLDiscretizer(), CredalCompAODE(categorical_features="all")).fit(X, y)
    >>> predict_set(pipeline, [[1.5], [11.5]])
    array([[ True, False],
           [False,  True]])
    """
    classifier, rows = innermost_with("predict_set", "A measure of sets", estimator, X)
    return classifier.predict_set(rows)
