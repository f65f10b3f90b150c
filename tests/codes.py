"""States of a fitted classifier as the oracles read them: numbered within each feature."""

import numpy as np


def codes_of(clf, X):
    """Return local codes (k, rows) of a table; the number of states of a feature stands for unknown."""
    encoding = clf._encoding
    states, n_states = clf._encode(X).states.astype(np.int64), encoding.n_states
    starts, unknown = np.cumsum(n_states) - n_states, n_states.sum()
    return np.where(states == unknown, n_states[:, None], states - starts[:, None])
