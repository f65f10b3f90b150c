"""Write small model files and their answers, which every later version must give: run once for each format.

Six classifiers, which between them hold every kind of part that a model file knows.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

import skcredal

FOLDER = Path(__file__).parent / "models-0.1"
CLASSIFIERS = (
    skcredal.CredalCompAODE(epsilon=0.1),
    skcredal.CredalBmaAODE(epsilon=0.1, missing="marginalize"),
    skcredal.NaiveCredal(s=2.0),
    skcredal.CredalModelAveraging(),
    skcredal.CredalTree(),
    skcredal.TAN(),
)


def table():
    rng = np.random.default_rng(30)
    y = rng.integers(0, 3, 60)
    X = pd.DataFrame(
        {
            "length": (y + rng.normal(size=60)).round(2),
            "colour": np.where(rng.random(60) < 0.4, np.array(["red", "green", "blue"])[y], "red"),
            "ripe": rng.random(60) < 0.2 + 0.2 * y,
        }
    )
    X.loc[::7, "length"] = None
    return X, np.array(["apple", "pear", "plum"])[y]


def main():
    """Write the files; answers.json is written only if there is none: no later format may change it."""
    X, y = table()
    rows = X.iloc[:15]
    answers = {"rows": json.loads(rows.to_json(orient="records"))}
    FOLDER.mkdir(exist_ok=True)
    for classifier in CLASSIFIERS:
        clf, name = classifier.fit(X, y), type(classifier).__name__
        skcredal.save(clf, FOLDER / f"{name}.skcredal")
        answers[name] = {
            method: getattr(clf, method)(rows).tolist()
            for method in ("predict_proba", "predict_set", "predict_interval", "robustness")
            if hasattr(clf, method)
        }
    if not (FOLDER / "answers.json").exists():
        (FOLDER / "answers.json").write_text(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main()
