"""
LP-AODE* as data grow
=====================

LP-AODE* pools SPODEs, regions of the table and a line with learned weights, and answers with several classes
where these weights are not certain enough. COMP-AODE* and BMA-AODE* are imprecise about the prior over the
SPODEs instead, and a random forest always names one class. LP-AODE* and the forest are not part of the paper.
"""

# %%
# From 30 to 2000 of Breiman's waves to learn from, 2000 others to judge. The log-loss takes probabilities
# below 1e-15 as 1e-15: those of a forest contain zeros.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, log_loss

from skcredal import CredalBmaAODE, CredalCompAODE, CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.metrics import determinacy_score, set_accuracy_score

data = load_dataset("waveform")
X, y = data.features, data.target.astype(str).to_numpy()
classifiers = {
    "LP-AODE*": CredalLogPoolAODE(),
    "COMP-AODE*": CredalCompAODE(),
    "BMA-AODE*": CredalBmaAODE(),
    "random forest": RandomForestClassifier(100, random_state=0),
}
sizes = [30, 60, 120, 250, 500, 1000, 2000]
measures = ["determinacy", "set-accuracy", "accuracy", "log-loss"]
n_repeats = 3
found = np.full((n_repeats, len(classifiers), len(sizes), len(measures)), np.nan)
for seed in range(n_repeats):
    order = np.random.default_rng(seed).permutation(len(y))
    test = order[-2000:]
    for s, size in enumerate(sizes):
        train = order[:size]
        for c, clf in enumerate(classifiers.values()):
            clf.fit(X.iloc[train], y[train])
            if hasattr(clf, "predict_set"):
                y_set = clf.predict_set(X.iloc[test])
                found[seed, c, s, 0] = determinacy_score(y_set)
                # There may be no set of several classes, and then no share of them that is right.
                if (y_set.sum(axis=1) > 1).any():
                    found[seed, c, s, 1] = set_accuracy_score(y[test], y_set, labels=clf.classes_)
            proba = np.maximum(clf.predict_proba(X.iloc[test]), 1e-15)
            found[seed, c, s, 2] = accuracy_score(y[test], clf.classes_[proba.argmax(axis=1)])
            found[seed, c, s, 3] = log_loss(y[test], proba / proba.sum(axis=1, keepdims=True))

# %%
# Means over three ways to choose the rows. With few rows LP-AODE* says that it does not know, and its sets
# are nearly always right; COMP-AODE* is determinate on almost all rows at every size, however few it has
# learned from. The pool has the highest accuracy and the lowest log-loss at every size. That is these waves,
# which a line divides well; the documentation has curves of other data sets.

means = np.ma.masked_invalid(found).mean(axis=0).filled(np.nan)
figure, axes = plt.subplots(2, 2, figsize=(9.5, 6.4), layout="constrained")
for m, (ax, measure) in enumerate(zip(axes.ravel(), measures, strict=True)):
    for c, name in enumerate(classifiers):
        ax.plot(sizes, means[c, :, m], marker="o", ms=4, label=name)
    ax.set(xscale="log", xlabel="training rows", title=measure)
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
axes[1, 0].legend(frameon=False, fontsize=8)
plt.show()
