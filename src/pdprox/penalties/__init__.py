"""Penalties: convex functions of the coefficients with a cheap prox."""

from pdprox.penalties.atoms import L1, L2, LInf, SquaredL2
from pdprox.penalties.base import BrokenLineNorm, Norm, Penalty
from pdprox.penalties.groups import EveryRow, Groups, Partition
from pdprox.penalties.mixtures import ElasticNet, SparseGroupLasso
from pdprox.penalties.named import L21, ExclusiveLasso, GroupLasso, L1Inf, SquaredSumOfNorms, TraceNorm
from pdprox.penalties.per_group import PerGroup, SquaredPerGroup
from pdprox.penalties.rows import RowNorm
from pdprox.penalties.shaped import Excess, Power, Shape, Shaped, Squared
from pdprox.penalties.spectral import OnSingularValues
from pdprox.penalties.tariff import Levels, Tariff

#: every penalty for users; laws, tables, plots and strings read it
ALL = (
    L1,
    L2,
    LInf,
    SquaredL2,
    ElasticNet,
    GroupLasso,
    SparseGroupLasso,
    ExclusiveLasso,
    SquaredSumOfNorms,
    L21,
    L1Inf,
    TraceNorm,
    PerGroup,
    SquaredPerGroup,
    Squared,
    Shaped,
    OnSingularValues,
)

#: those that say something of their own only when w is a matrix
MATRIX = (L21, L1Inf, TraceNorm, OnSingularValues)

__all__ = [
    "ALL",
    "L1",
    "L2",
    "L21",
    "MATRIX",
    "BrokenLineNorm",
    "ElasticNet",
    "EveryRow",
    "Excess",
    "ExclusiveLasso",
    "GroupLasso",
    "Groups",
    "L1Inf",
    "LInf",
    "Levels",
    "Norm",
    "OnSingularValues",
    "Partition",
    "Penalty",
    "PerGroup",
    "Power",
    "RowNorm",
    "Shape",
    "Shaped",
    "SparseGroupLasso",
    "Squared",
    "SquaredL2",
    "SquaredPerGroup",
    "SquaredSumOfNorms",
    "Tariff",
    "TraceNorm",
]
