"""HiGHS, the LP solver: simplex, interior point and PDLP."""

import numpy as np
from benchmark_utils.linear_program import linear_program
from benchmark_utils.peer import Peer


class Solver(Peer):
    """Linear programs handed over as sparse columns; the copy into HiGHS is not timed, presolve is."""

    name = "highs"
    package = "highspy"
    parameters = {"algorithm": ["simplex", "ipm", "pdlp"]}

    def __init__(self, algorithm):
        super().__init__(algorithm=algorithm)
        # simplex is exact or nothing: 1e-7 is its default for both feasibilities
        self.tolerances = (1e-7, 1e-9) if algorithm == "simplex" else (1e-2, 1e-4, 1e-6, 1e-8)

    def expresses(self, instance):
        """Only linear programs; its QP solver is an active-set method for small problems."""
        return "" if instance.penalty in ("l1", "linf") else "not a linear program"

    def convert(self, instance):
        """The linear program in HiGHS's form."""
        import highspy

        self.program = linear_program(instance)
        program, lp = self.program, highspy.HighsLp()
        lp.num_row_, lp.num_col_ = program.A.shape
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.cost, program.lower, program.upper
        lp.row_lower_ = np.broadcast_to(program.row_lower, lp.num_row_)
        lp.row_upper_ = np.broadcast_to(program.row_upper, lp.num_row_)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = program.A.indptr, program.A.indices
        lp.a_matrix_.value_ = program.A.data
        self.lp = lp

    def ready(self, tolerance, limit):
        """A new HiGHS that has the program.  Crossover would make a vertex, which nobody asked for."""
        import highspy

        self.highs = highs = highspy.Highs()
        options = {"output_flag": False, "time_limit": float(limit), "solver": self.algorithm}
        if self.algorithm == "simplex":
            options |= {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
        else:  # the tolerances named after the methods are not enough: PDLP ran on to 1e-10 when asked for 1e-2
            options |= {"kkt_tolerance": tolerance, "run_crossover": "off"}
        for name, value in options.items():
            if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                raise ValueError(f"HiGHS does not take {name} = {value}")
        highs.passModel(self.lp)
        return highs.run

    def answer(self, outcome):
        """Values and multipliers, whatever the status."""
        solution = self.highs.getSolution()
        return self.program.read(np.array(solution.col_value), np.array(solution.row_dual))
