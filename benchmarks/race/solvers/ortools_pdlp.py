"""PDLP as Google's OR-tools have it; also for l2^2, whose primal form has a diagonal square."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from benchmark_utils.linear_program import linear_program
from benchmark_utils.peer import Peer


class Solver(Peer):
    """Called directly, with its default parameters but for tolerance, clock and threads."""

    name = "ortools-pdlp"
    package = "ortools"
    tolerances = (1e-2, 1e-4, 1e-6, 1e-8)

    def expresses(self, instance):
        """Linear and diagonal quadratic programs."""
        return "" if instance.penalty in ("l1", "l2", "linf") else "has no cones"

    def convert(self, instance):
        """The program in its form."""
        from ortools.pdlp.python import pdlp

        self.program = program = linear_program(instance)
        qp = pdlp.QuadraticProgram()
        qp.resize_and_initialize(program.A.shape[1], program.A.shape[0])
        qp.objective_vector = program.cost
        qp.constraint_matrix = sp.csc_matrix(program.A)
        qp.constraint_lower_bounds = np.broadcast_to(program.row_lower, program.A.shape[0])
        qp.constraint_upper_bounds = np.broadcast_to(program.row_upper, program.A.shape[0])
        qp.variable_lower_bounds, qp.variable_upper_bounds = program.lower, program.upper
        if program.diagonal is not None:
            qp.set_objective_matrix_diagonal(program.diagonal)
        self.qp = qp

    def ready(self, tolerance, limit):
        """Parameters of one run."""
        import os

        from ortools.pdlp import solvers_pb2
        from ortools.pdlp.python import pdlp

        params = solvers_pb2.PrimalDualHybridGradientParams()
        optimality = params.termination_criteria.simple_optimality_criteria
        optimality.eps_optimal_relative = optimality.eps_optimal_absolute = tolerance
        params.termination_criteria.time_sec_limit = limit
        params.num_threads = os.cpu_count() or 1
        return partial(pdlp.primal_dual_hybrid_gradient, self.qp, params)

    def answer(self, outcome):
        """Values and multipliers."""
        return self.program.read(np.array(outcome.primal_solution), np.array(outcome.dual_solution))
