"""Weka, as Debian packages it: MDL cuts, and the probabilities of its classifiers for codes."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.weka import UnavailableError, compile_java, jar

__all__ = ["UnavailableError", "WekaPeer", "laplace_naive_proba"]

HARNESS = Path(__file__).with_name("WekaPeer.java")


class WekaPeer:
    """A Java process that answers; a context manager."""

    def __init__(self):
        classpath = jar().resolve()
        self.version = classpath.stem
        folder = compile_java(HARNESS, classpath)
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            ["java", "-Xmx2g", "-cp", f"{folder}{os.pathsep}{classpath}", "WekaPeer"],
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
        self._folder.cleanup()

    def cuts(self, numbers, labels, n_classes):
        """Return the MDL cuts of every column; NaN is a missing cell."""
        table = self._write("table", numbers, labels, np.zeros(numbers.shape[1], int), n_classes)
        found = self._ask("cuts", table).tolist()
        cuts = []
        while found:
            n = int(found[0])
            cuts.append(np.array(found[1 : 1 + n]))
            found = found[1 + n :]
        return cuts

    def proba(self, classifier, train, labels, test, n_states, n_classes):
        """Return the probabilities of test rows by a classifier of Weka, by the name of its class."""
        files = [
            self._write("train", train, labels, n_states, n_classes),
            self._write("test", test, np.zeros(len(test)), n_states, n_classes),
        ]
        return self._ask("proba", classifier, *files).reshape(-1, n_classes)

    def _write(self, name, rows, labels, n_states, n_classes):
        file = Path(self._folder.name) / name
        with file.open("wb") as stream:
            np.array([*rows.shape, n_classes, *n_states], "<i4").tofile(stream)
            np.column_stack([rows, labels]).astype("<f8").tofile(stream)
        return str(file)

    def _ask(self, *words):
        out = str(Path(self._folder.name) / "out")
        self._process.stdin.write("\t".join([*words, out]) + "\n")
        self._process.stdin.flush()
        if not self._process.stdout.readline():
            raise RuntimeError(f"Weka's process ended over {words[0]}; its message is above.")
        return np.fromfile(out, "<f8")


def laplace_naive_proba(counts, codes):
    """Return the probabilities of naive Bayes as Weka defines them, from our counts: 1 added to each."""
    n_c = counts.n_c
    log_joint = np.log((n_c + 1.0) / (n_c.sum() + len(n_c))) * np.ones((len(codes), 1))
    for j, v in enumerate(counts.n_states):
        log_joint += np.log((counts.values(j)[codes[:, j]] + 1.0) / (n_c + v))
    joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    return joint / joint.sum(axis=1, keepdims=True)
