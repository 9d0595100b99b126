"""ReHLine's coordinate descent for piecewise linear losses with l2^2."""

import numpy as np
from benchmark_utils.peer import Answer, CountsPasses


class Solver(CountsPasses):
    """``ReHLine_solver``: the sum of ramps plus half the square of w, so the ramps are scaled by C.

    It has an elastic net, but only with a square in it, so l1 alone is beyond it; its intercept is
    penalised.
    """

    name = "rehline"
    package = "rehline"
    tolerances = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)

    def expresses(self, instance):
        """Only l2^2 without intercept."""
        return "" if instance.penalty == "l2" and not instance.intercept else "only l2^2 without intercept"

    def convert(self, instance):
        """The ramps ``U z + V``."""
        from scipy.sparse import csr_matrix, issparse

        self.X = csr_matrix(instance.X) if issparse(instance.X) else instance.X
        ramps, signs, offset = instance.ramps, instance.signs, instance.offset
        up = (ramps.up, ramps.right, 1.0)
        down = (ramps.down, ramps.left, -1.0)
        used = [ramp for ramp in (down, up) if ramp[0] > 0]
        self.U = np.array([instance.C * slope * way * signs for slope, _, way in used])
        self.V = np.array([-instance.C * slope * way * (kink + offset) for slope, kink, way in used])
        self.signs, self.scale = signs, np.array([slope * way for slope, _, way in used])

    def machine(self, tolerance):
        """A run."""
        from rehline import ReHLine_solver

        options = {"tol": tolerance, "max_iter": self.passes, "verbose": 0}
        return lambda: ReHLine_solver(self.X, self.U, self.V, **options)

    def answer(self, outcome):
        """Coefficients, and slopes made of the shares of the ramps."""
        slopes = self.scale @ np.array(outcome.Lambda)
        return self.uncut(Answer(np.array(outcome.beta), 0.0, slopes), outcome.niter)
