"""The classifiers by the names used in the paper and on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skcredal._validation import check_choice, check_texts, safe_repr
from skcredal.classifiers._aode import AODE, BmaAODE, CompAODE, MaplmgAODE
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._bayes import TAN, CompressionNB, NaiveBayes, NullClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers._log_pool import CredalLogPoolAODE, LogPoolAODE
from skcredal.classifiers._naive_credal import CredalModelAveraging, NaiveCredal
from skcredal.classifiers._tree import CredalTree
from skcredal.evaluation._baselines import BASELINES

__all__ = ["CLASSIFIERS", "display_name", "is_credal", "make_classifiers"]

# In the order of the tables, which is that of NAMES.
CLASSIFIERS: dict[str, type[TabularClassifier]] = {
    "aode": AODE,
    "bma-aode": BmaAODE,
    "comp-aode": CompAODE,
    "maplmg": MaplmgAODE,
    "lp-aode": LogPoolAODE,
    "bma-spode": BmaAODE,
    "comp-nb": CompressionNB,
    "naive-bayes": NaiveBayes,
    "tan": TAN,
    "null": NullClassifier,
    "bma-aode*": CredalBmaAODE,
    "comp-aode*": CredalCompAODE,
    "lp-aode*": CredalLogPoolAODE,
    "ncc": NaiveCredal,
    "ncc2": NaiveCredal,
    "cma": CredalModelAveraging,
    "cdt": CredalTree,
}
# What tells a classifier from others of its class.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "bma-spode": {"likelihood": "marginal"},
    "ncc2": {"conservative_features": "all"},
}
# All other names are acronyms.
_DISPLAY_NAMES = {
    "naive-bayes": "naive Bayes",
    "null": "null",
    **{name: name.replace("-", " ") for name in BASELINES},
}


def is_credal(name: str) -> bool:
    """Tell whether the classifier or baseline with this name returns sets."""
    check_choice("name", name, (*CLASSIFIERS, *BASELINES))
    return name in CLASSIFIERS and issubclass(CLASSIFIERS[name], CredalMixin)


def make_classifiers(names: Iterable[str] | None = None) -> dict[str, TabularClassifier]:
    """Return new classifiers by name, all of them by default; ``-star`` can be written for the star.

    Examples
    --------
    >>> make_classifiers(["comp-aode-star"])
    {'comp-aode*': CredalCompAODE()}
    >>> make_classifiers(["bma-spode"])
    {'bma-spode': BmaAODE(likelihood='marginal')}
    """
    chosen = {}
    for name in CLASSIFIERS if names is None else check_texts("names", names):
        # Shells expand a star, so users may write it out.
        starred = name.lower().removesuffix("-star") + "*" if name.lower().endswith("-star") else name.lower()
        if starred not in CLASSIFIERS:
            raise ValueError(
                f"There is no classifier {safe_repr(name)}. Choose from {', '.join(CLASSIFIERS)}."
            )
        chosen[starred] = CLASSIFIERS[starred](**_PARAMETERS.get(starred, {}))
    return chosen


def display_name(classifier: str) -> str:
    """Return the name of a classifier as the paper prints it."""
    return _DISPLAY_NAMES.get(classifier, classifier.upper() if classifier in CLASSIFIERS else classifier)
