"""Pictures of solutions, in the manner of scikit-learn's displays.

The constructor stores what is drawn, ``from_...`` computes it and draws, ``plot`` draws again.  Needs matplotlib
(the extra ``plot``) as soon as something is drawn.
"""

from __future__ import annotations

from pdprox.displays.convergence import Against, ConvergenceDisplay, What
from pdprox.displays.path import PathDisplay
from pdprox.displays.quantiles import QuantileFanDisplay
from pdprox.displays.support import SupportDisplay
from pdprox.displays.validation import ValidationDisplay

__all__ = [
    "Against",
    "ConvergenceDisplay",
    "PathDisplay",
    "QuantileFanDisplay",
    "SupportDisplay",
    "ValidationDisplay",
    "What",
]
