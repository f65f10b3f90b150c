"""Checks of parameters: each refusal names the parameter, the rule and the value."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

__all__ = ["check_choice", "check_integer", "check_real", "naming"]


@contextmanager
def naming(subject: str) -> Iterator[None]:
    """Turn whatever another library says of the user's data into a refusal that names what it was about.

    A ValueError or TypeError that names it already passes as it is.

    Examples
    --------
    >>> with naming("X"):
    ...     float([])
    Traceback (most recent call last):
    TypeError: X cannot be read: float() argument must be a string or a real number, not 'list'
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        named = re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", str(error))
        if isinstance(error, (TypeError, ValueError)) and named:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        # Some libraries fail without a word.
        said = str(error) or type(error).__name__
        raise kind(f"{subject} cannot be read: {said}") from None


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}, got {value!r}.")
    return value


def check_real(
    name: str,
    value: Any,
    *,
    low: float,
    high: float = math.inf,
    low_open: bool = False,
    high_open: bool = False,
) -> float:
    """Return the value as a float if it is a real number between the bounds."""
    rule = f"{'(' if low_open else '['}{low:g}, {high:g}{')' if high_open or math.isinf(high) else ']'}"
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a real number in {rule}, got {value!r}.")
    number = float(value)
    above = number > low if low_open else number >= low
    below = number < high if high_open else number <= high
    if not (above and below and math.isfinite(number)):
        raise ValueError(f"{name} must lie in {rule}, got {value!r}.")
    return number


def check_integer(name: str, value: Any, *, low: int) -> int:
    """Return the value as an int if it is a whole number of at least ``low``."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number of at least {low}, got {value!r}.")
    if int(value) < low:
        raise ValueError(f"{name} must be at least {low}, got {value!r}.")
    return int(value)
