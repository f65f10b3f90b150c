"""The machine code on disk: a cache that is damaged, or cannot be written, costs time and nothing else."""

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from problems import needs_jit
from skcredal._kernels._jit import _uncollected, kernel

# Naive Bayes has few kernels, which compile fast.
FIT = """
import warnings
from skcredal import NaiveBayes
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = NaiveBayes().fit([["a"], ["b"], ["b"]], [0, 1, 1])
    print(model.predict([["a"], ["b"]]).tolist())
for warning in caught:
    print(warning.message)
"""
FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""


def lines_of(program, folder):
    """Return what a new process prints that keeps its machine code in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwrite(path):
    path.write_bytes(bytes(path.stat().st_size))


def make_unreadable(path):
    path.unlink()
    path.mkdir()


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Return a folder with the machine code of a fit."""
    folder = tmp_path_factory.mktemp("cache")
    assert lines_of(FIT, folder) == ["[0, 1]"]
    return folder


@needs_jit
@pytest.mark.parametrize(
    ("kind", "damage"),
    [("nbi", truncate), ("nbi", make_unreadable), ("nbc", overwrite), ("nbc", Path.unlink)],
)
def test_a_damaged_cache_is_named_and_not_used(cache, tmp_path, kind, damage):
    copy = tmp_path / "copy"
    shutil.copytree(cache, copy)
    files = list(copy.rglob(f"*.{kind}"))
    assert files
    for path in files:
        damage(path)
    answer, *said = lines_of(FIT, copy)
    assert answer == "[0, 1]"
    if damage is Path.unlink:
        assert said == []  # nothing is wrong: it is written again
    else:
        assert len(said) == 1
        assert said[0].startswith(f"numba's cache in {copy}")


@needs_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the size of files")
def test_a_full_disk_is_named_and_the_kernels_work(tmp_path):
    answer, *said = lines_of(FULL + FIT, tmp_path)
    assert answer == "[0, 1]"
    assert len(said) == 1
    assert said[0].startswith(f"numba's cache in {tmp_path}")
    assert "File too large" in said[0]


@needs_jit
@pytest.mark.parametrize("on", [True, False])
def test_the_collector_waits_while_a_kernel_is_compiled_and_goes_on_as_before(on):
    seen = []

    def fails(*_):
        seen.append(gc.isenabled())
        raise ValueError("no")

    compiled = kernel(lambda x: x + 1)
    before = gc.isenabled()
    try:
        gc.enable() if on else gc.disable()
        assert compiled(1) == 2
        assert gc.isenabled() is on
        compiled._compiler.compile = _uncollected(fails)
        with pytest.raises(ValueError, match="no"):
            compiled(1.5)
        assert gc.isenabled() is on
    finally:
        gc.enable() if before else gc.disable()
    assert seen == [False]
