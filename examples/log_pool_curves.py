"""
LP-AODE* and the others as data grow
====================================

All credal classifiers answer with several classes where they are not certain enough, but about different
things: LP-AODE* about the weights of its models; COMP-AODE* and BMA-AODE* about the prior over the SPODEs;
NCC, and CDT in its leaves, about the parameters; CMA about which features matter. With more rows all of
this matters less, and the sets become single classes. A random forest always names one class.
"""

# %%
# We learn from 30 to 2,000 of Breiman's waves, and test on 2,000 others. The log-loss takes probabilities
# below 1e-15 as 1e-15: those of a forest contain zeros.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, log_loss

from skcredal import (
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    NaiveCredal,
)
from skcredal.datasets import load_dataset
from skcredal.metrics import determinacy_score, u65_score

data = load_dataset("waveform")
X, y = data.features, data.target.astype(str).to_numpy()
classifiers = {
    "LP-AODE*": CredalLogPoolAODE(),
    "COMP-AODE*": CredalCompAODE(),
    "BMA-AODE*": CredalBmaAODE(),
    "NCC": NaiveCredal(),
    "CMA": CredalModelAveraging(),
    "CDT": CredalTree(),
    "random forest": RandomForestClassifier(100, random_state=0),
}
sizes = [30, 60, 120, 250, 500, 1000, 2000]
measures = ["determinacy", "utility u65", "accuracy", "log-loss"]
n_repeats = 2
found = np.zeros((len(measures), len(classifiers), len(sizes)))
for seed in range(n_repeats):
    order = np.random.default_rng(seed).permutation(len(y))
    test = order[-2000:]
    for s, size in enumerate(sizes):
        train = order[:size]
        for c, clf in enumerate(classifiers.values()):
            clf.fit(X.iloc[train], y[train])
            proba = np.maximum(clf.predict_proba(X.iloc[test]), 1e-15)
            single = clf.classes_ == clf.predict(X.iloc[test])[:, None]
            y_set = clf.predict_set(X.iloc[test]) if hasattr(clf, "predict_set") else single
            found[:, c, s] += (
                determinacy_score(y_set),
                u65_score(y[test], y_set, labels=clf.classes_),
                accuracy_score(y[test], clf.classes_[proba.argmax(axis=1)]),
                log_loss(y[test], proba / proba.sum(axis=1, keepdims=True)),
            )
means = found / n_repeats

# %%
# Means over two ways to choose the rows. LP-AODE* is among the most careful at every size, and yet has the
# highest utility u65: its sets are worth more than the single answers of the others. It also has the
# highest accuracy and the lowest log-loss. COMP-AODE* decides almost all rows, however few it has learned
# from. These are waves, which a line divides well; :doc:`the results </experiment/results>` have curves of
# other data sets.

colors = ["C0", "C1", "C2", "C3", "C4", "#56b4e9", "0.5"]
figure, axes = plt.subplots(2, 2, figsize=(9.5, 6.4), layout="constrained")
for ax, measure, curves in zip(axes.flat, measures, means, strict=True):
    for name, color, curve in zip(classifiers, colors, curves, strict=True):
        style = {"lw": 3 if name == "LP-AODE*" else 1.2, "ls": "--" if name == "random forest" else "-"}
        ax.plot(sizes, curve, marker="o", ms=4, color=color, label=name, **style)
    ax.set(xscale="log", xlabel="training rows", title=measure)
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
axes[1, 1].legend(frameon=False, fontsize=8)
plt.show()
