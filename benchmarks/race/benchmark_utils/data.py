"""What all data sets of the race do: choose lam, say what is missing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchopt import BaseDataset

import pdprox
from benchmark_utils.instance import Instance, penalty_of
from pdprox import losses

#: problems as ``loss-penalty-strength``; the strength is a share of lam_max, C for l2, lam for squares.
#: Names keep to what benchopt can read on its command line.
SPARSE_SVM = [f"hinge-l1-{share}" for share in (0.1, 0.01, 0.001)]
SVM = [f"hinge-l2-{C}" for C in (0.01, 1, 100)]
QUANTILES = [f"pinball{q}-l1-{share}" for q in (0.1, 0.5, 0.9) for share in (0.1, 0.01)]
ROBUST = [f"{loss}-l1-{share}" for loss in ("absolute", "epsilon") for share in (0.1, 0.01)]

SIZES = [
    f"{loss}-{penalty}-{strength}" for loss in ("hinge", "pinball0.5") for penalty in ("linf", "exclusive")
    for strength in (0.1, 0.01)
]  # fmt: skip

_PENALTIES = {
    "l1": "l1", "l2": "l2^2", "group": "group", "sparse_group": "sparse group", "square": "(sum)^2", "linf": "l_inf",
    "exclusive": "exclusive lasso",
}  # fmt: skip
#: penalties whose strength is lam itself: squares have no largest one
_BY_LAM = ("square", "exclusive")


class Data(BaseDataset):
    """A data set with the problems that are posed on it.

    Subclasses state ``title`` and ``parameters`` and load ``(X, y)`` or ``(X, y, groups)``.
    """

    title: str
    problem: str

    @abstractmethod
    def load(self) -> tuple[Any, ...]:
        """The data."""

    @property
    def instance_title(self) -> str:
        """The name of the instance everywhere, known before the data are loaded."""
        loss, penalty, strength = self.problem.split("-")
        told = loss.replace("pinball", "pinball ").replace("epsilon", "eps-insensitive")
        scale = "lam = {}" if penalty in _BY_LAM else {"l2": "C = {}"}.get(penalty, "{} lam_max")
        scale = scale.format(strength)
        return f"{self.title}, {told} + {_PENALTIES[penalty]}, {scale}"

    def get_data(self) -> dict[str, Any]:
        """The instance, or why there is none."""
        try:
            X, y, *groups = _loaded(self.title, self.load)
        except OSError as missing:  # neither in the folder nor to be downloaded; the message says which file
            return {"instance": None, "reason": str(missing)}
        return {"instance": self._pose(X, y, groups[0] if groups else None), "reason": None}

    def _pose(self, X: Any, y: np.ndarray, groups: np.ndarray | None) -> Instance:
        loss_name, penalty, strength = self.problem.split("-")
        loss = _loss(loss_name, y)
        if loss.reads == "margin":
            y = np.where(y > 0, 1.0, -1.0)
        intercept = penalty != "l2"
        if penalty == "l2":
            lam = 1.0 / (float(strength) * len(y))
        elif penalty in _BY_LAM:
            lam = float(strength)
        else:
            problem = pdprox.Problem(X, y, loss, penalty_of(penalty, groups), 1.0, intercept)
            lam = float(strength) * pdprox.lam_max(problem)
        return Instance(self.instance_title, X, y, loss, penalty, lam, intercept, groups)


def _loss(name: str, y: np.ndarray) -> losses.Loss:
    if name.startswith("pinball"):
        return losses.Pinball(float(name.removeprefix("pinball")))
    if name == "epsilon":
        return losses.EpsilonInsensitive(0.1 * float(np.std(y)))
    return {"hinge": losses.Hinge, "absolute": losses.Absolute}[name]()


_last: dict[str, tuple[Any, ...]] = {}


def _loaded(title: str, load: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The data; the problems on one data set follow each other, so that it is read once."""
    if title not in _last:
        _last.clear()
        _last[title] = load()
    return _last[title]


def csr(X: Any) -> sp.csr_array:
    """Compressed sparse rows with 32-bit indices, which every peer takes."""
    X = sp.csr_array(X, dtype=np.float64)
    X.sort_indices()
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=X.shape)


def unit_rows(X: Any) -> sp.csr_array:
    """Rows of length 1."""
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return csr(sp.diags_array(1.0 / np.maximum(lengths, 1e-300)) @ X)


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and standard deviation 1; constant columns become 0."""
    spread = X.std(axis=0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def gaussian(n: int, d: int, relevant: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """AR(1) columns with correlation 0.5, and a noisy response that some of them make."""
    rng = np.random.default_rng(seed)
    X = ar1(rng, n, d)
    w = np.zeros(d)
    w[rng.choice(d, relevant, replace=False)] = rng.standard_normal(relevant)
    return X, X @ w + rng.standard_normal(n)


def ar1(rng: np.random.Generator, n: int, d: int, rho: float = 0.5) -> np.ndarray:
    """Gaussian columns, each correlated with the one before."""
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X
