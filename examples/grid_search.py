"""
A pipeline, chosen by the utility of its sets
=============================================

The classifiers are scikit-learn estimators: they end pipelines, and searches tune their parameters. A
search can maximise the utility of the *sets*: ``make_set_scorer`` turns any measure of sets into a scorer.
"""

# %%
# A pipeline that selects features and ends in LP-AODE*. The search tunes the number of features and the
# ``credibility``: the higher it is, the larger are the sets. u65 gives 1 for a right single class and 0.65
# for a right set of two, u80 gives 0.80 for the latter.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.metrics import credal_report, make_set_scorer, predict_set, u65_score, u80_score

data = load_dataset("waveform")
X, y = data.features.iloc[:600], data.target.astype(str).iloc[:600]
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=300, stratify=y, random_state=0)

numbers, credibilities = [6, 12, 18], [0.0, 0.5, 0.8, 0.95, 0.99]
search = GridSearchCV(
    Pipeline([("select", SelectKBest()), ("classify", CredalLogPoolAODE())]),
    {"select__k": numbers, "classify__credibility": credibilities},
    scoring={"u65": make_set_scorer(u65_score), "u80": make_set_scorer(u80_score)},
    refit="u65",
    cv=3,
).fit(X_train, y_train)
print(search.best_params_)

# %%
# A pipeline passes on only the methods that scikit-learn knows; ``skcredal.metrics.predict_set`` gets the
# sets from pipelines and searches.

y_set = predict_set(search, X_test)
print(credal_report(y_test, y_set, y_proba=search.predict_proba(X_test), labels=search.classes_))

# %%
# Utilities of all candidates by cross-validation. The number of features matters most. With a credibility
# of 0 every row gets a single class; cautious answers earn more under u80 than under u65. With only six
# features, u65 is best at a credibility of 0.8.

results = search.cv_results_
places = np.arange(len(credibilities))
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True)
for ax, measure in zip(axes, ("u65", "u80"), strict=True):
    # The candidates come with the credibilities outside, the numbers of features inside.
    scores = results[f"mean_test_{measure}"].reshape(len(credibilities), len(numbers))
    for k, own in zip(numbers, scores.T, strict=True):
        ax.plot(places, own, marker="o", ms=4, label=f"{k} features")
    ax.set_xticks(places, [str(credibility) for credibility in credibilities])
    ax.set(xlabel="credibility", title=measure)
axes[0].set_ylabel("mean utility of three folds")
axes[1].legend(frameon=False, fontsize=8)
plt.show()
