"""Reports of an experiment: displays of the paper's figures, and a self-contained page.

A display computes its numbers from a summary of results, and draws them with matplotlib afterwards. A page is
made in three steps: :func:`report_data` computes a dict, :func:`render_page` makes HTML of it, and
:func:`write_report` does both and writes a file.
"""

from skcredal.report.displays import (
    AccuracyScatterDisplay,
    BayesianDisplay,
    CriticalDifferenceDisplay,
    EpsilonDisplay,
    RanksDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    RivalsDisplay,
    SafeDependentDisplay,
    SetAsideDisplay,
)
from skcredal.report.page import render_page, report_data, write_report

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
    "render_page",
    "report_data",
    "write_report",
]
