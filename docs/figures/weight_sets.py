"""Sets of weights of two experts, by credibility and number of rows, and where the answer changes."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import erfinv

# Log-odds of yes over no: the first expert says yes, the second, less clearly, no.
LOG_ODDS = np.array([1.5, -1.0])
BEST = np.array([0.65, 0.45])
# What a hundred rows leave of uncertainty; more rows leave less in proportion.
COVARIANCE = np.array([[0.05, -0.028], [-0.028, 0.04]])

turn = np.linspace(0, 2 * np.pi, 200)
circle = np.stack([np.cos(turn), np.sin(turn)])
figure, axes = plt.subplots(1, 3, figsize=(9, 2.9), layout="constrained", sharex=True, sharey=True)
for ax, (rows, credibility) in zip(axes, ((100, 0.95), (100, 0.5), (400, 0.95)), strict=True):
    covariance, z = COVARIANCE * 100 / rows, np.sqrt(2) * erfinv(credibility)
    lower = BEST @ LOG_ODDS - z * np.sqrt(LOG_ODDS @ covariance @ LOG_ODDS)
    answer = "yes" if lower > 0 else "yes or no"
    border = BEST[:, None] + z * np.linalg.cholesky(covariance) @ circle
    ax.fill(*border, color="#0072b2" if lower > 0 else "#e69f00", alpha=0.5)
    # Where yes and no are equally probable, and the weights that come closest to it, or go furthest beyond.
    ax.plot([0, 1.2], [0, 1.2 * -LOG_ODDS[0] / LOG_ODDS[1]], color="#d55e00", lw=1.5)
    worst = BEST - z * covariance @ LOG_ODDS / np.sqrt(LOG_ODDS @ covariance @ LOG_ODDS)
    ax.plot(*BEST, "ko", ms=4)
    ax.plot(*worst, "k^", ms=4)
    ax.set(
        xlim=(0, 1.3),
        ylim=(0, 1.1),
        aspect="equal",
        xlabel="weight of expert 1",
        title=f"{rows} rows, credibility {credibility}: {answer}",
    )
    ax.title.set_fontsize(10)
    ax.annotate("no", (0.28, 0.95), color="#d55e00")
    ax.annotate("yes", (1.05, 0.95), color="#d55e00")
axes[0].set_ylabel("weight of expert 2")
