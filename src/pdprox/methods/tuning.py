"""Choosing step sizes by trial, as the paper does, with the cost told."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pdprox.certificate import dual_value, primal_value
from pdprox.methods.paper import PaperMethod
from pdprox.methods.steps import StepRule
from pdprox.problem import Problem


@dataclass(frozen=True)
class Tuned:
    """The best method found, every rule tried with the gap it reached, and the passes that all of it cost."""

    method: PaperMethod
    trials: list[tuple[StepRule, float]]
    passes: float


def tune(
    method: PaperMethod,
    problem: Problem,
    scale: Sequence[float] = (1.0,),
    ratio: Sequence[float] = (1.0,),
    iterations: int = 100,
) -> Tuned:
    """Run every combination of scale factor and ratio for some iterations; keep the one with the least gap.

    Parameters
    ----------
    method : PaperMethod
        Its rule is the one to vary.
    problem : Problem
        What to tune on.
    scale, ratio : sequence of float
        The factors to try; the paper scales steps up by powers of two.
    iterations : int, default=100
        For each combination.
    """
    before = problem.samples.passes
    trials = []
    for factor in scale:
        for tilt in ratio:
            rule = replace(method.rule, scale=float(factor), ratio=float(tilt))
            trials.append((rule, _gap_after(replace(method, rule=rule), problem, iterations)))
    best = min(trials, key=lambda trial: trial[1])[0]
    return Tuned(replace(method, rule=best), trials, problem.samples.passes - before)


def _gap_after(method: PaperMethod, problem: Problem, iterations: int) -> float:
    state = method.start(problem, np.zeros(problem.features.shape), problem.samples.dual())
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # steps scaled up too far may diverge: that is an answer
        for _ in range(iterations):
            state = method.step(problem, state)
    x, dual = state.candidates()[0]
    if not np.all(np.isfinite(x)):
        return float("inf")
    primal = primal_value(problem, x)[0]
    gap = primal - dual_value(problem, dual, primal)[0]
    return gap if np.isfinite(gap) else float("inf")
