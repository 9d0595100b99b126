"""Threads of the linear algebra library, which small systems must not wait for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[object]:
    """Within this context BLAS uses the calling thread alone.

    Systems of some hundred unknowns gain little from more threads, and where another process keeps one of the
    cores busy BLAS waits for it: 30 milliseconds instead of 2 were measured.
    """
    limit: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    """Looking for the libraries takes a millisecond, so it is done once."""
    return ThreadpoolController()
