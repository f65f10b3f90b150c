"""The style of all pictures: those of the gallery, where it is set before each example, and of the guide."""

from typing import Any

import matplotlib as mpl

from skcredal._colours import COLOURS

__all__ = ["STYLE", "apply"]

STYLE = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": mpl.cycler(color=COLOURS[:5]),
    "font.size": 10,
    # The same file for the same picture.
    "svg.hashsalt": "skcredal",
}


def apply(gallery_conf: dict[str, Any], fname: str | None) -> None:
    """Set the style where sphinx-gallery asks for a clean start."""
    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(STYLE)
