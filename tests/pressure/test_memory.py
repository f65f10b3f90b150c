"""A thousand fits in a loop do not grow."""

import gc

import psutil

from pressure_problems import CLASSIFIERS, messy_table

N_FITS = 1000
# The classes of the training rows alone take 800 bytes; a table or a model takes far more.
BYTES_PER_FIT = 600


def test_a_thousand_fits_do_not_grow():
    """Measured: the resident memory of the process after 1,000 fits and predictions against that before.

    The fits go round all classifiers; the first rounds fill caches and pools and are not counted.
    """
    X, y = messy_table(200)

    def fit(n_rounds):
        for _ in range(n_rounds):
            for classifier in CLASSIFIERS:
                classifier().fit(X, y).predict(X)
        gc.collect()
        return psutil.Process().memory_info().rss

    before = fit(25)
    after = fit(N_FITS // len(CLASSIFIERS) + 1)
    assert (after - before) / N_FITS < BYTES_PER_FIT
