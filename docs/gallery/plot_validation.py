"""
How strong should the penalty be?
=================================

Cross-validation tries many strengths on folds of the data.  The mean score has an error, too: of the models whose
score is within one standard error of the best, the rule ``"one-standard-error"`` takes the one with the strongest
penalty, which is the simplest.
"""

import matplotlib.pyplot as plt
import numpy as np

from pdprox import LinearClassifierCV
from pdprox.datasets import load_splice_junction
from pdprox.displays import ValidationDisplay

data = load_splice_junction()
X, y = data.X[::3], data.y[::3]  # a third of the sequences: with few data, the errors of scores matter
options = {"alphas": 25, "ratio": 0.003, "tol": 1e-4, "scoring": "accuracy"}
best = LinearClassifierCV(**options).fit(X, y)
simple = LinearClassifierCV(rule="one-standard-error", **options).fit(X, y)
for model in (best, simple):
    score = model.scores_.mean(axis=1)[model.alphas_ == model.alpha_][0]
    print(
        f"{model.rule}: alpha {model.alpha_:.4f}, {np.count_nonzero(model.coef_)} features, score {score:.3f}"
    )

# %%
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
display = ValidationDisplay.from_estimator(simple, ax=ax)
ax.axvline(best.alpha_, color="C1", ls="--", label=f"best: alpha = {best.alpha_:.3g}")
ax.set_ylim(0.8, None)  # with the largest alphas all coefficients are 0
ax.legend()
plt.show()
