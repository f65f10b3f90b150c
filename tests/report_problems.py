"""A made-up summary of results, and claims about it, for the tests of displays and pages."""

import numpy as np
import pandas as pd

from skcredal.paper._summary import EXTRA_COLUMNS, SUMMARY_COLUMNS
from skcredal.paper._verdicts import Claim

# The classifiers of the paper.
DETERMINATE = ("aode", "bma-aode", "comp-aode", "maplmg", "naive-bayes", "tan", "null")
CREDAL = ("bma-aode*", "comp-aode*", "ncc", "cma", "cdt")
DATASETS = ("anneal", "breast_w", "credit_a", "diabetes", "ecoli", "glass", "iris", "zoo")


def made_up_summary(datasets=DATASETS, classifiers=(*DETERMINATE, *CREDAL), seed=0):
    """Return plausible numbers; every fourth data set has no prior-dependent row."""
    rng = np.random.default_rng(seed)
    rows = []
    for index, dataset in enumerate(datasets):
        facts = {"dataset": dataset, "n": 100 * (index + 1), "k": index + 4, "classes": index % 5 + 2}
        level = rng.uniform(0.6, 0.95)
        for name in classifiers:
            accuracy = level + rng.normal(0.0, 0.01)
            brier = (1.0 - accuracy) * rng.uniform(0.7, 0.8)
            row = {
                "accuracy": accuracy,
                "brier": brier,
                "brier_multiclass": 1.8 * brier,
                "log_loss": 3.0 * brier,
                "fit_seconds": rng.uniform(0.001, 0.1),
                "predict_seconds": rng.uniform(0.001, 0.1),
            }
            if name in (*CREDAL, "lp-aode*"):
                row |= _of_sets(accuracy, rng, is_undecided=index % 4 != 3, n=facts["n"])
            rows.append({**facts, "classifier": name, **row})
    return pd.DataFrame(rows, columns=[*SUMMARY_COLUMNS, *EXTRA_COLUMNS])


def _of_sets(accuracy, rng, *, is_undecided, n):
    safe = {"single_accuracy": accuracy + 0.01, "accuracy_safe": accuracy + 0.01}
    if not is_undecided:
        whole = dict.fromkeys(("discounted_accuracy", "u65", "u80"), accuracy)
        return {**safe, **whole, "determinacy": 1.0, "n_indeterminate": 0}
    return {
        **safe,
        "determinacy": 0.9,
        "n_indeterminate": n // 10,
        "set_accuracy": rng.uniform(0.8, 1.0),
        "output_size": rng.uniform(2.0, 2.5),
        "discounted_accuracy": accuracy,
        "u65": accuracy + rng.uniform(-0.002, 0.01),
        "u80": accuracy + rng.uniform(0.0, 0.03),
        "accuracy_dependent": rng.uniform(0.3, 0.6),
        "u65_dependent": 0.6,
        "u80_dependent": 0.7,
    }


def made_up_claim(number, *, holds, p_value=None, **texts):
    written = {"text": f"Claim {number}", "where": "Section 5", "paper": "94 %", "ours": "93.1 %", "note": ""}
    verdict = {True: "holds", False: "does not hold", None: "not judged"}[holds]
    found = {"verdict": verdict, **written, **texts}
    return Claim(number=number, holds=holds, p_value=p_value, **found)


CLAIMS = [
    made_up_claim(1, holds=True, p_value=0.00002, text="AODE is more accurate", note="Wilcoxon."),
    made_up_claim(2, holds=False, p_value=0.21),
    made_up_claim(3, holds=None, ours="–", note="Not run: cma."),
]
# As on other data sets than the paper's.
CLAIMS_ELSEWHERE = [
    made_up_claim(1, holds=True),
    made_up_claim(17, holds=None, verdict="same direction, not significant on these 8 data sets"),
    made_up_claim(8, holds=None, verdict="not comparable"),
    made_up_claim(30, holds=False, verdict="contradicted"),
]
FACTS = {
    "protocol": "10 runs of 5-fold cross-validation",
    "setting": "honest",
    "source": "embedded",
    "seed": 0,
    "seconds": 194.2,
    "versions": {"Python": "3.11.2", "numpy": "2.1.0"},
}


def made_up_studies(datasets=DATASETS, seed=0):
    """Return plausible tables of the studies; one ε has no sets of several classes at all."""
    rng = np.random.default_rng(seed)
    epsilon = [
        {
            "dataset": dataset,
            "series": name,
            "epsilon": value,
            "determinacy": 1.0 if value == 0.1 else rng.uniform(0.8, 1.0),
            "set_accuracy": np.nan if value == 0.1 else rng.uniform(0.7, 1.0),
        }
        for dataset in datasets
        for name in ("bma-aode*", "comp-aode*")
        for value in (0.001, 0.01, 0.1)
    ]
    set_aside = [
        {
            "dataset": dataset,
            "series": by,
            "set_aside": share,
            "accuracy": rng.uniform(0.8, 0.85) + 0.1 * share,
        }
        for dataset in datasets
        for by in ("robustness", "robustness, then probability", "probability")
        for share in (0.0, 0.1, 0.5)
    ]
    rivals = [
        {"dataset": dataset, "series": name, "judged_by": utility, "utility": rng.uniform(0.7, 0.9)}
        for dataset in datasets
        for name in ("comp-aode*", "utility-optimal, aode", "conformal 90 %, comp-aode")
        for utility in ("u65", "u80")
    ]
    reliability = [
        {
            "dataset": dataset,
            "series": name,
            "at_most": end,
            # No data set has rows in the first bin but the first.
            "rows": float(rng.integers(100, 200)) if end > 0.5 or dataset == datasets[0] else 0.0,
            "probability": end - 0.1,
            "accuracy": rng.uniform(end - 0.2, end),
        }
        for dataset in datasets
        for name in ("aode", "lp-aode")
        for end in (0.5, 0.75, 1.0)
    ]
    return {
        "epsilon": pd.DataFrame(epsilon),
        "set-aside": pd.DataFrame(set_aside),
        "rivals": pd.DataFrame(rivals),
        "reliability": pd.DataFrame(reliability),
    }
