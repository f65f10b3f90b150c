"""`python -m skcredal`, where the installed command is not on the path."""

import sys

from skcredal._cli import main

sys.exit(main())
