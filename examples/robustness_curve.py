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

from skcredal import Answers, CredalBmaAODE, answers
from skcredal.datasets import load_dataset
from skcredal.plots import SetAsideDisplay

data = load_dataset("tic_tac_toe")
X, y = data.features, data.target.astype(str).to_numpy()
parts, true = [], []
for train, test in StratifiedShuffleSplit(10, train_size=200, random_state=0).split(X, y):
    clf = CredalBmaAODE().fit(X.iloc[train], y[train])
    parts.append(answers(clf, X.iloc[test]))
    true.append(y[test])
found, true = Answers.joined(parts), np.concatenate(true)

# %%
# Of the answers that hold under every prior of the set most are right, of the others little more than
# half:

right, single, unturned = found.predicted == true, found.set_size == 1, found.robustness == 1
print(f"decided cases:           {single.mean():4.0%} of all, {right[single].mean():.0%} right")
print(f"of these, robustness 1:  {unturned.mean():4.0%} of all, {right[unturned].mean():.0%} right")
print(f"undecided cases:         {1 - single.mean():4.0%} of all, {right[~single].mean():.0%} right")

# %%
# On the left the accuracy in ten equal parts of the cases by their robustness. On the right the accuracy on
# the other cases when the least certain ones are set aside: by robustness, by probability, and by the size of
# the set. Robustness finds the fragile answers, at the left end of the curve; among the many that no prior
# can turn it says nothing more, and there the probability is the better guide. They are two questions.

tenths = np.array_split(np.argsort(found.robustness, kind="stable"), 10)
figure, (left, curve) = plt.subplots(1, 2, figsize=(9.5, 3.4))
left.bar(range(10), [right[part].mean() for part in tenths])
left.set_xticks(range(10), [f"{found.robustness[part].mean():.2f}" for part in tenths], fontsize=8)
left.set(xlabel="mean robustness of a tenth of the cases", ylabel="accuracy", ylim=(0, 1))
SetAsideDisplay.from_predictions(true, found, ax=curve)
plt.show()
