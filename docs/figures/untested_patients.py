"""A test that only some of the well patients had: what three treatments of the missing results say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skcredal import NaiveCredal

# Of 50 ill and 50 well patients, 45 and 10 would be positive. Untested are well ones who would be negative.
results = ["positive"] * 45 + ["negative"] * 5 + ["positive"] * 10 + ["negative"] * 40
states = ["ill"] * 50 + ["well"] * 50
patients = {
    "a new patient with a positive result": "positive",
    "a new patient who was not tested": None,
}
treatments = {
    "impute": NaiveCredal(),
    "marginalize": NaiveCredal(missing="marginalize"),
    "conservative": NaiveCredal(conservative_features=["result"]),
}
untested = np.arange(40)
lines = {name: np.empty((2, len(untested))) for name in ("impute", "marginalize")}
low, high = np.empty((2, len(untested))), np.empty((2, len(untested)))
new = pd.DataFrame({"result": list(patients.values())})
for m in untested:
    table = pd.DataFrame({"result": results[: 100 - m] + [None] * m})
    for name, clf in treatments.items():
        clf.fit(table, states)
        if name == "conservative":
            low[:, m], high[:, m] = clf.predict_interval(new)[:, 0].T
        else:
            lines[name][:, m] = clf.predict_proba(new)[:, 0]
# Had all been tested: the new patient without a result is negative, like all others without one.
whole = NaiveCredal().fit(pd.DataFrame({"result": results}), states)
tested = whole.predict_proba(pd.DataFrame({"result": ["positive", "negative"]}))[:, 0]

figure, axes = plt.subplots(2, 1, figsize=(5, 5.4), layout="constrained", sharex=True)
for r, (ax, title) in enumerate(zip(axes, patients, strict=True)):
    ax.fill_between(untested, low[r], high[r], color="#009e73", alpha=0.25, lw=0, label="conservative")
    ax.plot(untested, lines["impute"][r], color="#d55e00", label="impute")
    ax.plot(untested, lines["marginalize"][r], color="#0072b2", ls="--", label="marginalize")
    ax.axhline(tested[r], color="black", ls=":", lw=2, label="had all been tested")
    ax.axhline(0.5, color="0.6", lw=0.8, zorder=0)
    ax.set(ylim=(-0.02, 1.02), xlim=(0, 39), ylabel="probability: ill")
    ax.set_title(title, loc="left", fontsize=11)
axes[1].set_xlabel("well patients whose test was not done, of 50")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
