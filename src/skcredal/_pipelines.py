"""The classifier inside pipelines and searches, which pass on only the methods that they know."""

from __future__ import annotations

from typing import Any


def innermost(estimator: Any, X: Any = None) -> tuple[Any, Any]:
    """Return the estimator that answers in the end, and the table as it gets there.

    That is through the transformers of a pipeline, and into the best estimator of a search. Without a table
    nothing is transformed. The samplers in a pipeline of imbalanced-learn are for training only.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> from skcredal import AODE
    >>> import numpy as np
    >>> pipeline = make_pipeline(FunctionTransformer(np.negative), AODE()).fit([[1.0], [2.0]], [0, 1])
    >>> innermost(pipeline, np.array([[3.0]]))
    (AODE(), array([[-3.]]))
    """
    while not hasattr(estimator, "predict_set"):
        # Imported here, because sklearn.pipeline takes long and a classifier alone does without it.
        from sklearn.pipeline import Pipeline

        if isinstance(estimator, Pipeline):
            for _, step in estimator.steps[:-1]:
                if X is not None and step not in (None, "passthrough") and not hasattr(step, "fit_resample"):
                    X = step.transform(X)
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            break
    return estimator, X


def innermost_with(method: str, who: str, estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the same, or refuse an estimator without the method that somebody needs."""
    found, rows = innermost(estimator, X)
    if not hasattr(found, method):
        rule = f"{who} needs an estimator with {method}, itself or at its end, and fitted"
        raise TypeError(f"{rule}, got {type(found).__name__}.")
    return found, rows
