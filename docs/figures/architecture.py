"""The architecture as one picture: the line from a table to a report, and who may import whom."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

INK, EDGE = "#24292f", "#66707b"
LAYERS = [
    ("_cli", "the command line", "#e8eef5"),
    ("paper", "the paper's experiment: plan, journal, claims, report", "#e8eef5"),
    ("evaluation | plots", "your own table: files, folds, the page | pictures", "#e8eef5"),
    ("scale | persistence", "batches, Parquet, Dask | models on disk", "#dcebf7"),
    ("classifiers", "scikit-learn estimators: fit, predict_proba, predict_set, …", "#c9e0f2"),
    ("_ensemble | _encoding", "counts, likelihoods, sets of priors | a table becomes states", "#f9e3d3"),
    ("_kernels", "compiled loops: arrays in, arrays out", "#f5d0b5"),
]
LINE = ["table", "states", "counts", "likelihoods", "weights", "posterior", "set", "measures", "report"]

figure, ax = plt.subplots(figsize=(9, 5.6), layout="constrained")
ax.set(xlim=(0, 100), ylim=(0, 74))
ax.axis("off")


def box(x, y, width, height, color):
    """Draw a rounded box."""
    shape = "round,pad=0,rounding_size=1"
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=shape, fc=color, ec=EDGE, lw=0.8))


def arrow(start, end):
    """Draw an arrow."""
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=EDGE, lw=1))


ax.text(0, 72.5, "what happens: one straight line", fontsize=10, color=EDGE, va="center")
width = 100 / len(LINE)
for index, name in enumerate(LINE):
    box(index * width + 0.6, 63.5, width - 2.2, 6, "white")
    ax.text(index * width + width / 2 - 0.5, 66.5, name, ha="center", va="center", fontsize=9, color=INK)
    if index:
        arrow((index * width - 1.6, 66.5), (index * width + 0.7, 66.5))

ax.text(0, 58.5, "who imports whom: only downwards", fontsize=10, color=EDGE, va="center")
height = 7.9
for index, (name, what, color) in enumerate(LAYERS):
    y = 56 - (index + 1) * height
    box(0.6, y, 70, height - 1.4, color)
    ax.text(3, y + height / 2 - 0.7, name, va="center", fontsize=10, color=INK, family="monospace")
    ax.text(27, y + height / 2 - 0.7, what, va="center", fontsize=9, color=INK)
box(76, 56 - 4 * height, 23, 4 * height - 1.4, "#e3f1e6")
beside = "metrics\ndecisions\ndatasets", "measures and choices,\nknowing only arrays;\ndata sets by name"
ax.text(87.5, 45, beside[0], ha="center", va="center", fontsize=10, color=INK, family="monospace")
ax.text(87.5, 33, beside[1], ha="center", va="center", fontsize=9, color=INK)
box(76, 56 - 7 * height, 23, 3 * height - 1.4, "white")
ax.text(
    87.5, 11.5, "tests/oracles.py:\neverything again,\nin plain Python,\nimporting nothing\nof the above",
    ha="center", va="center", fontsize=9, color=INK,
)  # fmt: skip
