"""What the server that measurements of memory are forked from does once: import, and load every kernel."""

from benchmarks.memory import CLASSIFIERS, peaks
from benchmarks.problems import Problem

for _name in CLASSIFIERS:
    peaks(Problem("warm-up", 200, (3,) * 4, 3, n_test=50), _name, 1)
