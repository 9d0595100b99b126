"""scikit-learn's QuantileRegressor: pinball + l1, by HiGHS through scipy."""

from benchmark_utils.peer import Answer, Peer


class Solver(Peer):
    """Its alpha is lam: it divides the loss by n, and leaves the intercept alone.

    The absolute loss is twice the pinball loss of 1/2.
    """

    name = "sklearn-quantile"
    package = "sklearn"
    parameters = {"solver": ["highs", "highs-ipm"]}
    tolerances = (1e-7, 1e-9)

    def expresses(self, instance):
        """Quantiles with l1."""
        fits = instance.penalty == "l1" and instance.loss_name in ("pinball", "absolute")
        return "" if fits else "only pinball + l1"

    def convert(self, instance):
        """Nothing to convert: its own conversion to a linear program is part of the fit."""
        self.instance = instance

    def ready(self, tolerance, limit):
        """An estimator."""
        from sklearn.linear_model import QuantileRegressor

        instance, absolute = self.instance, self.instance.loss_name == "absolute"
        options = {"time_limit": limit, "dual_feasibility_tolerance": tolerance}
        options["primal_feasibility_tolerance"] = tolerance
        if self.solver == "highs-ipm":
            options["ipm_optimality_tolerance"] = tolerance
        estimator = QuantileRegressor(
            quantile=0.5 if absolute else instance.loss.quantile,
            alpha=instance.lam / 2 if absolute else instance.lam,
            fit_intercept=instance.intercept,
            solver=self.solver,
            solver_options=options,
        )

        def fit():
            try:
                return estimator.fit(instance.X, instance.y)
            except TypeError:  # scipy hands it None at the time limit, and it takes a slice of that
                raise TimeoutError("nothing at its time limit") from None

        return fit

    def answer(self, outcome):
        """Coefficients."""
        return Answer(outcome.coef_, float(outcome.intercept_))
