"""pdprox itself, under the rules of everybody."""

import statistics
from functools import partial

from benchmark_utils import board
from benchmark_utils.peer import Answer, Peer


class Solver(Peer):
    """``pdprox.solve(problem)`` as it comes; a run below a second is the median of three."""

    name = board.OURS
    package = "pdprox"
    tolerances = (*board.LEVELS, board.STRICT)
    goal = board.STRICT

    def time_limit(self, instance):
        """The most that any peer gets."""
        return board.limits()[2]

    def convert(self, instance):
        """Each run makes a problem of its own: what a problem remembers would make the next one warm."""
        self.instance = instance

    def ready(self, tolerance, limit):
        """The problem, read but not looked at."""
        import pdprox

        self.instance.__dict__.pop("problem", None)
        solve = partial(pdprox.solve, tol=tolerance, max_iter=10**9, max_time=limit)
        return partial(solve, self.instance.problem)

    def answer(self, outcome):
        """As it is."""
        return Answer(outcome.w, outcome.intercept, outcome.alpha)

    def run(self, stop_val):
        """Three times, if that is quick."""
        times = []
        for _ in range(3):
            super().run(stop_val)
            times.append(self.seconds)
            if self.seconds >= 1.0 or self.found is None:
                break
        self.seconds = statistics.median(times)
