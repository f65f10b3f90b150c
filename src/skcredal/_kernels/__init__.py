"""Numba kernels: arrays in, arrays out, no knowledge of estimators. They import only ``_arrays``.

The modules are imported at their first use, because importing numba takes longer than all the rest of the
package: write ``from skcredal import _kernels as kernels`` and ``kernels.counting.count_pairs(...)``.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skcredal._kernels import (
        bma,
        compression,
        compression_bounds,
        counting,
        encoding,
        inference,
        leave_one_out,
        log_pool,
        marginal,
        naive,
        ncc,
        packing,
        parameters,
        selective,
        text,
        tree,
    )

__all__ = [
    "bma",
    "compression",
    "compression_bounds",
    "counting",
    "encoding",
    "inference",
    "leave_one_out",
    "log_pool",
    "marginal",
    "naive",
    "ncc",
    "packing",
    "parameters",
    "selective",
    "text",
    "tree",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
