"""Write the golden values: every measure of every classifier on six of the paper's data sets, both settings.

Run by ``make golden``, and only when a change of the numbers is meant: say in the commit what changed them.
The environment variable SKCREDAL_DATA names the folder of the data sets.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from skcredal.experiment.plan import Plan, make_classifiers
from skcredal.experiment.run import run_plan
from skcredal.experiment.store import ResultStore
from skcredal.experiment.summary import summary_table

GOLDEN = Path(__file__).with_name("golden.json")
DATASETS = ["credit_a", "glass", "hayes_roth", "iris", "labor", "lymph"]
MEASURES = [
    "k",
    "accuracy",
    "brier",
    "determinacy",
    "set_accuracy",
    "output_size",
    "u65",
    "u80",
    "accuracy_dependent",
]


def golden_values(folder, setting):
    """Return {data set: {classifier: {measure: value}}} of one run of 5-fold cross-validation."""
    plan = Plan(str(folder), DATASETS, make_classifiers(), setting, runs=1)
    with tempfile.TemporaryDirectory() as scratch, ResultStore(Path(scratch) / "golden.sqlite") as store:
        outcome = run_plan(plan, store, jobs=2)
        summary = summary_table(plan, store, outcome.facts)
    values = {}
    for row in summary.to_dict("records"):
        measured = {name: None if row[name] != row[name] else round(row[name], 10) for name in MEASURES}
        values.setdefault(row["dataset"], {})[row["classifier"]] = measured
    return values


if __name__ == "__main__":
    folder = os.environ.get("SKCREDAL_DATA")
    if not folder:
        sys.exit("SKCREDAL_DATA must name the folder of the paper's data sets.")
    values = {setting: golden_values(folder, setting) for setting in ("honest", "paper")}
    GOLDEN.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {GOLDEN.name}.")
