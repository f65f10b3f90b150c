"""Measurements of speed and memory; ``python -m benchmarks.run`` runs them, the README here says how."""

import os

# Before OpenMP is loaded: threads of scikit-learn that wait must sleep, or they take the cores from whoever
# is measured next.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
