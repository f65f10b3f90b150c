"""
Three kinds of set-valued prediction
====================================

A classifier can answer with several classes for different reasons. LP-AODE* does so if the training rows
leave open which class is the most probable. A conformal predictor does so to make its sets contain the true
class as often as promised, for any classifier. A utility-optimal set is the best bet of a single
probability distribution, if a cautious answer is worth something. This example compares the three on the
same rows.
"""

# %%
# The waves are noisy mixtures of two of three base waves. 120 rows to learn from leave many answers
# uncertain. The conformal predictor needs 2,000 more to calibrate; the rest judge the sets.

import matplotlib.pyplot as plt
import numpy as np
from mapie.classification import SplitConformalClassifier

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import utility_optimal_sets
from skcredal.metrics import credal_summary

data = load_dataset("waveform")
X, y = data.features.to_numpy(), data.target.astype(str).to_numpy()
train, measure, test = np.split(np.random.default_rng(0).permutation(len(y)), [120, 2120])
clf = CredalLogPoolAODE().fit(X[train], y[train])
proba = clf.predict_proba(X[test])

# %%
# All sets come from one fitted model. MAPIE makes the conformal sets around it. Some of them are empty,
# which counts as wrong.

sets = {
    "LP-AODE (one class)": clf.classes_ == clf.predict(X[test])[:, None],
    "LP-AODE*": clf.predict_set(X[test]),
    "optimal for u65": utility_optimal_sets(proba, utility="u65"),
    "optimal for u80": utility_optimal_sets(proba, utility="u80"),
}
for level in (0.8, 0.9, 0.95):
    conformal = SplitConformalClassifier(clf, confidence_level=level, conformity_score="lac", prefit=True)
    conformal.conformalize(X[measure], y[measure])
    sets[f"conformal, {level:.0%}"] = conformal.predict_set(X[test])[1][:, :, 0]

# %%
# *Coverage* is how often a set contains the true class, *determinacy* how often it contains a single one,
# *size* the mean number of classes where there are several. Only the conformal sets promise a coverage,
# which they keep on average. The utility-optimal sets doubt the close calls; if the probabilities are
# right, no other sets earn more under their measure. LP-AODE* doubts the rows that 120 rows cannot settle.
# It promises no coverage, but needs no rows for calibration, and the utilities are close together.

truth = np.searchsorted(clf.classes_, y[test])
points = {}
print(f"{'':22} coverage  determinacy  size    u65    u80")
for name, y_set in sets.items():
    measures = credal_summary(y[test], y_set, labels=clf.classes_)
    coverage = y_set[np.arange(len(truth)), truth].mean()
    points[name] = (y_set.sum(axis=1).mean(), coverage)
    size = "-" if np.isnan(measures["output_size"]) else f"{measures['output_size']:.2f}"
    print(
        f"{name:22} {coverage:8.3f} {measures['determinacy']:12.3f} {size:>5}"
        f" {measures['u65']:6.3f} {measures['u80']:6.3f}"
    )

# %%
# The same as a picture. All of these sets buy coverage with size at about the same rate, as all use the
# same probabilities. What differs is who chooses the point on the line: the conformal level, the utility,
# or, for LP-AODE*, how much the training rows leave open. With more rows, its sets move towards single
# classes.

figure, ax = plt.subplots(figsize=(6.5, 4))
for name, (size, coverage) in points.items():
    conformal = name.startswith("conformal")
    ax.plot(size, coverage, "s" if conformal else "o", ms=7, color="C1" if conformal else "C0")
    height = {"LP-AODE*": -9, "LP-AODE (one class)": -2, "conformal, 80%": -13}.get(name, 3)
    ax.annotate(name, (size, coverage), (9, height), textcoords="offset points", fontsize=9)
ax.set(xlabel="mean number of classes in a set", ylabel="coverage")
ax.set_xlim(right=max(size for size, _ in points.values()) + 0.22)
ax.set_ylim(bottom=0.76)
ax.set_yticks([0.8, 0.85, 0.9, 0.95])
ax.yaxis.set_major_formatter("{x:.0%}")
plt.show()
