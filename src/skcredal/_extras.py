"""Optional dependencies: imported where they are used; the error for a missing one says how to install it."""

from importlib import import_module
from types import ModuleType


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a module of an optional dependency, or say which extra of skcredal installs it.

    A module that is installed but broken raises its own error: installing it again would not help.

    Examples
    --------
    >>> require("json", extra="cli", purpose="Writing results").dumps([1, 2])
    '[1, 2]'
    >>> require("crystal_ball", extra="paper", purpose="Foresight")
    Traceback (most recent call last):
    ImportError: Foresight needs crystal_ball. Install it with: pip install 'skcredal[paper]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{purpose} needs {package}. Install it with: pip install 'skcredal[{extra}]'", name=package
        ) from error
