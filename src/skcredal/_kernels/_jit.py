"""The decorators of all kernels."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["fused_kernel", "kernel", "step"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile at the first call, keep the machine code on disk, and run without the GIL.

    A kernel calls only kernels of its own file (and ``_instructions``): numba compiles again when the file of
    the function has changed, not when another file has. No ``fastmath``: ``-inf`` means something, and sums
    keep their order.
    """
    return _compiled(function)


def fused_kernel(function: Function) -> Function:
    """Compile likewise, but round a product and its sum once where the machine can: faster, more exact.

    Not for a kernel that asks for the sign of a difference of products: equal ones would no longer give 0.
    """
    return _compiled(function, fastmath={"contract"})


def _compiled(function: Function, **options: Any) -> Function:
    try:
        compiled = njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        # numba found no directory it may write its cache to: a read-only installation without a home.
        compiled = njit(nogil=True, **options)(function)
    return cast(Function, compiled)


def step(function: Function) -> Function:
    """Compile a step of a kernel only as part of the kernel.

    Compiled by itself as well, it would make compilation take half as long again.
    """
    return cast(Function, njit(nogil=True, inline="always")(function))
