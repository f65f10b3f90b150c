"""Reports: displays of the paper's figures, a self-contained page of them, and one of a table of one's own.

A display computes its numbers from a summary of results, and draws them with matplotlib afterwards. A page is
made in three steps: :func:`report_data` computes a dict, :func:`render_page` makes HTML of it, and
:func:`write_report` does both and writes a file; :func:`evaluation_data`, :func:`render_evaluation` and
:func:`write_evaluation` are the steps for a table of one's own.
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
from skcredal.report.evaluation import evaluation_data, render_evaluation, write_evaluation
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
    "evaluation_data",
    "render_evaluation",
    "render_page",
    "report_data",
    "write_evaluation",
    "write_report",
]
