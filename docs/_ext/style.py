"""The style of all pictures: those of the gallery, where it is set before each example, and of the guide."""

from typing import Any

import matplotlib as mpl

__all__ = ["STYLE", "apply"]

STYLE = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # Okabe and Ito's colours, which the colour-blind tell apart.
    "axes.prop_cycle": mpl.cycler(color=["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]),
    "font.size": 10,
    # The same file for the same picture.
    "svg.hashsalt": "skcredal",
}


def apply(gallery_conf: dict[str, Any], fname: str | None) -> None:
    """Set the style where sphinx-gallery asks for a clean start."""
    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(STYLE)
