"""Settings of the whole test run."""

import os

from hypothesis import HealthCheck, settings

# Scripts: run by `make orange-cuts` (in an environment of its own) and `make golden`, and once for each
# format of model files.
collect_ignore = [
    "expected/make_golden.py",
    "expected/make_model_fixture.py",
    "expected/make_orange_cuts.py",
]

# The first example of a kernel includes its compilation, so that no example has a deadline.
common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("skcredal", **common, derandomize=True)
settings.register_profile("search", **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "skcredal"))
