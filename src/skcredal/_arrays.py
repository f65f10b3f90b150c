"""Names for the arrays that travel through the package."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

AnyArray: TypeAlias = npt.NDArray[Any]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
MaybeArray: TypeAlias = npt.ArrayLike | None
# Classes of rows, from 0.
LabelArray: TypeAlias = npt.NDArray[np.int32]
# States of all features, numbered from 0 to V-1, feature-major (k, n); V is unknown.
StateArray: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
