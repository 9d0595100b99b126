"""Convex sets for the coefficients and for dual variables, each with an exact projection."""

from pdprox.sets.balls import L1Ball, L2Ball, Simplex
from pdprox.sets.base import ConvexSet
from pdprox.sets.breakpoints import multiplier
from pdprox.sets.budget import BoxBudget, Budget, project_box_budget
from pdprox.sets.plain import Box, LInfBall, NonNegative, WholeSpace

#: every set for users; laws and tables read it
ALL = (WholeSpace, Box, NonNegative, L1Ball, L2Ball, LInfBall, Simplex, BoxBudget, Budget)

__all__ = [
    "ALL",
    "Box",
    "BoxBudget",
    "Budget",
    "ConvexSet",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "NonNegative",
    "Simplex",
    "WholeSpace",
    "multiplier",
    "project_box_budget",
]
