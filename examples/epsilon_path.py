"""
The ε-path of one case
======================

In the paper's classifiers, ε is the least prior probability of each model. A small ε admits priors that
trust a single model almost blindly, a large one only priors near the uniform one. As ε grows, at some point
the answer becomes a single class; the robustness of the answer says where.
"""

# %%
# We learn from forty wines, and look at a wine that BMA-AODE* leaves undecided:

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE, CredalCompAODE
from skcredal.datasets import load_dataset

data = load_dataset("wine")
X, y = data.features, data.target.astype(str)
order = np.random.default_rng(0).permutation(len(y))
train, test = order[:40], order[40:]
robustness = CredalBmaAODE().fit(X.iloc[train], y.iloc[train]).robustness(X.iloc[test])
# A case in the middle: neither a tie nor nearly decided.
case = X.iloc[test[np.abs(robustness - 0.45).argmin()]].to_frame().T

# %%
# ε must be below 1/(k+1) for k features kept. For each ε we fit the classifier again, which takes
# milliseconds, and ask it for the bounds and the set of this wine.

k = len(CredalBmaAODE().fit(X.iloc[train], y.iloc[train]).super_parents_)
path = np.geomspace(1e-4, 0.99 / (k + 1), 40)
bounds, sets = {}, {}
for name, Classifier in {"BMA-AODE*": CredalBmaAODE, "COMP-AODE*": CredalCompAODE}.items():
    fitted = [Classifier(epsilon=eps).fit(X.iloc[train], y.iloc[train]) for eps in path]
    bounds[name] = np.array([clf.predict_interval(case)[0] for clf in fitted])
    sets[name] = np.array([clf.predict_set(case)[0] for clf in fitted])
    single = path[sets[name].sum(axis=1) == 1]
    print(f"{name}: a single class for {len(single)} of {len(path)} values, from ε = {single.min():.4f} on")

# %%
# The bands are lower and upper probabilities; the bars below them show which classes the set contains. The
# dotted line is the default ε. BMA-AODE* needs a far larger ε to decide than COMP-AODE*: a change of the
# prior moves its weights, likelihoods times prior, by orders of magnitude, while the compression
# coefficients of COMP-AODE* contain only the logarithm of the prior.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), sharey=True)
for ax, name in zip(axes, bounds, strict=True):
    for c, label in enumerate(fitted[0].classes_):
        ax.fill_between(path, *bounds[name][:, c].T, color=f"C{c}", alpha=0.3, label=label)
        inside = np.where(sets[name][:, c], -0.04 - 0.05 * c, np.nan)
        ax.plot(path, inside, color=f"C{c}", lw=5, solid_capstyle="butt")
    ax.axvline(0.01, color="0.5", lw=1, ls=":")
    ax.set(xscale="log", title=name, xlabel="ε")
axes[0].set_ylabel("probability")
axes[1].legend(frameon=False, title="class", fontsize=8, loc="upper right")
plt.show()
