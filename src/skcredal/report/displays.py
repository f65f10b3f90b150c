"""The paper's figures, each computed from a summary of results and drawn with matplotlib.

A display computes its numbers first (``from_summary``), keeps them as attributes, and draws them afterwards
(``plot``), into axes of yours or into a figure of its own.
"""

from skcredal.report._ranks import RanksDisplay
from skcredal.report._ratios import RelativeBrierDisplay, RelativeUtilityDisplay
from skcredal.report._scatter import AccuracyScatterDisplay, SafeDependentDisplay

__all__ = [
    "AccuracyScatterDisplay",
    "RanksDisplay",
    "RelativeBrierDisplay",
    "RelativeUtilityDisplay",
    "SafeDependentDisplay",
]
