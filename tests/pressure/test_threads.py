"""One model used from many threads, and fitted anew meanwhile, answers as one model at a time."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

from pressure_problems import CHOSEN, METHODS, answers, assert_same, messy_table

N_THREADS = 16


@pytest.mark.parametrize("classifier", CHOSEN)
def test_sixteen_threads_learn_and_get_the_answers_of_one(classifier):
    """Every thread asks everything, of other rows than its neighbours and in another order."""
    X, y = messy_table(300)
    clf = classifier(n_jobs=2).fit(X, y)
    tables = [messy_table(40 + 7 * i, seed=i + 1)[0] for i in range(N_THREADS)]
    expected = [answers(clf, table) for table in tables]
    start = Barrier(N_THREADS, timeout=60)

    def ask(i):
        start.wait()
        own = clf if i % 2 else classifier().fit(X, y)
        order = METHODS[i % len(METHODS) :] + METHODS[: i % len(METHODS)]
        return answers(own, tables[i], order)

    with ThreadPoolExecutor(N_THREADS) as pool:
        for found, once in zip(pool.map(ask, range(N_THREADS)), expected, strict=True):
            assert_same({method: found[method] for method in once}, once)


@pytest.mark.parametrize("classifier", CHOSEN)
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
