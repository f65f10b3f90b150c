"""Write the golden values: every measure of every classifier on six of the paper's data sets, both settings.

Run by ``make golden``, and only when a change of the numbers is meant: say in the commit what changed them.
The environment variable SKCREDAL_DATA names the folder of the data sets.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
    "accuracy_undecided",
]


def reproduce(folder, setting, out, *, jobs=2, before=""):
    """Return the command that runs one 5-fold cross-validation of the six data sets, after other code."""
    program = [sys.executable, "-c", f"{before}\nfrom skcredal._cli import main; main()", "reproduce"]
    options = {"data": folder, "setting": setting, "runs": 1, "datasets": ",".join(DATASETS), "jobs": jobs}
    return [*program, *(f"--{name}={value}" for name, value in options.items()), f"--out={out}"]


def golden_values(summary):
    """Return {data set: {classifier: {measure: value}}} of the summary that the command wrote."""
    values = {}
    with Path(summary).open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            measured = {name: round(float(row[name]), 10) if row[name] else None for name in MEASURES}
            values.setdefault(row["dataset"], {})[row["classifier"]] = measured
    return values


if __name__ == "__main__":
    folder = os.environ.get("SKCREDAL_DATA")
    if not folder:
        sys.exit("SKCREDAL_DATA must name the folder of the paper's data sets.")
    import sklearn

    # LP-AODE's trees and line are those of one version.
    values = {"scikit-learn": sklearn.__version__}
    for setting in ("honest", "paper"):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run(reproduce(folder, setting, out), check=True, stdout=subprocess.DEVNULL)
            values[setting] = golden_values(Path(out) / "summary.csv")
    GOLDEN.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {GOLDEN.name}.")
