"""For the paper's experiment until it uses _classifiers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skcredal.evaluation._classifiers import CLASSIFIERS, display_name, is_credal
from skcredal.evaluation._classifiers import make_classifiers as make

__all__ = ["CLASSIFIERS", "display_name", "is_credal", "make_classifiers"]


def make_classifiers(names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return all classifiers by default."""
    return make(CLASSIFIERS if names is None else names)
