"""Three small sets that come with the package."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pdprox.datasets.dataset import Dataset, Listing

Codes = NDArray[np.uint8]

#: the attributes of Adult, and into how many indicators a9a codes each
ADULT = (
    ("age", 5), ("workclass", 8), ("fnlwgt", 5), ("education", 16), ("education-num", 5),
    ("marital-status", 7), ("occupation", 14), ("relationship", 6), ("race", 5), ("sex", 2),
    ("capital-gain", 2), ("capital-loss", 2), ("hours-per-week", 5), ("native-country", 41),
)  # fmt: skip
ADULT_NAMES = tuple(f"{name} {number}" for name, size in ADULT for number in range(1, size + 1))
ADULT_GROUPS = np.repeat(np.arange(len(ADULT)), [size for _, size in ADULT])

_ADULT = Listing(
    "adult",
    "load_adult()",
    (32561, 123),
    "Adult (census income), coded as a9a. UCI Machine Learning Repository; CC BY 4.0.",
    "CC BY 4.0",
    "UCI Machine Learning Repository, in the coding of the LIBSVM data collection",
    "package",
)
_SPLICE_JUNCTION = Listing(
    "splice-junction",
    "load_splice_junction()",
    (3186, 180),
    "Primate splice junctions (Statlog DNA). UCI Machine Learning Repository; CC BY 4.0.",
    "CC BY 4.0",
    "UCI Machine Learning Repository",
    "package",
)
_ENGEL = Listing(
    "engel",
    "load_engel()",
    (235, 1),
    "Engel's food expenditure data (Koenker and Bassett 1982). Public domain.",
    "public domain",
    "Koenker and Bassett (1982), after Engel (1857)",
    "package",
)
SHIPPED = (_ADULT, _SPLICE_JUNCTION, _ENGEL)


def load_adult() -> Dataset:
    """Adult (census income), known as a9a: who earns more than 50,000 dollars a year.

    32561 rows; 14 attributes, the continuous ones cut into quantiles, as 123 indicator columns in
    compressed sparse rows.  Labels are 1 (more; 24 % of the rows) and -1.  Source: UCI Machine Learning
    Repository, in the coding of the LIBSVM data collection; CC BY 4.0.

    Returns
    -------
    Dataset
        The groups are the attributes.
    """
    stored = _stored("adult")
    codes: Codes = stored["codes"]
    y = np.unpackbits(stored["positive"], count=len(codes))
    return Dataset(
        indicators(codes, [size for _, size in ADULT]),
        np.where(y == 1, 1.0, -1.0),
        ADULT_GROUPS.copy(),
        ADULT_NAMES,
        *_ADULT.told,
    )


def load_splice_junction() -> Dataset:
    """Primate splice junctions (Statlog DNA): which sequences have a junction in the middle.

    3186 windows of 60 positions, each position as the indicators of A, C and G (T has none), so that 180
    columns fall in 60 groups of 3.  Labels are 1 for either kind of junction (1532 rows) and -1 for none.
    Source: UCI Machine Learning Repository; CC BY 4.0.

    Returns
    -------
    Dataset
        X is dense; the groups are the positions.
    """
    stored = _stored("splice_junction")
    names = tuple(f"{letter} at {position}" for position in range(1, 61) for letter in "ACG")
    return Dataset(
        indicators(stored["codes"], np.full(60, 3)).toarray(),
        np.where(stored["classes"] > 0, 1.0, -1.0),
        np.repeat(np.arange(60), 3),
        names,
        *_SPLICE_JUNCTION.told,
    )


def load_engel() -> Dataset:
    """Engel's food expenditure data: the classic of quantile regression.

    Income (the one column of X) and food expenditure (y) of 235 Belgian households, in francs a year.
    Public domain.

    References
    ----------
    Koenker and Bassett (1982), Robust tests for heteroscedasticity based on regression quantiles,
    Econometrica 50.
    """
    stored = _stored("engel")
    return Dataset(
        np.array(stored["income"][:, None]),
        stored["expenditure"],
        np.zeros(1, dtype=np.intp),
        ("income",),
        *_ENGEL.told,
    )


def indicators(codes: Codes, sizes: Any) -> sp.csr_array:
    """Attributes as indicator columns: code k > 0 sets the k-th of the attribute's columns, 0 sets none."""
    first = np.cumsum(sizes) - sizes
    present = codes > 0
    columns = (first + codes.astype(np.int32) - 1)[present].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
    return sp.csr_array((np.ones(len(columns)), columns, starts), shape=(len(codes), int(np.sum(sizes))))


def _stored(name: str) -> dict[str, Any]:
    with (files("pdprox") / "data" / f"{name}.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)
