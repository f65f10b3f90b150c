"""
The reject option, with costs
=============================

Sometimes you can hand a case on to someone else: that costs something, but less than an error. If an error
costs 1 and handing on costs d, a classifier should answer where its class has a probability of at least 1 −
d. The careful rule of a credal classifier asks for more: its *lower* probability must be that high, and the
set must contain a single class.
"""

# %%
# Boards of tic-tac-toe after the end of the game: has x won? With only 200 boards to learn from, many
# answers are uncertain. LP-AODE* is uncertain about the weights of its models, BMA-AODE* about the prior
# over them.

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE, CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import reject, reject_cost_score

data = load_dataset("tic_tac_toe")
X, y = data.features, data.target.astype(str).to_numpy()
classifiers = {"LP-AODE*": CredalLogPoolAODE(), "BMA-AODE*": CredalBmaAODE()}
rules = ["by the probability", "by the lower probability"]
costs = np.linspace(0.02, 0.48, 24)
n_repeats = 6
mean_cost = np.zeros((len(classifiers), len(rules), len(costs)))
handed_on = np.zeros_like(mean_cost)
for seed in range(n_repeats):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:200], order[200:]
    for c, clf in enumerate(classifiers.values()):
        clf.fit(X.iloc[train], y[train])
        proba, interval = clf.predict_proba(X.iloc[test]), clf.predict_interval(X.iloc[test])
        y_pred, y_set = clf.predict(X.iloc[test]), clf.predict_set(X.iloc[test])
        for i, cost in enumerate(costs):
            for r, rejected in enumerate([reject(proba, cost=cost), reject(interval, y_set, cost=cost)]):
                mean_cost[c, r, i] += reject_cost_score(y[test], y_pred, rejected, cost=cost) / n_repeats
                handed_on[c, r, i] += rejected.mean() / n_repeats

# %%
# Means over six ways to choose the 200 boards. With LP-AODE*, acting on the probabilities costs less for
# every d: they can be trusted, and the careful rule hands on too much. The probabilities of BMA-AODE* are
# too sure of themselves: if handing on is cheap, acting on them costs more than handing everything on, and
# lower probabilities do better.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True)
cheap = np.abs(costs - 0.1).argmin()
for c, (ax, name) in enumerate(zip(axes, classifiers, strict=True)):
    for r, rule in enumerate(rules):
        ax.plot(costs, mean_cost[c, r], label=f"rejected {rule}")
        print(
            f"{name:9} {rule:26} d = 0.1: mean cost {mean_cost[c, r, cheap]:.3f},"
            f" {handed_on[c, r, cheap]:.0%} handed on"
        )
    ax.plot(costs, costs, color="0.6", lw=1, ls="--", label="everything rejected")
    ax.set(title=name, xlabel="cost d of handing a case on", ylim=(0, 0.33))
axes[0].set_ylabel("mean cost")
axes[0].legend(frameon=False, fontsize=8)
plt.show()
