"""The array types that travel between the rooms."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.signedinteger[Any]]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Words: TypeAlias = npt.NDArray[np.uint64]
Objects: TypeAlias = npt.NDArray[np.object_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
