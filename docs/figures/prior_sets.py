"""Sets of priors over three models, for three values of ε, and where the answer changes."""

import matplotlib.pyplot as plt
import numpy as np

# Corners of the triangle: all mass on one model.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
# L_j·(P(yes|a,s_j) − P(no|a,s_j)): models 1 and 2 speak for yes, model 3 for no.
ADVANTAGE = np.array([0.5, 0.35, -0.5])

figure, axes = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained")
for ax, eps in zip(axes, (0.02, 0.1, 0.3), strict=True):
    ax.fill(*CORNERS.T, color="0.95", ec="0.5", lw=1)
    vertices = eps + (1 - 3 * eps) * np.eye(3)
    worst = (vertices @ ADVANTAGE).min()
    answer = "yes" if worst > 0 else "yes or no"
    ax.fill(*(vertices @ CORNERS).T, color="#0072b2" if worst > 0 else "#e69f00", alpha=0.5)
    # Where yes and no score the same: between corners 1 and 3, and 2 and 3.
    ends = []
    for j in (0, 1):
        share = ADVANTAGE[j] / (ADVANTAGE[j] - ADVANTAGE[2])
        ends.append((1 - share) * CORNERS[j] + share * CORNERS[2])
    ax.plot(*np.array(ends).T, color="#d55e00", lw=1.5)
    ax.plot(*CORNERS.mean(axis=0), "ko", ms=4)
    for j, (corner, shift) in enumerate(zip(CORNERS, ((-0.02, -0.1), (0.02, -0.1), (0, 0.04)), strict=True)):
        ax.annotate(f"model {j + 1}", corner + shift, ha="center", fontsize=9)
    ax.set(xlim=(-0.15, 1.15), ylim=(-0.14, 1.0), aspect="equal", title=f"ε = {eps}: {answer}")
    ax.axis("off")
axes[0].annotate("no", (0.5, 0.72), ha="center", color="#d55e00")
