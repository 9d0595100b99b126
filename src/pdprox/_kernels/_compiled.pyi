# What the extension module exports; its arguments have been checked by the package around it.

import numpy as np

from pdprox._kernels.specification import CSR, Columns, Groups, Halpern
from pdprox.typing import Array, Floats

#: those this machine can run, best first
instruction_sets: tuple[str, ...]
#: whether it uses threads
openmp: bool

def sweep(
    X: Array | CSR,
    w: Floats,
    b: float,
    alpha: Floats,
    y: Floats,
    c: Floats,
    kinks: Floats,
    slopes: Floats,
    smoothing: float,
    margin: bool,
    step: float | Floats,
    out: Floats,
    halpern: Halpern | tuple[()],
    g: Floats,
    /,
) -> tuple[float, float]: ...
def forward(X: Array | CSR, w: Floats, b: float, z: Floats, /) -> None: ...
def descend(
    Q: Floats,
    single: Floats,
    ridge: Floats,
    groups: Groups | tuple[()],
    w: Floats,
    g: Floats,
    sweeps: int,
    goal: float,
    /,
) -> tuple[float, float]: ...
def descend_columns(
    A: Columns,
    own: Floats,
    bias: Floats,
    q: Floats,
    single: Floats,
    ridge: Floats,
    w: Floats,
    r: Floats,
    t: float,
    sweeps: int,
    goal: float,
    /,
) -> tuple[float, float, float]: ...
def use(name: str, /) -> None: ...
def backward(X: Array | CSR, theta: Floats, g: Floats, /) -> None: ...
def augmented(
    z: Floats,
    y: Floats,
    alpha: Floats,
    c: Floats,
    kinks: Floats,
    slopes: Floats,
    smoothing: float,
    margin: bool,
    step: float,
    out: Floats,
    theta: Floats,
    weights: Floats,
    /,
) -> float: ...
def along(
    z: Floats,
    dz: Floats,
    y: Floats,
    alpha: Floats,
    c: Floats,
    kinks: Floats,
    slopes: Floats,
    smoothing: float,
    margin: bool,
    step: float,
    length: float,
    /,
) -> tuple[float, float]: ...
def curvature(
    X: Array | CSR, h: Floats, columns: np.ndarray | None, H: Floats, mixed: Floats, /
) -> float: ...
def room(
    z: Floats,
    y: Floats,
    alpha: Floats,
    kinks: Floats,
    slopes: Floats,
    smoothing: float,
    margin: bool,
    out: Floats,
    /,
) -> int: ...
def epochs(
    X: Array | CSR,
    y: Floats,
    c: Floats,
    kinks: Floats,
    slopes: Floats,
    smoothing: float,
    margin: bool,
    inverse: Floats,
    single: Floats | None,
    squares: Floats,
    alpha: Floats,
    v: Floats,
    w: Floats,
    order: np.ndarray,
    active: int,
    least: float,
    most: float,
    seed: int,
    visits: int,
    goal: float,
    /,
) -> tuple[int, float, float, int, float, int, int, int, int]: ...
def pairs_push(state: Floats, tau: float, both: float, /) -> None: ...
def pairs_follow(state: Floats, /) -> tuple[float, float]: ...
def pairs_ahead(state: Floats, primal: float, dual: float, /) -> float: ...
def pairs_move(state: Floats, primal: float, dual: float, /) -> None: ...
