"""
Does the average converge like 1/T?
===================================

The paper's theorem: after T iterations the averages of Algorithms 1, 2 and 3 have a duality gap of at most

.. math:: \\frac{\\|\\tilde w\\|_2^2 + \\|\\tilde\\alpha\\|_2^2}{\\sqrt{2/c}\\;T}.

A random problem with the hinge loss and an l1 penalty shows how the gap falls.  The coefficients are kept
within a ball of radius B, so that the dual objective is finite at every average and the bound is known in
advance: :math:`\\|\\tilde w\\|^2 \\le B^2`, and a slope of the hinge lies in [-1, 0], so
:math:`\\|\\tilde\\alpha\\|^2 \\le n`.
"""

import matplotlib.pyplot as plt
import numpy as np

import pdprox
from pdprox.methods import PdproxDual, PdproxDualOneProjection, PdproxPrimal
from pdprox.sets import L2Ball

rng = np.random.default_rng(0)
n, d, B = 200, 30, 4.0
X = rng.standard_normal((n, d))
y = np.where(X[:, :4].sum(axis=1) + rng.standard_normal(n) > 0, 1.0, -1.0)
problem = pdprox.Problem(X, y, loss="hinge", penalty="l1", lam=0.02, intercept=False, primal_set=L2Ball(B))

# %%
# No loop stops here: each method makes its steps, and at some T the certificate audits the average.
counts = np.unique(np.geomspace(10, 20_000, 25).astype(int))


def gaps_of(method):
    x, dual = np.zeros(d), problem.samples.dual()
    state, gaps = method.start(problem, x, dual), []
    for iteration in range(1, counts[-1] + 1):
        state = method.step(problem, state)
        if iteration in counts:
            ((average_x, average_dual),) = state.candidates()
            w, b = problem.split(average_x)
            gaps.append(pdprox.certify(problem, w, b, problem.samples.slopes(average_dual)).gap)
    return np.array(gaps)


# %%
# The slope of a line through the later half of the points, on logarithmic axes.  -1 is the theorem's.
algorithms = {
    "Algorithm 1": PdproxDual(),
    "Algorithm 2": PdproxPrimal(),
    "Algorithm 3": PdproxDualOneProjection(),
}
gaps = {name: gaps_of(method) for name, method in algorithms.items()}
late = counts >= 500
for name, gap in gaps.items():
    slope = np.polyfit(np.log(counts[late]), np.log(gap[late]), 1)[0]
    print(f"{name}: the gap falls like T^{slope:.2f}")

# %%
c = np.square(X).sum(axis=1).max() / n
bound = (B**2 + n) / (np.sqrt(2 / c) * counts)
for name, gap in gaps.items():
    print(f"{name}: at most {np.max(gap / bound):.3f} of the bound")
    assert np.all(gap <= bound)

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.loglog(counts, bound, "k--", label="the theorem's bound")
for (name, gap), style in zip(gaps.items(), ("-", "--", ":"), strict=True):
    ax.loglog(counts, gap, style, lw=2, label=name)
ax.set(xlabel="iterations T", ylabel="duality gap of the averages")
ax.legend()
plt.show()
