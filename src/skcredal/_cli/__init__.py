"""The command line: it reports in one line and computes nothing. It may import everything."""

import sys

from skcredal._extras import require

__all__ = ["main"]


def main() -> None:
    """Run the command line; if a package it needs is missing, say so in one line."""
    try:
        for module in ("typer", "rich", "pandas"):
            require(module, extra="cli", purpose="The command line")
        from skcredal._cli.app import app
    except ImportError as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    app()
