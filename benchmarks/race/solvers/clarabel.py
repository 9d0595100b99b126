"""Clarabel, the interior point method for cone programs."""

import numpy as np
import scipy.sparse as sp
from benchmark_utils.cone_program import cone_program
from benchmark_utils.peer import Peer


class Solver(Peer):
    """Its supernodal factorisation on all cores, which it chooses by itself; set-up is part of the run."""

    name = "clarabel"
    package = "clarabel"
    tolerances = (1e-3, 1e-5, 1e-7, 1e-9)

    def convert(self, instance):
        """The cone program."""
        import clarabel

        self.program = program = cone_program(instance)
        self.matrices = sp.csc_matrix(program.P), program.q, sp.csc_matrix(program.A), program.b
        self.cones = [clarabel.ZeroConeT(program.zero)] * (program.zero > 0)
        self.cones += [clarabel.NonnegativeConeT(program.positive)]
        self.cones += [clarabel.SecondOrderConeT(size) for size in program.sizes]

    def ready(self, tolerance, limit):
        """Settings of one run."""
        import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose, settings.time_limit = False, float(limit)
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        return lambda: clarabel.DefaultSolver(*self.matrices, self.cones, settings).solve()

    def answer(self, outcome):
        """Values and multipliers."""
        return self.program.read(np.array(outcome.x), np.array(outcome.z))
