"""
Where does the optimum lie while a fit runs?
============================================

Every audit of a run has two numbers: the objective at the best coefficients so far, and the best lower bound.  The
optimum lies between them.  Here they meet during two fits of a sparse support vector machine on the Adult data, 32561
samples: by the default, and by restarted Pdprox, which reads the data once a step and does nothing else.
"""

import matplotlib.pyplot as plt

from pdprox import LinearClassifier
from pdprox.datasets import load_adult
from pdprox.displays import ConvergenceDisplay

X, y = load_adult()
default = LinearClassifier(alpha=1e-3, tol=1e-4).fit(X, y)
restarted = LinearClassifier(alpha=1e-3, tol=1e-4, method="pdprox-restarted").fit(X, y)
for model in (default, restarted):
    print(
        f"{model.method}: objective {model.objective_:.6f}, at most {model.dual_gap_:.1e} above the optimum"
    )

# %%
# Passes over the data tell on every machine the same; ``against="seconds"`` is the default.  The primal value is good
# long before anybody can know: what takes time is the lower bound.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
histories = {"default": default.history_, "restarted": restarted.history_}
ConvergenceDisplay(histories, against="passes", what="bounds").plot(left)
ConvergenceDisplay(histories, against="passes").plot(right)
for ax in (left, right):
    ax.set_xscale("log")
plt.show()
