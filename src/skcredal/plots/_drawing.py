"""What all displays share: axes to draw on, names that stay as they are, sets in an order."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np

from skcredal._arrays import BoolArray, IntArray
from skcredal._extras import require
from skcredal._pipelines import innermost_with

# How many characters have room side by side in an axis of the usual width.
_CHARACTERS = 72


class Display:
    """A picture by scikit-learn's convention: what is drawn is in its attributes.

    ``_draw`` draws into axes with lines and texts in a colour that is legible there, and returns how many
    inches high the picture should be, or ``None``.
    """

    _draw: Callable[[Any, str], float | None]

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure, as high as its contents need.

        Returns
        -------
        display : object
            The display itself, with the axes in ``ax_`` and their figure in ``figure_``.
        """
        pyplot = require("matplotlib.pyplot", extra="plots", purpose=type(self).__name__)
        self.ax_ = pyplot.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        # The reader's own style says what is legible on the ground of the figure.
        height = self._draw(self.ax_, pyplot.rcParams["text.color"])
        if ax is None and height is not None:
            self.figure_.set_figheight(height)
        return self


def asked(display: type[Display], estimator: Any, X: Any, method: str) -> tuple[Any, Any]:
    """Return the classifier that answers and the table as it gets there, or refuse it by what it lacks."""
    require("matplotlib", extra="plots", purpose=display.__name__)
    return innermost_with(method, display.__name__, estimator, X)


def short(name: Any, most: int = 36) -> str:
    """Return a name in one line, without its middle if it is long: often only the ends of names differ.

    Examples
    --------
    >>> short("age"), short("number of earlier admissions", most=16)
    ('age', 'number o…issions')
    """
    line, head = " ".join(str(name).split()), most // 2
    return line if len(line) <= most else f"{line[:head]}…{line[head + 1 - most :]}"


def ticks(axis: Any, names: Iterable[Any]) -> float:
    """Write names at 0, 1, 2, … of an axis, aslant where they are long, and return how high that is."""
    shown = [short(name) for name in names]
    longest = max(map(len, shown), default=0)
    is_full = axis.axis_name == "x" and len(shown) * longest > _CHARACTERS
    options = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if is_full else {}
    # matplotlib would read what is between two dollar signs as mathematics.
    axis.set_ticks(range(len(shown)), shown, parse_math=False, **options)
    return 0.05 * longest * is_full


def legend(ax: Any, handles: Sequence[Any], names: Sequence[str], **options: Any) -> None:
    """Write a legend above the axes, in as many lines as the names need."""
    n_columns = max(1, _CHARACTERS // (max(map(len, names)) + 6))
    # From the right, so that it may begin above the names beside the axes.
    options |= {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "frameon": False, "ncols": n_columns}
    # First without the names: matplotlib leaves out those that begin with an underscore.
    texts = ax.legend(handles, [" "] * len(names), **options).get_texts()
    for text, name in zip(texts, names, strict=True):
        text.set(parse_math=False, text=name)


def occurring(sets: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the different sets, and which of them each row has.

    Single classes come first, in their order; then sets of several by their size and how frequent they are.

    Examples
    --------
    >>> sets, which = occurring(np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0], [0, 1, 1]], bool))
    >>> sets.astype(int).tolist(), which.tolist()
    ([[0, 1, 0], [0, 1, 1], [1, 1, 0]], [2, 1, 0, 1])
    """
    different, which, n = np.unique(sets, axis=0, return_inverse=True, return_counts=True)
    size = different.sum(axis=1)
    order = np.lexsort((different.argmax(axis=1), np.where(size > 1, -n, 0), size))
    return different[order], np.argsort(order)[which.ravel()]


def set_names(sets: BoolArray, classes: Sequence[Any]) -> list[str]:
    """Return the classes of each set in words.

    Examples
    --------
    >>> set_names(np.array([[True, True], [False, False]]), ["ill", "well"])
    ['ill or well', 'no class']
    """
    named = ([short(classes[c], 14) for c in np.flatnonzero(one).tolist()] for one in sets)
    return [" or ".join(labels) or "no class" for labels in named]
