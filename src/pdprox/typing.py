"""Names for the arrays that go in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: a floating array, float32 or float64
Array = NDArray[np.floating[Any]]
#: a floating array that is float64 in fact: what the engine works in (not told to the type checker, for which
#: a function that keeps the dtype of its input would otherwise lose it)
Floats = NDArray[np.floating[Any]]
#: an array of booleans
Mask = NDArray[np.bool_]
