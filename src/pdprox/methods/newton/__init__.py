"""Newton's method on the augmented problem, on working sets."""

from pdprox.methods.newton.method import PdproxNewton

__all__ = ["PdproxNewton"]
