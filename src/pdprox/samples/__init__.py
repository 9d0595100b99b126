"""The samples' side of the door: data, loss, weights and dual variables."""

from __future__ import annotations

from pdprox.samples.base import Augmented, Dual, Samples
from pdprox.samples.budget import WeightedBudget
from pdprox.samples.conjugate import conjugate_gradients
from pdprox.samples.coordinates import Coordinates
from pdprox.samples.intake import ShiftedColumns, standardized
from pdprox.samples.local import LocalSamples
from pdprox.samples.model import Charges, Model

__all__ = [
    "Augmented", "Charges", "Coordinates", "Dual", "LocalSamples", "Model", "Samples", "ShiftedColumns",
    "WeightedBudget", "conjugate_gradients", "standardized",
]  # fmt: skip
