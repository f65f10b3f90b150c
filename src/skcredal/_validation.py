"""Checks of parameters: each refusal names the parameter, the rule and the value."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

__all__ = ["check_choice", "check_integer", "check_real"]


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
