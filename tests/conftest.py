"""Settings of the whole test run."""

import ast
import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import browser, lightness, open_page, width  # noqa: F401 - fixtures

# Scripts: run by `make orange-cuts` (in an environment of its own) and `make golden`, and once for each
# format of model files.
collect_ignore = ["expected/make_golden.py", "expected/make_net.py", "expected/make_orange_cuts.py"]

HERE = Path(__file__).parent


def imported_by(path):
    """Return the packages that a file imports as it is read, and those of the helpers beside this one."""
    names = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names.add(statement.module.partition(".")[0])
    helpers = {name for name in names if (HERE / f"{name}.py").exists()}
    return (names - helpers).union(*(imported_by(HERE / f"{name}.py") for name in helpers))


# Without the extras, what cannot be read is left out, and the head of the run says so.
left_out = {
    str(path.relative_to(HERE)): sorted(missing)
    for path in sorted(HERE.rglob("*.py"))
    if path.parent.name != "expected"
    and (missing := {name for name in imported_by(path) if find_spec(name) is None})
}
collect_ignore += left_out


def pytest_report_header():
    return [f"left out: {name}, without {', '.join(missing)}" for name, missing in left_out.items()]


@pytest.fixture(scope="module")
def few_samples():
    """Draw 500 samples of each posterior: how many are drawn is for the tests of the comparison to judge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skcredal.paper._compare._SAMPLES", 500)
        yield


def pytest_configure(config):
    config.addinivalue_line("markers", "default_regions: the module is about regions, or about defaults")
    # Before the workers start, each of which would compile the same loops.
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        compile_kernels()


def compile_kernels():
    """Let numba compile the loops once; its cache on the disk is for all processes."""
    import numpy as np

    from skcredal import CredalCompAODE, CredalLogPoolAODE, CredalTree

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([rng.integers(0, 3, (60, 3)), y + rng.normal(size=60)])
    for kind in (CredalCompAODE, CredalTree, CredalLogPoolAODE):
        clf = kind(categorical_features=[0, 1, 2]).fit(X, y)
        for method in ("predict_set", "predict_interval", "robustness", "explain"):
            if hasattr(clf, method):
                getattr(clf, method)(X)


@pytest.fixture(scope="module", autouse=True)
def few_regions(request):
    """Let LP-AODE grow two trees by default, in this process: most tests are not about them.

    A module with the mark ``default_regions`` has the real default, and so have models that are made while a
    module is read.
    """
    from skcredal import CredalLogPoolAODE, LogPoolAODE

    with pytest.MonkeyPatch.context() as patch:
        for kind in (LogPoolAODE, CredalLogPoolAODE):
            if request.node.get_closest_marker("default_regions") is None:
                patch.setitem(kind.__init__.__kwdefaults__, "n_regions", 2)
        yield


# The first example may include a compilation, so that no example has a deadline.
common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("skcredal", **common, derandomize=True)
settings.register_profile("search", **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "skcredal"))
