"""Package-wide settings, like scikit-learn's ``set_config``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skcredal._validation import check_integer

__all__ = ["config_context", "get_config", "set_config"]

_DEFAULT_LIMIT = 4 * 1024**3


def _limit_from_environment() -> int:
    """Read the limit from the environment, which worker processes inherit."""
    text = os.environ.get("SKCREDAL_PAIR_TABLE_LIMIT")
    if text is None:
        return _DEFAULT_LIMIT
    try:
        return check_integer("SKCREDAL_PAIR_TABLE_LIMIT", int(text), low=0)
    except ValueError:
        raise ValueError(
            f"SKCREDAL_PAIR_TABLE_LIMIT must be a non-negative whole number of bytes, got {text!r}."
        ) from None


# Read at import: a wrong value fails at once, not in the middle of a fit.
_global_limit = _limit_from_environment()
# A ContextVar, so that a context in one thread does not change the limit of others.
_local_limit: ContextVar[int | None] = ContextVar("pair_table_limit", default=None)


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
    local = _local_limit.get()
    return {"pair_table_limit": _global_limit if local is None else local}


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
    global _global_limit
    if pair_table_limit is not None:
        _global_limit = check_integer("pair_table_limit", pair_table_limit, low=0)


@contextmanager
def config_context(*, pair_table_limit: int | None = None) -> Iterator[None]:
    """Change settings inside a ``with`` block, for the current thread only.

    Parameters
    ----------
    pair_table_limit : int, optional
        As in :func:`set_config`.

    Examples
    --------
    >>> from skcredal import config_context, get_config
    >>> with config_context(pair_table_limit=1000):
    ...     get_config()["pair_table_limit"]
    1000
    """
    if pair_table_limit is None:
        yield
        return
    token = _local_limit.set(check_integer("pair_table_limit", pair_table_limit, low=0))
    try:
        yield
    finally:
        _local_limit.reset(token)
