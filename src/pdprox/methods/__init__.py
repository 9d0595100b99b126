"""Iterations for the paper's line."""

from __future__ import annotations

from pdprox.methods.base import Method, State
from pdprox.methods.paper import (
    PdproxAccelerated,
    PdproxDual,
    PdproxDualOneProjection,
    PdproxPrimal,
    PdproxTwoSteps,
)
from pdprox.methods.restarted import PdproxRestarted
from pdprox.methods.steps import StepRule
from pdprox.methods.tuning import Tuned, tune

#: every method; ``method="pdprox-dual"`` and the like read it
ALL: tuple[type[Method], ...] = (
    PdproxDual,
    PdproxPrimal,
    PdproxDualOneProjection,
    PdproxTwoSteps,
    PdproxAccelerated,
    PdproxRestarted,
)

__all__ = [
    "ALL",
    "Method",
    "PdproxAccelerated",
    "PdproxDual",
    "PdproxDualOneProjection",
    "PdproxPrimal",
    "PdproxRestarted",
    "PdproxTwoSteps",
    "State",
    "StepRule",
    "Tuned",
    "tune",
]
