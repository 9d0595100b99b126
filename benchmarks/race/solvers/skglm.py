"""skglm's primal-dual coordinate descent with working sets: pinball + l1 on dense data."""

import numpy as np
from benchmark_utils.peer import Answer, Peer


class Solver(Peer):
    """``PDCD_WS`` leaves intercepts undone; a column of ones whose l1 weight is 0 is one.

    Its loss is a sum, so its alpha is ``n lam``.  It is compiled before the clock starts.
    """

    name = "skglm"
    package = "skglm"
    tolerances = (1e-2, 1e-4, 1e-6, 1e-8)

    def expresses(self, instance):
        """Quantiles with l1 on dense data."""
        if instance.penalty != "l1" or instance.loss_name not in ("pinball", "absolute"):
            return "only pinball + l1"
        return "" if isinstance(instance.X, np.ndarray) else "only dense data"

    def convert(self, instance):
        """Data with the column of ones; compiled loss and penalty."""
        from skglm.experimental.quantile_regression import Pinball
        from skglm.penalties import WeightedL1
        from skglm.utils.jit_compilation import compiled_clone

        # the absolute loss is twice the pinball loss of 1/2
        absolute = instance.loss_name == "absolute"
        self.X = np.asfortranarray(np.column_stack([instance.X, np.ones(instance.n)]))
        self.d, level = instance.d, 0.5 if absolute else instance.loss.quantile
        # it starts from 0, so the intercept is given the quantile of y to start from
        self.start = float(np.quantile(instance.y, level))
        self.y = instance.y - self.start
        self.loss = compiled_clone(Pinball(level))
        weights = np.append(np.ones(instance.d), 0.0)
        scale = instance.n * instance.lam * (0.5 if absolute else 1.0)
        self.penalty = compiled_clone(WeightedL1(scale, weights))
        short = WeightedL1(scale, weights[-3:])
        self._solver(1e-1)._solve(
            self.X[:20, -3:].copy(order="F"), self.y[:20], self.loss, compiled_clone(short)
        )

    @staticmethod
    def _solver(tolerance):
        from skglm.experimental.pdcd_ws import PDCD_WS

        return PDCD_WS(tol=tolerance, max_iter=10_000)

    def ready(self, tolerance, limit):
        """A run."""
        solver = self._solver(tolerance)
        return lambda: solver._solve(self.X, self.y, self.loss, self.penalty)

    def answer(self, outcome):
        """Coefficients."""
        w = outcome[0]
        return Answer(w[: self.d], float(w[self.d]) + self.start)
