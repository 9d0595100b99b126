"""Samples in the memory of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np

from pdprox.fingerprint import Mark, mark
from pdprox.losses.base import Loss
from pdprox.samples.balance import balance
from pdprox.samples.base import Dual
from pdprox.samples.budget import WeightedBudget
from pdprox.samples.curved import Curved, LocalDual, alpha_of
from pdprox.samples.intercept import best_shift
from pdprox.samples.matrix import Matrix, Shifted
from pdprox.sets import multiplier
from pdprox.typing import Array, Floats
from pdprox.vectors import dot

#: a sum of numbers that cancel is no better than this, in units of what was summed
ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


class LocalSamples(Curved):
    """A matrix, targets, weights and a loss, in this process, with the threads of the kernels."""

    def __init__(
        self,
        matrix: Matrix,
        y: Floats,
        loss: Loss,
        weights: Floats,
        intercept: bool,
        budget: WeightedBudget | None = None,
        counter: list[float] | None = None,
        total: float | None = None,
    ) -> None:
        self.matrix, self.y, self.loss_function, self.intercept, self.budget = (
            matrix,
            y,
            loss,
            intercept,
            budget,
        )
        self.weights = weights
        self.total = float(weights.sum()) if total is None else total
        self.c = weights / self.total
        self._seen = int(np.count_nonzero(weights))
        self._counter = [0.0] if counter is None else counter
        n, d = matrix.shape
        self.shape = (d + int(intercept), *y.shape[1:])
        self._orientation = y if loss.reads == "margin" else None
        self._theta_scale = self._by_sample(self.c) * (y if loss.reads == "margin" else 1.0)
        self.line_of_loss = loss.broken_line if y.ndim == 1 and budget is None else None
        self._last: tuple[Floats, Floats] | None = None
        # in units of one entry of a dense matrix read; fitted to measurements, see the decision on audits
        targets = float(y.size)
        read = matrix.work * targets / n
        self.audit_cost = (2 * read + 300 * targets + 1e6) / (read + 10 * targets + 3e4)

    @property
    def passes(self) -> float:
        """Shared with the centred view of the same data."""
        return self._counter[0]

    @passes.setter
    def passes(self, value: float) -> None:
        self._counter[0] = value

    def marks(self) -> dict[str, Mark]:
        budget = self.budget
        return {
            "X": self.matrix.mark(),
            "y": mark(self.y, f"{' x '.join(map(str, self.y.shape))} targets"),
            "sample_weight": mark(self.weights, f"{len(self.weights)} weights"),
            "dual_set": mark(None)
            if budget is None
            else mark((budget.rho, budget.v), f"a budget of {budget.rho:g}"),
        }

    # -- the iteration ------------------------------------------------------------------------------------

    def dual(self, alpha: Array | None = None) -> LocalDual:
        if alpha is None:
            return LocalDual(self.loss_function.zeros(self.y.shape), np.zeros(self.shape))
        return self.backward(LocalDual(np.array(alpha, dtype=np.float64), plain=True))

    def warm(self, slopes: Floats) -> LocalDual:
        expected = self.loss_function.slope(self.loss_function.zeros(self.y.shape)).shape
        if slopes.shape != expected or not np.all(np.isfinite(slopes)):
            raise ValueError(f"alpha must be finite numbers of shape {expected}, got shape {slopes.shape}")
        return self.backward(LocalDual(self._within_budget(self.loss_function.from_slope(slopes))))

    def forward(self, x: Floats) -> Floats:
        self.passes += 0.5
        return self._arguments(self._predict(x))

    def ascend(self, dual: Dual, arguments: Floats, step: Any) -> LocalDual:
        if self.budget is not None:
            return LocalDual(self.budget.ascend(self.loss_function, alpha_of(dual) + step * arguments, step))
        return LocalDual(self.loss_function.ascend(alpha_of(dual), arguments, self._by_sample(step)))

    def backward(self, dual: Dual) -> LocalDual:
        self.passes += 0.5
        assert isinstance(dual, LocalDual)
        return LocalDual(dual.alpha, self._sums(self._theta_scale * self._slope(dual)), dual.plain)

    def sweep(self, dual: Dual, x: Floats, step: Any) -> LocalDual:
        if self.line_of_loss is None:
            return self.backward(self.ascend(dual, self.forward(x), step))
        out = np.empty_like(self.y)
        sums, _ = self._fused(dual, x, step, out, None)
        return LocalDual(out, sums)

    def reflect(
        self, dual: Dual, anchor: Dual, x: Floats, step: float, pull: float
    ) -> tuple[LocalDual, LocalDual, float]:
        if self.line_of_loss is None:
            new = self.sweep(dual, x, step)
            moved = self.distance(new, dual) ** 2
            return new, self.combine((2 - 2 * pull, pull - 1, pull), (new, dual, anchor)), moved
        out, following = np.empty_like(self.y), np.empty_like(self.y)
        sums, moved = self._fused(dual, x, step, out, (alpha_of(anchor), 1.0 - pull, following))
        g = (1 - pull) * (2 * sums - dual.g) + pull * anchor.g
        return LocalDual(out, sums), LocalDual(following, g), moved

    def extrapolate(self, dual: Dual, now: Floats, before: Floats, step: float) -> LocalDual:
        return LocalDual(alpha_of(dual) + step * self.loss_function.spread(now - before))

    def combine(self, factors: tuple[float, ...], duals: tuple[Dual, ...]) -> LocalDual:
        alpha = factors[0] * alpha_of(duals[0])
        g = factors[0] * duals[0].g
        for factor, dual in zip(factors[1:], duals[1:], strict=True):
            alpha += factor * alpha_of(dual)
            g += factor * dual.g
        return LocalDual(alpha, g)

    def distance(self, one: Dual, other: Dual) -> float:
        difference = (alpha_of(one) - alpha_of(other)).reshape(len(self.c), -1)
        return float(np.sqrt(np.einsum("i,ij,ij->", self.c, difference, difference)))

    # -- what step sizes need -----------------------------------------------------------------------------

    def gram(self, x: Floats) -> Floats:
        self.passes += 1.0
        return self._sums(self._by_sample(self.c) * self._predict(x))

    def coupling(self, side: str) -> float:
        return self.loss_function.coupling("primal" if side == "primal" else "dual")

    def radius(self) -> float:
        squares = self.matrix.row_squares()[self.weights > 0]
        return float(np.sqrt(squares.max() + (1.0 if self.intercept else 0.0)))

    def row_steps(self, scale: float) -> Floats:
        sums = self.matrix.absolute_sums(self.c)[0] + (1.0 if self.intercept else 0.0)
        return scale / np.where(sums > 0, sums, 1.0)

    def column_sums(self) -> Floats:
        return np.append(self._column_sums, 1.0) if self.intercept else self._column_sums

    @cached_property
    def _column_sums(self) -> Floats:
        return self.matrix.absolute_sums(self.c)[1]

    def spread(self) -> float:
        if self._orientation is not None:
            return 1.0
        seen = self.y[self.weights > 0]
        size = np.mean(np.abs(seen - (np.median(seen, axis=0) if self.intercept else 0.0)))
        return float(size) if size > 0 else 1.0

    def centred(self) -> tuple[Self, Floats]:
        mean = self.matrix.backward(self.c)
        self.passes += 0.5
        shifted = Shifted(self.matrix, mean, np.ones_like(mean))
        view = type(self)(
            shifted, self.y, self.loss_function, self.weights, self.intercept, self.budget, self._counter
        )
        return view, mean

    # -- what certificates need ---------------------------------------------------------------------------

    def loss(self, x: Floats, improve: bool) -> tuple[float, Floats]:
        z = self.predict(x)
        t = self._arguments(z)
        if self.budget is not None:
            return self.budget.loss(self.loss_function, t, self.total), x
        here = self._mean_loss(t), x
        if not improve or not self.intercept or self._several_a_sample:
            return here
        return min(here, self._best_intercept(x, z, t), key=lambda found: found[0])

    def guess(self, x: Floats, scale: float) -> LocalDual:
        t = self.forward(x)
        return self.backward(LocalDual(self.loss_function.dual_prox(t / scale, 1.0 / scale), plain=True))

    def settled(self, x: Floats) -> LocalDual:
        t = self.forward(x)
        width = 1e-9 * self.spread()
        low, high = (self.loss_function.dual_prox((t + side) / 1e-15, 1e15) for side in (-width, width))
        if self._several_a_sample:
            return self.feasible(LocalDual(0.5 * (low + high), plain=True), None)
        alpha = np.clip(0.0, low, high)
        if self.intercept:
            alpha = self._level_columns(0.5 * (low + high), low, high)
        return self.backward(LocalDual(alpha, plain=True))

    def feasible(self, dual: Dual, free: Floats | None) -> LocalDual:
        alpha = np.where(self._by_sample(self.weights) > 0, self._slope(dual), 0.0)
        if self._several_a_sample:
            return self._feasible_by_scaling(alpha, free)
        low, high = self.loss_function.bounds
        if free is not None:
            alpha = self._balanced(alpha, free, lambda a: np.clip(a, low, high))
        else:
            alpha = np.clip(alpha, low, high)
            if self.intercept:
                alpha = self._level_columns(alpha, np.full_like(alpha, low), np.full_like(alpha, high))
        found = self.backward(LocalDual(self._within_budget(alpha), plain=True))
        if self.intercept and free is None:
            sizes = self._by_sample(self.c) * np.abs(found.alpha)
            if np.any(np.abs(found.g[-1]) > 100.0 * ROUNDING * sizes.sum(axis=0)):
                return self.scaled(found, 0.0)  # such a sum is no rounding: then so are the slopes
        return found

    def scaled(self, dual: Dual, scale: float) -> LocalDual:
        return LocalDual(scale * alpha_of(dual), scale * dual.g, plain=True)

    def scale_limit(self, dual: Dual) -> float:
        alpha = alpha_of(dual)
        low, high = self.loss_function.bounds
        limit = np.inf
        if self._several_a_sample:
            return 1.0 / max(float(np.max(self.loss_function.value(alpha))), 1e-300)
        top, bottom = float(alpha.max(initial=0.0)), float(alpha.min(initial=0.0))
        limit = min(limit, high / top if top > 0 else np.inf, low / bottom if bottom < 0 else np.inf)
        if self.budget is not None:
            used = self.budget.used(alpha)
            limit = min(limit, self.budget.rho / used if used > 0 else np.inf)
        return float(limit)

    def line(self, dual: Dual, scale: float = 1.0) -> float:
        alpha = scale * alpha_of(dual)
        conjugate = self.loss_function.conjugate(alpha)
        value = 0.0 - dot(self.c, conjugate.reshape(len(self.c), -1).sum(axis=1))
        if self._orientation is None:
            value -= float(np.sum(self._by_sample(self.c) * alpha * self._targets))
        return value

    @cached_property
    def _targets(self) -> Floats:
        """The targets; less their medians with an intercept, since slopes with sum 0 do not see those."""
        return self.y - np.median(self.y[self.weights > 0], axis=0) if self.intercept else self.y

    def slopes(self, dual: Dual) -> Floats:
        return np.array(self._slope(dual))

    # -- inside -------------------------------------------------------------------------------------------

    def _slope(self, dual: Dual) -> Floats:
        assert isinstance(dual, LocalDual)
        return dual.alpha if dual.plain else self.loss_function.slope(dual.alpha)

    def _by_sample(self, numbers: Any) -> Any:
        """Numbers, one a sample, so that they multiply targets of any shape."""
        if np.ndim(numbers) == 0 or self.y.ndim == 1:
            return numbers
        return np.asarray(numbers)[:, None]

    def _predict(self, x: Floats) -> Floats:
        d = self.matrix.shape[1]
        if x.ndim == 1:
            # methods and audits ask for the same predictions one after the other; another thread, solving for
            # another lam, may put its own there at any time, so it is looked at once
            last = self._last
            if last is None or not np.array_equal(last[0], x):
                last = self._last = (
                    x.copy(),
                    self.matrix.forward(x[:d], float(x[d]) if self.intercept else 0.0),
                )
            return last[1]
        intercepts = x[d] if self.intercept else np.zeros(x.shape[1])
        columns = [self.matrix.forward(x[:d, k], float(intercepts[k])) for k in range(x.shape[1])]
        return np.stack(columns, axis=1)

    def _rows(self, matrix: Matrix, rows: Any, total: float) -> Self:
        some = slice(None) if rows is None else rows
        return type(self)(
            matrix, np.ascontiguousarray(self.y[some]), self.loss_function, self.weights[some], self.intercept,
            None, self._counter, total,
        )  # fmt: skip

    def _arguments(self, z: Floats) -> Floats:
        return z - self.y if self._orientation is None else z * self.y

    def _sums(self, theta: Floats) -> Floats:
        g = np.empty(self.shape)
        d = self.matrix.shape[1]
        if theta.ndim == 1:
            g[:d] = self.matrix.backward(theta)
        else:
            for k in range(theta.shape[1]):
                g[:d, k] = self.matrix.backward(theta[:, k])
        if self.intercept:
            g[d] = theta.sum(axis=0)
        return g

    def _fused(
        self, dual: Dual, x: Floats, step: Any, out: Floats, halpern: tuple[Floats, float, Floats] | None
    ) -> tuple[Floats, float]:
        self.passes += 1.0
        d = self.matrix.shape[1]
        b = float(x[d]) if self.intercept else 0.0
        g, total, moved = self.matrix.sweep(
            x[:d], b, alpha_of(dual), self.y, self.c, self._line, step, out, halpern
        )
        return (np.append(g, total) if self.intercept else g), moved

    def _mean_loss(self, t: Floats) -> float:
        values = self.loss_function.value(t)
        return dot(self.c, values.reshape(len(self.c), -1).sum(axis=1))

    def _best_intercept(self, x: Floats, z: Floats, t: Floats) -> tuple[float, Floats]:
        """The loss with the best intercept, and the x that has it, from the predictions and arguments at x."""
        better = x.copy()
        better[-1] += self._best_shifts(t)
        small = np.abs(x[-1]) > 8.0 * np.abs(better[-1])
        z = z + (better[-1] - x[-1])
        if np.any(small & (np.abs(x[-1]) > 8.0 * np.max(np.abs(z), axis=0))):
            better[-1] = 0.0  # so large an intercept has taken digits from the predictions: once more without
            z = self.predict(better)
            return self._best_intercept(better, z, self._arguments(z))
        return self._mean_loss(self._arguments(z)), better

    def _best_shifts(self, t: Floats) -> Any:
        if t.ndim == 1:
            return best_shift(self.loss_function, t, self._orientation, self.c)
        labels = self._orientation
        columns = range(t.shape[1])
        return np.array(
            [
                best_shift(self.loss_function, t[:, k], None if labels is None else labels[:, k], self.c)
                for k in columns
            ]
        )

    def _within_budget(self, alpha: Floats) -> Floats:
        if self.budget is None:
            return alpha
        used = self.budget.used(alpha)
        return alpha * min(1.0, self.budget.rho / used) if used > 0 else alpha

    @property
    def _several_a_sample(self) -> bool:
        """Whether the slopes of a sample are bounded together, as by a ball."""
        return self.loss_function.value(self.y[:1]).ndim < self.y.ndim

    def _level_columns(self, alpha: Floats, low: Floats, high: Floats) -> Floats:
        """The nearest slopes within bounds whose sums, as the intercepts see them, are 0."""
        balance = np.broadcast_to(self._theta_scale, alpha.shape)
        if alpha.ndim == 1:
            return self._level(alpha, balance, low, high)
        columns = [self._level(*column) for column in zip(alpha.T, balance.T, low.T, high.T, strict=True)]
        return np.stack(columns, axis=-1)

    def _level(self, alpha: Floats, balance: Floats, low: Floats, high: Floats) -> Floats:
        if dot(balance, alpha) == 0:
            return alpha
        level = np.where(self.weights > 0, alpha, 0.0)
        for some in self._movable(alpha):
            v, c, lowest, highest = balance[some], self.c[some], low[some], high[some]
            least, most = np.minimum(v * lowest, v * highest), np.maximum(v * lowest, v * highest)
            missing = dot(v, level[some]) - dot(balance, level)
            if least.sum() <= missing <= most.sum() or len(some) == self._seen:
                eta = multiplier(level[some], v, lowest, highest, missing, c)
                level[some] = np.clip(level[some] - eta * v / c, lowest, highest)
                break
        return self._trimmed(level, balance, low, high)

    def _trimmed(self, level: Floats, balance: Floats, low: Floats, high: Floats) -> Floats:
        """What rounding left of the sum, taken off the slopes inside their bounds: small slopes need it most."""
        for _ in range(2):
            terms = balance * level
            left = float(np.sum(terms))
            if abs(left) <= ROUNDING * float(np.sum(np.abs(terms))):
                break
            inside = (level > low) & (level < high) & (self.weights > 0)
            pace = np.where(inside, balance / np.where(inside, self.c, 1.0), 0.0)
            room = dot(balance, pace)
            if room == 0:
                break
            level = np.clip(level - left / room * pace, low, high)
        return level

    def _movable(self, alpha: Floats) -> Iterator[np.ndarray]:
        """Which slopes to move so that a sum vanishes: those between two of the loss's, or else all.

        At a solution the others belong to samples away from the kinks, which moving would spoil.
        """
        seen = self.weights > 0
        line = self.loss_function.broken_line
        if line is not None:
            between = seen.copy()
            for slope in line.slopes:
                between &= alpha != slope
            yield np.flatnonzero(between)
        yield np.flatnonzero(seen)

    def _mask(self, free: Floats | None) -> Floats:
        """1 for the rows of x whose sums must vanish."""
        mask = np.zeros(self.shape) if free is None else free.copy()
        if self.intercept:
            mask[-1] = 1.0
        return mask

    def _oriented(self, z: Floats) -> Floats:
        return z if self._orientation is None else z * self._orientation

    def _balanced(self, alpha: Floats, free: Floats | None, clip: Callable[[Floats], Floats]) -> Floats:
        """The nearest slopes that ``clip`` allows with vanishing sums; slope 0 where rounding forbids them.

        The equations are those of centred columns of length 1, or small columns would not be heard.
        """
        view, varies = self._standardised
        mask = self._mask(free) * varies.reshape(-1, *(1,) * (alpha.ndim - 1))
        if not mask.any():
            return clip(alpha)
        c = np.broadcast_to(self._by_sample(self.c), self.y.shape)
        found = balance(
            alpha, clip, lambda u: self._oriented(view.predict(u)),
            lambda a: view.backward(LocalDual(a, plain=True)).g, c, mask,
        )  # fmt: skip
        return np.zeros_like(alpha) if found is None else found * (c > 0)

    @cached_property
    def _standardised(self) -> tuple[Self, Floats]:
        """The samples with columns of length 1, centred if there is an intercept, and 1 for those that vary."""
        seen = self.weights > 0
        mean: Floats = np.zeros(self.matrix.shape[1])
        if self.intercept:
            mean = self.matrix.backward(self.c) / float(self.c.sum())
        whole = self.matrix.column_squares(self.c, centred=False)
        squares = self.matrix.column_squares(self.c, centred=self.intercept)
        doubtful = np.flatnonzero((squares <= 1e-8 * whole) & (whole > 0))  # nothing but rounding, perhaps
        for some in np.array_split(doubtful, len(doubtful) // 64 + 1):
            part = self.matrix.part(None, some).array()[seen]
            from_first = part - part[0]
            squares[some] = self.c[seen] @ (from_first - self.c[seen] @ from_first / self.c.sum()) ** 2
        varies = np.asarray(squares > 0, dtype=np.float64)
        shifted = Shifted(self.matrix, mean * varies, np.sqrt(np.where(squares > 0, squares, 1.0)))
        view = type(self)(shifted, self.y, self.loss_function, self.weights, self.intercept)
        return view, np.append(varies, 1.0) if self.intercept else varies

    def _feasible_by_scaling(self, alpha: Floats, free: Floats | None) -> LocalDual:
        """Least squares onto the sums that must vanish, then towards 0, the middle of every ball."""
        alpha = self._balanced(alpha, free, lambda a: a)
        dual = self.backward(LocalDual(alpha, plain=True))
        return self.scaled(dual, min(1.0, self.scale_limit(dual)))
