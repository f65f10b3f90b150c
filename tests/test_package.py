"""What an installation must do besides computing: start fast, do without extras, run without a cache."""

import os
import subprocess
import sys
import textwrap

import pytest

import skcredal
from skcredal import evaluation


def run_python(*parts, **environment):
    result = subprocess.run(
        [sys.executable, "-c", "".join(map(textwrap.dedent, parts))],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_names_are_imported_when_they_are_used_and_what_is_slow_not_before():
    """Neither by the package nor by the command line, whose help must not wait."""
    code = """
    import sys, skcredal, skcredal.evaluation
    from skcredal._cli import main
    assert main(["--version"]) == main(["--help"]) == main(["reproduce", "--help"]) == 0
    slow = {'numba', 'matplotlib', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'numpy'}
    print(slow & sys.modules.keys() == set(), dir(skcredal) == sorted(skcredal.__all__))
    skcredal.plots.AnswersDisplay
    print("sklearn" in sys.modules and "matplotlib" not in sys.modules)
    """
    assert run_python(code).split()[-3:] == ["True"] * 3
    for package in (skcredal, evaluation):
        assert all(getattr(package, name) is not None for name in package.__all__)
        with pytest.raises(AttributeError, match=f"'{package.__name__}' has no attribute 'nothing'"):
            package.nothing  # noqa: B018


def test_everything_essential_runs_without_optional_packages():
    blocked = """
    import sys
    OPTIONAL = {"pandas", "polars", "pyarrow", "matplotlib", "tqdm", "dask"}
    sys.modules.update(dict.fromkeys(OPTIONAL))  # what is None there cannot be imported
    """
    fit = """
    from skcredal import CredalCompAODE
    X = [[float(i % 3), float(i % 2)] for i in range(60)]
    clf = CredalCompAODE(categorical_features="all").fit(X, [i % 3 == 0 for i in range(60)])
    print(clf.predict_set(X[:3]).sum())
    from skcredal import answers, plots
    assert "<table>" in answers(clf, X)._repr_html_()
    try:
        plots.AnswersDisplay.from_estimator(clf, X[:3])
    except ImportError as error:
        print(error)
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
    found, picture, table, command_line = run_python(blocked, fit, missing).splitlines()
    assert found == "3"
    assert picture == "AnswersDisplay needs matplotlib. Install it with: pip install 'skcredal[plots]'"
    for message in (table, command_line):
        assert "pip install 'skcredal[cli]'" in message


def test_kernels_are_there_where_no_cache_can_be_written():
    """numba refuses to decorate at all if neither the package nor the home may be written to."""
    assert "CPUDispatcher" in run_python("""
    from numba.core import caching
    for locator in caching.CacheImpl._locator_classes:
        locator.from_function = classmethod(lambda cls, function, path: None)
    import skcredal._kernels
    print(type(skcredal._kernels.sum_pairs), type(skcredal._kernels.sum_pairs._cache))
    """)
