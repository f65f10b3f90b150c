"""The picture of the README: two patients, one answer of a single class and one of two."""

import matplotlib.pyplot as plt
import pandas as pd

from skcredal import CredalCompAODE, set_labels

COLORS = {"ill": "#d55e00", "well": "#0072b2"}

patients = pd.DataFrame(
    {
        "age": [51, 25, 56, 31, 36, 35, 67, 58, 61, 77, 54, None],
        "smoker": ["no", "no", "no", "no", "no", None, "yes", "yes", "yes", "no", "yes", "yes"],
        "pain": [
            "none",
            "mild",
            "none",
            "mild",
            "none",
            "none",
            "strong",
            "strong",
            "mild",
            "strong",
            "mild",
            "mild",
        ],
    }
)
clf = CredalCompAODE().fit(patients, ["well"] * 6 + ["ill"] * 6)
new = pd.DataFrame({"age": [30, 68], "smoker": ["no", "no"], "pain": ["none", "mild"]})
interval, sets = clf.predict_interval(new), set_labels(clf.predict_set(new), clf.classes_)
by_model = clf.spode_proba(new)

figure, axes = plt.subplots(1, 2, figsize=(9, 2.9), layout="constrained", sharey=True)
for r, ax in enumerate(axes):
    for c, label in enumerate(clf.classes_):
        low, high = interval[r, c]
        ax.barh(c, max(high - low, 0.006), left=low, height=0.5, color=COLORS[label], alpha=0.85)
        # What each of the three models says by itself, as a tick.
        ax.plot(by_model[r, :, c], [c] * 3, "|", color="0.25", ms=22, mew=1.4)
    ax.set(xlim=(-0.02, 1.02), ylim=(1.6, -0.6))
    ax.set_yticks(range(2), clf.classes_, fontsize=11)
    ax.set_xlabel("probability")
    row = new.iloc[r]
    ax.set_title(
        f"age {row['age']}, {'smoker' if row['smoker'] == 'yes' else 'no smoker'}, pain: {row['pain']}\n"
        f"answer: {' or '.join(sets[r])}",
        fontsize=11,
    )
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
figure.supxlabel(
    "coloured: bounds over all priors of the set;  ticks: what each model says alone", fontsize=9
)
