"""Made-up evaluations of any size, with names that try to be markup."""

import numpy as np
import pandas as pd

from skcredal.evaluation._cross_validation import Cases, ranking
from skcredal.evaluation._registry import make_classifiers
from skcredal.evaluation._sums import FoldSums

HOSTILE = "<script>alert(1)</script>"
CLASSES = np.array(["\"quoted\" & 'so'", HOSTILE, "plain", "</script><b>x"])
PARENTS = [HOSTILE, "age", "__proto__"]


def made_up_cases(n=200, n_dependent=120, seed=0, robust=True, over="prior"):
    """Return cases and their table; the first rows are the undecided ones.

    They are of a classifier with votes of super-parents, with contributions of features (``over="weights"``),
    or of one that tells neither, nor robustness.
    """
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(4), n)
    true = rng.integers(0, 4, n)
    sets = np.zeros((n, 4), bool)
    sets[np.arange(n), proba.argmax(axis=1)] = True
    second = np.argsort(-proba, axis=1)[:, 1]
    dependent = np.arange(n) < n_dependent
    sets[dependent, second[dependent]] = True
    interval = np.stack([proba * 0.9, proba + (1 - proba) * 0.1], axis=2)
    robustness = np.where(dependent, rng.uniform(0, 1, n).round(3), 1.0)
    reasons = {
        r: {
            "rival": CLASSES[second[r]],
            "super_parents": PARENTS,
            "votes": sorted(rng.uniform(-1, 1, 3).tolist(), reverse=True),
            "prior": rng.dirichlet(np.ones(3)).tolist(),
            "sentence": f"Undecided about row {r} & {HOSTILE}.",
        }
        for r in range(n_dependent)
    }
    if not robust:
        robustness = np.full(n, np.nan)
        for reason in reasons.values():
            reason.update(rival=None, super_parents=[], votes=[], prior=[])
    if over == "weights":
        for r, reason in reasons.items():
            logs = sorted(rng.normal(0, 1, 3).tolist(), reverse=True)
            frequencies = float(rng.normal())
            odds = np.exp(sum(logs) + frequencies)
            reasons[r] = {
                "rival": reason["rival"],
                "sentence": reason["sentence"],
                "features": PARENTS,
                "contributions": logs,
                "frequencies": frequencies,
                "odds": odds,
                "lower_odds": odds / 3,
                "upper_odds": odds * 3,
            }
    cases = Cases(CLASSES, true, proba.argmax(axis=1), proba, sets, interval, robustness, reasons, over)
    table = pd.DataFrame(
        {HOSTILE: ["</script>"] * n, "age": rng.normal(50, 9, n), "__proto__": [None, "x"] * (n // 2)}
    )
    return cases, table


def made_up_ranking():
    classifiers = make_classifiers(["aode", "comp-aode*"])
    sums = {
        "aode": FoldSums(200, 150, 30.0, 60.0, 90.0),
        "comp-aode*": FoldSums(
            *(200, 150, 30.0, 60.0, 90.0, 80, 70, 120, 100, 240, 120.0, 130.0, 140.0, 60, 70.0, 80.0)
        ),
    }
    return ranking(sums, classifiers)
