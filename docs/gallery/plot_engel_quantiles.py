"""
How does food expenditure spread as income grows?
=================================================

Engel's data: income and food expenditure of 235 Belgian households.  Quantile regression with several
quantiles shows what a regression of the mean hides: the spread grows with income.
"""

import matplotlib.pyplot as plt
import numpy as np

import pdprox
from pdprox.datasets import load_engel
from pdprox.losses import Pinball

X, y = load_engel()

# %%
# Each quantile is a linear program; the certificate says how well it was solved.  For the median, Koenker and
# Bassett's estimate is known: 81.48 + 0.5602 income.
lines = {}
for q in (0.05, 0.25, 0.5, 0.75, 0.95):
    solution = pdprox.solve(pdprox.Problem(X, y, loss=Pinball(q), lam=0), tol=1e-7)
    lines[q] = float(solution.intercept), float(solution.w[0])
    gap = solution.certificate.relative_gap
    print(f"quantile {q:.2f}: {lines[q][0]:7.2f} + {lines[q][1]:.4f} income; relative gap {gap:.0e}")

# %%
income = np.array([X.min(), X.max()])
at = {q: b + slope * income for q, (b, slope) in lines.items()}
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.fill_between(income, at[0.05], at[0.95], alpha=0.15, color="C0", lw=0, label="5 % to 95 %")
ax.fill_between(income, at[0.25], at[0.75], alpha=0.3, color="C0", lw=0, label="25 % to 75 %")
ax.plot(income, at[0.5], color="C0", label="median")
ax.plot(X[:, 0], y, ".", color="k", ms=4, label="households")
ax.set(xlabel="income (francs a year)", ylabel="food expenditure (francs a year)")
ax.legend(loc="upper left")
plt.show()
