"""
How far from optimal is liblinear's answer?
===========================================

The certificate audits any answer.  Here it audits :class:`sklearn.svm.LinearSVC`, which hands its work to
liblinear, at tolerances from loose to tight.

LinearSVC minimises :math:`\\tfrac12\\|w\\|_2^2 + C \\sum_i \\ell(m_i)`; divided by :math:`C n` that is our
mean hinge loss plus lam times ``SquaredL2``, with lam = 1 / (C n).  It penalises its intercept, so both go
without one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

import pdprox
from pdprox.datasets import load_splice_junction

X, y = load_splice_junction()
C = 0.01
problem = pdprox.Problem(X, y, loss="hinge", penalty="squared-l2", lam=1 / (C * len(y)), intercept=False)

# %%
# A good lower bound comes from our own solve.  Its dual variables bound every answer to this problem.
ours = pdprox.solve(problem, tol=1e-8)
print(ours)

# %%
# scikit-learn does not hand liblinear's dual variables on, so a user of LinearSVC has the coefficients only.
# Then ``certify`` guesses slopes from them (``alpha=None``).  The bound is valid, but it can be far too low,
# the more so the smaller lam is.  With our dual variables it is sharp.
tolerances = 10.0 ** -np.arange(0, 6)
with_ours, guessed = [], []
for tol in tolerances:
    theirs = LinearSVC(loss="hinge", C=C, tol=tol, fit_intercept=False, random_state=0).fit(X, y)
    with_ours.append(pdprox.certify(problem, theirs.coef_, alpha=ours.alpha).relative_gap)
    guessed.append(pdprox.certify(problem, theirs.coef_).relative_gap)
    print(
        f"tol {tol:.0e}: relative gap {with_ours[-1]:.1e}, guessed {guessed[-1]:.1e}; {theirs.n_iter_} epochs"
    )

# %%
# ``tol`` of LinearSVC is not a gap: with its default, 1e-4, the answer is a millionth from the optimum here.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.loglog(tolerances, guessed, "o-", label="dual variables guessed from w")
ax.loglog(tolerances, with_ours, "s-", label="dual variables of pdprox")
ax.axhline(ours.certificate.relative_gap, color="k", ls=":", label="pdprox's own answer")
ax.set(xlabel="tol of LinearSVC", ylabel="certified relative gap")
ax.set_title(f"LinearSVC on splice junctions, C = {C:g}")
ax.invert_xaxis()
ax.legend()
plt.show()
