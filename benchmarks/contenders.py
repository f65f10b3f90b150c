"""Who is measured on a table: the steps of each contender, on the same codes with declared states."""

import numpy as np
from mapie.classification import SplitConformalClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import CategoricalNB
from threadpoolctl import threadpool_limits

from benchmarks.measuring import Step
from benchmarks.memory import CLASSIFIERS
from benchmarks.problems import declared
from benchmarks.yardstick import Yardstick
from skcredal._ensemble.counts import count

__all__ = ["THREADS", "of_sklearn", "of_weka", "of_yardstick", "ours"]

THREADS = (1, 2)
METHODS = ("predict_proba", "predict_set", "predict_interval")
# Boosting takes seconds where the others take milliseconds: that needs no second round to be seen.
BOOSTING_SECONDS = 1.0
# The share of the rows that MAPIE learns from; it measures itself on the others.
LEARNED = 0.8


def ours(table):
    """Fit and predict of our classifiers, and counting alone."""
    problem = table.problem
    n_states, ones = np.array(problem.states), np.ones(problem.n)
    states = (table.X.T + (np.cumsum(n_states) - n_states)[:, None]).astype(np.uint16)
    labelled = np.ascontiguousarray(states), table.y, ones
    for threads in THREADS:
        yield Step(
            "counts",
            "count",
            threads,
            lambda threads=threads: count(*labelled, n_states, problem.n_classes, n_threads=threads),
        )
        for name, classifier in CLASSIFIERS.items():
            clf = classifier(**declared(problem), n_jobs=threads)
            methods = [method for method in METHODS if hasattr(clf, method)]
            yield from _fit_and_predict(name, clf, table, methods, threads)


def of_yardstick(table):
    """Plain C: counting and inference, its tables made beforehand."""
    problem = table.problem
    for threads in THREADS:
        plain = Yardstick(problem.states, problem.n_classes, n_threads=threads)
        plain.count(table.X, table.y)
        plain.fill_tables()
        yield Step("plain C", "count", threads, lambda plain=plain: plain.count(table.X, table.y))
        yield Step("plain C", "predict_proba", threads, lambda plain=plain: plain.predict_proba(table.X_test))


def of_weka(table, weka):
    """Weka's AODE, which times itself, on one thread: it has no more."""
    name = table.problem.name
    yield Step("Weka AODE", "fit", 1, lambda: weka.fit(name))
    yield Step("Weka AODE", "predict_proba", 1, lambda: weka.predict(name))


def of_sklearn(table):
    """scikit-learn's naive Bayes and gradient boosting, and MAPIE's conformal sets around the former."""
    states = list(table.problem.states)
    naive = CategoricalNB(min_categories=states)
    yield from _fit_and_predict("CategoricalNB", naive, table, ("predict_proba",), 1)
    yield from _conformal(table, states)
    boosting = HistGradientBoostingClassifier(categorical_features=list(range(len(states))), random_state=0)
    for step in _fit_and_predict("HistGradientBoosting", boosting, table, ("predict_proba",), max(THREADS)):
        run = step.run
        step.run = lambda run=run: _limited(run)
        step.budget = BOOSTING_SECONDS
        yield step


def _fit_and_predict(name, clf, table, methods, threads):
    yield Step(name, "fit", threads, lambda: clf.fit(table.X, table.y))
    for method in methods:
        yield Step(name, method, threads, lambda method=method: getattr(clf, method)(table.X_test))


def _conformal(table, states):
    learned = int(LEARNED * len(table.y))
    fitted = {}

    def fit():
        conformal = SplitConformalClassifier(
            CategoricalNB(min_categories=states), confidence_level=0.9, conformity_score="lac", prefit=False
        )
        conformal.fit(table.X[:learned], table.y[:learned])
        fitted["now"] = conformal.conformalize(table.X[learned:], table.y[learned:])

    yield Step("MAPIE on CategoricalNB", "fit", 1, fit)
    yield Step("MAPIE on CategoricalNB", "predict_set", 1, lambda: fitted["now"].predict_set(table.X_test))


def _limited(run):
    with threadpool_limits(max(THREADS)):
        run()
