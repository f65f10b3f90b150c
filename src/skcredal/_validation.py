"""Checks of parameters: each refusal names the parameter, the rule and the value."""

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "check_choice",
    "check_instance",
    "check_integer",
    "check_path",
    "check_real",
    "check_texts",
    "naming",
    "real_numbers",
    "refuse_mask",
    "safe_repr",
    "to_float",
]

# No message shows more characters of a value.
_LONGEST = 500


def safe_repr(value: Any) -> str:
    """Return a value as messages show it, whatever it is: some cannot be shown, and some have no end.

    Examples
    --------
    >>> safe_repr("a"), safe_repr(10**5000)
    ("'a'", 'an int of about 5001 digits')
    >>> len(safe_repr("a" * 10_000))
    500
    """
    try:
        text = repr(value)
    except Exception:  # of the value's own code, or Python's limit for the digits of an int
        if type(value) is int:
            return f"an int of about {int(value.bit_length() * math.log10(2)) + 1} digits"
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def to_float(value: Real | np.bool_) -> float:
    """Return a real number as a float, infinite where it is beyond all floats.

    Examples
    --------
    >>> to_float(-(10**400))
    -inf
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


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
        said = _words(error)
        named = re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", said)
        if isinstance(error, (TypeError, ValueError)) and named:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{subject} cannot be read: {said}") from None


def _words(error: Exception) -> str:
    """Return what an error says; some libraries fail without a word, or cannot show what they fail at."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # the error holds a value that cannot be shown
        return type(error).__name__


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
                raise TypeError(f"{name} must {rule}, got {safe_repr(value)}.")
        return numbers.reshape(values.shape)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}, got {safe_repr(value)}.")
    return value


def check_path(name: str, value: Any) -> None:
    """Refuse what is neither text nor a path: its text would be the name of a file all the same.

    Examples
    --------
    >>> check_path("path", None)
    Traceback (most recent call last):
    TypeError: path must be text or a path, got None.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be text or a path, got {safe_repr(value)}.")


def check_texts(name: str, values: Any) -> list[str]:
    """Return names without repetitions, if all of them are text.

    Examples
    --------
    >>> check_texts("classifiers", ("aode", "tan", "aode"))
    ['aode', 'tan']
    >>> check_texts("classifiers", "aode")
    Traceback (most recent call last):
    TypeError: classifiers must be several names, got 'aode'.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be several names, got {safe_repr(values)}.")
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise TypeError(f"{name} must hold names, got {safe_repr(value)}.")
    return list(dict.fromkeys(found))


def check_instance(name: str, value: Any, kind: type | tuple[type, ...]) -> None:
    """Refuse a value that is not of the type, or of one of the types.

    Examples
    --------
    >>> check_instance("plan", 3, dict)
    Traceback (most recent call last):
    TypeError: plan must be of type dict, got 3.
    """
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        listed = " or ".join(one.__name__ for one in kinds)
        raise TypeError(f"{name} must be of type {listed}, got {safe_repr(value)}.")


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
        raise TypeError(f"{name} must be a real number in {rule}, got {safe_repr(value)}.")
    number = to_float(value)
    above = number > low if low_open else number >= low
    below = number < high if high_open else number <= high
    if not (above and below and math.isfinite(number)):
        raise ValueError(f"{name} must lie in {rule}, got {safe_repr(value)}.")
    return number


def check_integer(name: str, value: Any, *, low: int, high: float = math.inf) -> int:
    """Return the value as an int if it is a whole number of at least ``low`` and at most ``high``."""
    # numpy counts its spans of time among the integers.
    if not isinstance(value, Integral) or isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{name} must be a whole number of at least {low}, got {safe_repr(value)}.")
    if int(value) < low:
        raise ValueError(f"{name} must be at least {low}, got {safe_repr(value)}.")
    if int(value) > high:
        raise ValueError(f"{name} must be at most {high:.0f}, got {safe_repr(value)}.")
    return int(value)
