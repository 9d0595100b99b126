"""Convex losses by their dual forms: value, conjugate, dual prox."""

from __future__ import annotations

from pdprox.losses.base import Line, Loss
from pdprox.losses.broken_line import BrokenLine, BrokenLineLoss
from pdprox.losses.margin import GeneralizedHinge, Hinge, Logistic, SquaredHinge
from pdprox.losses.residual import Absolute, EpsilonInsensitive, Huber, Pinball, Square
from pdprox.losses.several import L2Loss, PaperForm, paper_form

#: every loss; laws, pictures and strings read it
ALL: tuple[type[Loss], ...] = (
    Hinge,
    GeneralizedHinge,
    Absolute,
    EpsilonInsensitive,
    Pinball,
    L2Loss,
    BrokenLine,
    SquaredHinge,
    Huber,
    Square,
    Logistic,
    PaperForm,
)

__all__ = [
    "ALL",
    "Absolute",
    "BrokenLine",
    "BrokenLineLoss",
    "EpsilonInsensitive",
    "GeneralizedHinge",
    "Hinge",
    "Huber",
    "L2Loss",
    "Line",
    "Logistic",
    "Loss",
    "PaperForm",
    "Pinball",
    "Square",
    "SquaredHinge",
    "paper_form",
]
