"""Laws as functions: for the tests, and for losses, penalties and sets of your own."""

from __future__ import annotations

from pdprox.checks.losses import check_loss
from pdprox.checks.penalties import check_penalty
from pdprox.checks.samples import check_samples
from pdprox.checks.sets import check_set

__all__ = ["check_loss", "check_penalty", "check_samples", "check_set"]
