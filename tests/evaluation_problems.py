"""Made-up evaluations of any size, with names that try to be markup."""

import numpy as np
import pandas as pd

from skcredal.evaluation._cases import Cases
from skcredal.evaluation._changes import Change
from skcredal.evaluation._cross_validation import Evaluation
from skcredal.evaluation._results import fold_sums

HOSTILE = "<script>alert(1)</script>"
CLASSES = np.array(["\"quoted\" & 'so'", "</script><b>x", HOSTILE, "plain"])
FEATURES = [HOSTILE, "age", "__proto__"]
FOLDS = 5
CREDAL = {"lp-aode*": True, "bma-aode*": True, "ncc": True, "null": False, "random-forest": False}


def made_up(n=200, n_undecided=120, seed=0, names=tuple(CREDAL), classes=CLASSES):
    """Return an evaluation whose first rows are the undecided ones, of classifiers of all kinds.

    The first has reasons: LP-AODE* contributions and changes, BMA-AODE* votes.
    """
    rng = np.random.default_rng(seed)
    true = rng.integers(0, len(classes), n)
    true[: len(classes)] = np.arange(len(classes))
    cases = {name: _cases(name, rng, true, n_undecided, classes, name == names[0]) for name in names}
    sums, labels = {}, np.arange(len(classes))
    for name, one in cases.items():
        sums[name] = [
            fold_sums(true[part], one.proba[part], one.sets[part] if CREDAL[name] else None, labels)
            for part in np.array_split(np.arange(n), FOLDS)
        ]
    return Evaluation(classes, FOLDS, sums, cases)


def _cases(name, rng, true, n_undecided, classes, explained):
    n, k = len(true), len(classes)
    # Better than chance, so that the curves and verdicts have something to say.
    proba = rng.dirichlet(np.ones(k), n)
    if name != "null":
        proba = 0.6 * proba + 0.4 * np.eye(k)[np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))]
    sets, order = np.eye(k, dtype=bool)[proba.argmax(axis=1)], np.argsort(-proba, axis=1)
    undecided = (np.arange(n) < n_undecided) & CREDAL[name]
    sets[undecided, order[undecided, 1]] = True
    robustness, details = np.full(n, np.nan), {}
    if name.endswith("aode*"):
        robustness = np.where(undecided, rng.uniform(0, 0.9, n), rng.uniform(0.9, 1, n)).round(3)
    if explained and CREDAL[name]:
        reason = _of_pool if name == "lp-aode*" else _of_models
        for r in range(min(n, 300)):
            details[r] = {
                "interval": np.stack([proba[r] * 0.9, proba[r] + (1 - proba[r]) * 0.1], axis=1),
                "reason": reason(rng, r, classes[order[r, 1]]),
                "values": {HOSTILE: "</script>", "age": f"{40 + r % 30}, up to 80", "__proto__": "missing"},
                "left_out": ["__proto__"] if name == "bma-aode*" else [],
                "changes": [
                    Change("age", "at about 54", (int(order[r, 0]),)),
                    Change(HOSTILE, "= b", (0, 1)),
                ],
            }
    return Cases(true, proba, sets, robustness, details)


def _of_pool(rng, r, rival):
    logs = sorted(rng.normal(0, 1, 3).tolist(), reverse=True)
    frequencies = float(rng.normal())
    odds = float(np.exp(sum(logs) + frequencies))
    found = {"rival": rival, "sentence": f"Row {r} & {HOSTILE}.", "features": FEATURES, "contributions": logs}
    return found | {"frequencies": frequencies, "odds": odds, "lower_odds": odds / 3, "upper_odds": odds * 3}


def _of_models(rng, r, rival):
    votes, prior = sorted(rng.uniform(-1, 1, 3).tolist(), reverse=True), rng.dirichlet(np.ones(3)).tolist()
    found = {"rival": rival, "sentence": f"Row {r} & {HOSTILE}.", "super_parents": FEATURES}
    return found | {"votes": votes, "prior": prior}


def made_up_ids(n):
    return pd.DataFrame({HOSTILE: [f"</script>{r}" for r in range(n)], "ward": ["A"] * n})
