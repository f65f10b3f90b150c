"""What credal prediction costs beyond plain probabilities: 10,000 rows, 30 features, 3 classes.

Run it with ``python benchmarks/credal.py``; it prints ratios to ``predict_proba`` measured in one run, for
problems where the prior decides more and less often.
"""

import time

import numpy as np

from skcredal import CredalBmaAODE, CredalCompAODE

METHODS = ("predict_proba", "predict_set", "predict_interval", "robustness")


def make_codes(n, k, v, n_classes, signal, seed):
    """Return integer codes that follow the class with the given probability, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = np.where(rng.random((n, k)) < signal, y[:, None] % v, rng.integers(0, v, (n, k)))
    return X.astype(np.uint8), y


def best_times(clf, X, repetitions=7):
    """Return the shortest time of each method in seconds, the methods taking turns."""
    times = {method: [] for method in METHODS}
    for _ in range(repetitions):
        for method in METHODS:
            start = time.perf_counter()
            getattr(clf, method)(X)
            times[method].append(time.perf_counter() - start)
    return {method: min(measured) for method, measured in times.items()}


def main():
    """Print the table."""
    header = "".join(f"{method:>18}" for method in METHODS[1:])
    print(f"{'':16}{'training':>10}{'signal':>8}{'undecided':>11}{'proba, ms':>11}{header}")
    for n, signal in ((100, 0.1), (1_000, 0.1), (1_000, 0.3), (100_000, 0.1)):
        X, y = make_codes(n, 30, 5, 3, signal, seed=0)
        test, _ = make_codes(10_000, 30, 5, 3, signal, seed=1)
        for classifier in (CredalBmaAODE, CredalCompAODE):
            clf = classifier(categorical_features="all", categories=[range(5)] * 30).fit(X, y)
            undecided = (clf.predict_set(test).sum(axis=1) > 1).mean()
            times = best_times(clf, test)
            ratios = "".join(f"{times[method] / times['predict_proba']:18.2f}" for method in METHODS[1:])
            milliseconds = times["predict_proba"] * 1e3
            print(f"{classifier.__name__:16}{n:10}{signal:8}{undecided:11.1%}{milliseconds:11.1f}{ratios}")


if __name__ == "__main__":
    main()
