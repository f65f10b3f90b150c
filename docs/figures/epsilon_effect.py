"""What ε does to a whole data set: determinacy, and the utility of the sets."""

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE, CredalCompAODE
from skcredal.datasets import load_dataset
from skcredal.metrics import determinacy_score, u65_score, u80_score

data = load_dataset("tic_tac_toe")
X, y = data.features, data.target.astype(str).to_numpy()
path = np.geomspace(1e-6, 0.099, 11)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for color, (name, Classifier) in enumerate(
    {"BMA-AODE*": CredalBmaAODE, "COMP-AODE*": CredalCompAODE}.items()
):
    found = np.zeros((3, len(path)))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:200], order[200:]
        for place, eps in enumerate(path):
            clf = Classifier(epsilon=eps).fit(X.iloc[train], y[train])
            y_set = clf.predict_set(X.iloc[test])
            found[:, place] += np.array(
                [
                    determinacy_score(y_set),
                    u65_score(y[test], y_set, labels=clf.classes_),
                    u80_score(y[test], y_set, labels=clf.classes_),
                ]
            )
    found /= 3
    axes[0].plot(path, found[0], marker="o", ms=3, color=f"C{color}", label=name)
    axes[1].plot(path, found[1], marker="o", ms=3, color=f"C{color}", label=f"{name}, u65")
    axes[1].plot(path, found[2], marker="s", ms=3, ls="--", color=f"C{color}", label=f"{name}, u80")
for ax, title in zip(axes, ("determinacy", "utility"), strict=True):
    ax.set(xscale="log", xlabel="ε", title=title)
    ax.axvline(0.01, color="0.6", lw=1, ls=":")
    ax.legend(frameon=False, fontsize=8)
