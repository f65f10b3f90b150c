"""Which sets of classes a classifier answers with, over the plane of two features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._colours import COLOURS
from skcredal._encoding.columns import Column
from skcredal._encoding.tables import frame_library, make_frame, read_table
from skcredal._pipelines import innermost
from skcredal._validation import check_integer, safe_repr
from skcredal.metrics._checks import as_labels, label_indices
from skcredal.plots._drawing import Display, asked, legend, occurring, set_names, short, ticks

# How many pixels the picture has in either direction, at least, how wide a stripe is, and how many sets of
# several classes the legend names.
_PIXELS, _STRIPE, _NAMED = 600, 12, 12


@dataclass(eq=False)
class SetBoundaryDisplay(Display):
    """Which sets of classes a classifier answers with, over the plane of two features.

    Each point has the colour of its class; where several classes cannot be ruled out, it is hatched in their
    colours. Rows are drawn on top; along an axis of categories they are spread a little.

    Parameters
    ----------
    features : list of two
        The names of the axes.
    at : list of two ndarray
        Where the classifier is asked along each axis: numbers, or categories as objects.
    sets : ndarray of bool of shape (n_second, n_first, n_classes)
        The answers there.
    classes : list of length n_classes
        The classes.
    points : ndarray of shape (2, n_rows)
        Where the rows are: numbers, or indices of categories.
    true : ndarray of shape (n_rows,)
        The index of the class of each row, -1 if it is not known.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where it was drawn.

    Examples
    --------
    >>> from skcredal import CredalLogPoolAODE
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.plots import SetBoundaryDisplay
    >>> data = load_dataset("iris")
    >>> X, y = data.features, data.target
    >>> clf = CredalLogPoolAODE().fit(X, y)
    >>> petals = ["petal length (cm)", "petal width (cm)"]
    >>> display = SetBoundaryDisplay.from_estimator(clf, X, y, features=petals, grid_resolution=50)
    >>> display.sets.shape
    (50, 50, 3)
    """

    features: list[str]
    at: list[AnyArray]
    sets: BoolArray
    classes: list[Any]
    points: FloatArray
    true: IntArray

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: Sequence[Any],
        values: Mapping[Any, Any] | None = None,
        grid_resolution: int = 100,
        ax: Any = None,
    ) -> Self:
        """Draw the sets of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A classifier with ``predict_set``, a pipeline that ends in one, or a search over one.
        X : array-like or DataFrame of shape (n_rows, n_features)
            The training rows.
        y : array-like of shape (n_rows,), optional
            Their classes, by which they are coloured.
        features : sequence of two columns
            The features of the axes, by name or index.
        values : mapping, optional
            Values of other features, by name or index; by default the median of numbers, and otherwise the
            most frequent value.
        grid_resolution : int, default=100
            At how many values of a number the classifier is asked.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : SetBoundaryDisplay
            The display.
        """
        resolution = check_integer("grid_resolution", grid_resolution, low=2)
        classifier, rows = asked(cls, estimator, X, "predict_set")
        data, columns, _ = read_table(X, estimator=classifier)
        names = list(getattr(data, "column_names", getattr(data, "columns", range(len(columns)))))
        values = {} if values is None else values
        if len(features) != 2 or features[0] == features[1] or not {*features, *values} <= set(names):
            rule = "features must be two different columns of X, and values have columns of X"
            raise ValueError(f"{rule}, got {safe_repr(features)} and {safe_repr(values)}.")
        # The classifier's own reading, where it reads the table itself: numbers may stand for categories.
        kinds = [column.is_numeric for column in columns]
        if rows is X and hasattr(classifier, "encoding_"):
            kinds = [how.kind == "numeric" for how in classifier.encoding_]
        read = {n: _read(c, kind, resolution) for n, c, kind in zip(names, columns, kinds, strict=True)}
        _, at, points = zip(*(read[name] for name in features), strict=True)
        if np.isnan(np.array(points)).all(axis=1).any():
            raise ValueError(f"features must have values in X, got {safe_repr(features)}.")
        cells = {name: usual for name, (usual, *_) in read.items()}
        cells |= {name: np.full(1, value, cells[name].dtype) for name, value in values.items()}
        cells |= zip(features, map(np.ravel, np.meshgrid(*at)), strict=True)
        table = {name: np.resize(own, len(at[0]) * len(at[1])) for name, own in cells.items()}
        library, as_lists = frame_library(X), {name: own.tolist() for name, own in table.items()}
        grid = np.column_stack(list(table.values())) if library is None else make_frame(as_lists, library)
        sets = classifier.predict_set(innermost(estimator, grid)[1]).reshape(len(at[1]), len(at[0]), -1)
        labels, true = classifier.classes_.tolist(), np.full(len(points[0]), -1)
        if y is not None:
            true = label_indices("y", as_labels("y", y, len(true)), labels)
        return cls(list(features), list(at), sets, labels, np.array(points), true).plot(ax)

    def _draw(self, ax: Any, ink: str) -> None:
        from matplotlib.colors import to_rgba_array
        from matplotlib.legend_handler import HandlerTuple
        from matplotlib.patches import Patch

        k, points = len(self.classes), self.points.copy()
        colours = [*(COLOURS * k)[:k], ink]  # the last for a row of another class
        rng, ends = np.random.default_rng(0), []
        for i, (axis, name, at) in enumerate(zip((ax.xaxis, ax.yaxis), self.features, self.at, strict=True)):
            axis.set_label_text(short(name), parse_math=False)
            if at.dtype == object:
                ticks(axis, at)
                ends += [-0.5, len(at) - 0.5]
                points[i] += rng.uniform(-0.3, 0.3, len(points[i]))
            else:
                half = (at[1] - at[0]) / 2.0
                ends += [at[0] - half, at[-1] + half]
        picture = to_rgba_array(colours, 0.5)[_striped(self.sets)]
        ax.imshow(picture, extent=ends, origin="lower", aspect="auto", interpolation="nearest")
        ax.scatter(*points, s=20, c=np.array(colours)[self.true], edgecolors=ink, linewidths=0.7, zorder=3)
        ax.set(xlim=ends[:2], ylim=ends[2:])
        several = occurring(self.sets[self.sets.sum(axis=2) > 1])[0]
        # All classes, as there may be rows of them, and then the sets of several.
        shown = np.vstack([np.eye(k, dtype=np.bool_), several[:_NAMED]])
        patches = [tuple(Patch(color=colours[c]) for c in np.flatnonzero(one)) for one in shown]
        legend(ax, patches, set_names(shown, self.classes), handler_map={tuple: HandlerTuple(None, 0.0)})


def _read(column: Column, is_number: bool, resolution: int) -> tuple[AnyArray, AnyArray, FloatArray]:
    """Return the median or mode of a column, what stands along its axis, and where the rows are there."""
    if is_number:
        known = column.numbers[~np.isnan(column.numbers)]
        known = known if len(known) else np.array([np.nan])
        margin = 0.05 * np.ptp(known) or 0.5
        at = np.linspace(known.min() - margin, known.max() + margin, resolution)
        return np.median(known, keepdims=True), at, column.numbers
    codes, states, _ = column.factor
    n = np.bincount(codes[codes >= 0], minlength=1)
    usual = states[n.argmax()] if states else None
    return np.full(1, usual, object), np.fromiter(states, object), np.where(codes < 0, np.nan, codes)


def _striped(sets: BoolArray) -> IntArray:
    """Return the class of each pixel: those of a set in turn, as stripes."""
    for axis in (0, 1):
        sets = sets.repeat(-(-_PIXELS // sets.shape[axis]), axis)
    across, up = np.arange(sets.shape[1]), np.arange(sets.shape[0])
    turn = (across + up[:, None]) // _STRIPE % sets.sum(axis=2)
    return np.asarray((sets & (sets.cumsum(axis=2) == turn[..., None] + 1)).argmax(axis=2))
