"""Iterations for the paper's line."""

from __future__ import annotations

from pdprox.methods.auto import Auto
from pdprox.methods.base import Audit, Method, State
from pdprox.methods.interior import PdproxInterior
from pdprox.methods.newton import PdproxNewton
from pdprox.methods.paper import (
    PdproxAccelerated,
    PdproxDual,
    PdproxDualOneProjection,
    PdproxPrimal,
    PdproxTwoSteps,
)
from pdprox.methods.restarted import PdproxRestarted
from pdprox.methods.steps import StepRule
from pdprox.methods.stochastic import PdproxStochastic
from pdprox.methods.tuning import Tuned, tune

#: every method; ``method="pdprox-dual"`` and the like read it
ALL: tuple[type[Method], ...] = (
    Auto,
    PdproxDual,
    PdproxPrimal,
    PdproxDualOneProjection,
    PdproxTwoSteps,
    PdproxAccelerated,
    PdproxRestarted,
    PdproxNewton,
    PdproxInterior,
    PdproxStochastic,
)

__all__ = [
    "ALL",
    "Audit",
    "Auto",
    "Method",
    "PdproxAccelerated",
    "PdproxDual",
    "PdproxDualOneProjection",
    "PdproxInterior",
    "PdproxNewton",
    "PdproxPrimal",
    "PdproxRestarted",
    "PdproxStochastic",
    "PdproxTwoSteps",
    "State",
    "StepRule",
    "Tuned",
    "tune",
]
