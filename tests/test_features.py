"""lam R on a set: its prox and its conjugate belong together, for every pair that is allowed."""

import itertools

import numpy as np
import pytest

from pdprox import penalties, sets
from pdprox.features import term

PENALTIES = [
    penalties.L1(),
    penalties.L1([1.0, 2.0, 0.0, 0.5]),
    penalties.L2(),
    penalties.LInf(),
    penalties.SquaredL2(),
    penalties.ElasticNet(0.4),
    penalties.ElasticNet(1.0),
    penalties.GroupLasso([0, 1, 1, 0]),
    penalties.ExclusiveLasso([0, 1, 1, 0]),
]
SETS = [
    None,
    sets.WholeSpace(),
    sets.NonNegative(),
    sets.Box(0.0, np.inf),
    sets.Box(-np.inf, [0.5, np.inf, 0.0, 1.0]),
    sets.Box(-1.0, 0.5),
    sets.LInfBall(0.7),
    sets.L1Ball(1.5),
    sets.L2Ball(1.5),
    sets.Simplex(2.0),
]


def allowed():
    for penalty, domain, lam in itertools.product(PENALTIES, SETS, (0.3, 0.0)):
        try:
            yield term(penalty, lam, domain)
        except ValueError as error:
            if "no exact prox" not in str(error):
                raise


TERMS = list(allowed())


def name(found):
    return f"{found.penalty}-{found.domain}-{found.lam}"[:70]


def test_most_pairs_are_allowed():
    assert len(TERMS) > 80


@pytest.mark.parametrize("found", TERMS, ids=name)
def test_conjugate_is_no_smaller_than_any_member_says(found):
    """Fenchel and Young: <u, w> - lam R(w) <= conjugate(u), for w in the set."""
    rng = np.random.default_rng(0)
    inside = found.domain.project if found.domain is not None else np.copy
    for size in (0.1, 1.0, 100.0):
        u = rng.normal(size=4)
        for w in inside(size * rng.normal(size=4)), inside(1e6 * u):
            assert float(u @ w) - found.value(w) <= found.conjugate(u) + 1e-9 * (1 + np.abs(w).max())


@pytest.mark.parametrize("found", TERMS, ids=name)
def test_prox_and_conjugate_agree(found):
    """Equality holds at p = prox(v) for the slope (v - p) / step."""
    rng = np.random.default_rng(1)
    for step, size in itertools.product((0.2, 3.0), (0.5, 5.0)):
        v = size * rng.normal(size=4)
        p = found.prox(v, step)
        u = (v - p) / step
        u *= min(1.0, found.limit(u))  # rounding may leave it an ulp outside
        assert found.domain is None or found.domain.contains(p, 1e-12)
        assert float(u @ p) - found.value(p) == pytest.approx(found.conjugate(u), abs=1e-9)
