"""What a convex set is: a projection and a support function."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from pdprox.typing import Array


class ConvexSet(ABC):
    """A closed convex set Q of vectors (or matrices, entry by entry)."""

    #: whether Q is a product of intervals, one for each entry
    separable: bool = False

    #: m, when ``project`` measures distance by sum_i m_i x_i^2; None for the Euclidean norm
    metric: ArrayLike | None = None

    @property
    def dimension(self) -> int | None:
        """How many rows the members have; None when any number will do."""
        return None

    @abstractmethod
    def project(self, v: Array) -> Array:
        """The point of Q nearest to v, as a new array of the dtype of v."""

    @abstractmethod
    def support(self, u: Array) -> float:
        """sup <u, w> over w in Q; may be infinite."""

    def check(self, shape: tuple[int, ...]) -> None:
        """Raise ValueError, naming what is wrong, when Q holds no vectors of this shape."""
        if self.dimension is not None and shape[:1] != (self.dimension,):
            raise ValueError(
                f"this {type(self).__name__} holds arrays of {self.dimension} rows, got shape {shape}; "
                f"give its parameters one number for each row, or single numbers"
            )

    def contains(self, w: Array, tolerance: float = 1e-9) -> bool:
        """Whether w lies in Q up to ``tolerance * (1 + ||w||)``."""
        distance = float(np.linalg.norm(np.asarray(self.project(w) - w).ravel()))
        return distance <= tolerance * (1.0 + float(np.linalg.norm(np.asarray(w).ravel())))
