"""pdprox: models whose loss and penalty are both non-smooth, each answer with its duality gap."""

from __future__ import annotations

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

__all__ = [
    "Certificate",
    "Checkpoint",
    "ConvergenceWarning",
    "FileError",
    "History",
    "Path",
    "Problem",
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
