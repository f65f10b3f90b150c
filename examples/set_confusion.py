"""
Which classes are left open together?
=====================================

A confusion matrix shows which classes are mistaken for which. With sets there is something in between: the
classifier says itself that it cannot tell some classes apart.
"""

# %%
# Three kinds of Breiman's waves, 100 to learn from. A row for each true class, a column for each set that
# occurs. Cells whose set contains the true class are framed.

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.plots import SetConfusionDisplay

data = load_dataset("waveform")
X, y = data.features, data.target.astype(str).to_numpy()
order = np.random.default_rng(0).permutation(len(y))
train, test = order[:100], order[100:]
clf = CredalLogPoolAODE().fit(X.iloc[train], y[train])
SetConfusionDisplay.from_estimator(clf, X.iloc[test], y[test], normalize="true")
plt.show()
