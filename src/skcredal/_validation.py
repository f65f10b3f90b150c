"""Checks of parameters: each refusal names the parameter, the rule and the value."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_choice", "check_integer", "check_real", "naming", "real_numbers", "refuse_mask"]


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


def refuse_mask(name: str, given: Any) -> None:
    """Refuse a masked array, whose mask numpy would drop without a word."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; give the values alone.")


def real_numbers(name: str, given: Any, rule: str = "hold real numbers") -> npt.NDArray[np.float64]:
    """Return an array of any shape as numbers, NaN for None and the like.

    numpy alone would also read text, dates and the real part of complex numbers.

    Examples
    --------
    >>> real_numbers("sample_weight", [1, None, True])
    array([ 1., nan,  1.])
    >>> real_numbers("sample_weight", ["1"])
    Traceback (most recent call last):
    TypeError: sample_weight must hold real numbers, got '1'.
    """
    with naming(name):
        refuse_mask(name, given)
        values = np.asarray(given)
        if values.dtype.kind in "biuf" or values.size == 0:
            return values.astype(np.float64)
        numbers = np.empty(values.size)
        cells = values.ravel() if values.dtype.kind in "OMm" else values.ravel().tolist()
        for place, value in enumerate(cells):
            # None, and pandas' NA and NaT without importing pandas.
            if value is None or type(value).__name__ in ("NAType", "NaTType"):
                numbers[place] = np.nan
            elif isinstance(value, (Real, Decimal, np.bool_)) and not isinstance(value, np.timedelta64):
                numbers[place] = float(value)
            else:
                raise TypeError(f"{name} must {rule}, got {value!r}.")
        return numbers.reshape(values.shape)


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
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf  # type: ignore[operator]
    above = number > low if low_open else number >= low
    below = number < high if high_open else number <= high
    if not (above and below and math.isfinite(number)):
        raise ValueError(f"{name} must lie in {rule}, got {value!r}.")
    return number


def check_integer(name: str, value: Any, *, low: int, high: float = math.inf) -> int:
    """Return the value as an int if it is a whole number of at least ``low`` and at most ``high``."""
    # numpy counts its spans of time among the integers.
    if not isinstance(value, Integral) or isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{name} must be a whole number of at least {low}, got {value!r}.")
    if int(value) < low:
        raise ValueError(f"{name} must be at least {low}, got {value!r}.")
    if int(value) > high:
        raise ValueError(f"{name} must be at most {high:.0f}, got {value!r}.")
    return int(value)
