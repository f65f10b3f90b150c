"""The paper's experiment: plan, store, claims, studies and their report.

A leaf: only the command ``skcredal reproduce`` imports it. It may import everything but the command line.
"""

from skcredal.paper._beyond import beyond_data
from skcredal.paper._claims import check_claims
from skcredal.paper._page import write_report
from skcredal.paper._run import Plan, run_plan
from skcredal.paper._store import ResultStore
from skcredal.paper._summary import summary_table

__all__ = [
    "Plan",
    "ResultStore",
    "beyond_data",
    "check_claims",
    "run_plan",
    "summary_table",
    "write_report",
]
