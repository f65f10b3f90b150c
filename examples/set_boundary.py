"""
Where are the doubtful cases?
=============================

Over the plane of two features you see where a classifier is decided, and where it leaves classes open:
along borders, and where it has seen little.
"""

# %%
# Forty of the irises to learn from, described by their petals. Stripes are sets of several classes, in the
# colours of these classes. The points are the irises that were learned from.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.plots import SetBoundaryDisplay

data = load_dataset("iris")
petals = ["petal length (cm)", "petal width (cm)"]
chosen = np.random.default_rng(0).permutation(len(data.target))[:40]
X, y = data.features[petals].iloc[chosen], data.target.iloc[chosen]
clf = CredalLogPoolAODE().fit(X, y)
SetBoundaryDisplay.from_estimator(clf, X, y, features=petals)
plt.show()

# %%
# Categories are axes, too. Other features are held at their medians and most frequent values, or at values of
# your choice. Here are the twelve patients of the README, and the answers for those who smoke:

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
SetBoundaryDisplay.from_estimator(clf, patients, outcome, features=["age", "pain"], values={"smoker": "yes"})
plt.show()
