"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

from importlib import import_module

# Not from typing, whose import would be half of the time before the command line listens to Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    package: str, names: Sequence[str], modules: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are defined in its modules.

    Parameters
    ----------
    package : str
        The package.
    names : sequence of str
        Its public names, of modules or of what is in them.
    modules : sequence of str
        The modules to look for a name in, by their ``__all__``, those that are quickest to import first.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if name in modules:
            return import_module(f"{package}.{name}")
        found = (import_module(f"{package}.{module}") for module in modules)
        value = getattr(next(module for module in found if name in module.__all__), name)
        # The next time it is found without this function.
        vars(import_module(package))[name] = value
        return value

    return get, lambda: sorted(names)
