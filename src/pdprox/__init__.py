"""pdprox: models whose loss and penalty are both non-smooth, each answer with its duality gap."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pdprox import losses, methods, penalties, sets
from pdprox.certificate import Certificate, certify
from pdprox.checkpoint import Checkpoint
from pdprox.files import FileError
from pdprox.path import Path, lam_max, path
from pdprox.problem import Problem
from pdprox.samples import ShiftedColumns, standardized
from pdprox.saving import load, save
from pdprox.solution import ConvergenceWarning, History, Solution
from pdprox.solve import Report, solve

__version__ = "0.1.0"

#: scikit-learn takes a while to import, so that is left to who uses its manners
_ESTIMATORS = (
    "BudgetSVC", "FitWarning", "LinearClassifier", "LinearClassifierCV", "LinearRegressor", "LinearRegressorCV",
    "QuantileRegressor",
)  # fmt: skip

__all__ = [
    "BudgetSVC",
    "Certificate",
    "Checkpoint",
    "ConvergenceWarning",
    "FileError",
    "FitWarning",
    "History",
    "LinearClassifier",
    "LinearClassifierCV",
    "LinearRegressor",
    "LinearRegressorCV",
    "Path",
    "Problem",
    "QuantileRegressor",
    "Report",
    "ShiftedColumns",
    "Solution",
    "certify",
    "lam_max",
    "load",
    "losses",
    "methods",
    "path",
    "penalties",
    "save",
    "sets",
    "solve",
    "standardized",
]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        return getattr(import_module("pdprox.estimators"), name)
    raise AttributeError(f"module 'pdprox' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
