"""Set-valued measures as scikit-learn scorers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest

from skcredal._pipelines import innermost
from skcredal._validation import naming

__all__ = ["make_set_scorer", "predict_set"]


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
    """A scorer as scikit-learn expects it: callable, can be cloned and pickled, and routes metadata."""

    def __init__(self, metric: Callable[..., float], greater_is_better: bool, kwargs: dict[str, Any]) -> None:
        with naming("metric"):
            parameters = signature(metric).parameters
        self._metric = metric
        self._greater_is_better = greater_is_better
        self._kwargs = kwargs
        # Some measures of sets do not need the true classes.
        self._needs_truth = next(iter(parameters), None) != "y_set"
        self._takes_labels = "labels" in parameters
        self._takes_weight = "sample_weight" in parameters
        self._weight_request: bool | str | None = None
        # A search turns errors into NaN scores, so that wrong or missing arguments must fail here.
        with naming("metric"):
            signature(metric).bind(*[None] * (1 + self._needs_truth), **kwargs)

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        y_set, final = _sets_and_estimator(estimator, X)
        kwargs = dict(self._kwargs)
        # The columns of the sets are classes_, and a test fold may lack some of these.
        if self._takes_labels and "labels" not in kwargs:
            with naming("estimator"):
                kwargs["labels"] = final.classes_
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        score = self._metric(*([y, y_set] if self._needs_truth else [y_set]), **kwargs)
        with naming("metric"):
            return float(score) if self._greater_is_better else -float(score)

    def __repr__(self) -> str:
        name = getattr(self._metric, "__name__", repr(self._metric))
        sign = [] if self._greater_is_better else ["greater_is_better=False"]
        arguments = [name, *sign, *(f"{key}={value!r}" for key, value in self._kwargs.items())]
        return f"make_set_scorer({', '.join(arguments)})"

    # scikit-learn clones scorers with their searches, and this one has no get_params.
    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Request weights (True, or the name they are passed under), ignore (False) or refuse them (None)."""
        # Without routing nobody reads the request, and the scores would silently be unweighted.
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing: sklearn.set_config(enable_metadata_routing=True)."
            )
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return the metadata that the scorer requests."""
        request = MetadataRequest(owner=repr(self))
        if self._takes_weight:
            request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def _accept_sample_weight(self) -> bool:
        # Without metadata routing, GridSearchCV calls this before it passes on the weights given to fit.
        return self._takes_weight


def predict_set(estimator: Any, X: Any) -> ArrayLike:
    """Return the sets that a fitted estimator predicts, also if it is inside a pipeline or a search.

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
    return _sets_and_estimator(estimator, X)[0]


def _sets_and_estimator(estimator: Any, X: Any) -> tuple[ArrayLike, Any]:
    classifier, rows = innermost(estimator, X)
    if not hasattr(classifier, "predict_set"):
        where = "" if classifier is estimator else f", which ends in {type(classifier).__name__}"
        raise TypeError(
            "estimator must have predict_set, be a pipeline that ends in an estimator with predict_set, "
            f"or be a fitted search over one, got {type(estimator).__name__}{where}."
        )
    return classifier.predict_set(rows), classifier
