"""Equations that are known by products only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pdprox.typing import Floats


def conjugate_gradients(
    apply: Callable[[Floats], Floats], b: Floats, scale: Floats, short: float, products: int
) -> Floats:
    """A^-1 b roughly, with the diagonal ``scale`` for a preconditioner.

    Ends when the residual is at most ``short`` times the first one, or after so many products.
    """
    x, residual = np.zeros_like(b), b.copy()
    scaled = residual / scale
    direction, size = scaled.copy(), float(residual @ scaled)
    goal = short**2 * size
    for _ in range(products):
        image = apply(direction)
        bend = float(direction @ image)
        if bend <= 0:
            break
        x += size / bend * direction
        residual -= size / bend * image
        scaled = residual / scale
        before, size = size, float(residual @ scaled)
        if size <= goal:
            break
        direction = scaled + size / before * direction
    return x
