"""Names for the arrays that go in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: a floating array, float32 or float64
Array = NDArray[np.floating[Any]]
#: a float64 array: what the engine works in
Floats = NDArray[np.float64]
#: an array of booleans
Mask = NDArray[np.bool_]


def floating(numbers: Any) -> Array:
    """The numbers as a floating array: float32 and float64 stay what they are, the rest becomes float64."""
    array = np.asarray(numbers)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
