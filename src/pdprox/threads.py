"""Threads of the linear algebra library, which small systems must not wait for."""

from __future__ import annotations

from contextlib import AbstractContextManager

import scipy.linalg  # noqa: F401 - brings the library along that is to be limited
from threadpoolctl import ThreadpoolController

#: looking for them takes some milliseconds, which the first fit must not pay
_LIBRARIES = ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[object]:
    """Within this context BLAS uses the calling thread alone.

    Systems of some hundred unknowns gain little from more threads, and where another process keeps one of the
    cores busy BLAS waits for it: 30 milliseconds instead of 2 were measured.
    """
    limit: AbstractContextManager[object] = _LIBRARIES.limit(limits=1, user_api="blas")
    return limit
