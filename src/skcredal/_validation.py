"""Checks of parameters. Every error names the parameter, the rule and the value."""

import math
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

# Long enough for a list of classes or parameters, short enough for an error message.
_LONGEST = 500


def safe_repr(value: Any) -> str:
    """Return the repr of a value, cut to a length that keeps an error message readable.

    Examples
    --------
    >>> safe_repr("a")
    "'a'"
    >>> len(safe_repr("a" * 10_000))
    500
    """
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def has_hash(value: Any) -> bool:
    """Tell whether a value can be looked up in a dict or a set."""
    # isinstance(value, Hashable) is not enough: a tuple of lists claims to be hashable.
    try:
        hash(value)
    except TypeError:
        return False
    return True


@contextmanager
def naming(subject: str) -> Iterator[None]:
    """Name the argument in an error of a library that does not, as a ValueError or TypeError.

    Examples
    --------
    >>> with naming("X"):
    ...     float([])
    Traceback (most recent call last):
    TypeError: X cannot be read: float() argument must be a string or a real number, not 'list'
    """
    try:
        yield
    except Exception as error:
        reason = str(error) or type(error).__name__  # some libraries raise without a message
        is_named = re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", reason)
        # A lack of memory is not the argument's fault, and a caller may want to catch it.
        if isinstance(error, MemoryError) or (isinstance(error, (TypeError, ValueError)) and is_named):
            raise
        named = TypeError if isinstance(error, TypeError) else ValueError
        raise named(f"{subject} cannot be read: {reason}") from error


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line by which the user's code called the package."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "skcredal":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def refuse_mask(name: str, given: Any) -> None:
    """Refuse a masked array: numpy would silently ignore its mask."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array: its mask would be ignored. Pass a plain array.")


def real_numbers(name: str, given: Any, rule: str = "contain real numbers") -> npt.NDArray[np.float64]:
    """Return an array of any shape as floats, with NaN for missing values.

    Stricter than numpy, which would also convert text, dates and the real part of complex numbers.

    Examples
    --------
    >>> real_numbers("sample_weight", [1, None, True])
    array([ 1., nan,  1.])
    >>> real_numbers("sample_weight", ["1"])
    Traceback (most recent call last):
    TypeError: sample_weight must contain real numbers, got '1'.
    """
    with naming(name):
        refuse_mask(name, given)
        values = np.asarray(given)
        for value in values.ravel().tolist() if values.dtype.kind not in "biuf" else ():
            is_number = isinstance(value, (Real, Decimal, np.bool_)) and values.dtype.kind not in "mM"
            if value is not None and not is_number:
                raise TypeError(f"{name} must {rule}, got {safe_repr(value)}.")
        return values.astype(np.float64)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}, got {safe_repr(value)}.")
    return value


def check_texts(name: str, values: Any) -> list[str]:
    """Return a list of names without duplicates, after checking that all of them are strings.

    Examples
    --------
    >>> check_texts("classifiers", ("aode", "tan", "aode"))
    ['aode', 'tan']
    >>> check_texts("classifiers", "aode")
    Traceback (most recent call last):
    TypeError: classifiers must be a list of names, got 'aode'.
    """
    # A string is iterable, too: its letters would be taken for names.
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of names, got {safe_repr(values)}.")
    found = list(values)
    if others := [value for value in found if not isinstance(value, str)]:
        raise TypeError(f"{name} must contain only strings, got {safe_repr(others[0])}.")
    return list(dict.fromkeys(found))


def check_instance(name: str, value: Any, kind: type | tuple[type, ...]) -> None:
    """Refuse a value that is not an instance of the type, or of one of the types.

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
    """Return the value as a float if it is a real number between the bounds.

    Examples
    --------
    >>> check_real("ess", 0.0, low=1e-6, high=1e6)
    Traceback (most recent call last):
    ValueError: ess must lie in [1e-6, 1e6], got 0.0.
    """
    # An infinite bound is never included, so that the message does not promise to accept infinity.
    closing = ")" if high_open or math.isinf(high) else "]"
    bounds = f"{'(' if low_open else '['}{low:g}, {high:g}{closing}"
    rule = re.sub(r"e\+?(-?)0*", r"e\1", bounds)  # as people write it: 1e-6, not 1e-06
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a real number in {rule}, got {safe_repr(value)}.")
    with naming(name):  # whole numbers may be too large
        number = float(value)
    above = number > low if low_open else number >= low
    below = number < high if high_open else number <= high
    if not (above and below and math.isfinite(number)):
        raise ValueError(f"{name} must lie in {rule}, got {safe_repr(value)}.")
    return number


def check_integer(name: str, value: Any, *, low: float = -math.inf, high: float = math.inf) -> int:
    """Return the value as an int if it is a whole number from ``low`` to ``high``."""
    least = f" of at least {low}" if low > -math.inf else ""
    # timedelta64 is registered as an Integral, and True is an int: neither is meant as a number.
    if not isinstance(value, Integral) or isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{name} must be a whole number{least}, got {safe_repr(value)}.")
    if not low <= int(value) <= high:
        rule = f"at least {low}" if int(value) < low else f"at most {high:.0f}"
        raise ValueError(f"{name} must be {rule}, got {safe_repr(value)}.")
    return int(value)
