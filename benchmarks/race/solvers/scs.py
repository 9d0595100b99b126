"""SCS, the operator splitting method for cone programs."""

import numpy as np
import scipy.sparse as sp
from benchmark_utils.cone_program import cone_program
from benchmark_utils.peer import Peer


class Solver(Peer):
    """With its direct linear solver and default acceleration; the factorisation is part of the run."""

    name = "scs"
    package = "scs"
    tolerances = (1e-2, 1e-4, 1e-6, 1e-8)

    def convert(self, instance):
        """The cone program."""
        self.program = program = cone_program(instance)
        self.data = {
            "P": sp.csc_matrix(program.P),
            "A": sp.csc_matrix(program.A),
            "b": program.b,
            "c": program.q,
        }
        self.cone = {"z": program.zero, "l": program.positive, "q": program.sizes}

    def ready(self, tolerance, limit):
        """Settings of one run."""
        import scs

        settings = {
            "eps_abs": tolerance,
            "eps_rel": tolerance,
            "time_limit_secs": limit,
            "max_iters": 10**8,
            "verbose": False,
        }
        return lambda: scs.SCS(self.data, self.cone, **settings).solve()

    def answer(self, outcome):
        """Values and multipliers."""
        return self.program.read(np.array(outcome["x"]), np.array(outcome["y"]))
