"""
A mixed table with missing values
=================================

Tables in practice mix numbers and categories, and have holes. The classifiers take them as they are:
numbers are cut into bins inside, text and categories are states, and a missing cell is ``None``, ``NaN`` or
whatever the library of the table uses. Here we remove more and more cells from a table of patients, and see
how LP-AODE* copes.
"""

# %%
# For 442 patients with diabetes we know age, sex, body mass index, blood pressure and six blood values, and
# how the disease progressed in the following year. We make three classes of the latter, of about the same
# size.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.model_selection import StratifiedKFold

from skcredal import CredalLogPoolAODE
from skcredal.metrics import credal_summary

diabetes = load_diabetes(as_frame=True, scaled=False)
patients = diabetes.data.assign(sex=diabetes.data["sex"].map({1: "first", 2: "second"}))
progress = np.array(["slow", "middling", "fast"])[np.digitize(diabetes.target, [100, 180])]
print(patients.head(3).to_string())

# %%
# Cells go missing at random, text and numbers alike, in training rows and in test rows.
# ``missing="impute"`` replaces them by the median or the most frequent state of the training rows;
# ``missing="marginalize"`` leaves them out, in training and in prediction.


def with_holes(table: pd.DataFrame, share: float, seed: int) -> pd.DataFrame:
    return table.mask(np.random.default_rng(seed).random(table.shape) < share)


shares, n_repeats = np.array([0.0, 0.2, 0.4, 0.6]), 2
measures = ("accuracy", "u65", "determinacy")
found = {missing: np.zeros((len(shares), len(measures))) for missing in ("impute", "marginalize")}
for seed in range(n_repeats):
    folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(patients, progress))
    for missing, rows in found.items():
        for place, share in enumerate(shares):
            holed = with_holes(patients, share, seed)
            y_set, y_proba = np.empty((len(holed), 3), bool), np.empty((len(holed), 3))
            for train, test in folds:
                clf = CredalLogPoolAODE(missing=missing).fit(holed.iloc[train], progress[train])
                y_set[test] = clf.predict_set(holed.iloc[test])
                y_proba[test] = clf.predict_proba(holed.iloc[test])
            summary = credal_summary(progress, y_set, y_proba=y_proba, labels=clf.classes_)
            rows[place] += np.array([summary[name] for name in measures]) / n_repeats

# %%
# Means over two random choices of the missing cells. Accuracy falls as less is known. LP-AODE* notices it:
# its *determinacy*, the share of patients with a single class, falls as well. With ``"marginalize"`` it
# falls further, since the classifier does not take imputed values for known ones; that earns a higher
# utility u65, which also counts sets.

figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.2))
for place, (ax, name) in enumerate(zip(axes, measures, strict=True)):
    for (missing, rows), marker in zip(found.items(), "os", strict=True):
        ax.plot(shares, rows[:, place], marker=marker, label=f'missing="{missing}"')
    ax.set(title=name, xlabel="share of cells missing")
    ax.xaxis.set_major_formatter("{x:.0%}")
axes[0].axhline(pd.Series(progress).value_counts(normalize=True).max(), color="0.6", lw=1, ls="--")
axes[0].annotate("most frequent class", (0, 0.358), color="0.4", fontsize=8)
axes[1].legend(frameon=False, fontsize=8)
plt.show()
