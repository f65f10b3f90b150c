"""`python -m skcredal`, where the installed command is not on the path."""

from skcredal._cli import main

main()
