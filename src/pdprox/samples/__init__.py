"""The samples' side of the door: data, loss, weights and dual variables."""

from __future__ import annotations

from pdprox.samples.base import Dual, Samples
from pdprox.samples.budget import WeightedBudget
from pdprox.samples.local import LocalSamples
from pdprox.samples.matrix import ShiftedColumns, standardized

__all__ = ["Dual", "LocalSamples", "Samples", "ShiftedColumns", "WeightedBudget", "standardized"]
