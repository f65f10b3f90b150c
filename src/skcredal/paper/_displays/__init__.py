"""The paper's figures and others, each computed from a table of results and drawn with matplotlib.

A display computes its numbers first (``from_summary``, ``from_table``), keeps them as attributes, and draws
them afterwards (``plot``), into axes of yours or into a figure of its own.
"""

from skcredal.paper._displays.ranks import RanksDisplay
from skcredal.paper._displays.ratios import RelativeBrierDisplay, RelativeUtilityDisplay
from skcredal.paper._displays.rivals import RivalsDisplay
from skcredal.paper._displays.scatter import AccuracyScatterDisplay, SafeDependentDisplay
from skcredal.paper._displays.studies import EpsilonDisplay, SetAsideDisplay
from skcredal.paper._displays.tests import BayesianDisplay, CriticalDifferenceDisplay

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
