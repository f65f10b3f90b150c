"""The paper's figures and others, each computed from a table of results and drawn with matplotlib.

A display computes its numbers first (``from_summary``, ``from_table``), keeps them as attributes, and draws
them afterwards (``plot``), into axes of yours or into a figure of its own.
"""

from skcredal.report._ranks import RanksDisplay
from skcredal.report._ratios import RelativeBrierDisplay, RelativeUtilityDisplay
from skcredal.report._rivals import RivalsDisplay
from skcredal.report._scatter import AccuracyScatterDisplay, SafeDependentDisplay
from skcredal.report._studies import EpsilonDisplay, SetAsideDisplay
from skcredal.report._tests import BayesianDisplay, CriticalDifferenceDisplay

__all__ = [
    "AccuracyScatterDisplay",
    "BayesianDisplay",
    "CriticalDifferenceDisplay",
    "EpsilonDisplay",
    "RanksDisplay",
    "RelativeBrierDisplay",
    "RelativeUtilityDisplay",
    "RivalsDisplay",
    "SafeDependentDisplay",
    "SetAsideDisplay",
]
