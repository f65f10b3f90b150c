"""
Twelve patients, and six new ones
=================================

An answer is more than a class: a set of classes, a probability for each of them, and bounds on it. One
picture shows all of that for a few cases.
"""

# %%
# Twelve patients to learn from, as in the README:

import matplotlib.pyplot as plt
import pandas as pd

from skcredal import CredalLogPoolAODE
from skcredal.plots import AnswersDisplay

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

# %%
# A bar reaches from the lower to the upper probability of a class, and the line across it is the probability
# by the best estimate. Filled bars are classes that cannot be ruled out: with two of them, a patient is
# undecided, as Bo and Flo are. The names are the index of the table.

new = pd.DataFrame(
    {
        "age": [30, 68, 44, 60, 72, None],
        "smoker": ["no", "no", "yes", "no", "yes", None],
        "pain": ["none", "mild", "strong", "none", "strong", "mild"],
    },
    index=["Al", "Bo", "Cy", "Di", "Ed", "Flo"],
)
AnswersDisplay.from_estimator(clf, new)
plt.show()
