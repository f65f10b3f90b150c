"""The figures of the report, each a function of a table: it draws into the axes and returns a caption.

matplotlib is imported in this module alone, when a figure is drawn.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skcredal._arrays import BoolArray, FloatArray
from skcredal._colours import COLOURS
from skcredal._extras import require
from skcredal.evaluation._classifiers import display_name
from skcredal.paper._compare import ROUNDING, bayesian_signed_rank, nemenyi_distance
from skcredal.paper._tables import NotRunError, Results, datasets_word

_INK, _MUTED, _GRID = "#24292f", "#66707b", "#d8dee4"
STYLE = Path(__file__).with_name("report.mplstyle")
# Shares of fewer rows jump.
_FEW = 30


def draw_svg(draw: Callable[..., str], *arguments: Any, size: tuple[float, float]) -> tuple[str, str]:
    """Return a figure as SVG, the same for the same table, and its caption."""
    matplotlib = require("matplotlib", extra="paper", purpose="A report")
    figures = require("matplotlib.figure", extra="paper", purpose="A report")
    # The ids in the figure must not depend on the run, nor its look on the style of the session.
    with matplotlib.rc_context({"svg.hashsalt": draw.__name__}, STYLE), warnings.catch_warnings():
        # The reader's fonts have the glyphs that matplotlib's lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = figures.Figure(figsize=size, layout="constrained")
        caption = draw(figure.add_subplot(), *arguments)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return file.getvalue(), caption


def accuracies(ax: Any, results: Results, classifier: str) -> str:
    """Draw the accuracy of a classifier against that of AODE, one point per data set, with the diagonal."""
    x, y = results.arrays((classifier, "accuracy"), ("aode", "accuracy"))
    name = display_name(classifier)
    _draw_with_diagonal(ax, x, y, above="AODE is better")
    ax.set(xlabel=f"Accuracy of {name}", ylabel="Accuracy of AODE")
    higher, lower = int((y - x > ROUNDING).sum()), int((x - y > ROUNDING).sum())
    return (
        f"AODE has the higher accuracy on {higher} and {name} on {lower} of {datasets_word(len(x))}; they "
        f"are equal on {len(x) - higher - lower}."
    )


def decided_and_undecided(ax: Any, results: Results, classifier: str) -> str:
    """Draw the accuracy of a classifier where its credal counterpart is decided, against where it is not."""
    columns = ("single_accuracy", "accuracy_undecided", "n_undecided")
    decided, undecided, n = results.arrays(*((classifier, column) for column in columns))
    name = display_name(classifier.removesuffix("*"))
    _draw_with_diagonal(ax, undecided, decided, above="better where decided", hollow=n < _FEW)
    ax.set_xlabel(f"Accuracy of {name}, undecided rows\nhollow: fewer than {_FEW} of them")
    ax.set_ylabel(f"Accuracy of {name}, decided rows")
    higher = int((decided - undecided > ROUNDING).sum())
    return (
        f"{name} is more accurate where {display_name(classifier)} is decided on "
        f"{higher} of {datasets_word(len(n))} that have undecided rows: {100 * decided.mean():.0f} % against "
        f"{100 * undecided.mean():.0f} % on average."
    )


def relative_brier(ax: Any, results: Results, classifier: str) -> str:
    """Draw the Brier loss of a classifier relative to that of AODE, by data set."""
    losses = results.paired((classifier, "brier"), ("aode", "brier"))
    ratio = _ratio(losses[classifier, "brier"], losses["aode", "brier"]).sort_values()
    name, rows = display_name(classifier), range(len(ratio))
    _draw_rows(ax, ratio.index, at=1.0)
    ax.hlines(rows, ratio.clip(upper=1.0), ratio.clip(lower=1.0), color=_MUTED, linewidth=0.8)
    ax.scatter(ratio, rows, s=24, c=_side_colors(1.0 - ratio.to_numpy()), zorder=3)
    ax.set_xlabel(f"Brier loss, {name} / AODE\nbelow 1 is better")
    lower, mean = int((1.0 - ratio > ROUNDING).sum()), 100.0 * (float(ratio.mean()) - 1.0)
    return (
        f"{name} has the lower Brier loss on {lower} of {datasets_word(len(ratio))}; on average its loss is "
        f"{abs(mean):.1f} % {'below' if mean < 0.0 else 'above'} AODE's."
    )


def relative_utility(ax: Any, results: Results, classifier: str) -> str:
    """Draw the utilities of a credal classifier relative to the accuracy of its counterpart, by data set."""
    counterpart = classifier.removesuffix("*")
    values = results.paired((classifier, "u65"), (classifier, "u80"), (counterpart, "accuracy"))
    ratio = _ratio(values[classifier], values[counterpart, "accuracy"]).sort_values("u80", ascending=False)
    names, rows = (display_name(classifier), display_name(counterpart)), range(len(ratio))
    _draw_rows(ax, ratio.index, at=1.0)
    ax.hlines(rows, ratio.min(axis="columns"), ratio.max(axis="columns"), color=_MUTED, linewidth=0.8)
    ax.scatter(ratio["u65"], rows, s=20, c=COLOURS[0], zorder=4, label="u65")
    # The open square stays visible around a u65 of the same value.
    ax.scatter(ratio["u80"], rows, s=30, marker="s", facecolors="none", edgecolors=COLOURS[1], label="u80")
    ax.set_xlabel(f"utility of {names[0]} / accuracy of {names[1]}\nabove 1 is better")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    above, gains = (ratio - 1.0 > ROUNDING).sum(), 100.0 * (ratio.mean() - 1.0)
    return (
        f"The utility of {names[0]} is above the accuracy of {names[1]} on {above['u65']} (u65) and "
        f"{above['u80']} (u80) of {datasets_word(len(ratio))}; the mean gain is {gains['u65']:+.1f} and "
        f"{gains['u80']:+.1f} %."
    )


def ranks(ax: Any, table: pd.DataFrame, utility: str, level: float = 0.05) -> str:
    """Draw the average ranks of classifiers, with bars that do not overlap where two differ significantly."""
    names, n = [display_name(name) for name in table["classifier"]], int(table["datasets"].iloc[0])
    distance = nemenyi_distance(len(names), n, level)
    rows = range(len(names))
    _draw_rows(ax, names)
    # Bars of half the distance to each side overlap exactly if two ranks are closer than the distance.
    ax.errorbar(table["rank"], rows, xerr=distance / 2.0, fmt="none", ecolor=_MUTED, capsize=3)
    ax.scatter(table["rank"], rows, s=36, c=COLOURS[0], zorder=3)
    for row, rank in enumerate(table["rank"]):
        ax.annotate(f"{rank:.2f}", (rank, row - 0.2), ha="center", va="bottom", fontsize=8)
    ax.set_ylim(len(names) - 0.5, -0.8)
    percent = f"{(1.0 - level) * 100.0:g} %"
    ax.set_xlabel(f"average rank under {utility}, 1 is best\nbars that do not overlap differ at {percent}")
    best = table["rank"].iloc[0]
    worse = [name for name, rank in zip(names, table["rank"], strict=True) if rank - best > distance]
    better = f"better than {', '.join(worse) or 'none'}"
    return (
        f"{names[0]} has the best average rank under {utility}, {best:.2f} over {datasets_word(n)}, "
        f"significantly {better} (critical distance {distance:.2f} at {percent})."
    )


def epsilon(ax: Any, table: pd.DataFrame, measure: str) -> str:
    """Draw a measure of credal classifiers against ε, the mean over the data sets that have it."""
    means = table.groupby(["epsilon", "series"], sort=False)[measure].mean().unstack(sort=False)
    if means.isna().all(axis=None):
        raise NotRunError(f"No data set has {measure}.")
    _draw_lines(ax, means.rename(columns=display_name))
    words = {"set_accuracy": "accuracy of the sets of several classes"}.get(measure, measure)
    ax.set_xscale("log")
    ax.axvline(0.01, color=_MUTED, linewidth=0.8)
    ax.set(xlabel="ε; the paper's 0.01 is marked", ylabel=words)
    parts = [
        f"of {display_name(str(name))} goes from {known.iloc[0]:.3f} to {known.iloc[-1]:.3f}"
        for name, known in ((name, means[name].dropna()) for name in means)
        if len(known)
    ]
    return f"From ε = {means.index[0]:g} to {means.index[-1]:g}, the {words} {', '.join(parts)}."


def set_aside(ax: Any, table: pd.DataFrame) -> str:
    """Draw the mean accuracy of the predictions that are kept when the least trusted ones are set aside."""
    means = table.groupby(["set_aside", "series"], sort=False)["accuracy"].mean().unstack(sort=False)
    _draw_lines(ax, means.set_axis(means.index * 100.0).rename(columns=lambda by: "by " + str(by)))
    ax.set(xlabel="% of the rows set aside", ylabel="accuracy on the others")
    start, *some = means.loc[[0.0, 0.1, 0.5]].to_numpy(np.float64)
    parts = [f"{tenth:.3f} and {half:.3f} by {by!s}" for by, tenth, half in zip(means, *some, strict=True)]
    return (
        f"COMP-AODE's accuracy of {start[0]:.3f} becomes, with 10 % and 50 % of the rows set aside, "
        f"{'; '.join(parts)} (mean over {datasets_word(table['dataset'].nunique())})."
    )


def rivals(ax: Any, table: pd.DataFrame, utility: str) -> str:
    """Draw the utility of other ways to make sets minus that of COMP-AODE*, by data set."""
    judged = table[table["judged_by"] == utility]
    wide = judged.pivot(index="dataset", columns="series", values="utility")
    if "comp-aode*" not in wide or wide.shape[1] < 2:
        raise NotRunError("COMP-AODE* or its rivals were not run.")
    differences = wide.drop(columns="comp-aode*").sub(wide["comp-aode*"], axis="index")
    means = differences.mean().sort_values(ascending=False, kind="stable")
    _draw_rows(ax, [spelled(name) for name in means.index], at=0.0)
    for row, name in enumerate(means.index):
        ax.scatter(differences[name], [row] * len(differences), s=12, c=_MUTED)
    ax.scatter(means, range(len(means)), s=48, marker="D", c=_side_colors(means.to_numpy()), zorder=4)
    # A few outliers would squeeze all other points together; the means in the caption include them.
    low, high = np.nanquantile(differences.to_numpy(), [0.02, 0.98])
    margin = 0.1 * max(high - low, 0.01)
    ax.set_xlim(min(low, 0.0) - margin, max(high, 0.0) + margin)
    ax.set_xlabel(f"{utility} minus that of COMP-AODE*\ndots: data sets; diamonds: means")
    listed = ", ".join(f"{spelled(str(name))} {mean:+.3f}" for name, mean in means.items())
    return (
        f"COMP-AODE* has a mean {utility} of {wide['comp-aode*'].mean():.3f} over "
        f"{datasets_word(len(wide))}. The others, relative to it: {listed}."
    )


def reliability_table(table: pd.DataFrame, *, alike: bool) -> pd.DataFrame:
    """Pool the bins of all data sets; with ``alike`` the rows of each data set have the weight 1 in all."""
    table = table[table["rows"] > 0.0]
    weight = table["rows"]
    if alike:
        weight = weight / table.groupby(["dataset", "series"])["rows"].transform("sum")
    columns = {name: weight * table[name] for name in ("probability", "accuracy")}
    sums = table.assign(weight=weight, **columns).groupby(["series", "at_most"], sort=False)
    pooled = sums[["rows", "weight", "probability", "accuracy"]].sum()
    for name in columns:
        pooled[name] /= pooled["weight"]
    return pooled.reset_index()


def reliability(ax: Any, table: pd.DataFrame, weights: str) -> str:
    """Draw how often the most probable class is right against its probability, by pooled bins."""
    ax.axline((0.0, 0.0), slope=1.0, color=_MUTED, linewidth=0.8)
    series = table["series"].unique()
    parts = {}
    # The last first, as it is the one that the others are compared with.
    for name in reversed(series):
        bins = table[table["series"] == name].sort_values("at_most")
        shown = bins[bins["rows"] >= _FEW]
        ax.plot(shown["probability"], shown["accuracy"], label=display_name(name))
        excess = bins["probability"] - bins["accuracy"]
        error, too_high = (np.average(part, weights=bins["weight"]) for part in (excess.abs(), excess))
        parts[name] = f"{display_name(name)} {error:.3f} ({too_high:+.3f})"
    ax.legend(loc="lower right")
    ax.set(xlim=(0.0, 1.02), ylim=(0.0, 1.02), ylabel="share of the rows where it is right")
    ax.set_xlabel(f"probability of the most probable class\n(bins of at least {_FEW} rows)")
    return (
        "How far the probability of the most probable class is from how often it is right, on average over "
        f"{weights} (and by how much it is too high): {', '.join(parts[name] for name in series)}."
    )


def bayesian_table(results: Results, pairs: Sequence[tuple[str, str]], measure: str) -> pd.DataFrame:
    """Return the probabilities that one of each pair is practically better; pairs that were not run lack."""
    there = [pair for pair in pairs if set(pair) <= set(results.classifiers)]
    if not there:
        raise NotRunError("No pair was run.")
    tests = [bayesian_signed_rank(*results.utilities(pair, measure).to_numpy().T) for pair in there]
    columns = ["first better", "equivalent", "second better"]
    names = pd.DataFrame(there, columns=["first", "second"])
    return pd.concat([names, pd.DataFrame(tests, columns=columns)], axis="columns")


def bayesian(ax: Any, table: pd.DataFrame, measure: str) -> str:
    """Draw the probability that one classifier is practically better than another (signed-rank test)."""
    pairs = [(display_name(a), display_name(b)) for a, b in zip(table["first"], table["second"], strict=True)]
    _draw_rows(ax, [f"{a} – {b}" for a, b in pairs])
    start = np.zeros(len(table))
    for name, color in {"first better": COLOURS[0], "equivalent": _GRID, "second better": COLOURS[1]}.items():
        ax.barh(range(len(table)), table[name], left=start, height=0.6, color=color, label=name)
        start = start + table[name].to_numpy()
    ax.set(xlim=(0.0, 1.0), xlabel=f"probability, by {measure}")
    ax.legend(loc="lower right", bbox_to_anchor=(1.05, 1.0), ncols=3, fontsize=8)
    parts = []
    for (a, b), (better, equal, worse) in zip(pairs, table.iloc[:, 2:].to_numpy(), strict=True):
        words = {f"{a} is better than {b}": better, f"{a} and {b} are equivalent": equal}
        words[f"{b} is better than {a}"] = worse
        # The usual threshold for a decision by this test.
        parts += [f"{statement} ({p:.2f})" for statement, p in words.items() if p >= 0.95]
    return (
        f"With a probability of at least 0.95 under {measure}, if differences up to 0.01 count as none: "
        f"{'; '.join(parts) or 'no pair is decided'}."
    )


def spelled(rival: str) -> str:
    """Return the name of a rival as the paper would print it.

    Examples
    --------
    >>> spelled("conformal 90 %, comp-aode"), spelled("lp-aode*")
    ('conformal 90 %, COMP-AODE', 'LP-AODE*')
    """
    how, _, of = rival.partition(", ")
    return f"{how}, {display_name(of)}" if of else display_name(how)


def _ratio(parts: Any, whole: pd.Series[float]) -> Any:
    """Divide by the whole, on the data sets where it is not 0: a plot could not show the others."""
    positive = whole[whole > 0.0]
    return parts.loc[positive.index].div(positive, axis="index")


def _side_colors(gains: FloatArray) -> list[str]:
    """Return a colour for each difference: one for a gain, one for a loss, grey for a tie."""
    return [COLOURS[0] if gain > ROUNDING else COLOURS[1] if gain < -ROUNDING else _MUTED for gain in gains]


def _draw_rows(ax: Any, names: Sequence[str], *, at: float | None = None) -> None:
    """Write names along the vertical axis, the first on top, and mark a value."""
    shortened = [name if len(name) <= 34 else name[:33] + "…" for name in names]
    # matplotlib would parse a dollar sign in the name of a data set as mathematics.
    ax.set_yticks(range(len(names)), shortened, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    if at is not None:
        ax.axvline(at, color=_INK, linewidth=1.0)
        # An offset such as +9.9e-1 would have to be added by the reader.
        ax.ticklabel_format(axis="x", useOffset=False)


def _draw_lines(ax: Any, lines: pd.DataFrame) -> None:
    ax.plot(lines.index, lines, label=lines.columns)
    ax.legend()


def _draw_with_diagonal(
    ax: Any, x: FloatArray, y: FloatArray, *, above: str, hollow: BoolArray | None = None
) -> None:
    """Draw points next to the line where both are equal, and say what lies above it."""
    # Both axes have the same range, so that equality is the diagonal; round ticks, and at most six of them.
    lowest = min(x.min(), y.min())
    step = 0.1 if lowest >= 0.5 else 0.2
    n_steps = max(1, math.ceil((1.0 - lowest) / step))
    low = 1.0 - n_steps * step
    ticks = np.linspace(low, 1.0, n_steps + 1)
    ax.axline((1.0, 1.0), slope=1.0, color=_MUTED, linewidth=1.0)
    ax.set(xlim=(low - 0.02, 1.02), ylim=(low - 0.02, 1.02), xticks=ticks, yticks=ticks, aspect="equal")
    colors = np.asarray(_side_colors(y - x))
    faces = colors if hollow is None else np.where(hollow, "none", colors)
    ax.scatter(x, y, s=26, facecolors=faces, edgecolors=colors, zorder=3)
    # Outside of the axes, because the points may be anywhere inside.
    ax.set_title(f"above the line: {above}", loc="left", color=_MUTED, fontsize=8)
