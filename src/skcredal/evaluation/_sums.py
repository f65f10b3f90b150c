"""For the paper's experiment until it uses _classifiers, _fold and _results: sums under their old names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any

from skcredal.evaluation._classifiers import BASELINES
from skcredal.evaluation._fold import Fold
from skcredal.evaluation._results import Sums
from skcredal.evaluation._results import fold_sums as new_sums
from skcredal.metrics._outcomes import measures as new_measures

__all__ = [
    "MEASURES",
    "SUM_NAMES",
    "FoldSums",
    "baseline",
    "fold_sums",
    "measures",
    "pool",
    "run_baselines",
    "run_fold",
    "share",
]

_NEW = {
    "determinate": "decided",
    "indeterminate": "undecided",
    "dependent_correct": "correct_undecided",
    "dependent_u65": "u65_undecided",
    "dependent_u80": "u80_undecided",
}
_COUNTS = (
    *("n", "correct", "determinate", "single_correct", "indeterminate", "set_correct", "set_size"),
    "dependent_correct",
)


@dataclass(frozen=True, slots=True)
class FoldSums:
    """Sums over test rows."""

    n: int
    correct: int
    brier: float
    brier_multiclass: float
    log_loss: float
    determinate: int = 0
    single_correct: int = 0
    indeterminate: int = 0
    set_correct: int = 0
    set_size: int = 0
    discounted: float = 0.0
    u65: float = 0.0
    u80: float = 0.0
    dependent_correct: int = 0
    dependent_u65: float = 0.0
    dependent_u80: float = 0.0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0

    def __add__(self, other: FoldSums) -> FoldSums:
        return FoldSums(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


SUM_NAMES = tuple(field.name for field in fields(FoldSums))


def _old(sums: Sums) -> FoldSums:
    found: dict[str, Any] = {name: sums.get(_NEW.get(name, name), 0.0) for name in SUM_NAMES}
    return FoldSums(**found | {name: int(found[name]) for name in _COUNTS})


def fold_sums(y_true: Any, y_proba: Any, y_set: Any, classes: Any) -> FoldSums:
    """Return the sums over test rows."""
    return _old(new_sums(y_true, y_proba, y_set, classes))


def pool(parts: Iterable[FoldSums]) -> FoldSums:
    """Return the sums over all parts."""
    total = FoldSums(0, 0, 0.0, 0.0, 0.0)
    for part in parts:
        total = total + part
    return total


def measures(sums: FoldSums, *, credal: bool) -> dict[str, float]:
    """Return the measures under their old names."""
    named = {
        _NEW.get(name, name): getattr(sums, name) for name in SUM_NAMES if credal or name in SUM_NAMES[:5]
    }
    found = {name.replace("_undecided", "_dependent"): value for name, value in new_measures(named).items()}
    items = list(found.items())
    return dict([*items[:11], ("accuracy_safe", found["single_accuracy"]), *items[11:]])


def share(part: float, whole: float) -> float:
    """Return the quotient, NaN if there is nothing to divide by."""
    return part / whole if whole else math.nan


MEASURES = tuple(measures(FoldSums(0, 0, 0.0, 0.0, 0.0), credal=True))


def run_fold(classifiers: Mapping[str, Any], fold: Fold) -> dict[str, FoldSums]:
    """Return the results of classifiers on the test rows."""
    return {name: _old(sums) for name, sums in fold.sums(classifiers).items()}


def baseline(name: str) -> Any:
    """Return a baseline as in the experiment."""
    return BASELINES[name](**({"n_trees": 500} if name == "random-forest" else {}))


def run_baselines(names: Iterable[str], fold: Fold) -> dict[str, FoldSums]:
    """Return the results of classifiers of scikit-learn on the test rows."""
    return run_fold({name: baseline(name) for name in names}, fold)
