"""What is to be reached, and how far it is: ratios of times measured in the same run."""

from dataclasses import dataclass

from benchmarks.measuring import geometric_mean
from benchmarks.problems import FRAME
from benchmarks.waiting import GOALS

__all__ = [
    "TARGETS",
    "Target",
    "judge",
    "judge_others",
    "judge_pool",
    "judge_small",
    "judge_start",
    "judge_waiting",
]


@dataclass(frozen=True)
class Target:
    """The time of one step over that of another; each is (contender, action, threads)."""

    name: str
    above: tuple[str, str, int]
    below: tuple[str, str, int]
    goal: float
    at_least: bool = True

    def met(self, ratio):
        return ratio >= self.goal if self.at_least else ratio <= self.goal

    @property
    def wanted(self):
        return f"{'≥' if self.at_least else '≤'} {self.goal:g}"


WEKA_FIT, WEKA_PREDICT = ("Weka AODE", "fit", 1), ("Weka AODE", "predict_proba", 1)
# In the geometric mean over the problems, our side on two threads, Weka on the one that it has.
TARGETS = (
    Target("AODE's fit: times faster than Weka's AODE", WEKA_FIT, ("AODE", "fit", 2), 3.0),
    Target("AODE's prediction: times faster than Weka's", WEKA_PREDICT, ("AODE", "predict_proba", 2), 6.0),
    Target("COMP-AODE's fit: times faster than Weka's AODE", WEKA_FIT, ("COMP-AODE", "fit", 2), 1.0),
    Target(
        "COMP-AODE*'s predict_set over its predict_proba",
        ("COMP-AODE*", "predict_set", 2),
        ("COMP-AODE*", "predict_proba", 2),
        1.6,
        at_least=False,
    ),
    Target(
        "COMP-AODE*'s predict_interval over its predict_proba",
        ("COMP-AODE*", "predict_interval", 2),
        ("COMP-AODE*", "predict_proba", 2),
        10.0,
        at_least=False,
    ),
)


def judge(times):
    """Return each target's ratio on every problem and in the mean, except where the rival is absent."""
    seconds = {
        (time["problem"], time["contender"], time["action"], time["threads"]): time["seconds"]
        for time in times
    }
    problems = list(dict.fromkeys(time["problem"] for time in times))
    judged = []
    for target in TARGETS:
        steps = [((name, *target.above), (name, *target.below)) for name in problems]
        if all(above in seconds and below in seconds for above, below in steps):
            ratios = [seconds[above] / seconds[below] for above, below in steps]
            judged.append(_verdict(target, geometric_mean(ratios), dict(zip(problems, ratios, strict=True))))
    return judged


def judge_small(times):
    """Return what one row costs beyond validation, in ms, and the fits on iris relative to naive Bayes."""
    seconds = {(time["problem"], time["contender"], time["action"]): time["seconds"] for time in times}
    judged = []
    for name in ("iris", "D", FRAME):
        own = seconds[name, "COMP-AODE*", "predict_set"] - seconds[name, "validate_data", "one row"]
        target = Target(f"one row's predict_set beyond validation, {name}, ms", (), (), 1.0, at_least=False)
        judged.append(_verdict(target, own * 1e3))
    naive = seconds["iris", "KBinsDiscretizer, CategoricalNB", "fit"]
    for name in ("AODE", "COMP-AODE*"):
        target = Target(f"{name}'s fit on iris: times faster than CategoricalNB with KBins", (), (), 1.0)
        judged.append(_verdict(target, naive / seconds["iris", name, "fit"]))
    return judged


def judge_others(times):
    """Return the time of the MDL cuts over that of sorting, with the same threads."""
    seconds = {(time["contender"], time["threads"]): time["seconds"] for time in times}
    judged = []
    for threads in (1, 2):
        target = Target(
            f"MDL cuts over np.argsort, {threads} thread{'s' * (threads > 1)}", (), (), 2.0, at_least=False
        )
        judged.append(_verdict(target, seconds["MDLDiscretizer", threads] / seconds["np.argsort", threads]))
    return judged


def judge_pool(pool):
    """Return LP-AODE*'s fit over a random forest's, on the table of numbers."""
    seconds = {
        (time["problem"], time["contender"], time["action"]): time["seconds"] for time in pool["times"]
    }
    fits = {
        problem: seconds[problem, "LP-AODE*", "fit"] / forest
        for (problem, contender, _), forest in seconds.items()
        if contender == "random forest"
    }
    title = "LP-AODE*'s fit over that of a random forest with 500 trees"
    return [
        _verdict(Target(f"{title}, {problem}", (), (), 1.0, at_least=False), ratio)
        for problem, ratio in fits.items()
    ]


def judge_start(start):
    """Return a process that learns and answers, and compiles for it, over one that only imports."""
    imports = start["import numba, sklearn.base and scipy.optimize"]
    names = [f"{name}'s first fit and predict_set, empty cache" for name in ("COMP-AODE*", "LP-AODE*")]
    return [
        _verdict(Target(f"{name}, over imports", (), (), 3.0, at_least=False), start[name] / imports)
        for name in names
    ]


def judge_waiting(found):
    """Return what a user waits for, as it was measured."""
    return [_verdict(Target(name, (), (), goal, at_least=False), found[name]) for name, goal in GOALS.items()]


def _verdict(target, value, by_problem=None):
    return {
        "target": target.name,
        "wanted": target.wanted,
        "value": value,
        "met": target.met(value),
        "by_problem": by_problem or {},
    }
