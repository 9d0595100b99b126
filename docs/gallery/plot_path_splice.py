"""
Which positions tell a splice junction?
=======================================

Primate DNA: windows of 60 positions, three indicator columns for each, and the question whether there is a junction
in the middle.  The group lasso keeps or drops the columns of a position together.  Along a path of falling lam
positions come in, the telling ones first.
"""

import matplotlib.pyplot as plt
import numpy as np

import pdprox
from pdprox.datasets import load_splice_junction
from pdprox.displays import PathDisplay
from pdprox.penalties import GroupLasso

data = load_splice_junction()
problem = pdprox.Problem(data.X, data.y, loss="hinge", penalty=GroupLasso(data.groups), lam=1)
path = pdprox.path(problem, n_lams=30, tol=1e-4)
print(f"the largest of {len(path.lams)} certified gaps: {path.relative_gap.max():.0e}")

# %%
# A line is the length of the coefficients of one position.  Introns begin with GT and end with AG, that is at
# positions 31 and 32 or at 29 and 30, and these lead.
names = [f"position {position + 1}" for position in data.groups]
display = PathDisplay.from_path(path, groups=names, labelled=8)
plt.show()

# %%
# Halfway along the path few positions count, and they are those around the middle.
half = len(path.lams) // 2
print(f"at lam = {path.lams[half]:.3f} the longest are")
for k in np.argsort(-display.values[half])[:6]:
    print(f"  {display.names[k]}: {display.values[half, k]:.2f}")
