"""The paper's figures and others, each computed from a table of results and drawn with matplotlib.

A display first computes its numbers (``from_summary``, ``from_table``) and keeps them as attributes; ``plot``
draws them.
"""

from skcredal.paper._displays.pairs import (
    AccuracyScatterDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    SafeDependentDisplay,
)
from skcredal.paper._displays.studies import (
    EpsilonDisplay,
    ReliabilityDisplay,
    RivalsDisplay,
    SetAsideDisplay,
)
from skcredal.paper._displays.tests import BayesianDisplay, CriticalDifferenceDisplay, RanksDisplay

__all__ = [
    "AccuracyScatterDisplay",
    "BayesianDisplay",
    "CriticalDifferenceDisplay",
    "EpsilonDisplay",
    "RanksDisplay",
    "RelativeBrierDisplay",
    "RelativeUtilityDisplay",
    "ReliabilityDisplay",
    "RivalsDisplay",
    "SafeDependentDisplay",
    "SetAsideDisplay",
]
