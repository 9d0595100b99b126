"""scikit-learn's stochastic subgradient method."""

from benchmark_utils.peer import Answer, CountsPasses


class Solver(CountsPasses):
    """Its objective is the mean loss plus alpha times the penalty (half the square for l2), so alpha is lam.

    Two of its schedules: the adaptive one was the best on most trials, its default "optimal" on some.
    Averaging is off: averages of penalised iterates were 10 times off and more.
    """

    name = "sgd"
    package = "sklearn"
    parameters = {"schedule": ["adaptive", "optimal"]}
    tolerances = (1e-3, 1e-5, 1e-7, 1e-9)

    def expresses(self, instance):
        """Single coefficients; the pinball loss is not among its losses."""
        if instance.penalty not in ("l1", "l2"):
            return "has no groups"
        return "has no pinball loss" if instance.loss_name == "pinball" else ""

    def __init__(self, schedule):
        super().__init__(schedule=schedule)
        if (
            schedule == "optimal"
        ):  # noisy: any test of progress ends it early, so it is given 10, 100, ... passes
            self.tolerances = (1e-1, 1e-2, 1e-3, 1e-4)

    def convert(self, instance):
        """Nothing to convert."""
        self.instance = instance

    def machine(self, tolerance):
        """The estimator."""
        from sklearn.linear_model import SGDClassifier, SGDRegressor

        instance, fixed = self.instance, self.schedule == "optimal"
        common = {
            "penalty": instance.penalty,
            "alpha": instance.lam,
            "fit_intercept": instance.intercept,
            "max_iter": round(1 / tolerance) if fixed else self.passes,
            "learning_rate": self.schedule,
            "eta0": 0.01,
            "tol": None if fixed else tolerance,
            "random_state": 0,
        }
        if instance.loss_name == "hinge":
            estimator = SGDClassifier(loss="hinge", **common)
            return lambda: estimator.fit(instance.X, instance.y)
        width = instance.loss.epsilon if instance.loss_name == "eps-insensitive" else 0.0
        estimator = SGDRegressor(loss="epsilon_insensitive", epsilon=width, **common)
        return lambda: estimator.fit(instance.X, instance.y)

    def answer(self, outcome):
        """Coefficients."""
        found = Answer(outcome.coef_.ravel(), float(outcome.intercept_[0]))
        return found if self.schedule == "optimal" else self.uncut(found, outcome.n_iter_)
