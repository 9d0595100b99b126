"""Random problems, each a pure function of one integer: friendly ones, and what real data does to a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import oracle
import scipy.sparse as sp

import pdprox
from pdprox import losses, penalties


@dataclass(frozen=True)
class RandomProblem:
    """What was drawn: the data as stored, and everything else that makes the problem."""

    seed: int
    kind: str
    X: Any
    y: np.ndarray
    loss: Any
    penalty: Any
    lam: float
    intercept: bool
    weights: np.ndarray | None

    @property
    def problem(self):
        """The problem, as a user makes it."""
        return pdprox.Problem(self.X, self.y, self.loss, self.penalty, self.lam, self.intercept, self.weights)

    @property
    def told(self):
        """The same for the oracle: plain float64, by the names of its arguments."""
        dense = self.X.toarray() if sp.issparse(self.X) else self.X
        return {
            "X": np.array(dense, np.float64), "y": self.y, "loss": self.loss, "penalty": self.penalty,
            "lam": self.lam, "intercept": self.intercept, "weights": self.weights,
        }  # fmt: skip

    def __str__(self):
        n, d = self.X.shape
        stored = f"{type(self.X).__name__} {self.X.dtype}"
        weights = "no weights" if self.weights is None else f"{np.count_nonzero(self.weights == 0)} weights 0"
        return (
            f"seed {self.seed}: {n} x {d} {self.kind} ({stored}), {self.loss}, {self.penalty}, "
            f"lam {self.lam:.4g}, intercept {self.intercept}, {weights}"
        )


def draw(seed):
    """The problem of this seed."""
    rng = np.random.default_rng([20150607, seed])
    n, d = log_uniform_integer(rng, 3, 200), log_uniform_integer(rng, 1, 60)
    kind = str(rng.choice(list(KINDS)))
    dense = KINDS[kind](rng, n, d)
    loss = draw_loss(rng)
    y = draw_labels(rng, dense) if loss.reads == "margin" else draw_targets(rng, dense)
    penalty = draw_penalty(rng, d)
    X = STORED[str(rng.choice(list(STORED)))](rng, dense)
    intercept, weights = bool(rng.random() < 0.7), draw_weights(rng, n)
    unscaled = RandomProblem(seed, kind, X, y, loss, penalty, 1.0, intercept, weights)
    return RandomProblem(seed, kind, X, y, loss, penalty, draw_lam(rng, unscaled), intercept, weights)


def log_uniform_integer(rng, low, high):
    return int(np.exp(rng.uniform(np.log(low), np.log(high + 1))))


# -- data ------------------------------------------------------------------------------------------------


def gaussian(rng, n, d):
    return rng.normal(size=(n, d))


def far_from_zero(rng, n, d):
    return rng.normal(size=(n, d)) + 10.0 ** rng.uniform(0, 4, d)


def correlated(rng, n, d):
    return rng.normal(size=(n, 1)) + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=(n, d))


def duplicate_rows(rng, n, d):
    return rng.normal(size=(n, d))[rng.integers(0, max(1, n // 3), n)]


def duplicate_columns(rng, n, d):
    return rng.normal(size=(n, d))[:, rng.integers(0, max(1, d // 2), d)]


def one_hot(rng, n, d):
    """Blocks of up to six columns, in each of which every row has a single 1."""
    blocks = []
    while sum(block.shape[1] for block in blocks) < d:
        levels = int(rng.integers(1, 7))
        blocks.append(np.eye(levels)[rng.integers(0, levels, n)])
    return np.hstack(blocks)[:, :d]


def some_constant(rng, n, d):
    X = rng.normal(size=(n, d))
    X[:, rng.random(d) < 0.4] = rng.normal()
    return X


def some_zero(rng, n, d):
    return rng.normal(size=(n, d)) * (rng.random(d) < 0.6)


def small_integers(rng, n, d):
    return rng.integers(-3, 4, size=(n, d)).astype(float)


def unscaled(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-6, 6, d)


def mostly_zero(rng, n, d):
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.uniform(0.02, 0.4))


KINDS = {
    made.__name__: made
    for made in (
        gaussian, far_from_zero, correlated, duplicate_rows, duplicate_columns, one_hot, some_constant, some_zero,
        small_integers, unscaled, mostly_zero,
    )
}  # fmt: skip


def wide_indices(rng, X):
    """CSR with int64 indices, which scipy narrows unless it is told last."""
    csr = sp.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def whole_numbers(rng, X):
    return X.astype(np.int64) if np.array_equal(X, np.round(X)) else X


STORED = {
    "C": lambda rng, X: np.ascontiguousarray(X),
    "Fortran": lambda rng, X: np.asfortranarray(X),
    "strided": lambda rng, X: np.repeat(X, 2, axis=1)[:, ::2],
    "float32": lambda rng, X: X.astype(np.float32),
    "float32 Fortran": lambda rng, X: np.asfortranarray(X, dtype=np.float32),
    "whole": whole_numbers,
    "csr_array": lambda rng, X: sp.csr_array(X),
    "csr_matrix": lambda rng, X: sp.csr_matrix(X),
    "csr int64": wide_indices,
    "csr float32": lambda rng, X: sp.csr_array(X.astype(np.float32)),
    "csc": lambda rng, X: sp.csc_array(X),
}


# -- what is predicted -------------------------------------------------------------------------------------


def signal(rng, X):
    """Predictions of about size 1, of a few columns."""
    size = np.sqrt(np.mean(np.square(X), axis=0))
    truth = rng.normal(size=X.shape[1]) * (rng.random(X.shape[1]) < 0.5)
    return X @ np.divide(truth, size, out=np.zeros_like(size), where=size > 0) + rng.normal()


def draw_labels(rng, X):
    """-1 and 1 with up to 40 % of them wrong; sometimes one class only."""
    if rng.random() < 0.06:
        return np.full(len(X), rng.choice([-1.0, 1.0]))
    wrong = rng.random(len(X)) < rng.choice([0.0, 0.1, 0.4])
    return np.where((signal(rng, X) > 0) ^ wrong, 1.0, -1.0)


def draw_targets(rng, X):
    """A signal with no, normal or heavy noise, rounded, constant or far from 0 at times, in any unit."""
    noise = str(rng.choice(["none", "normal", "normal", "heavy", "ties", "constant", "far"]))
    y = signal(rng, X)
    if noise == "constant":
        y[:] = rng.normal()
    elif noise != "none":
        y += 0.5 * (rng.standard_cauchy(len(X)) if noise == "heavy" else rng.normal(size=len(X)))
    if noise == "far":
        y += 10.0 ** rng.uniform(1, 7)
    return (np.round(y) if noise == "ties" else y) * rng.choice([1.0, 1.0, 1.0, 1e-3, 1e4])


def draw_weights(rng, n):
    """None, random ones, or integers of which some are 0."""
    choice = rng.choice(3)
    if choice == 0:
        return None
    if choice == 1:
        return rng.exponential(size=n)
    weights = rng.integers(0, 4, size=n).astype(float)
    weights[rng.integers(n)] = 1.0
    return weights


# -- losses, penalties, lam --------------------------------------------------------------------------------


def draw_loss(rng):
    """A specimen of any loss, or a broken line with up to four kinks."""
    if rng.random() < 0.15:
        return draw_broken_line(rng)
    specimens = losses.ALL[rng.integers(len(losses.ALL))].specimens()
    return specimens[rng.integers(len(specimens))]


def draw_broken_line(rng):
    count = int(rng.integers(1, 5))
    kinks = np.cumsum(rng.uniform(0.05, 1.5, count)) - 1.5
    slopes = np.cumsum(rng.uniform(0.05, 2.0, count + 1))
    slopes -= slopes[rng.integers(count + 1)] if rng.random() < 0.5 else rng.uniform(slopes[0], slopes[-1])
    reads = str(rng.choice(["margin", "residual"]))
    return losses.BrokenLine(tuple(kinks), tuple(slopes), reads)


def draw_groups(rng, d):
    return rng.integers(0, rng.integers(1, d + 1), d)


def draw_group_weights(rng, labels):
    """One for each group, 0 at times; or what a word stands for."""
    choice = rng.choice(3)
    if choice < 2:
        return "sqrt" if choice else None
    count = len(np.unique(labels))
    return rng.uniform(0.2, 3.0, count) * (rng.random(count) < 0.85)


def draw_l1(rng, d):
    if rng.random() < 0.5:
        return penalties.L1()
    return penalties.L1(10.0 ** rng.uniform(-2, 2, d) * (rng.random(d) < 0.9))


def draw_share(rng):
    return float(rng.choice([0.0, 0.05, 0.5, 0.95, 1.0]))


def draw_row_norm(rng):
    return (penalties.L1(), penalties.L2(), penalties.LInf())[rng.integers(3)]


def draw_group_lasso(rng, d):
    labels = draw_groups(rng, d)
    return oracle.grouped(penalties.GroupLasso, labels, draw_group_weights(rng, labels))


def draw_per_group(rng, d, kind=penalties.PerGroup):
    labels, inner = draw_groups(rng, d), draw_row_norm(rng)
    weights = draw_group_weights(rng, labels)
    return oracle.grouped(lambda groups: kind(inner, groups, weights), labels)


def draw_norm(rng, d):
    choices = (draw_l1, draw_group_lasso, draw_per_group, lambda rng, d: draw_row_norm(rng))
    return choices[rng.integers(len(choices))](rng, d)


def draw_shape(rng):
    return (
        penalties.Power(float(rng.choice([1.2, 1.5, 2.0, 3.0, 4.0]))),
        penalties.Excess(float(10.0 ** rng.uniform(-2, 1))),
    )[rng.integers(2)]


#: how to draw each penalty of d coefficients
PENALTIES = {
    penalties.L1: draw_l1,
    penalties.L2: lambda rng, d: penalties.L2(),
    penalties.LInf: lambda rng, d: penalties.LInf(),
    penalties.SquaredL2: lambda rng, d: penalties.SquaredL2(),
    penalties.ElasticNet: lambda rng, d: penalties.ElasticNet(draw_share(rng)),
    penalties.GroupLasso: draw_group_lasso,
    penalties.SparseGroupLasso: lambda rng, d: oracle.grouped(
        penalties.SparseGroupLasso, draw_groups(rng, d), draw_share(rng)
    ),
    penalties.ExclusiveLasso: lambda rng, d: oracle.grouped(penalties.ExclusiveLasso, draw_groups(rng, d)),
    penalties.SquaredSumOfNorms: lambda rng, d: oracle.grouped(
        penalties.SquaredSumOfNorms, draw_groups(rng, d)
    ),
    penalties.PerGroup: draw_per_group,
    penalties.SquaredPerGroup: lambda rng, d: draw_per_group(rng, d, penalties.SquaredPerGroup),
    penalties.Squared: lambda rng, d: penalties.Squared(draw_norm(rng, d)),
    penalties.Shaped: lambda rng, d: penalties.Shaped(draw_shape(rng), draw_norm(rng, d)),
    penalties.L21: lambda rng, d: penalties.L21(),
    penalties.L1Inf: lambda rng, d: penalties.L1Inf(),
    penalties.TraceNorm: lambda rng, d: penalties.TraceNorm(),
    penalties.OnSingularValues: lambda rng, d: penalties.OnSingularValues(draw_row_norm(rng)),
}


def draw_penalty(rng, d):
    """Any penalty; those that are made for matrices more rarely."""
    odds = np.array([0.25 if kind in penalties.MATRIX else 1.0 for kind in PENALTIES])
    kinds = list(PENALTIES)
    return PENALTIES[kinds[rng.choice(len(kinds), p=odds / odds.sum())]](rng, d)


def draw_lam(rng, drawn):
    """A share of the least lam that makes w vanish, or 1 / (n C) where there is none; 0, tiny or huge at times."""
    share, C, rare = 10.0 ** rng.uniform(-5, np.log10(2.0)), 10.0 ** rng.uniform(-2, 4), rng.random()
    top = pdprox.lam_max(drawn.problem) if drawn.problem.features.free is None else np.inf
    usual = share * top if 1e-12 < top < np.inf else 1.0 / (C * len(drawn.y))
    return float(usual * (0.0 if rare < 0.05 else 1e-7 if rare < 0.08 else 1e7 if rare < 0.11 else 1.0))
