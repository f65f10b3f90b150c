"""A limit of the pair tables that ends with its block."""

from contextlib import contextmanager

from skcredal import get_config, set_config


@contextmanager
def limited_to(n_bytes):
    """Let pair tables take so many bytes inside the block."""
    before = get_config()
    set_config(pair_table_limit=n_bytes)
    try:
        yield
    finally:
        set_config(**before)
