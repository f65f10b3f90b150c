"""
Five credal classifiers as data grow
====================================

All five credal classifiers answer with several classes where a set of priors does not agree, but they are
imprecise about different things: the prior over the SPODEs (COMP-AODE*, BMA-AODE*), over the parameters
(NCC, and the leaves of CDT), over which features matter (CMA). With more rows the prior matters less, and
the sets become single classes.
"""

# %%
# From 25 to 1600 of Breiman's waves to learn from, 2000 others to judge.

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE, CredalCompAODE, CredalModelAveraging, CredalTree, NaiveCredal
from skcredal.datasets import load_dataset
from skcredal.metrics import determinacy_score, u65_score

data = load_dataset("waveform")
X, y = data.features, data.target.astype(str).to_numpy()
classifiers = {
    "COMP-AODE*": CredalCompAODE(),
    "BMA-AODE*": CredalBmaAODE(),
    "NCC": NaiveCredal(),
    "CMA": CredalModelAveraging(),
    "CDT": CredalTree(),
}
sizes = [25, 50, 100, 200, 400, 800, 1600]
n_repeats = 3
u65 = np.zeros((len(classifiers), len(sizes)))
determinacy = np.zeros_like(u65)
for seed in range(n_repeats):
    order = np.random.default_rng(seed).permutation(len(y))
    test = order[-2000:]
    for s, size in enumerate(sizes):
        train = order[:size]
        for c, clf in enumerate(classifiers.values()):
            y_set = clf.fit(X.iloc[train], y[train]).predict_set(X.iloc[test])
            u65[c, s] += u65_score(y[test], y_set, labels=clf.classes_) / n_repeats
            determinacy[c, s] += determinacy_score(y_set) / n_repeats

# %%
# Means over three ways to choose the rows. With few rows BMA-AODE* and NCC are the most careful, with
# many CDT. No one of them is the best everywhere; the page on the paper's experiment compares them on 39
# data sets.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
for c, name in enumerate(classifiers):
    left.plot(sizes, determinacy[c], marker="o", ms=4, label=name)
    right.plot(sizes, u65[c], marker="o", ms=4)
left.set(xscale="log", xlabel="training rows", title="determinacy: share of single classes")
right.set(xscale="log", xlabel="training rows", title="utility u65")
for ax in (left, right):
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
left.legend(frameon=False, fontsize=8)
plt.show()
