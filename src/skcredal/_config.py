"""Package-wide settings, like scikit-learn's ``set_config``."""

import os
from collections.abc import Mapping
from typing import Any

from skcredal._validation import check_integer, naming

__all__ = ["VARIABLE", "PairTableError", "check_pair_tables", "get_config", "set_config"]

VARIABLE = "SKCREDAL_PAIR_TABLE_LIMIT"
# Read at import: a wrong value fails at once, not in the middle of a fit. Worker processes inherit it.
with naming(VARIABLE):
    _limit = check_integer(VARIABLE, int(os.environ.get(VARIABLE, 4 * 1024**3)), low=0)
_settings = {"pair_table_limit": _limit}


class PairTableError(ValueError):
    """Pair tables would exceed the limit; the arguments are the fact, and what to do about it in Python."""

    def __str__(self) -> str:
        return " ".join(self.args)


def get_config() -> dict[str, int]:
    """Return the current settings.

    Returns
    -------
    dict
        ``pair_table_limit``: how many bytes the pair tables of one model may take.

    Examples
    --------
    >>> from skcredal import get_config
    >>> get_config()["pair_table_limit"] == 4 * 1024**3
    True
    """
    return dict(_settings)


def set_config(*, pair_table_limit: int | None = None) -> None:
    """Change settings for the whole process.

    Parameters
    ----------
    pair_table_limit : int, optional
        How many bytes the pair tables of one model may take; a fit that needs more is refused before
        anything is allocated. The default is 4 GiB, or the value of the environment variable
        ``SKCREDAL_PAIR_TABLE_LIMIT`` at import (which worker processes inherit).

    Examples
    --------
    >>> from skcredal import get_config, set_config
    >>> set_config(pair_table_limit=8 * 1024**3)
    >>> get_config()["pair_table_limit"] // 1024**3
    8
    >>> set_config(pair_table_limit=4 * 1024**3)
    """
    if pair_table_limit is not None:
        _settings["pair_table_limit"] = check_integer("pair_table_limit", pair_table_limit, low=0)


def check_pair_tables(needed: int, n_states: Mapping[Any, int], n_classes: int) -> None:
    """Raise an error if pair tables of so many bytes would exceed the limit, before one is allocated."""
    limit = _settings["pair_table_limit"]
    if needed <= limit:
        return
    # Name a few features: those that are worth merging or dropping.
    largest = sorted(n_states, key=lambda name: -n_states[name])[:3]
    worst = ", ".join(f"{name} ({n_states[name]} states)" for name in largest)
    raise PairTableError(
        f"The pair tables of {len(n_states)} features and {n_classes} classes would take "
        f"{needed / 2**20:.3g} MiB, more than the limit of {limit / 2**20:.3g} MiB. The largest features "
        f"are {worst}:",
        "set max_categories to merge rare states, round numbers, drop some features, or raise the limit with "
        "skcredal.set_config(pair_table_limit=...).",
    )
