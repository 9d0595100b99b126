"""The kernels' own threads: callers in parallel, forked children, and any number of threads agree."""

import multiprocessing
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pdprox
from pdprox import _kernels as kernels
from pdprox.losses import Hinge

N, D = 3000, 60


def inputs(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    return X, rng.normal(size=D), rng.uniform(-1, 0, size=N), np.sign(rng.normal(size=N)), np.full(N, 1 / N)


def sums(seed):
    X, w, alpha, y, c = inputs(seed)
    out = np.empty(N)
    g, gb, moved = kernels.sweep(X, w, 0.1, alpha, y, c, Hinge().broken_line, 0.3, out)
    return np.concatenate([g, [gb, moved], out])


def test_callers_in_parallel_do_not_disturb_each_other():
    def limits():
        return threadpool_limits(2)  # OpenMP keeps the number of threads for each calling thread

    with limits():
        alone = [sums(seed) for seed in range(8)]
    with ThreadPoolExecutor(4, initializer=limits) as callers:
        for _ in range(30):
            together = list(callers.map(sums, range(8)))
            for one, other in zip(alone, together, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork to survive")
def test_a_forked_child_has_threads_of_its_own():
    with threadpool_limits(2), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of any fork beside threads
        expected = sums(1)
        with multiprocessing.get_context("fork").Pool(2) as children:
            for result in children.map(sums, [1] * 6):
                np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_many_calls_with_any_number_of_threads(threads):
    """Helpers asleep, awake or late: the bits are the same every time."""
    with threadpool_limits(1):
        reference = sums(2)
    with threadpool_limits(threads):
        first = sums(2)
        np.testing.assert_allclose(first, reference, rtol=1e-10, atol=1e-13)
        for _ in range(200):
            np.testing.assert_array_equal(sums(2), first)


def test_predictions_are_those_of_the_asking_thread(monkeypatch):
    """Problems for several lam share their samples; here the other thread comes just after the comparison."""
    rng = np.random.default_rng(0)
    samples = pdprox.Problem(rng.normal(size=(9, 3)), np.ones(9), lam=0.1).samples
    mine, other = rng.normal(size=(2, *samples.shape))
    expected = samples.forward(mine)
    theirs = other, samples.forward(other)
    samples.forward(mine)
    equal = np.array_equal

    def interrupted(a, b):
        found = equal(a, b)
        samples._last = theirs
        return found

    monkeypatch.setattr(np, "array_equal", interrupted)
    found = samples.forward(mine)
    monkeypatch.undo()
    np.testing.assert_array_equal(found, expected)
