"""Interior points: Mehrotra's steps, with barriers for what penalties charge."""

from __future__ import annotations

from pdprox.methods.interior.method import PdproxInterior
from pdprox.methods.interior.round import Round

__all__ = ["PdproxInterior", "Round"]
