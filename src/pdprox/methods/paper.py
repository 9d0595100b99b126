"""Pdprox as printed: Algorithms 1, 2 and 3 of the paper.

In the paper's words, G_alpha(w) are the arguments of the losses (``samples.forward``) and G_w(alpha) are the
sums over samples (``dual.g``).  "Projection on Q_alpha" is ``samples.ascend``: for losses with several kinks and
one dual variable a sample it is the prox of the conjugate, to which the paper's proofs extend word by word.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from pdprox.methods.base import Method, State
from pdprox.methods.steps import StepRule, Steps
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats

Output = Literal["average", "last"]
Implementation = Literal["double-dual", "double-primal"]


@dataclass
class Trail(State):
    """Last iterate, running average, steps, and the second variable of the method."""

    steps: Steps
    average_x: Floats
    average_dual: Dual
    output: Output
    count: int = 0
    other: dict[str, Any] = field(default_factory=dict)

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The average or the last iterate, as the method was asked for."""
        return [
            (self.average_x, self.average_dual)
            if self.output == "average" and self.count
            else (self.x, self.dual)
        ]


@dataclass(frozen=True)
class PaperMethod(Method):
    """What the three algorithms share: steps, averages, and the choice of what to put out.

    Parameters
    ----------
    rule : StepRule
        Fixed steps sqrt(1 / (2c)) by default.
    output : {"average", "last"}, default="average"
        The theorem is about the average; the last iterate is often better.
    """

    rule: StepRule = StepRule()
    output: Output = "average"

    def __post_init__(self) -> None:
        if self.output not in ("average", "last"):
            raise ValueError(f'output must be "average" or "last", got {self.output!r}')

    #: which of the inequalities of the paper's lemma its constant must satisfy
    side = "primal"

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Trail:
        side: Literal["primal", "dual"] = "dual" if self.side == "dual" else "primal"
        steps = self.rule.steps(problem, 0.5, side)
        return Trail(x, dual, steps, x, dual, self.output)

    def step(self, problem: Problem, state: Trail) -> Trail:
        """One iteration, and its share in the averages."""
        state = self.iterate(problem, state)
        state.count += 1
        if self.output == "average":
            share = 1.0 / state.count
            state.average_x = (1 - share) * state.average_x + share * state.x
            state.average_dual = problem.samples.combine((1 - share, share), (state.average_dual, state.dual))
        return state

    @abstractmethod
    def iterate(self, problem: Problem, state: Trail) -> Trail:
        """The lines of the algorithm between FOR and ENDFOR."""


@dataclass(frozen=True)
class PdproxDual(PaperMethod):
    r"""Algorithm 1: two dual variables, both projected.

    .. math::

        \alpha_t &= \Pi[\beta_{t-1} + \gamma G_\alpha(w_{t-1})] \\
        w_t &= \mathrm{prox}_{\gamma\lambda R}(w_{t-1} - \gamma G_w(\alpha_t)) \\
        \beta_t &= \Pi[\beta_{t-1} + \gamma G_\alpha(w_t)]
    """

    def iterate(self, problem: Problem, state: Trail) -> Trail:
        samples, step = problem.samples, state.steps
        beta = state.other.get("beta", state.dual)
        arguments = state.other.get("arguments")
        if arguments is None:
            arguments = samples.forward(state.x)
        state.dual = samples.backward(samples.ascend(beta, arguments, step.dual))
        state.x = problem.features.prox(state.x - step.primal * state.dual.g, step.primal)
        arguments = samples.forward(state.x)
        state.other = {"beta": samples.ascend(beta, arguments, step.dual), "arguments": arguments}
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(output="last"), cls(StepRule("norm"))]


def _check_implementation(implementation: str) -> None:
    if implementation not in ("double-dual", "double-primal"):
        raise ValueError(f'implementation must be "double-dual" or "double-primal", got {implementation!r}')


@dataclass(frozen=True)
class PdproxPrimal(PaperMethod):
    r"""Algorithm 2: two primal variables and one projection.

    .. math::

        w_t &= \mathrm{prox}_{\gamma\lambda R}(u_{t-1} - \gamma G_w(\alpha_{t-1})) \\
        \alpha_t &= \Pi[\alpha_{t-1} + \gamma G_\alpha(w_t)] \\
        u_t &= w_t + \gamma (G_w(\alpha_{t-1}) - G_w(\alpha_t))

    The double-dual implementation puts u away: :math:`w_t` starts from :math:`w_{t-1}` and reads
    :math:`2\alpha_{t-1} - \alpha_{t-2}`.

    Parameters
    ----------
    rule, output
        As in ``PaperMethod``.
    implementation : {"double-primal", "double-dual"}, default="double-primal"
        Which side keeps two variables.  The iterates are equal.
    """

    implementation: Implementation = "double-primal"
    side = "dual"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_implementation(self.implementation)

    def iterate(self, problem: Problem, state: Trail) -> Trail:
        samples, step, dual = problem.samples, state.steps, state.dual
        if self.implementation == "double-primal":
            u = state.other.get("u", state.x)
            state.x = problem.features.prox(u - step.primal * dual.g, step.primal)
            state.dual = samples.sweep(dual, state.x, step.dual)
            state.other = {"u": state.x + step.primal * (dual.g - state.dual.g)}
        else:
            ahead = samples.combine((2.0, -1.0), (dual, state.other.get("before", dual)))
            state.x = problem.features.prox(state.x - step.primal * ahead.g, step.primal)
            state.dual = samples.sweep(dual, state.x, step.dual)
            state.other = {"before": dual}
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(implementation="double-dual"), cls(StepRule("diagonal"), "last")]


@dataclass(frozen=True)
class PdproxDualOneProjection(PaperMethod):
    r"""Algorithm 3: Algorithm 1 without its second projection; the iterates are Chambolle and Pock's.

    .. math::

        \alpha_t &= \Pi[\beta_{t-1} + \gamma G_\alpha(w_{t-1})] \\
        w_t &= \mathrm{prox}_{\gamma\lambda R}(w_{t-1} - \gamma G_w(\alpha_t)) \\
        \beta_t &= \alpha_t + \gamma (G_\alpha(w_t) - G_\alpha(w_{t-1}))

    The double-primal implementation puts beta away: :math:`\alpha_t` starts from :math:`\alpha_{t-1}` and
    reads :math:`2 w_{t-1} - w_{t-2}`, which makes it one read of the data an iteration.

    Parameters
    ----------
    rule, output
        As in ``PaperMethod``.
    implementation : {"double-dual", "double-primal"}, default="double-dual"
        Which side keeps two variables.  The iterates are equal.
    """

    implementation: Implementation = "double-dual"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_implementation(self.implementation)

    def iterate(self, problem: Problem, state: Trail) -> Trail:
        samples, step = problem.samples, state.steps
        x = state.x
        if self.implementation == "double-dual":
            before = state.other.get("arguments")
            if before is None:
                before = samples.forward(x)
            beta = state.other.get("beta", state.dual)
            state.dual = samples.backward(samples.ascend(beta, before, step.dual))
            state.x = problem.features.prox(x - step.primal * state.dual.g, step.primal)
            now = samples.forward(state.x)
            state.other = {"beta": samples.extrapolate(state.dual, now, before, step.dual), "arguments": now}
        else:
            ahead = 2.0 * x - state.other.get("before", x)
            state.dual = samples.sweep(state.dual, ahead, step.dual)
            state.x = problem.features.prox(x - step.primal * state.dual.g, step.primal)
            state.other = {"before": x}
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(implementation="double-primal"), cls(StepRule("norm", ratio=10.0), "last")]


@dataclass(frozen=True)
class PdproxTwoSteps(PaperMethod):
    r"""Chambolle and Pock's iteration with two step sizes, :math:`\sigma\tau = 1/c`.

    Parameters
    ----------
    rule : StepRule
        ``StepRule("norm", ratio=...)`` sets tau over sigma; see ``pdprox.methods.tune_ratio``.
    output : {"average", "last"}, default="last"
        What to put out.
    """

    rule: StepRule = StepRule("norm")
    output: Output = "last"

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Trail:
        return Trail(x, dual, self.rule.steps(problem, 1.0, "primal"), x, dual, self.output)

    def iterate(self, problem: Problem, state: Trail) -> Trail:
        return PdproxDualOneProjection(implementation="double-primal").iterate(problem, state)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(StepRule("diagonal")), cls(StepRule("norm", ratio=100.0), "average")]


@dataclass(frozen=True)
class PdproxAccelerated(PaperMethod):
    r"""The accelerated iteration for strongly convex penalties, with a rate of O(1/T^2).

    .. math::

        \theta_t = (1 + 2\mu\tau_t)^{-1/2}, \qquad \tau_{t+1} = \theta_t\tau_t, \qquad \sigma_{t+1} = \sigma_t/\theta_t,

    where lam R is mu-strongly convex.  The intercept is not, so a problem with one gets the plain iteration for
    it at the same steps; the rate is proven without intercept.

    References
    ----------
    Chambolle and Pock (2011), Algorithm 2.
    """

    rule: StepRule = StepRule("norm")
    output: Output = "last"

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Trail:
        if problem.lam * problem.penalty.strong_convexity <= 0:
            raise ValueError(
                f"the accelerated method needs a strongly convex penalty and lam > 0, got {problem.penalty!r} with "
                f"lam = {problem.lam:g}; use SquaredL2 or ElasticNet, or method='pdprox-restarted'"
            )
        return Trail(x, dual, self.rule.steps(problem, 1.0, "primal"), x, dual, self.output)

    def iterate(self, problem: Problem, state: Trail) -> Trail:
        x, step = state.x, state.steps
        ahead = x + state.other.get("theta", 1.0) * (x - state.other.get("before", x))
        state.dual = problem.samples.sweep(state.dual, ahead, step.dual)
        state.x = problem.features.prox(x - step.primal * state.dual.g, step.primal)
        mu = problem.lam * problem.penalty.strong_convexity
        theta = 1.0 / float(np.sqrt(1.0 + 2.0 * mu * float(np.min(step.primal))))
        state.steps = Steps(theta * step.primal, step.dual / theta)
        state.other = {"before": x, "theta": theta}
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
