"""
Why is this case undecided?
===========================

A set of two classes is not a shrug: the classifier can say which of its models disagree, and which prior
over them would turn the answer. Here 80 tumours are learned from, and one of the others is looked at.
"""

# %%
# Each model (SPODE) lets all measurements depend on one of them, its super-parent. COMP-AODE* averages
# the models under every prior that gives each some weight, and answers with both classes where the priors
# do not agree.

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalCompAODE
from skcredal.datasets import load_dataset

data = load_dataset("breast_cancer")
order = np.random.default_rng(0).permutation(len(data.target))
train, test = order[:80], order[80:]
clf = CredalCompAODE().fit(data.features.iloc[train], data.target.iloc[train])
undecided = data.features.iloc[test][clf.predict_set(data.features.iloc[test]).sum(axis=1) > 1]
print(f"{len(undecided)} of {len(test)} tumours are undecided.")

# %%
# In words, for the first of them:

case = undecided.iloc[[0]]
explanation = clf.explain(case).iloc[0]
print(textwrap.fill(explanation["sentence"], 90))

# %%
# And in full: by how much each model prefers the predicted class to its rival (*votes*), and how the
# prior that is worst for the predicted class spreads its mass (*prior*).

for name, vote, mass in zip(
    explanation["super_parents"], explanation["votes"], explanation["prior"], strict=True
):
    print(f"{name:24} {vote:+.2f}   {mass:.3f}")

# %%
# The left picture shows the votes, the right one the bounds of each class over all priors of the set. The
# bounds of the two classes overlap, and so the answer is both.

predicted, rival = explanation["predicted"], explanation["rival"]
votes, names = np.array(explanation["votes"]), explanation["super_parents"]
interval, proba = clf.predict_interval(case)[0], clf.predict_proba(case)[0]

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 0.22 * len(names) + 1.2), width_ratios=[2, 1])
left.barh(names, votes, color=np.where(votes > 0, "C0", "C1"))
left.axvline(0, color="0.3", lw=0.8)
left.invert_yaxis()
left.tick_params(axis="y", labelsize=8, length=0)
left.set(xlim=(-1.05, 1.05), xlabel=f"← favours {rival}      favours {predicted} →")
for place, (label, (low, high), p) in enumerate(zip(clf.classes_, interval, proba, strict=True)):
    color = "C0" if label == predicted else "C1"
    right.plot([place, place], [low, high], lw=9, color=color, alpha=0.5, solid_capstyle="butt")
    right.plot(place, p, "o", color=color)
    right.annotate(f"{low:.2f} … {high:.2f}", (place + 0.08, (low + high) / 2), va="center", fontsize=9)
right.set_xticks(range(len(clf.classes_)), clf.classes_)
right.set(xlim=(-0.4, 1.8), ylim=(0, 1), ylabel="probability: bounds, and reference")
plt.show()
