"""liblinear's dual coordinate descent through scikit-learn: hinge + l2^2 without intercept."""

from benchmark_utils.peer import Answer, CountsPasses


class Solver(CountsPasses):
    """``LinearSVC(loss="hinge", dual=True)``; its intercept is penalised, so it races only without one."""

    name = "liblinear"
    package = "sklearn"
    tolerances = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)

    def expresses(self, instance):
        """Only the support vector machine without intercept."""
        fits = instance.penalty == "l2" and instance.loss_name == "hinge" and not instance.intercept
        return "" if fits else "only hinge + l2^2 without intercept"

    def convert(self, instance):
        """Nothing to convert: its own copy of the data is part of the fit."""
        self.instance = instance

    def machine(self, tolerance):
        """The classifier."""
        from sklearn.svm import LinearSVC

        classifier = LinearSVC(
            loss="hinge", dual=True, fit_intercept=False, C=self.instance.C, tol=tolerance,
            max_iter=self.passes, random_state=0,
        )  # fmt: skip
        return lambda: classifier.fit(self.instance.X, self.instance.y)

    def answer(self, outcome):
        """Coefficients; liblinear keeps its dual variables to itself."""
        return self.uncut(Answer(outcome.coef_.ravel()), outcome.n_iter_)
