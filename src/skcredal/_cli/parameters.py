"""The parameters of the classifiers as options: which are given, and classifiers that have them."""

from __future__ import annotations

from typing import Any

from skcredal._cli.console import CallError
from skcredal.evaluation._registry import make_classifiers

__all__ = ["given_parameters", "make_all"]

# What options of the command line are called as parameters.
_PARAMETERS = {"treat-missing": "missing", "unknown": "handle_unknown"}


def given_parameters(**options: float | str | None) -> dict[str, Any]:
    """Return the options that are given, by their names on the command line.

    Examples
    --------
    >>> given_parameters(epsilon=None, treat_missing="impute")
    {'treat-missing': 'impute'}
    """
    return {name.replace("_", "-"): value for name, value in options.items() if value is not None}


def make_all(names: list[str] | None, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return classifiers by name, with the parameters that are given; what no classifier has is refused."""
    try:
        made = make_classifiers(names)
    except ValueError as error:
        raise CallError(str(error)) from None
    for option, value in parameters.items():
        name = _PARAMETERS.get(option, option)
        concerned = [classifier for classifier in made.values() if name in classifier.get_params()]
        if not concerned:
            raise CallError(f"--{option} is not a parameter of {', '.join(made)}.")
        for classifier in concerned:
            classifier.set_params(**{name: value})
            try:
                classifier._check_parameters()
            except (ValueError, TypeError) as error:
                raise CallError(f"--{option}: {error}") from None
    return made
