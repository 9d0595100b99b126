"""asgl: quantile regression with lasso, group lasso and sparse group lasso, through cvxpy."""

from benchmark_utils.instance import L1_RATIO
from benchmark_utils.peer import Answer, Peer


class Solver(Peer):
    """Its objective is ours: mean pinball loss plus lambda1 times the penalty, groups weighted by their roots.

    Its solver's accuracy cannot be chosen, so there is one run; ``tol = 0`` keeps it from setting
    small coefficients to zero afterwards.
    """

    name = "asgl"
    package = "asgl"
    tolerances = (1e-8,)
    words = {"l1": "lasso", "group": "gl", "sparse_group": "sgl"}

    def expresses(self, instance):
        """Quantile regression."""
        fits = instance.penalty in self.words and instance.loss_name == "pinball"
        return "" if fits else "only pinball with l1, group lasso, sparse group lasso"

    def convert(self, instance):
        """Nothing to convert: cvxpy does, and that is part of the fit."""
        import asgl  # noqa: F401 - its import is not timed

        self.instance = instance

    def ready(self, tolerance, limit):
        """An estimator."""
        from asgl import Regressor

        instance = self.instance
        estimator = Regressor(
            model="qr", penalization=self.words[instance.penalty], quantile=instance.loss.quantile,
            fit_intercept=instance.intercept, lambda1=float(instance.lam), alpha=L1_RATIO, tol=0.0,
        )  # fmt: skip
        return lambda: estimator.fit(instance.X, instance.y, group_index=instance.groups)

    def answer(self, outcome):
        """Coefficients."""
        return Answer(outcome.coef_.ravel(), float(outcome.intercept_))
