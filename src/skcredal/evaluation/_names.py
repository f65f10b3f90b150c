"""Names and words that messages use; without imports that take long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skcredal._arrays import BoolArray, FloatArray

__all__ = ["ALL_CLASSES", "CLOSE_CALL", "COMPARED", "DEFAULT", "NAMES", "counted", "is_below", "listed"]

# In the order of the tables: determinate classifiers first, then the credal ones.
NAMES = (
    *("aode", "bma-aode", "comp-aode", "maplmg", "lp-aode", "bma-spode", "comp-nb", "naive-bayes", "tan"),
    *("null", "bma-aode*", "comp-aode*", "lp-aode*", "ncc", "ncc2", "cma", "cdt"),
)
# Fitted, and shown on the evaluation page, unless the user names a classifier.
DEFAULT = "lp-aode*"
# A baseline that needs no learning: it answers with all classes, always.
ALL_CLASSES = "all classes"
# What to compare first.
COMPARED = ("lp-aode*", "comp-aode*", "ncc", "null", "logistic-regression", "random-forest")
# An answer of one class is a close call if its probability is below this: of four such answers at least one
# is expected to be wrong.
CLOSE_CALL = 0.75


def is_below(probability: FloatArray, threshold: float) -> BoolArray:
    """Tell which probabilities are below a threshold, but not those that only rounding puts there."""
    below: BoolArray = probability < threshold - 1e-9
    return below


def counted(n: int, thing: str) -> str:
    """Return a number with its noun in the singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "class")
    ('1 row', '2 classes')
    """
    return f"{n} {thing}{'' if n == 1 else 'es' if thing.endswith('s') else 's'}"


def listed(words: Sequence[str], most: int) -> str:
    """Return the first of some words with commas between them, and how many more there are.

    Examples
    --------
    >>> listed(["age", "sex", "pain"], most=2)
    'age, sex and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
