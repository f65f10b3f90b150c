"""The benchmark lies beside the tests, not in the package."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
