"""Made-up evaluations of any size, with names that try to be markup."""

import numpy as np
import pandas as pd

from skcredal.evaluation._cases import CaseDetails, Cases
from skcredal.evaluation._changes import Change
from skcredal.evaluation._comparison import optimal_utilities
from skcredal.evaluation._cross_validation import Evaluation
from skcredal.evaluation._sums import fold_sums

HOSTILE = "<script>alert(1)</script>"
CLASSES = np.array(["\"quoted\" & 'so'", "</script><b>x", HOSTILE, "plain"])
FEATURES = [HOSTILE, "age", "__proto__"]
FOLDS = 5
# Name, whether it has sets, and what its sets, bounds and robustness range over.
KINDS = {
    "lp-aode*": (True, "weights"),
    "bma-aode*": (True, "prior"),
    "ncc": (True, "prior"),
    "aode": (False, None),
    "null": (False, None),
    "random-forest": (False, None),
}


def made_up(n=200, n_undecided=120, seed=0, names=tuple(KINDS), classes=CLASSES):
    """Return an evaluation whose first rows are the undecided ones, of classifiers of all kinds.

    LP-AODE* has contributions and changes, BMA-AODE* votes, NCC bounds alone, and the others neither.
    """
    rng = np.random.default_rng(seed)
    true = rng.integers(0, len(classes), n)
    true[: len(classes)] = np.arange(len(classes))
    cases = {name: _cases(name, rng, true, n_undecided, classes) for name in names}
    parts = np.array_split(np.arange(n), min(FOLDS, n))
    sums, optimal, labels = {}, {}, np.arange(len(classes))
    for name, one in cases.items():
        sets = one.sets if KINDS[name][0] else None
        sums[name] = [
            fold_sums(true[part], one.proba[part], None if sets is None else sets[part], labels)
            for part in parts
        ]
        optimal[name] = np.array([optimal_utilities(one.proba[part], true[part]) for part in parts])
    credal = {name: KINDS[name][0] for name in names}
    return Evaluation(classes, max(2, len(parts)), credal, sums, optimal, cases)


def _cases(name, rng, true, n_undecided, classes):
    n, k = len(true), len(classes)
    has_sets, over = KINDS[name]
    # Better than chance, so that the curves and verdicts have something to say.
    proba = rng.dirichlet(np.ones(k), n)
    if name != "null":
        proba = 0.6 * proba + 0.4 * np.eye(k)[np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))]
    sets = np.eye(k, dtype=bool)[proba.argmax(axis=1)]
    order = np.argsort(-proba, axis=1)
    undecided = (np.arange(n) < n_undecided) & has_sets
    sets[undecided, order[undecided, 1]] = True
    robustness = np.full(n, np.nan)
    if name in ("lp-aode*", "bma-aode*"):
        robustness = np.where(undecided, rng.uniform(0, 0.9, n), rng.uniform(0.9, 1, n)).round(3)
    details = {}
    if has_sets:
        reason = {"lp-aode*": _of_pool, "bma-aode*": _of_models}.get(name, lambda *_: {})
        for r in range(min(n, 300)):
            interval = np.stack([proba[r] * 0.9, proba[r] + (1 - proba[r]) * 0.1], axis=1)
            changes = None
            if name == "lp-aode*" and r < 50:
                alone = (int(order[r, 0]),)
                changes = [Change("age", "above 54", alone), Change(HOSTILE, "= b", (0, 1))]
            values = {HOSTILE: "</script>", "age": f"{40 + r % 30}, up to 80", "__proto__": "missing"}
            why = reason(rng, r, classes[order[r, 1]])
            details[r] = CaseDetails(interval, why, values, ["sex"] if why else [], changes)
    return Cases(classes, true, proba.argmax(axis=1), proba, sets, robustness, details, over)


def _of_pool(rng, r, rival):
    logs = sorted(rng.normal(0, 1, 3).tolist(), reverse=True)
    frequencies = float(rng.normal())
    odds = float(np.exp(sum(logs) + frequencies))
    return {
        "rival": rival,
        "sentence": f"Row {r} & {HOSTILE}.",
        "features": FEATURES,
        "contributions": logs,
        "frequencies": frequencies,
        "odds": odds,
        "lower_odds": odds / 3,
        "upper_odds": odds * 3,
    }


def _of_models(rng, r, rival):
    return {
        "rival": rival,
        "super_parents": FEATURES,
        "votes": sorted(rng.uniform(-1, 1, 3).tolist(), reverse=True),
        "prior": rng.dirichlet(np.ones(3)).tolist(),
        "sentence": f"Row {r} & {HOSTILE}.",
    }


def made_up_ids(n):
    return pd.DataFrame({HOSTILE: [f"</script>{r}" for r in range(n)], "ward": ["A"] * n})
