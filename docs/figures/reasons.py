"""Why two tumours are undecided: the odds of LP-AODE*, and the votes of COMP-AODE*."""

import numpy as np

from skcredal import CredalCompAODE, CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.plots import ReasonsDisplay

data = load_dataset("breast_cancer")
train, test = np.split(np.random.default_rng(0).permutation(len(data.target)), [80])
cases = data.features.iloc[test]


def draw_first_undecided(clf):
    """Draw the reasons of the first case with several classes."""
    clf.fit(data.features.iloc[train], data.target.iloc[train])
    ReasonsDisplay.from_estimator(clf, cases[clf.predict_set(cases).sum(axis=1) > 1])


def odds():
    """Draw a waterfall."""
    draw_first_undecided(CredalLogPoolAODE())


def votes():
    """Draw what the models vote for."""
    draw_first_undecided(CredalCompAODE())
