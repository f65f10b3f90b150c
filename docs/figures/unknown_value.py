"""How much is known of a case, and what becomes of its answer."""

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalBmaAODE
from skcredal.datasets import load_dataset

data = load_dataset("tic_tac_toe")
order = np.random.default_rng(0).permutation(len(data.target))
train, test = order[:200], order[200:]
clf = CredalBmaAODE(missing="marginalize").fit(data.features.iloc[train], data.target.iloc[train])
rows, truth = data.features.iloc[test], data.target.iloc[test].astype(str).to_numpy()
squares = np.random.default_rng(1).permuted(np.tile(np.arange(9), (len(rows), 1)), axis=1)
shares = []
for hidden in range(10):
    holed = rows.mask(squares < hidden)
    y_set = clf.predict_set(holed)
    single = y_set.sum(axis=1) == 1
    right = clf.predict(holed) == truth
    shares.append([(single & right).mean(), (single & ~right).mean(), (~single).mean()])
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.stackplot(
    range(10),
    np.array(shares).T,
    labels=["one class, right", "one class, wrong", "both classes"],
    colors=["#0072b2", "#d55e00", "#cccccc"],
)
ax.set(xlabel="squares of the board that are missing", ylabel="share of boards", xlim=(0, 9), ylim=(0, 1))
ax.legend(loc="lower left", fontsize=8)
