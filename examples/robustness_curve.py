"""
Which answers are fragile?
==========================

The robustness of an answer is how much of the prior over the models may be replaced by anything before
the answer changes. It orders cases differently than the probability does: an answer may be probable under
the chosen prior and still depend on it.
"""

# %%
# Cross-validation on the boards of tic-tac-toe, with 200 of them to learn from at a time.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from skcredal import CredalBmaAODE
from skcredal.datasets import load_dataset

data = load_dataset("tic_tac_toe")
X, y = data.features, data.target.astype(str).to_numpy()
robustness, probability, right, single = [], [], [], []
for train, test in StratifiedShuffleSplit(10, train_size=200, random_state=0).split(X, y):
    clf = CredalBmaAODE().fit(X.iloc[train], y[train])
    robustness.append(clf.robustness(X.iloc[test]))
    probability.append(clf.predict_proba(X.iloc[test]).max(axis=1))
    right.append(clf.predict(X.iloc[test]) == y[test])
    single.append(clf.predict_set(X.iloc[test]).sum(axis=1) == 1)
robustness, probability, right, single = map(np.concatenate, (robustness, probability, right, single))

# %%
# Of the answers that hold under every prior of the set most are right, of the others little more than
# half:

unturned = robustness == 1
print(f"decided cases:           {single.mean():4.0%} of all, {right[single].mean():.0%} right")
print(f"of these, robustness 1:  {unturned.mean():4.0%} of all, {right[unturned].mean():.0%} right")
print(f"undecided cases:         {1 - single.mean():4.0%} of all, {right[~single].mean():.0%} right")

# %%
# On the left the accuracy in ten equal parts of the cases by their robustness. On the right the accuracy on
# the most robust cases, against how many of them are answered, and the same for the most probable ones.
# Robustness finds the fragile answers, those on the right end of the curve; among the many that no prior can
# turn it says nothing more, and there the probability is the better guide. They are two questions.

parts = np.array_split(np.argsort(robustness, kind="stable"), 10)
figure, (left, curve) = plt.subplots(1, 2, figsize=(9.5, 3.4))
left.bar(range(10), [right[part].mean() for part in parts], color="C0")
left.set_xticks(range(10), [f"{robustness[part].mean():.2f}" for part in parts], fontsize=8)
left.set(xlabel="mean robustness of a tenth of the cases", ylabel="accuracy", ylim=(0, 1))
answered = np.arange(1, len(right) + 1) / len(right)
for name, score in {"most robust first": robustness, "most probable first": probability}.items():
    order = np.argsort(-score, kind="stable")
    shown = answered > 0.05
    curve.plot(answered[shown], (np.cumsum(right[order]) / np.arange(1, len(right) + 1))[shown], label=name)
curve.axhline(right.mean(), color="0.6", lw=1, ls=":")
curve.set(xlabel="share of cases answered", ylabel="accuracy on these")
curve.xaxis.set_major_formatter("{x:.0%}")
curve.legend(frameon=False)
plt.show()
