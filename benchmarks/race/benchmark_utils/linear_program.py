"""A broken line plus l1 as a linear program, in the form with fewer rows.

Everything is multiplied by n, as these programs usually are.  The dual form has a row for each feature
and X once; the primal form a row for each sample and X twice (HiGHS took three times as long with w free
and the size of w bounded by two rows).  Where n > d, the dual form was 2 to 5 times faster with all of simplex,
interior point and PDLP; where d > n, the primal form was faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmark_utils.instance import Instance
from benchmark_utils.peer import Answer


@dataclass(frozen=True)
class LinearProgram:
    """``min cost.x + sum(diagonal * x^2) / 2`` with bounds on x and on the rows of A x.

    ``read`` makes an answer of x and the multipliers of the rows, which are those of
    ``min - multiplier.(A x - bound)``: positive at lower bounds.
    """

    cost: np.ndarray
    A: sp.csc_array
    row_lower: np.ndarray
    row_upper: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    read: Callable[[np.ndarray, np.ndarray], Answer]
    diagonal: np.ndarray | None = None


def linear_program(instance: Instance) -> LinearProgram:
    """The form with fewer rows; l2^2 has the primal form only."""
    if instance.penalty == "linf" or (instance.penalty == "l1" and instance.n > instance.d):
        return dual_form(instance)
    return primal_form(instance)


def primal_form(instance: Instance) -> LinearProgram:
    """Variables: w (l1: its positive and negative parts), intercept, ramps down, ramps up."""
    n, d, ramps = instance.n, instance.d, instance.ramps
    rows, l1 = instance.rows(), instance.penalty == "l1"
    features, intercept = rows[:, :d], rows[:, d:]
    down, up = (n if ramps.down > 0 else 0), (n if ramps.up > 0 else 0)
    identity = sp.eye_array(n, format="csr")
    blocks = [features, *([-features] if l1 else []), intercept]
    blocks += [identity] * (down > 0) + [-identity] * (up > 0)
    A = sp.csc_array(sp.hstack(blocks, format="csc"))
    coefficients, free = (2 * d if l1 else d), intercept.shape[1]
    ends = [np.full(down, ramps.down), np.full(up, ramps.up)]
    price = np.full(coefficients, instance.n * instance.lam)
    lower = np.zeros(A.shape[1])
    lower[(coefficients if l1 else 0) : coefficients + free] = -np.inf
    diagonal = None if l1 else np.concatenate([price, np.zeros(A.shape[1] - coefficients)])

    def read(x: np.ndarray, multipliers: np.ndarray) -> Answer:
        w = x[:d] - x[d : 2 * d] if l1 else x[:d]
        return Answer(w, float(x[coefficients]) if free else 0.0, -multipliers)

    return LinearProgram(
        np.concatenate([price if l1 else np.zeros(d), np.zeros(free), *ends]),
        A,
        ramps.left + instance.offset,
        ramps.right + instance.offset,
        lower,
        np.full(A.shape[1], np.inf),
        read,
        diagonal,
    )


def dual_form(instance: Instance) -> LinearProgram:
    """Variables: the slopes, as one where both ramps begin at the same kink, else as downs and ups."""
    n, d, ramps = instance.n, instance.d, instance.ramps
    rows = sp.csc_array(instance.rows().T)
    both = ramps.down > 0 and ramps.up > 0 and ramps.left != ramps.right
    if both:
        A = sp.csc_array(sp.hstack([rows, rows], format="csc"))
        lower = np.concatenate([np.full(n, -ramps.down), np.zeros(n)])
        upper = np.concatenate([np.zeros(n), np.full(n, ramps.up)])
        cost = np.concatenate([ramps.left + instance.offset, ramps.right + instance.offset])
    else:
        A, lower, upper = rows, np.full(n, -ramps.down), np.full(n, ramps.up)
        cost = (ramps.left if ramps.down > 0 else ramps.right) + instance.offset
    bound = np.full(A.shape[0], n * instance.lam)
    bound[d:] = 0.0
    least = -bound
    if instance.penalty == "linf":  # X'theta = v - u with u, v >= 0, and the sum of all of them is bounded
        A, cost, lower, upper = _with_parts(A, d, cost, lower, upper)
        bound = np.append(np.zeros(len(bound)), n * instance.lam)
        least = np.append(np.zeros(len(bound) - 1), -np.inf)

    def read(x: np.ndarray, multipliers: np.ndarray) -> Answer:
        alpha = x[:n] + x[n : 2 * n] if both else x[:n]
        return Answer(multipliers[:d], float(multipliers[d]) if instance.intercept else 0.0, alpha)

    return LinearProgram(cost, A, least, bound, lower, upper, read)


def _with_parts(
    A: sp.csc_array, d: int, cost: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> tuple[sp.csc_array, np.ndarray, np.ndarray, np.ndarray]:
    """Two more variables for each of the first d rows, and a row that adds all of them up."""
    height, width = A.shape
    parts = sp.eye_array(height, d, format="csc")
    total = sp.csc_array(np.ones((1, 2 * d)))
    wide = sp.block_array([[A, sp.hstack([parts, -parts])], [sp.csc_array((1, width)), total]], format="csc")
    more = np.zeros(2 * d)
    return (
        sp.csc_array(wide),
        np.concatenate([np.broadcast_to(cost, width), more]),
        np.concatenate([lower, more]),
        np.concatenate([upper, more + np.inf]),
    )
