"""Weka 3.6's AODE, as Debian packages it, behind a pipe.

The package is downloaded (not installed: no root needed) into ``benchmarks/build`` the first time. Weka takes
products of raw probabilities where we add logarithms, averages the joint probabilities of the SPODEs where we
average posteriors, smooths by adding 1 to each count (ours: BDeu, one pseudo-count for a whole table) and
leaves out no super-parent that occurs in training (its frequency limit is 1). So the probabilities are close,
not equal: :func:`laplace_joint_proba` is Weka's definition on our counts, and gives Weka's answers.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.yardstick import BUILD

__all__ = ["UnavailableError", "Weka", "compile_java", "jar", "laplace_joint_proba"]

HARNESS = Path(__file__).with_name("AodeHarness.java")
PACKAGE = "weka"
HEAP = "-Xmx4g"
# Java compiles what runs often, in several steps: Weka's times fall over the first five to ten runs.
WARM_UP_TURNS = 12
WARM_UP_SECONDS = 4.0


class UnavailableError(RuntimeError):
    """Weka cannot be had here, and why."""


def jar():
    """Return the path of Weka's jar: ``WEKA_JAR``, an installed one, or one downloaded now."""
    named = os.environ.get("WEKA_JAR")
    if named:
        return Path(named)
    places = [Path("/usr/share/java/weka.jar"), BUILD / "weka/usr/share/java/weka.jar"]
    for place in places:
        if place.exists():
            return place
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise UnavailableError("Weka is not installed, and this is not a Debian that could download it.")
    BUILD.mkdir(exist_ok=True)
    try:
        subprocess.run(["apt-get", "download", PACKAGE], cwd=BUILD, check=True, capture_output=True)
        package = next(BUILD.glob(f"{PACKAGE}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, BUILD / "weka"], check=True, capture_output=True)
    except (subprocess.CalledProcessError, StopIteration) as error:
        raise UnavailableError("`apt-get download weka` failed (try `apt-get update` first).") from error
    return places[-1]


def compile_java(source, classpath):
    """Compile a harness, if it has changed, and return the folder of its class."""
    if shutil.which("javac") is None or shutil.which("java") is None:
        raise UnavailableError("there is no Java (java and javac, 17) on the path.")
    compiled = BUILD / f"{source.stem}.class"
    if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
        command = ["javac", "-nowarn", "-cp", classpath, "-d", BUILD, source]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        if result.returncode != 0:
            raise UnavailableError(f"the harness does not compile: {result.stderr.strip()}")
    return BUILD


class Weka:
    """A Java process that holds Weka's AODE and obeys; a context manager.

    Raises
    ------
    UnavailableError
        Without Java or the jar.
    """

    def __init__(self):
        classpath = jar().resolve()
        folder = compile_java(HARNESS, classpath)
        self.version = classpath.stem
        self._files = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            ["java", HEAP, "-cp", f"{folder}{os.pathsep}{classpath}", "AodeHarness"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()
        self._files.cleanup()

    def load(self, table):
        """Hand a table over, and warm up."""
        name = table.problem.name
        files = [Path(self._files.name) / f"{name}-{part}" for part in ("train", "test")]
        _write(files[0], table.problem, table.X, table.y)
        _write(files[1], table.problem, table.X_test, table.y_test)
        self._ask("load", name, *map(str, files))
        for file in files:
            file.unlink()
        spent, turns = 0.0, 0
        while turns < WARM_UP_TURNS and spent < WARM_UP_SECONDS:
            spent += self.fit(name) + self.predict(name)
            turns += 1

    def fit(self, name):
        """Return the seconds of a fit."""
        return float(self._ask("fit", name))

    def predict(self, name):
        """Return the seconds to predict the test rows."""
        return float(self._ask("predict", name))

    def predict_proba(self, table):
        """Return the probabilities of the test rows."""
        file = Path(self._files.name) / "proba"
        self._ask("proba", table.problem.name, str(file))
        return np.fromfile(file).reshape(-1, table.problem.n_classes)

    def forget(self, name):
        """Let a table go."""
        self._ask("forget", name)

    def _ask(self, *words):
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"Weka's process ended over {' '.join(words)}; its message is above.")
        return answer.strip()


def _write(file, problem, X, y):
    with file.open("wb") as stream:
        np.array([len(X), problem.k, problem.n_classes, *problem.states], "<i4").tofile(stream)
        np.ascontiguousarray(X, np.uint8).tofile(stream)
        y.astype(np.uint8).tofile(stream)


def laplace_joint_proba(counts, X):
    """Return AODE's probabilities as Weka defines them, from our counts: 1 added to each, joints averaged.

    Where they agree with what Weka answers, the two counted the same table, and what is left between Weka and
    us is smoothing and averaging, not a different task.
    """
    n_states, n_classes, k = counts.n_states, len(counts.n_c), X.shape[1]
    log_joint = np.empty((k, len(X), n_classes))
    codes = X.astype(np.intp)
    for i in range(k):
        n_parent = counts.values(i)[codes[:, i]].astype(float)
        n = counts.n + n_classes * n_states[i]
        log_joint[i] = np.log((n_parent + 1.0) / n)
        # Weka leaves out a super-parent whose value no training row has.
        log_joint[i, n_parent.sum(axis=1) == 0.0] = -np.inf
        for j in range(k):
            if j != i:
                n_pair = counts.pair(i, j)[codes[:, i], codes[:, j]]
                log_joint[i] += np.log((n_pair + 1.0) / (n_parent + n_states[j]))
    joint = np.exp(log_joint - log_joint.max(axis=(0, 2), keepdims=True)).sum(axis=0)
    return joint / joint.sum(axis=1, keepdims=True)
