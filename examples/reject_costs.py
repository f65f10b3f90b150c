"""
The reject option, with costs
=============================

Sometimes a case can be handed on to someone else: that costs something, but less than an error. If an
error costs 1 and handing on costs d, a determinate classifier should answer where its class has a
probability of at least 1 − d. A credal classifier asks the *lower* probability to be that high, and a set
of a single class.
"""

# %%
# Boards of tic-tac-toe after the end of the game: has x won? From 200 boards much remains unsure.

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import reject, reject_cost_score

data = load_dataset("tic_tac_toe")
X, y = data.features, data.target.astype(str).to_numpy()
costs = np.linspace(0.02, 0.48, 24)
found: dict[str, list[list[tuple[float, float]]]] = {"by the probability": [], "by the lower probability": []}
for seed in range(10):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:200], order[200:]
    clf = CredalBmaAODE().fit(X.iloc[train], y[train])
    proba, interval = clf.predict_proba(X.iloc[test]), clf.predict_interval(X.iloc[test])
    y_pred, y_set = clf.predict(X.iloc[test]), clf.predict_set(X.iloc[test])
    for name in found:
        curve = []
        for cost in costs:
            if name == "by the probability":
                rejected = reject(proba, cost=cost)
            else:
                rejected = reject(interval, y_set, cost=cost)
            curve.append((reject_cost_score(y[test], y_pred, rejected, cost=cost), rejected.mean()))
        found[name].append(curve)

# %%
# Means over ten ways to choose the 200 boards. Where handing on is cheap, the probabilities of a single
# prior are too sure of themselves: at d = 0.1 acting on them costs more than handing everything on would.
# Lower probabilities are more careful, and do better there. Where handing on is nearly as dear as an error,
# the careful rule hands on too much.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4))
for name, curves in found.items():
    mean = np.mean(curves, axis=0)
    left.plot(costs, mean[:, 0], label=f"rejected {name}")
    right.plot(costs, mean[:, 1])
    print(f"{name:26} mean cost at d = 0.1: {mean[np.abs(costs - 0.1).argmin(), 0]:.3f}")
left.plot(costs, costs, color="0.6", lw=1, ls="--", label="everything rejected")
left.axhline(np.mean([curve[-1][0] for curve in found["by the probability"]]), color="0.6", lw=1, ls=":")
left.set(xlabel="cost d of handing a case on", ylabel="mean cost", ylim=(0, None))
left.legend(frameon=False, fontsize=8)
right.set(xlabel="cost d of handing a case on", ylabel="share handed on", ylim=(0, 1))
plt.show()
