"""A thousand fits in a loop do not grow."""

import gc
import tracemalloc

import pytest

from pressure_problems import CLASSIFIERS, messy_table

N_FITS = 1000
# What a fit may leave behind on average; a table, a model or a row of its answers is a hundred times larger.
BYTES_PER_FIT = 16


@pytest.mark.parametrize("kind", ["kept estimator", "new estimator"])
def test_a_thousand_fits_do_not_grow(kind):
    """Measured: what Python and numpy hold after 1,000 fits and predictions beyond what they held before.

    The fits go round all classifiers; the first rounds fill caches and are not counted.
    """
    X, y = messy_table(40)
    kept = [classifier() for classifier in CLASSIFIERS]

    def round_of_fits():
        for place, classifier in enumerate(CLASSIFIERS):
            clf = kept[place] if kind == "kept estimator" else classifier()
            clf.fit(X, y).predict(X)

    for _ in range(5):
        round_of_fits()
    tracemalloc.start()
    try:
        round_of_fits()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(N_FITS // len(CLASSIFIERS) + 1):
            round_of_fits()
        gc.collect()
        growth = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert growth / N_FITS < BYTES_PER_FIT
