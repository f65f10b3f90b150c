"""What an installation must do besides computing: start fast, do without extras, run without a cache."""

import os
import subprocess
import sys
import textwrap

import pytest

import skcredal
from skcredal import evaluation


def run_python(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_public_name_is_there():
    for name in skcredal.__all__:
        assert hasattr(skcredal, name), name
    assert len(skcredal.__all__) == len(set(skcredal.__all__))


def test_importing_does_not_import_what_is_slow():
    """Neither of the package nor of the command line, whose help must not wait."""
    slow = "{'numba', 'matplotlib', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'numpy'}"
    for module in ("skcredal", "skcredal._cli"):
        assert run_python(f"import sys, {module}; print({slow} & sys.modules.keys())").split() == ["set()"]


def test_names_are_imported_when_they_are_used():
    code = """
    import sys, skcredal, skcredal.evaluation
    for package in (skcredal, skcredal.evaluation):
        print(dir(package) == sorted(package.__all__), "sklearn" in sys.modules)
    skcredal.AODE
    print("sklearn" in sys.modules, "AODE" in vars(skcredal))
    """
    assert run_python(code).split() == ["True", "False", "True", "False", "True", "True"]
    for package in (skcredal, evaluation):
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nothing'"):
            package.nothing  # noqa: B018


FIT_AND_PREDICT = """
    import numpy as np
    from skcredal import CredalBmaAODE, CredalCompAODE
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    y = (X[:, 0] > 1) + (X[:, 1] > rng.integers(0, 3, 60))
    for classifier in (CredalCompAODE(), CredalBmaAODE()):
        print(classifier.fit(X, y).predict_set(X).sum(), classifier.predict_proba(X).sum().round(6))
"""


def test_everything_essential_runs_without_optional_packages():
    blocked = """
    import sys
    OPTIONAL = {"pandas", "polars", "pyarrow", "matplotlib", "tqdm", "dask"}
    sys.modules.update(dict.fromkeys(OPTIONAL))  # what is None there cannot be imported
    """
    missing = """
    from skcredal.datasets import load_dataset
    try:
        load_dataset("iris")
    except ImportError as error:
        print(error)
    from skcredal._cli import main
    sys.stderr = sys.stdout
    main(["datasets"])
    """
    parts = [textwrap.dedent(code) for code in (blocked, FIT_AND_PREDICT, missing)]
    *found, table, command_line = run_python("".join(parts)).splitlines()
    assert found == run_python(FIT_AND_PREDICT).splitlines()
    for message in (table, command_line):
        assert "pip install 'skcredal[cli]'" in message


def test_kernels_run_uncached_where_no_cache_can_be_written(tmp_path):
    """numba refuses to decorate at all if neither the package nor the home may be written to."""
    blocked = """
    from numba.core import caching
    for locator in caching.CacheImpl._locator_classes:
        locator.from_function = classmethod(lambda cls, function, path: None)
    import skcredal._kernels
    for family in skcredal._kernels.__all__:
        for name, kernel in vars(getattr(skcredal._kernels, family)).items():
            cache = type(getattr(kernel, "_cache", None)).__name__
            assert cache in ("NoneType", "NullCache"), (family, name, cache)
    """
    # All kernels have one decorator, and those of this classifier are compiled soonest.
    few_kernels = FIT_AND_PREDICT.replace("CredalBmaAODE, CredalCompAODE", "NaiveCredal").replace(
        "(CredalCompAODE(), CredalBmaAODE())", "[NaiveCredal()]"
    )
    assert "AODE" not in few_kernels
    found = run_python(textwrap.dedent(blocked) + textwrap.dedent(few_kernels))
    assert found == run_python(few_kernels)


def test_the_command_line_answers_without_importing_what_is_slow():
    answers = run_python("""
    import sys
    from skcredal._cli import main
    for command in (["--version"], ["--help"], ["reproduce", "--help"]):
        assert main(command) == 0
        print("end of the answer")
    print(sorted({'numba', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'numpy'} & sys.modules.keys()))
    """)
    version, usage, usage_of_command, slow = answers.split("end of the answer")
    assert skcredal.__version__ in version
    assert "evaluate" in usage
    assert "--runs" in usage_of_command
    assert slow.strip() == "[]"
