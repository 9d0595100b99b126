"""The samples' side of the door: data, loss, weights and dual variables."""

from __future__ import annotations

from pdprox.samples.base import Augmented, Dual, Samples
from pdprox.samples.budget import WeightedBudget
from pdprox.samples.intake import ShiftedColumns, standardized
from pdprox.samples.local import LocalSamples

__all__ = ["Augmented", "Dual", "LocalSamples", "Samples", "ShiftedColumns", "WeightedBudget", "standardized"]
