"""Which classifiers an experiment runs, under the paper's names."""

from collections.abc import Iterable

from skcredal.classifiers.aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers.base import TabularClassifier
from skcredal.classifiers.bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers.cma import CredalModelAveraging
from skcredal.classifiers.credal import CredalClassifier
from skcredal.classifiers.credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers.maplmg import MaplmgAODE
from skcredal.classifiers.ncc import NaiveCredal
from skcredal.classifiers.tree import CredalTree

__all__ = ["CLASSIFIERS", "is_credal", "make_classifiers"]

CLASSIFIERS: dict[str, type[TabularClassifier]] = {
    "aode": AODE,
    "bma-aode": BmaAODE,
    "comp-aode": CompAODE,
    "maplmg": MaplmgAODE,
    "naive-bayes": NaiveBayes,
    "tan": TAN,
    "null": NullClassifier,
    "bma-aode*": CredalBmaAODE,
    "comp-aode*": CredalCompAODE,
    "ncc": NaiveCredal,
    "cma": CredalModelAveraging,
    "cdt": CredalTree,
}


def is_credal(name: str) -> bool:
    """Tell whether the classifier of a name returns sets.

    Examples
    --------
    >>> is_credal("cdt"), is_credal("tan")
    (True, False)
    """
    return issubclass(CLASSIFIERS[name], CredalClassifier)


def make_classifiers(names: Iterable[str] | None = None) -> dict[str, TabularClassifier]:
    """Return new classifiers under their names, all of them by default; ``-star`` may stand for the star.

    Examples
    --------
    >>> make_classifiers(["comp-aode-star"])
    {'comp-aode*': CredalCompAODE()}
    """
    chosen = {}
    for name in CLASSIFIERS if names is None else names:
        starred = name.lower().removesuffix("-star") + "*" if name.lower().endswith("-star") else name.lower()
        if starred not in CLASSIFIERS:
            raise ValueError(f"There is no classifier {name!r}; there are {', '.join(CLASSIFIERS)}.")
        chosen[starred] = CLASSIFIERS[starred]()
    return chosen
