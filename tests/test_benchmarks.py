"""The benchmarks run with the code of today; what they measure is for `make bench` to say."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if not (ROOT / "benchmarks").exists():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)


def test_every_module_is_imported_and_every_stage_of_a_fit_is_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    for path in (ROOT / "benchmarks").rglob("*.py"):
        if "build" not in path.parts and not path.stem.startswith("in_"):  # of other environments
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            importlib.import_module(name)
    problems, stages = sys.modules["benchmarks.problems"], sys.modules["benchmarks.stages"]
    small = problems.Problem("small", 300, (2, 3, 4), 3, n_test=40)
    found = stages.measure([small], 1, say=lambda text: None)
    assert all(one["seconds"] > 0.0 for one in found)
    assert {"count", "tables", "likelihoods"} <= {one["stage"] for one in found}
