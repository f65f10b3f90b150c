"""`python -m skcredal.cli`, where the installed command is not on the path."""

from skcredal.cli import main

main()
