"""
How does food expenditure spread as income grows?
=================================================

Engel's data: income and food expenditure of 235 Belgian households.  Quantile regression with several
quantiles shows what a regression of the mean hides: the spread grows with income.
"""

import matplotlib.pyplot as plt

from pdprox import QuantileRegressor
from pdprox.datasets import load_engel
from pdprox.displays import QuantileFanDisplay

X, y = load_engel()

# %%
# Each quantile is a linear program; the certificate says how well it was solved.  For the median, Koenker and
# Bassett's estimate is known: 81.48 + 0.5602 income.
quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
model = QuantileRegressor(quantiles, alpha=0, tol=1e-7).fit(X, y)
for k, q in enumerate(quantiles):
    gap = model.dual_gap_[k] / model.objective_[k]
    print(
        f"quantile {q:.2f}: {model.intercept_[k]:7.2f} + {model.coef_[k, 0]:.4f} income; relative gap {gap:.0e}"
    )

# %%
# About half of the households spend between the two inner lines, nine of ten between the outer ones.
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
display = QuantileFanDisplay.from_estimator(model, X, y, ax=ax)
ax.set(xlabel="income (francs a year)", ylabel="food expenditure (francs a year)")
plt.show()
