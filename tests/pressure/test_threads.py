"""One model used from many threads, and fitted anew meanwhile, answers as one model at a time."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

from pressure_problems import CLASSIFIERS, METHODS, answers, assert_same, messy_table

N_THREADS = 16


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_sixteen_threads_get_the_answers_of_one(classifier, n_jobs):
    """Every thread asks everything, of other rows than its neighbours and in another order."""
    clf = classifier(n_jobs=n_jobs).fit(*messy_table(300))
    tables = [messy_table(40 + 7 * i, seed=i + 1)[0] for i in range(N_THREADS)]
    expected = [answers(clf, X) for X in tables]
    start = Barrier(N_THREADS, timeout=60)

    def ask(i):
        start.wait()
        order = METHODS[i % len(METHODS) :] + METHODS[: i % len(METHODS)]
        return answers(clf, tables[i], order)

    with ThreadPoolExecutor(N_THREADS) as pool:
        for found, once in zip(pool.map(ask, range(N_THREADS)), expected, strict=True):
            assert_same({method: found[method] for method in once}, once)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_sixteen_threads_learn_the_model_of_one(classifier):
    X, y = messy_table(300)
    once = answers(classifier().fit(X, y), X)
    start = Barrier(N_THREADS, timeout=60)

    def learn(_):
        start.wait()
        return answers(classifier().fit(X, y), X)

    with ThreadPoolExecutor(N_THREADS) as pool:
        for found in pool.map(learn, range(N_THREADS)):
            assert_same(found, once)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_refit_in_another_thread_is_seen_as_a_whole(classifier):
    """Two tables with other states, cuts and numbers of classes: an answer is of one model or the other."""
    few, many = messy_table(200), messy_table(200, seed=5)
    many[0]["letter"] = [f"{letter}{r % 9}" for r, letter in enumerate(many[0].iloc[:, 0])]
    few[0]["letter"] = "x"
    many = many[0], np.arange(200) % 5
    X = many[0][:60]
    clf = classifier()
    expected = [clf.fit(*table).predict_proba(X) for table in (few, many)]
    stop = Event()

    def fit_in_turns():
        while not stop.is_set():
            for table in (few, many):
                clf.fit(*table)

    with ThreadPoolExecutor(1) as pool:
        fitting = pool.submit(fit_in_turns)
        try:
            for _ in range(60):
                found = clf.predict_proba(X)
                assert any(np.array_equal(found, one) for one in expected)
        finally:
            stop.set()
        fitting.result()
