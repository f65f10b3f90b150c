"""
Why is this case undecided?
===========================

A set of two classes is not a shrug: the classifier can say what supports either class, and how far the data
leave that open. Here 80 tumours are learned from, and some of the others are looked at.
"""

# %%
# LP-AODE* explains its answer by features. The picture starts with the class frequencies; each feature moves
# the odds, and all of them together make up the odds exactly. The last line shows how far the odds may be
# off, with so few tumours to learn from: it crosses the dashed line, where both classes are equally probable.

import matplotlib.pyplot as plt
import numpy as np

from skcredal import CredalCompAODE, CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.plots import ReasonsDisplay

data = load_dataset("breast_cancer")
order = np.random.default_rng(0).permutation(len(data.target))
train, test = order[:80], order[80:]
X, y = data.features.iloc[train], data.target.iloc[train]
clf = CredalLogPoolAODE().fit(X, y)
new = data.features.iloc[test]
undecided = new[clf.predict_set(new).sum(axis=1) > 1]
print(f"{len(undecided)} of {len(test)} tumours are undecided.")
ReasonsDisplay.from_estimator(clf, undecided)
plt.show()

# %%
# COMP-AODE*, one of the paper's classifiers, averages models instead. Each model (SPODE) lets all
# measurements depend on one of them, its super-parent. The classifier averages them under every prior that
# gives each some weight, and answers with both classes where the priors do not agree. So it explains an
# answer by what each model votes for, its weight under the reference prior, and the prior that turns it.

paper = CredalCompAODE().fit(X, y)
case = new[paper.predict_set(new).sum(axis=1) > 1].iloc[[0]]
ReasonsDisplay.from_estimator(paper, case)
plt.show()
