"""
What do the losses look like?
=============================

Every loss of one number, as a function of the margin (for two classes) or of the residual (for real targets).
Below each, its slopes: the dual variable of a sample is the slope at its margin or residual.
"""

import matplotlib.pyplot as plt
import numpy as np

from pdprox.losses import (
    Absolute,
    EpsilonInsensitive,
    GeneralizedHinge,
    Hinge,
    Huber,
    Logistic,
    Pinball,
    Square,
    SquaredHinge,
)

margin = [Hinge(), GeneralizedHinge(2.0), SquaredHinge(), Logistic()]
residual = [Absolute(), EpsilonInsensitive(0.5), Pinball(0.25), Huber(1.0), Square()]
t = np.linspace(-2.5, 2.5, 1001)

fig, axes = plt.subplots(2, 2, figsize=(9, 6), sharex=True, sharey="row", layout="constrained")
columns = zip(axes.T, (margin, residual), ("margin y z", "residual z - y"), strict=True)
for column, losses, word in columns:
    for loss in losses:
        column[0].plot(t, loss.value(t), label=repr(loss))
        column[1].plot(t[1:], np.diff(loss.value(t)) / np.diff(t))
    column[0].legend(fontsize="small")
    column[1].set_xlabel(word)
axes[0, 0].set(ylabel="loss", ylim=(-0.1, 4))
axes[1, 0].set(ylabel="slope", ylim=(-3.2, 3.2))
plt.show()
