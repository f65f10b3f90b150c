"""The decorators of all kernels."""

import gc
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, TypeVar, cast

from numba import njit

__all__ = ["fused_kernel", "kernel", "step"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile at the first call, keep the machine code on disk, and run without the GIL.

    A kernel calls only kernels of its own file (and ``_instructions`` and ``_vectors``): numba compiles again
    when the file of the function has changed, not when another file has. No ``fastmath``: ``-inf`` means
    something, and sums keep their order.
    """
    return _compiled(function)


def fused_kernel(function: Function) -> Function:
    """Compile likewise, but round a product and its sum once where the machine can: faster, more exact.

    Not for a kernel that asks for the sign of a difference of products: equal ones would no longer give 0.
    """
    return _compiled(function, fastmath={"contract"})


def _compiled(function: Function, **options: Any) -> Function:
    compiled: Any = njit(nogil=True, **options)(function)
    # With the JIT off, the function comes back as it is. An error of this kind means that numba finds no
    # directory to write to: a read-only installation without a home.
    with suppress(RuntimeError):
        if compiled is not function:
            compiled._compiler.compile = _uncollected(compiled._compiler.compile)
            compiled.enable_caching()  # what njit(cache=True) does
            compiled._cache = _DispensableCache(compiled._cache)
    return cast(Function, compiled)


def _uncollected(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Let Python's collector wait while a kernel is compiled.

    A kernel is half a million objects to numba. Looking through them again and again, to find that nearly all
    are still in use, takes a tenth of the time.
    """

    def compile_uncollected(*arguments: Any) -> Any:
        # Off already if another kernel is being compiled, which calls this one.
        was_on = gc.isenabled()
        gc.disable()
        try:
            return compile_(*arguments)
        finally:
            if was_on:
                gc.enable()

    return compile_uncollected


class _DispensableCache:
    """The machine code on disk; where it cannot be read or written, the kernel does without it."""

    # Folders that a warning has named: one is enough for all kernels.
    named: ClassVar[set[str]] = set()

    def __init__(self, cache: Any) -> None:
        self.cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cache, name)

    def load_overload(self, *args: Any) -> Any:
        """Return the machine code for a signature, or ``None``."""
        try:
            return self.cache.load_overload(*args)
        # A damaged file fails wherever its first wrong byte leads: in pickle, in LLVM, anywhere.
        except Exception as error:
            self._give_up(error)
            return None

    def save_overload(self, *args: Any) -> None:
        """Keep the machine code for a signature."""
        try:
            self.cache.save_overload(*args)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.cache.disable()
        folder = str(self.cache.cache_path)
        if folder not in self.named:
            self.named.add(folder)
            warnings.warn(
                f"numba's cache in {folder} cannot be used ({type(error).__name__}: {error}); kernels are "
                "compiled in every process. Delete the folder if it is damaged, make room if its disk is "
                "full, or set NUMBA_CACHE_DIR to another.",
                stacklevel=2,
            )


def step(function: Function) -> Function:
    """Compile a step of a kernel only as part of the kernel.

    Compiled by itself as well, it would make compilation take half as long again.
    """
    return cast(Function, njit(nogil=True, inline="always")(function))
