"""
A pipeline, chosen by the utility of its sets
=============================================

The classifiers are scikit-learn estimators: they end pipelines, and searches find their parameters. What
is searched for can be the utility of the *sets*: ``make_set_scorer`` makes a scorer of any measure of
sets.
"""

# %%
# A pipeline that chooses features and ends in COMP-AODE* or BMA-AODE*, with ε to be found. u65 gives 0.65
# for a right set of two classes and 1 for a right single class.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from skcredal import CredalBmaAODE, CredalCompAODE
from skcredal.datasets import load_dataset
from skcredal.metrics import credal_report, make_set_scorer, predict_set, u65_score, u80_score

data = load_dataset("waveform")
X, y = data.features.iloc[:600], data.target.astype(str).iloc[:600]
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=300, stratify=y, random_state=0)

pipeline = Pipeline([("select", SelectKBest(k=12)), ("classify", CredalCompAODE())])
search = GridSearchCV(
    pipeline,
    {
        "select__k": [6, 12, 18],
        "classify": [CredalCompAODE(), CredalBmaAODE()],
        "classify__epsilon": [1e-6, 1e-4, 1e-2, 0.05],
    },
    scoring={"u65": make_set_scorer(u65_score), "u80": make_set_scorer(u80_score)},
    refit="u65",
    cv=5,
).fit(X_train, y_train)
print({name: str(value) for name, value in search.best_params_.items()})

# %%
# A pipeline passes on only the methods that scikit-learn knows; ``skcredal.metrics.predict_set`` finds
# the sets in it, and in the search.

y_set = predict_set(search, X_test)
print(credal_report(y_test, y_set, y_proba=search.predict_proba(X_test), labels=search.classes_))

# %%
# Utilities of all candidates by cross-validation, against ε. How much ε matters depends on the classifier:
# BMA-AODE* loses towards large ε, most of all under u80, which values the larger sets of a small ε;
# COMP-AODE* hardly notices it.

results = search.cv_results_
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True)
for ax, measure in zip(axes, ("u65", "u80"), strict=True):
    for color, (name, Classifier) in enumerate(
        {"COMP-AODE*": CredalCompAODE, "BMA-AODE*": CredalBmaAODE}.items()
    ):
        for k, style in ((6, ":"), (12, "--"), (18, "-")):
            chosen = [
                isinstance(params["classify"], Classifier) and params["select__k"] == k
                for params in results["params"]
            ]
            eps = np.array([params["classify__epsilon"] for params in results["params"]])[chosen]
            score = results[f"mean_test_{measure}"][chosen]
            ax.plot(eps, score, ls=style, marker="o", ms=4, color=f"C{color}", label=f"{name}, {k} features")
    ax.set(xscale="log", xlabel="ε", title=measure)
axes[0].set_ylabel("mean utility of five folds")
axes[1].legend(frameon=False, fontsize=7, ncols=2)
plt.show()
