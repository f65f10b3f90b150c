"""The picture of the README: two patients, one answer of a single class and one of two."""

import matplotlib.pyplot as plt
import pandas as pd

from skcredal import CredalLogPoolAODE, set_labels

COLORS = {"ill": "#d55e00", "well": "#0072b2"}
DARK_COLORS = {"ill": "#f0883e", "well": "#56b4e9"}

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
clf = CredalLogPoolAODE().fit(patients, ["well"] * 6 + ["ill"] * 6)
new = pd.DataFrame({"age": [30, 68], "smoker": ["no", "no"], "pain": ["none", "mild"]})
interval, sets = clf.predict_interval(new), set_labels(clf.predict_set(new), clf.classes_)
proba = clf.predict_proba(new)


def draw(*, dark: bool):
    """Return the figure; one patient below the other, so that it can be read on a phone."""
    ink, colors = ("#e6e9ec", DARK_COLORS) if dark else ("#24292f", COLORS)
    figure, axes = plt.subplots(2, 1, figsize=(5.2, 4.6), layout="constrained", sharex=True)
    for r, ax in enumerate(axes):
        for c, label in enumerate(clf.classes_):
            low, high = interval[r, c]
            ax.barh(c, max(high - low, 0.006), left=low, height=0.5, color=colors[label], alpha=0.85)
            ax.plot(proba[r, c], c, "|", color=ink, ms=22, mew=1.8)
        ax.set(xlim=(-0.02, 1.02), ylim=(1.6, -0.6))
        ax.set_yticks(range(2), clf.classes_, fontsize=12)
        row = new.iloc[r]
        ax.set_title(
            f"age {row['age']}, {'smoker' if row['smoker'] == 'yes' else 'non-smoker'}, pain: {row['pain']}\n"
            f"answer: {' or '.join(sets[r])}",
            fontsize=12,
            color=ink,
        )
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            ax.spines[side].set_color(ink)
        ax.tick_params(colors=ink, labelsize=11)
    axes[-1].set_xlabel("probability", fontsize=11, color=ink)
    figure.supxlabel(
        "coloured: the range that the data leave open\ntick: best estimate",
        fontsize=10.5,
        color=ink,
    )
    return figure
