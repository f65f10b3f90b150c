"""Names for the arrays that travel through the package."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "AnyArray",
    "BoolArray",
    "ByteArray",
    "CodeArray",
    "CountArray",
    "FloatArray",
    "IntArray",
    "LabelArray",
]

AnyArray: TypeAlias = npt.NDArray[Any]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ByteArray: TypeAlias = npt.NDArray[np.uint8]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
# States of features, feature-major (k, n); the number of states of a feature stands for unknown.
CodeArray: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
# Classes of rows, from 0.
LabelArray: TypeAlias = npt.NDArray[np.int32]
# Integers (int64), or real numbers (float64) where rows have real weights: counts, and the weights
# themselves.
CountArray: TypeAlias = npt.NDArray[Any]
