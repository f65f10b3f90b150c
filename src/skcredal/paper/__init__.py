"""The paper's experiment: plan, journal, tables and claims.

A leaf: only the command ``skcredal reproduce`` imports it. It may import everything but the command line.
"""

from skcredal.paper._claims import Claim, check_claims
from skcredal.paper._experiment import Journal, Plan, Run, run_plan
from skcredal.paper._tables import study_tables, summary_table

__all__ = ["Claim", "Journal", "Plan", "Run", "check_claims", "run_plan", "study_tables", "summary_table"]
