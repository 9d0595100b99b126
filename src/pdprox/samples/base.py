"""The door between samples and features: coefficients go down, sums over samples come up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from pdprox.fingerprint import Mark
from pdprox.samples.coordinates import Coordinates
from pdprox.samples.interior import Interior
from pdprox.samples.model import Model
from pdprox.typing import Array, Floats


class Dual(Protocol):
    """Dual variables of all samples.  Opaque, but for the sums over samples that they stand for."""

    @property
    def g(self) -> Floats:
        """H alpha, in the shape of x: the gradient of the bilinear line with respect to x."""


class Augmented(Protocol):
    r"""The augmented losses at a point, with dual variables alpha to stay near, and a step sigma.

    .. math:: \psi_i(t) = \max_a\; a t - \ell^*(a) - \tfrac{1}{2\sigma}(a - \alpha_i)^2
    """

    @property
    def moved(self) -> float:
        """sum_i c_i (a_i - alpha_i)^2 for the maximising a."""


class Samples(ABC):
    r"""The data, the loss, the weights and the dual variables.

    The features side sends ``x``: the coefficients w and, with an intercept, b as one more row.  What
    comes back are sums over samples.  Everything as long as the data stays on this side, as opaque
    handles: *duals*, and *arguments* (of the losses).  One process, threads, an accelerator or a
    cluster are different classes behind this door.

    With weights s and c = s / sum(s) the bilinear line is
    :math:`\sum_i c_i\,(\alpha_i t_i(x) - \ell^*(\alpha_i))`; lengths of duals are measured by
    :math:`\sum_i c_i \|\alpha_i\|^2`, so that weight 2 is the row twice in every iterate.
    """

    #: shape of x: the coefficients and, with an intercept, one more row
    shape: tuple[int, ...]
    #: whether the last row of x is the intercept
    intercept: bool
    #: sum of the weights: the n of the paper
    total: float
    #: passes over the data so far: one forward and one backward product make a pass
    passes: float = 0.0
    #: cost of one audit, in passes: what the schedule of certificates goes by
    audit_cost: float = 4.0

    @abstractmethod
    def gram_cost(self, columns: int) -> float:
        """What a weighted Gram matrix of so many columns costs, vectors as long as the data included.

        In nanoseconds of a model machine: not a measurement, so that what is decided by it can be repeated.
        """

    @abstractmethod
    def product_cost(self) -> float:
        """What a product with X costs, likewise."""

    @abstractmethod
    def marks(self) -> dict[str, Mark]:
        """The marks of what ``Problem`` calls X, y, sample_weight and dual_set; they cost a few reads of the data."""

    # -- the iteration ------------------------------------------------------------------------------------

    @abstractmethod
    def dual(self, alpha: Array | None = None) -> Dual:
        """Dual variables from an array, one slope for each sample; all zero without."""

    @abstractmethod
    def warm(self, slopes: Floats) -> Dual:
        """Dual variables that stand for these slopes, as nearly as bounds allow."""

    @abstractmethod
    def forward(self, x: Floats) -> Any:
        """Where the losses are evaluated: margins or residuals, as an opaque handle."""

    @abstractmethod
    def ascend(self, dual: Dual, arguments: Any, step: Any) -> Dual:
        """Proximal ascent on every dual variable, without its sums; ``step`` is a number or ``row_steps``."""

    @abstractmethod
    def backward(self, dual: Dual) -> Dual:
        """The same dual variables with their sums over samples, computed afresh."""

    @abstractmethod
    def sweep(self, dual: Dual, x: Floats, step: Any) -> Dual:
        """``backward(ascend(dual, forward(x), step))``, in one read of the data where that is possible."""

    @abstractmethod
    def reflect(
        self, dual: Dual, anchor: Dual, x: Floats, step: float, pull: float
    ) -> tuple[Dual, Dual, float]:
        """A sweep, and the reflected Halpern point made of it.

        Returns T = ``sweep(dual, x, step)``; ``(1 - pull) (2 T - dual) + pull anchor``; and the squared
        length of T - dual.
        """

    @abstractmethod
    def extrapolate(self, dual: Dual, now: Any, before: Any, step: float) -> Dual:
        """Dual variables moved by ``step`` times a difference of arguments, unprojected and without sums."""

    @abstractmethod
    def combine(self, factors: tuple[float, ...], duals: tuple[Dual, ...]) -> Dual:
        """A linear combination of duals, sums included."""

    @abstractmethod
    def distance(self, one: Dual, other: Dual) -> float:
        """The length of the difference of two duals."""

    # -- what step sizes need -----------------------------------------------------------------------------

    @abstractmethod
    def gram(self, x: Floats) -> Floats:
        """X' C X x, for power iterations."""

    @abstractmethod
    def coupling(self, side: str) -> float:
        """The factor by which the dual form multiplies the squared norm of H: 1 for one alpha a sample."""

    @abstractmethod
    def radius(self) -> float:
        """The largest length of a row, the intercept's 1 included."""

    @abstractmethod
    def row_steps(self, scale: float) -> Any:
        """Dual steps ``scale / sum_j |x_ij|``, one a sample, as an opaque handle (Pock and Chambolle)."""

    @abstractmethod
    def column_sums(self) -> Floats:
        """sum_i c_i |x_ij|, in the shape of one column of x."""

    @abstractmethod
    def spread(self) -> float:
        """The typical size of the loss's argument at x = 0: it sets the first balance of the steps."""

    @abstractmethod
    def centred(self) -> tuple[Samples, Floats]:
        """The same samples with every column's mean taken off, implicitly, and these means."""

    # -- what certificates need ---------------------------------------------------------------------------

    @abstractmethod
    def loss(self, x: Floats, improve: bool) -> tuple[float, Floats]:
        """The weighted mean loss at x, after making the intercept the best one if asked; and that x."""

    @abstractmethod
    def guess(self, x: Floats, scale: float) -> Dual:
        """Slopes of the losses at x, their kinks rounded off over a width ``scale``."""

    @abstractmethod
    def settled(self, x: Floats) -> Dual:
        """Slopes of the losses at x; samples at a kink share equally what the intercept's sum lacks."""

    @abstractmethod
    def feasible(self, dual: Dual, free: Floats | None) -> Dual:
        """The nearest plain slopes within all bounds, with sums 0 for the intercept and where ``free`` is 1."""

    @abstractmethod
    def scaled(self, dual: Dual, scale: float) -> Dual:
        """A feasible dual times a number."""

    @abstractmethod
    def scale_limit(self, dual: Dual) -> float:
        """The largest number by which a feasible dual may be multiplied."""

    @abstractmethod
    def line(self, dual: Dual, scale: float = 1.0) -> float:
        """The bilinear line at x = 0 for ``scale`` times a feasible dual."""

    @abstractmethod
    def slopes(self, dual: Dual) -> Floats:
        """A copy of the dual as an array: one slope for each sample (and target)."""

    # -- what Newton's method needs; only where ``curved`` says so ----------------------------------------

    @property
    @abstractmethod
    def curved(self) -> bool:
        """Whether augmented losses and their curvature are to be had."""

    @abstractmethod
    def predict(self, x: Floats) -> Any:
        """X w + b, as an opaque handle."""

    @abstractmethod
    def advance(self, predictions: Any, change: Any, length: float) -> Any:
        """``predictions + length * change``."""

    @abstractmethod
    def augmented(self, dual: Dual, predictions: Any, step: float) -> Augmented:
        """The augmented losses around a dual."""

    @abstractmethod
    def along(
        self, dual: Dual, predictions: Any, change: Any, step: float, length: float
    ) -> tuple[float, float]:
        """First and second derivative of the augmented losses along a change of the predictions."""

    @abstractmethod
    def gradient(self, augmented: Augmented) -> Floats:
        """The gradient of the augmented losses with respect to x."""

    @abstractmethod
    def model(
        self,
        augmented: Augmented,
        columns: np.ndarray | None,
        slope: Floats,
        w: Floats,
        own: Floats,
        whole: bool,
    ) -> Model:
        """The augmented losses to second order in these coefficients (None: all) and the intercept.

        ``slope`` is the gradient at the coefficients w and ``own`` is added to the diagonal of the generalised
        Hessian, both with an entry for the intercept at the end; ``whole``: all of the matrix will be needed.
        """

    @abstractmethod
    def curve(self, augmented: Augmented, x: Floats) -> Floats:
        """That Hessian times x."""

    @abstractmethod
    def ascended(self, augmented: Augmented) -> Dual:
        """The maximising dual variables, without their sums."""

    @abstractmethod
    def column_squares(self) -> Floats:
        """sum_i c_i (x_ij - mean_j)^2 for each coefficient; without an intercept the means count as 0."""

    # -- what interior point methods need; only where ``interior_points`` says so ------------------------

    @property
    @abstractmethod
    def interior_points(self) -> bool:
        """Whether interior points are to be had: one target, a loss that is a broken line with finite slopes."""

    @abstractmethod
    def interior(self, x: Floats, tau: float) -> Interior:
        """The interior point at x with the dual variables in the middle of their bounds."""

    # -- what steps on single dual variables need; only where ``coordinated`` says so ---------------------

    @property
    @abstractmethod
    def coordinated(self) -> bool:
        """Whether single dual variables can be moved: one target, a broken line, columns that are stored."""

    @abstractmethod
    def coordinates(
        self, dual: Dual, centre: Floats, single: Floats, ridge: Floats, near: Floats
    ) -> Coordinates:
        """Single dual variables, for these charges of coefficients and this strength of the centre's pull.

        ``near`` has an entry for the intercept, and is positive there and wherever ``ridge`` is not.
        """

    @abstractmethod
    def row_length(self) -> float:
        """The mean of the squared lengths of rows, the intercept's 1 left out."""

    # -- parts of the data --------------------------------------------------------------------------------

    @abstractmethod
    def unsettled(self, dual: Dual, predictions: Any) -> int:
        """How many samples have a slope between two of the loss's, or one that does not fit their argument."""

    @abstractmethod
    def in_play(self, dual: Dual, predictions: Any, count: int) -> Any:
        """Which samples are unsettled or the ``count`` nearest to a kink, as an opaque handle."""

    @abstractmethod
    def between(self, dual: Dual) -> Any:
        """Which samples have a slope strictly between two of the loss's, as a handle like that of ``in_play``."""

    @abstractmethod
    def pinned(self, dual: Dual, x: Floats, rise: Floats, bend: Floats | None) -> tuple[Floats, Dual] | None:
        r"""The point at which every sample sits on its kink and the gradient vanishes, within the same kinks.

        All slopes of the dual lie between two of the loss's.  ``rise`` is the gradient at x of all that is not
        these samples, ``bend`` its Hessian (None: zero).  None if no single point does.
        """

    @abstractmethod
    def weighty(self) -> Any:
        """Which samples have a weight, as a handle like that of ``in_play``; None for all."""

    @abstractmethod
    def size(self, rows: Any) -> int:
        """How many samples a handle from ``in_play`` stands for; of all samples for None."""

    @abstractmethod
    def part(self, columns: Any, rows: Any) -> Samples:
        """Some columns (an index array; None: all) of some samples (from ``in_play``; None: all).

        Weights c stay what they are, so the losses of the parts of a partition sum to the whole.
        """

    @abstractmethod
    def view(self) -> Samples:
        """The same samples, with a memory of their own for what one run finds out and uses again."""

    @abstractmethod
    def draw(self, count: int, seed: int) -> Samples:
        """A random part of the samples that stands for all: weights c sum to 1 again."""

    @abstractmethod
    def dual_of_part(self, dual: Dual, rows: Any) -> Dual:
        """The dual variables of a part's samples, without sums."""

    @abstractmethod
    def merged(self, dual: Dual, rows: Any, part: Dual) -> Dual:
        """The dual with the part's samples replaced, without sums."""

    @abstractmethod
    def middle(self) -> Dual:
        """Dual variables in the middle of their bounds: where a sample that is not known yet may start."""

    @abstractmethod
    def typical_step(self, x: Floats) -> float:
        """A dual step that takes a typical sample at x from one slope of its loss to the next."""
