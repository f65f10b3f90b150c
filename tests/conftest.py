"""Settings of the whole test run."""

import os

from hypothesis import HealthCheck, settings

# Scripts, run by `make orange-cuts` (in an environment of its own) and `make golden`.
collect_ignore = ["expected/make_orange_cuts.py", "expected/make_golden.py"]

# The first example of a kernel includes its compilation, so that no example has a deadline.
common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("skcredal", **common, derandomize=True)
settings.register_profile("search", **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "skcredal"))
