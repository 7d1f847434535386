"""Limits on the threads of libraries: any number of them at once, and nothing is left of them."""

import sys
from contextlib import contextmanager
from threading import Barrier, Event, Thread

import numpy as np
import pytest
from interrupting import Interruption
from threadpoolctl import threadpool_info, threadpool_limits

import latentmap.model.thread_limits
from latentmap.methods import LLLVM
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps


def threads(of="blas"):
    return {one["filepath"]: one["num_threads"] for one in threadpool_info() if one["user_api"] == of}


def blas():
    return set(threads().values())


@pytest.fixture(autouse=True)
def three():
    """More threads than one, whatever the machine, and other than a limit that is left over would leave."""
    # What another test has loaded since, such as torch, is not among those looked up before.
    latentmap.model.thread_limits._libraries.cache_clear()
    with threadpool_limits(3):
        assert blas() == {3}
        yield
        assert blas() == {3}
        assert set(threads("openmp").values()) == {3}


@contextmanager
def held(*limit):
    """A limit that another thread of Python holds."""
    entered, leave = Event(), Event()

    def hold():
        with limit_threads(*limit):
            entered.set()
            leave.wait(60)

    thread = Thread(target=hold)
    thread.start()
    assert entered.wait(60)
    try:
        yield
    finally:
        leave.set()
        thread.join(60)
    assert not thread.is_alive()


def test_one_is_taken_back():
    with limit_threads(1, "blas"):
        assert blas() == {1}
        assert set(threads("openmp").values()) == {3}


@pytest.mark.parametrize("first", [True, False])
def test_two_threads_hold_one_until_the_last_lets_go(first):
    other, own = held(1, "blas"), limit_threads(1, "blas")
    outer, inner = (own, other) if first else (other, own)
    outer.__enter__()
    inner.__enter__()
    # Not as they would end if they were nested.
    outer.__exit__(None, None, None)
    assert blas() == {1}
    inner.__exit__(None, None, None)
    assert blas() == {3}


def test_limits_of_different_kinds_are_nested():
    with limit_threads(2, "openmp"):
        assert (blas(), set(threads("openmp").values())) == ({3}, {2})
        with limit_threads(1):
            assert (blas(), set(threads("openmp").values())) == ({1}, {1})
            with limit_threads(2, "blas"):
                assert (blas(), set(threads("openmp").values())) == ({1}, {1})
        assert (blas(), set(threads("openmp").values())) == ({3}, {2})


def test_threads_of_openmp_are_limited_in_their_own_thread_alone():
    with held(1):
        assert blas() == {1}
        assert set(threads("openmp").values()) == {3}


def test_a_library_that_another_thread_limits_is_limited_too():
    entered, leave = Event(), Event()

    def hold():
        with threadpool_limits(2):
            entered.set()
            leave.wait(60)

    thread = Thread(target=hold)
    thread.start()
    assert entered.wait(60)
    try:
        with limit_threads(1, "blas"):
            assert blas() == {1}
    finally:
        leave.set()
        thread.join(60)


def test_many_threads_leave_nothing():
    start = Barrier(4)

    def work():
        start.wait(60)
        for _ in range(300):
            with limit_threads(1, "blas"), limit_threads(2, "openmp"):
                pass
            list(limit_threads_in_steps(iter(range(2))))

    many = [Thread(target=work) for _ in range(4)]
    for one in many:
        one.start()
    for one in many:
        one.join(60)


def test_steps_are_limited_and_the_time_between_them_is_not():
    def steps():
        for _ in range(2):
            yield blas()

    for inside in limit_threads_in_steps(steps()):
        assert inside == {1}
        assert blas() == {3}


def interrupted_after(n_lines, function):
    """Call a function and interrupt it after so many lines of the module; return whether that came, and the error."""
    tracing, interruption = sys.gettrace(), Interruption(n_lines, latentmap.model.thread_limits.__file__)
    sys.settrace(interruption)
    try:
        function()
    except KeyboardInterrupt as error:
        # As a notebook keeps it, which may be asked for its traceback later.
        return True, error
    finally:
        sys.settrace(tracing)
    return interruption.came, None


# Where the last that is done is to look whether something is left to do, Python tells of the interruption only so.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("of", ["blas", None])
def test_an_interruption_at_any_line_leaves_nothing(of):
    def work():
        with limit_threads(1, of):
            pass

    kept = []
    for n_lines in range(1, 1000):
        came, error = interrupted_after(n_lines, work)
        if not came:
            break
        kept.append(error)
        assert blas() == {3}, n_lines
    assert 20 < len(kept) < 1000
    with held(1, of):  # by another thread, which would wait for ever if the lock were still locked
        pass


def test_a_fit_has_the_same_bits_while_another_begins_and_ends():
    X = np.random.default_rng(0).normal(size=(60, 5))
    alone = LLLVM(max_iter=8).fit(X)
    for first in range(2):
        method, others = LLLVM(max_iter=8), [held(1, "blas"), held(1, "blas")]
        for number, step in enumerate(method.iter_fit(X)):
            if number == first:
                others[0].__enter__()
            if number == first + 1:
                others[1].__enter__()
                others[0].__exit__(None, None, None)
            if step.iteration == 4:
                others[1].__exit__(None, None, None)
        np.testing.assert_array_equal(method.embedding_, alone.embedding_)
