"""The polish: where the sets of a solution are known, equations give the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats

#: equations with more unknowns are not solved; curved ones do not fall apart into two halves
_LARGEST, _LARGEST_CURVED = 3000, 600
#: where nothing is curved the sets must be about as large as each other; a few equal samples may be among them
_SLACK, _FEW = 0.02, 16


@dataclass
class Polish:
    r"""Solves for coefficients and slopes at once, on the sets that a point suggests.

    Let S be the coefficients that are not 0 and E the samples whose slope lies strictly between two of the
    loss's.  If these are the sets of a solution, it satisfies

    .. math:: x_i^\top w + b = z_i \;(i \in E), \qquad
              \sum_{i \in E} \theta_i x_{ij} + \sum_{i \notin E} \theta_i x_{ij}
              + \lambda\,\partial_j R(w) = 0 \;(j \in S)

    with the predictions z_i that are kinks of the losses: linear equations, but for curved penalties, for which
    this is a Newton step.  Nothing is believed: the point is one more candidate for an audit.
    """

    #: the sets that were tried last
    _tried: bytes = b""

    def candidate(self, problem: Problem, x: Floats, dual: Dual) -> tuple[Floats, Dual] | None:
        """The point that the equations give, if they have one solution and it has the same sets."""
        samples, tariff = problem.samples, problem.features.tariff
        assert tariff is not None
        if tariff.smooth:  # the last steps of Newton's method solve the same equations
            return None
        d = problem.features.d
        alive = np.flatnonzero(x[:d])
        rows = samples.between(dual)
        m, q = samples.size(rows), len(alive) + int(problem.features.intercept)
        slope, own, between = tariff.model(x[:d], alive)
        flat = not np.any(own) and between is None
        if (
            m == 0
            or not m + q <= (_LARGEST if flat else _LARGEST_CURVED)
            or (flat and abs(m - q) > _SLACK * q + _FEW)
        ):
            return None
        tried = alive.tobytes() + np.packbits(rows).tobytes()
        if tried == self._tried:
            return None
        self._tried = tried
        kept = problem.features.places(alive)
        part = samples.part(alive, rows)
        near = part.backward(samples.dual_of_part(dual, rows))
        rise = samples.backward(dual).g[kept] - near.g
        rise[: len(alive)] += slope
        bend = None
        if not flat:
            bend = np.zeros((q, q))
            bend[: len(alive), : len(alive)] = np.diag(own) if between is None else np.diag(own) + between
        found = part.pinned(near, x[kept], rise, bend)
        if found is None or np.any(np.sign(found[0][: len(alive)]) != np.sign(x[alive])):
            return None
        polished = np.zeros_like(x)
        polished[kept] = found[0]
        return polished, samples.merged(dual, rows, found[1])
