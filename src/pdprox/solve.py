"""The only loop: it steps a method, audits what comes out, and decides when to stop."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from pdprox import checkpoint as checkpoints
from pdprox.certificate import Certificate, bound_of_feasible, certificate_of, primal_value
from pdprox.checkpoint import Checkpoint, Keeper
from pdprox.methods import ALL, Audit, Method, State
from pdprox.naming import by_name, name_of
from pdprox.problem import Problem, required
from pdprox.progress import progress
from pdprox.samples import Dual
from pdprox.solution import ADVICE, ConvergenceWarning, History, Solution, Status
from pdprox.typing import Floats

_DEFAULT_MAX_ITER = 100_000
_STALL_AUDITS = 30
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_PATIENCE = 20_000  # iterations without progress that only rounding excuses from


@dataclass(frozen=True)
class Report:
    """What a callback sees, at every audit.  Return something true to stop."""

    iteration: int
    seconds: float
    passes: float
    certificate: Certificate
    method: str
    #: the best coefficients so far, and their best intercept
    point: tuple[Floats, Any]


@dataclass
class Judge:
    """Audits candidates; keeps the best primal and the best dual apart, and the history of both."""

    problem: Problem
    method: str
    iteration: int = 0
    began: float = field(default_factory=time.perf_counter)
    primal: float = np.inf
    dual: float = -np.inf
    x: Floats | None = None
    best_dual: Dual | None = None
    rows: list[tuple[float, float, int, float, float]] = field(default_factory=list)
    #: how many of the rows are those of a run that this one goes on with
    earlier: int = 0

    def audit(self, candidates: list[tuple[Floats, Dual]]) -> Audit:
        """Evaluate the candidates afresh; the certificate is that of the best points so far."""
        found = [self._look_at(x, dual) for x, dual in candidates]
        self.rows.append((self.seconds, self.problem.samples.passes, self.iteration, self.primal, self.dual))
        return Audit(self.certificate, *found[0])

    def go_on(self, before: Checkpoint) -> None:
        """Count on from where a run stood; its points are to be audited afresh."""
        self.iteration, self.began = before.solution.iterations, self.began - before.seconds
        history = before.solution.history
        columns = (
            getattr(history, name).tolist() for name in ("seconds", "passes", "iterations", "primal", "dual")
        )
        self.rows = [(s, passes, int(i), p, d) for s, passes, i, p, d in zip(*columns, strict=True)]
        self.earlier, self.problem.samples.passes = len(self.rows), before.passes

    def _look_at(self, x: Floats, dual: Dual) -> tuple[float, Dual]:
        value, improved = primal_value(self.problem, x)
        if value + _ROUNDING * abs(value) < self.primal:  # by less than rounding nothing is gained
            self.primal, self.x = value, improved
            if self.certificate.crossed:  # this point shows that the bound is false: it is forgotten
                self.dual, self.best_dual = -np.inf, None
        feasible = self.problem.samples.feasible(dual, self.problem.features.free)
        bound, repaired = bound_of_feasible(self.problem, feasible, self.primal, self.x)
        if bound > self.dual:
            self.dual, self.best_dual = bound, repaired
        return value, feasible

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.began

    @property
    def certificate(self) -> Certificate:
        """Of the best primal and the best dual point so far."""
        assert self.x is not None
        return certificate_of(self.problem, self.primal, self.dual, self.x)

    @property
    def complete(self) -> bool:
        """Whether there is a primal and a dual point."""
        return self.x is not None and self.best_dual is not None

    def report(self) -> Report:
        """What a callback sees."""
        assert self.x is not None
        passes, point = float(self.problem.samples.passes), self.problem.split(self.x)
        return Report(self.iteration, self.seconds, passes, self.certificate, self.method, point)

    def stalled(self) -> bool:
        """Whether many audits and half of all iterations, many themselves or near rounding, gained less than 1 %."""
        rows = self.rows[self.earlier :]  # a method that starts anew needs its time again
        first, last = rows[0][2], rows[-1][2]
        if last - first < _PATIENCE and self.certificate.relative_gap > 1e-9:
            return False
        old = [row for row in rows[:-_STALL_AUDITS] if row[2] - first <= (last - first) // 2]
        if not old:
            return False
        gap_then, gap_now = old[-1][3] - old[-1][4], rows[-1][3] - rows[-1][4]
        return gap_now > 0.99 * gap_then

    def history(self) -> History:
        """The audits as arrays."""
        return History(*np.array(self.rows, dtype=np.float64).reshape(-1, 5).T)

    def solution(self, status: Status) -> Solution:
        """The best points so far."""
        assert self.x is not None and self.best_dual is not None
        w, intercept = self.problem.split(self.x)
        alpha = self.problem.samples.slopes(self.best_dual)
        return Solution(
            w, intercept, alpha, status, self.certificate, self.history(), self.iteration, self.method
        )


def solve(
    problem: Problem,
    tol: float = 1e-6,
    method: str | Method = "auto",
    max_iter: int | None = None,
    max_time: float | None = None,
    callback: Callable[[Report], Any] | None = None,
    warm_start: Any = None,
    verbose: bool | str = False,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume_from: str | os.PathLike[str] | None = None,
) -> Solution:
    """Minimise the problem to a certified relative gap.

    Parameters
    ----------
    problem : Problem
        What to minimise.
    tol : float, default=1e-6
        The relative gap, as certified, at which to stop.
    method : str or Method, default="auto"
        ``"auto"``, one of ``pdprox.methods.ALL`` by name, or an object with parameters.
    max_iter : int, optional
        Iterations at most; 100000 by default.  With ``resume_from`` it counts those of the whole run.
    max_time : float, optional
        Seconds at most, likewise of the whole run.  Results are reproducible only without it.
    callback : callable, optional
        Called with a ``Report`` at every audit; stops the run by returning something true.
    warm_start : Solution or (w, intercept, alpha), optional
        Where to start.
    verbose : bool or "bar", default=False
        True writes a line for each audit to the logger ``"pdprox"``; ``"bar"`` draws a progress bar on stderr
        that ends as one line with the certificate, or writes a log line every few seconds where none can be drawn.
    checkpoint : str or path, optional
        A file to which the best points, the history and what the run has cost are written now and then, and at
        the end.  ``pdprox.load`` reads it at any time.
    every : float, default=60.0
        Seconds between two checkpoints, at least; they are written at audits.
    resume_from : str or path, optional
        A checkpoint to go on from.  Problem and method must be those that it was made with; ``tol``,
        ``max_iter`` and ``max_time`` may differ.  History, iterations, seconds and passes count on.  It holds points,
        not the inner state of the method, which starts anew from them.

    Returns
    -------
    Solution
        The best points found, whatever the status: after Ctrl-C, too.

    Examples
    --------
    A run that ends too early, and another that takes it up:

    >>> import warnings
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np, pdprox
    >>> problem = pdprox.Problem(np.eye(4), [1, -1, 1, -1], "hinge", "l1", lam=0.01)
    >>> with TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", pdprox.ConvergenceWarning)
    ...     early = pdprox.solve(problem, max_iter=1, checkpoint=f"{folder}/run.npz")
    ...     late = pdprox.solve(problem, resume_from=f"{folder}/run.npz")
    >>> early.status, late.status, late.iterations > early.iterations
    ('max_iter', 'converged', True)
    """
    solution = solved(
        problem,
        tol,
        method,
        max_iter,
        max_time,
        callback,
        warm_start,
        verbose,
        checkpoint,
        every,
        resume_from,
    )
    told = shortfall(solution, tol)
    if told is not None:
        warnings.warn(told, stacklevel=2)
    return solution


def solved(
    problem: Problem,
    tol: float,
    method: str | Method,
    max_iter: int | None,
    max_time: float | None,
    callback: Callable[[Report], Any] | None,
    warm_start: Any,
    verbose: bool | str,
    checkpoint: Any = None,
    every: float = 60.0,
    resume_from: Any = None,
) -> Solution:
    """``solve`` without the warning, which not everybody wants in those words, or at once."""
    required(problem)
    _check_options(tol, max_iter, max_time)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function, got {callback!r}")
    engine = _method(method)
    target, every, source = checkpoints.checked(checkpoint, every, resume_from, warm_start)
    judge = Judge(problem, name_of(engine))
    problem.samples.passes = 0.0
    marks = checkpoints.marks(problem, engine) if target is not None or source is not None else {}
    keeper = None if target is None else Keeper(target, every, marks)
    if source is not None:
        before = checkpoints.resumed(source, marks)
        judge.go_on(before)
        warm_start = before.solution
    x, dual = _starting_point(problem, warm_start)
    limit = _DEFAULT_MAX_ITER if max_iter is None else int(max_iter)
    with progress(verbose, tol) as show:

        def verdict(state: State) -> Status | None:
            audit = judge.audit(state.candidates())
            doing = state.phase or judge.method
            show.audit(judge.seconds, problem.samples.passes, judge.iteration, audit.certificate, doing)
            state.learn(audit)
            status = _verdict(judge, tol, max_time, callback)
            if keeper is not None and status is None and keeper.due():
                _keep(keeper, judge, "interrupted")
            return status

        try:
            status = _run(problem, engine, x, dual, judge, verdict, limit, tol, max_time)
        except KeyboardInterrupt:
            status = "interrupted"
            if not judge.complete:
                judge.audit([(x, dual)])
        if keeper is not None:
            _keep(keeper, judge, status)
        solution, found = judge.solution(status), judge.certificate
        show.end(
            f"{judge.method}: {status} in {judge.seconds:.1f} s; primal {found.primal:.8g}, "
            f"dual {found.dual:.8g}, relative gap {found.relative_gap:.1e}"
        )
    return solution


def _run(
    problem: Problem,
    engine: Method,
    x: Floats,
    dual: Dual,
    judge: Judge,
    verdict: Callable[[State], Status | None],
    limit: int,
    tol: float,
    max_time: float | None,
) -> Status:
    status = verdict(State(x, dual))
    if status is None and judge.iteration >= limit:
        return "max_iter"
    state: Any = None
    next_audit = judge.iteration + 1
    while status is None:
        if state is None:
            state = engine.start(problem, x, dual)
            state.wanted = tol
        state = engine.step(problem, state)
        judge.iteration += 1
        last = judge.iteration >= limit
        due = judge.iteration >= next_audit if state.due is None else state.due
        if last or due or (max_time is not None and judge.seconds >= max_time):
            status = verdict(state) or ("max_iter" if last else None)
            next_audit = judge.iteration + _interval(problem, judge.iteration)
    return status


def _interval(problem: Problem, iteration: int) -> int:
    """Iterations until the next audit: twenty times what an audit costs, fewer only in the very beginning."""
    full = int(np.ceil(20 * problem.samples.audit_cost))
    return int(min(full, max(10, iteration)))


def _verdict(
    judge: Judge, tol: float, max_time: float | None, callback: Callable[[Report], Any] | None
) -> Status | None:
    certificate = judge.certificate
    stop = callback is not None and callback(judge.report())
    if certificate.relative_gap <= tol:  # false for NaN
        return "converged"
    if stop:
        return "callback_stop"
    if max_time is not None and judge.seconds >= max_time:
        return "time_limit"
    return "stalled" if judge.stalled() else None


def _keep(keeper: Keeper, judge: Judge, status: Status) -> None:
    if judge.complete:
        keeper.keep(judge.solution(status), judge.seconds, float(judge.problem.samples.passes))


def shortfall(solution: Solution, tol: float) -> ConvergenceWarning | None:
    """What there is to say of a run that ended before the gap was as small as ``tol``, and nobody ended it."""
    if solution.status not in ("max_iter", "time_limit", "stalled"):
        return None
    advice, certificate = ADVICE[solution.status], solution.certificate
    message = (
        f"{solution.method} ended with status {solution.status!r} after {solution.iterations} iterations: "
        f"objective {certificate.primal:.8g}, relative gap {certificate.relative_gap:.2g}, wanted {tol:g}. "
        f"{advice[0].upper()}{advice[1:]}."
    )
    return ConvergenceWarning(message, solution.status, certificate.relative_gap)


def _starting_point(problem: Problem, warm_start: Any) -> tuple[Floats, Dual]:
    if warm_start is None:
        return problem.features.inside(np.zeros(problem.features.shape)), problem.samples.dual()
    if isinstance(warm_start, Solution):
        warm_start = (warm_start.w, warm_start.intercept, warm_start.alpha)
    try:
        w, intercept, alpha = warm_start
    except (TypeError, ValueError):
        got = type(warm_start).__name__
        raise TypeError(f"warm_start must be a Solution or (w, intercept, alpha), got {got}") from None
    x = problem.features.inside(problem.join(w, intercept))
    if alpha is None:
        return x, problem.samples.dual()
    return x, problem.samples.warm(problem.slopes(alpha))


def _method(method: str | Method) -> Method:
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise TypeError(f"method must be a name or a Method, got {method!r}")
    found: Method = by_name(method, ALL, "method")
    return found


def _check_options(tol: Any, max_iter: Any, max_time: Any) -> None:
    if isinstance(tol, bool) or not (isinstance(tol, Real) and 0 <= float(tol) < np.inf):
        raise ValueError(f"tol must be a number >= 0, got {tol!r}")
    whole = isinstance(max_iter, Real) and float(max_iter).is_integer() and float(max_iter) >= 0
    if max_iter is not None and (isinstance(max_iter, bool) or not whole):
        raise ValueError(f"max_iter must be an integer >= 0, got {max_iter!r}")
    if max_time is not None and not (isinstance(max_time, Real) and float(max_time) > 0):
        raise ValueError(f"max_time must be a number of seconds > 0, got {max_time!r}")
