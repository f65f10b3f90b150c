"""How times are taken, and what is computed from them.

Times of a shared machine mean little by themselves: all that is compared takes turns in one run, and the best
of several rounds counts.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Step", "exponent", "geometric_mean", "interleave", "records", "upper_part"]

# A step is repeated within its turn until this much time is gone, so that short ones are not left to chance.
TURN_SECONDS = 0.05
BUDGET_SECONDS = 8.0


@dataclass
class Step:
    """Something to time: who does what with how many threads.

    ``run`` is timed from outside, unless it returns a float: the seconds that it measured itself. After
    ``budget`` seconds in all it has been measured well enough, and sits out the remaining rounds.
    """

    contender: str
    action: str
    threads: int
    run: Callable[[], Any]
    problem: str = ""
    budget: float = BUDGET_SECONDS
    seconds: list[float] = field(default_factory=list)

    @property
    def best(self):
        return min(self.seconds)

    def take(self, clock=time.perf_counter):
        """Run once, and keep and return the seconds."""
        start = clock()
        own = self.run()
        self.seconds.append(own if isinstance(own, float) else clock() - start)
        return self.seconds[-1]


def interleave(steps, rounds, *, turn=TURN_SECONDS):
    """Time the steps in turns, in as many rounds.

    The first turn of a step warms it up (compilation, caches): it counts only if it uses up the budget alone.
    """
    for step in steps:
        step.take()
    warm = [step for step in steps if step.best < step.budget]
    for step in warm:
        step.seconds.clear()
    for _ in range(rounds):
        for step in warm:
            spent = math.fsum(step.seconds)
            enough = spent + turn if spent < step.budget else spent
            while spent < enough:
                spent += step.take()
    return steps


def records(steps):
    """Return the results as plain dictionaries."""
    return [
        {
            "problem": step.problem,
            "contender": step.contender,
            "action": step.action,
            "threads": step.threads,
            "seconds": step.best,
            "times_measured": len(step.seconds),
        }
        for step in steps
    ]


def geometric_mean(ratios):
    """Return the geometric mean of positive numbers."""
    return math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))


def upper_part(sizes):
    """Return a mask of the sizes from the middle of the range upwards (in logarithms), at least three."""
    logs = np.log(np.asarray(sizes, float))
    middle = min((logs.min() + logs.max()) / 2, np.sort(logs)[-3])
    return logs >= middle - 1e-9


def exponent(sizes, values):
    """Return the slope of log(value) over log(size) by least squares, over the upper part of the sizes.

    There, fixed costs (a call, a thread, a page) matter least; what is left of them makes the slope smaller
    than the order of growth, never larger.
    """
    part = upper_part(sizes)
    x = np.log(np.asarray(sizes, float)[part])
    z = np.log(np.asarray(values, float)[part])
    x = x - x.mean()
    return float((x * z).sum() / (x * x).sum())
