"""Which classifiers an experiment runs, under the paper's names."""

from collections.abc import Iterable

from skcredal.classifiers.aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers.credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers.spodes import SpodeEnsemble

__all__ = ["CLASSIFIERS", "make_classifiers"]

CLASSIFIERS: dict[str, type[SpodeEnsemble]] = {
    "aode": AODE,
    "bma-aode": BmaAODE,
    "comp-aode": CompAODE,
    "bma-aode*": CredalBmaAODE,
    "comp-aode*": CredalCompAODE,
}


def make_classifiers(names: Iterable[str] | None = None) -> dict[str, SpodeEnsemble]:
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
