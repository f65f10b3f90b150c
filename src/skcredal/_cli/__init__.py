"""The command line: it reports in one line and computes nothing. It may import everything."""

import sys
from importlib.util import find_spec

from skcredal._cli.interrupts import stop_at_ctrl_c
from skcredal._extras import require

__all__ = ["main"]


def main() -> None:
    """Run the command line; if a package it needs is missing, say so in one line."""
    # First, because the imports take long enough for an impatient user.
    stop_at_ctrl_c()
    try:
        for module in ("typer", "rich", "pandas"):
            # Looked for, not imported: help must not wait for pandas.
            if find_spec(module) is None:
                require(module, extra="cli", purpose="The command line")
        from skcredal._cli.app import app
    except ImportError as error:
        sys.exit(f"Error: {error}")
    app()
