"""Step sizes: the paper's constant c, the norm of H, and ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pdprox.problem import Problem
from pdprox.samples import Samples
from pdprox.typing import Floats


def operator_norm(
    samples: Samples, with_intercept: bool = True, tolerance: float = 1e-3, limit: int = 100
) -> float:
    """An estimate from below of the norm of x -> Xx, lengths on the samples' side weighted by c.

    Power iterations on X'CX from a fixed start; callers multiply by a margin of safety.  The column of
    the intercept can be left out.
    """
    mask = np.ones(samples.shape)
    if samples.intercept and not with_intercept:
        mask[-1] = 0.0
    v = mask * np.random.default_rng(0).standard_normal(samples.shape)
    v /= np.linalg.norm(v)
    size = 0.0
    for _ in range(limit):
        image = mask * samples.gram(v)
        before, size = size, float(np.linalg.norm(image))
        if size == 0.0:
            return 0.0
        v = image / size
        if abs(size - before) <= tolerance * size:
            break
    return float(np.sqrt(size))


def paper_constant(samples: Samples, side: Literal["primal", "dual"]) -> float:
    r"""The paper's c, a bound on :math:`\|H\|^2` from the longest row.

    With dual variables in [0, 1] and the sum of the weights for n it is :math:`R^2 / n` for a single
    dual variable a sample, times the ``coupling`` of the loss otherwise; with an intercept R counts
    its column of ones.  ``side`` tells which of the lemma's two inequalities it is for.
    """
    return samples.coupling(side) * samples.radius() ** 2 / samples.total


def measured_constant(samples: Samples, side: Literal["primal", "dual"]) -> float:
    """The same c from power iterations, with a margin of safety of 2 %."""
    return samples.coupling("primal") * (1.02 * operator_norm(samples)) ** 2 / samples.total


@dataclass(frozen=True)
class Steps:
    r"""Primal and dual step, tau and sigma, as numbers or one for each coordinate.

    The dual variables are slopes, and the gradient of the line with respect to one of them is c_i times
    its argument.  The paper measures duals by :math:`\sum_i s_i \alpha_i^2`; in this metric its step sigma
    moves every slope by :math:`\sigma / \sum_j s_j` times the argument.
    """

    primal: Any
    dual: Any


@dataclass(frozen=True)
class StepRule:
    r"""How a method of the paper chooses its steps.

    Parameters
    ----------
    constant : {"paper", "norm", "diagonal"}, default="paper"
        c by the paper's formula, by power iterations, or one step for each coordinate after Pock and
        Chambolle (coordinates whose prox is coupled share the smallest).
    scale : float, default=1.0
        Multiplies both steps; above 1 convergence is no longer guaranteed, and often faster.
    ratio : float, default=1.0
        tau over sigma.  The product of the two is kept.
    """

    constant: Literal["paper", "norm", "diagonal"] = "paper"
    scale: float = 1.0
    ratio: float = 1.0

    def __post_init__(self) -> None:
        if self.constant not in ("paper", "norm", "diagonal"):
            raise ValueError(f'constant must be "paper", "norm" or "diagonal", got {self.constant!r}')
        for name in ("scale", "ratio"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a number > 0, got {value}")

    def steps(self, problem: Problem, product: float, side: Literal["primal", "dual"]) -> Steps:
        """Steps with sigma tau = product / c: 1/2 in the paper's theorem, 1 where two steps are chosen."""
        samples = problem.samples
        tilt = float(np.sqrt(self.ratio))
        if self.constant == "diagonal":
            scale = self.scale * float(np.sqrt(product / samples.coupling("primal")))
            columns = samples.column_sums()
            tau = scale * tilt / np.where(columns > 0, columns, 1.0)
            return Steps(problem.features.block_steps(tau), samples.row_steps(scale / tilt))
        c = (paper_constant if self.constant == "paper" else measured_constant)(samples, side)
        gamma = self.scale * float(np.sqrt(product / c)) if c > 0 else self.scale
        return Steps(gamma * tilt, gamma / tilt / samples.total)


def primal_movement(difference: Floats, steps: Any) -> float:
    """The squared length of a primal movement, over its steps."""
    return float(np.sum(difference * difference / steps))
