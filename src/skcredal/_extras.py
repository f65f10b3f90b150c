"""Optional dependencies: imported where they are used, refused with the command that installs them."""

from importlib import import_module
from types import ModuleType

__all__ = ["require"]


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a module that only some installations have.

    Parameters
    ----------
    module : str
        The module, dotted where it is a submodule.
    extra : str
        The extra of skcredal that installs it.
    purpose : str
        What needs it: the subject of the refusal.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    ImportError
        If the module is not installed. A module that is installed but broken raises its own error,
        since installing it again is not the cure.

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
