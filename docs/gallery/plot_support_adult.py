"""
Which samples hold a support vector machine?
============================================

The dual variable of a sample is the slope of its loss: with the hinge -1 where the margin is below 1, 0 where it is
above, and anything between on the kink.  Of the 32561 samples of Adult a few hundred lie on the kink.
"""

import matplotlib.pyplot as plt
import numpy as np

import pdprox
from pdprox.datasets import load_adult
from pdprox.displays import SupportDisplay

X, y = load_adult()
problem = pdprox.Problem(X, y, loss="hinge", penalty="l1", lam=1e-3)
solution = pdprox.solve(problem)
display = SupportDisplay.from_solution(problem, solution)
plt.show()

# %%
# Samples of slope 0 pull at nothing.  The problem of the others alone (its loss is a mean of fewer, so lam grows)
# has the same solution: there is a certificate for it.
support = np.flatnonzero(solution.alpha)
part = pdprox.Problem(X[support], y[support], loss="hinge", penalty="l1", lam=1e-3 * len(y) / len(support))
print(f"{len(support)} of {len(y)} samples have a slope")
print(pdprox.certify(part, solution.w, solution.intercept, solution.alpha[support]))
