"""The twelve patients of the guide, two new ones, and the plane of age and pain."""

import pandas as pd

from skcredal import CredalLogPoolAODE
from skcredal.plots import AnswersDisplay, SetBoundaryDisplay

patients = pd.DataFrame(
    {
        "age": [51, 25, 56, 31, 36, 35, 67, 58, 61, 77, 54, None],
        "smoker": ["no", "no", "no", "no", "no", None, "yes", "yes", "yes", "no", "yes", "yes"],
        "pain": [
            *("none", "mild", "none", "mild", "none", "none"),
            *("strong", "strong", "mild", "strong", "mild", "mild"),
        ],
    }
)
outcome = ["well"] * 6 + ["ill"] * 6
clf = CredalLogPoolAODE().fit(patients, outcome)


def strips():
    """Draw the answers to two new patients."""
    new = pd.DataFrame({"age": [30, 68], "smoker": ["no", "no"], "pain": ["none", "mild"]})
    AnswersDisplay.from_estimator(clf, new)


def plane():
    """Draw where the answers are sets."""
    SetBoundaryDisplay.from_estimator(
        clf, patients, outcome, features=["age", "pain"], values={"smoker": "no"}
    )
