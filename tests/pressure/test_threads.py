"""One fitted model used from sixteen threads at once gives the answers of one."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

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
