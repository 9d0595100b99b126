"""Threads of the linear algebra library, which small systems must not wait for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache

from threadpoolctl import ThreadpoolController

#: systems of this many unknowns are worth all threads
_MANY = 1000
#: how many threads there were outside ``one_blas_thread``
_allowed: ContextVar[int] = ContextVar("allowed", default=1)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this context BLAS uses the calling thread alone.

    Systems of some hundred unknowns gain little from more threads, and where another process keeps one of the
    cores busy BLAS waits for it: 30 milliseconds instead of 2 were measured.
    """
    blas = [library.num_threads for library in _controller().lib_controllers if library.user_api == "blas"]
    token = _allowed.set(max(blas, default=1))
    try:
        with _limit(1):
            yield
    finally:
        _allowed.reset(token)


def threads_for(unknowns: int) -> AbstractContextManager[object]:
    """Within ``one_blas_thread``: all threads that were allowed outside it, for a system that is worth them."""
    return _limit(_allowed.get()) if unknowns >= _MANY and _allowed.get() > 1 else nullcontext()


def _limit(threads: int) -> AbstractContextManager[object]:
    limit: AbstractContextManager[object] = _controller().limit(limits=threads, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    """Looking for the libraries takes a millisecond, so it is done once."""
    return ThreadpoolController()
