"""Ctrl-C, once and again, in the midst of a fit: the last map stays, and is whole."""

import signal

import numpy as np
import pytest
from sklearn.datasets import load_iris

from latentmap.methods import available
from latentmap.model import iterative_method, map_checks
from latentmap.model.interruptions import interrupted_once, uninterrupted

X = load_iris().data[::2]
NAMES = list(available())
BESIDE = {"comparisons": np.column_stack([np.arange(73), np.arange(1, 74), np.arange(2, 75)])}


@pytest.fixture(autouse=True)
def _interruptible():
    """Tests that run in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press(n=1):
    for _ in range(n):
        signal.raise_signal(signal.SIGINT)


def short(name):
    method = available()[name]()
    return method.set_params(**{key: 6 for key in ("max_iter",) if key in method.get_params()})


def whole(method):
    assert np.isfinite(method.embedding_).all()
    assert method.n_iter_ >= 0
    if hasattr(method, "transform"):
        assert np.isfinite(method.transform(X[:3])).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_second_one_while_the_map_is_put_away_loses_nothing(name, monkeypatch):
    """The first comes while a step is computed, as in a terminal; the others while the fit stores its last map."""
    method, check, note = short(name), map_checks.check_placed, iterative_method.IterativeMethod._note
    n_maps = []

    def checked(*args):
        n_maps.append(args)
        check(*args)
        if len(n_maps) == 2:
            press()

    def noted(self, X):
        press(3)
        note(self, X)
        press()

    monkeypatch.setattr(map_checks, "check_placed", checked)
    monkeypatch.setattr(iterative_method.IterativeMethod, "_note", noted)
    with pytest.raises(KeyboardInterrupt):
        method.fit(X, BESIDE.get(name))
    monkeypatch.undo()
    assert len(n_maps) == (2 if "max_iter" in method.get_params() else 1)
    whole(method)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    method.fit(X, BESIDE.get(name))
    whole(method)


def test_the_second_one_waits_while_the_fit_ends():
    ended = []

    def steps():
        try:
            yield 1
            press()
            yield 2
        finally:
            press(2)
            ended.append(True)

    seen = []
    with pytest.raises(KeyboardInterrupt):
        seen.extend(interrupted_once(steps()))
    assert ended == [True]


def test_an_interruption_that_was_swallowed_does_not_make_the_fit_deaf():
    def steps():
        try:
            press()
        except KeyboardInterrupt:
            yield "goes on"
        press()
        yield "never"

    said = interrupted_once(steps())
    assert next(said) == "goes on"
    with pytest.raises(KeyboardInterrupt):
        next(said)


def test_a_handler_of_another_program_is_called_as_before():
    calls = []
    signal.signal(signal.SIGINT, lambda *args: calls.append(args[0]))

    def steps():
        press(2)
        yield 1

    assert list(interrupted_once(steps())) == [1]
    assert calls == [signal.SIGINT] * 2
    with uninterrupted():
        press(3)
        assert len(calls) == 2
    assert len(calls) == 3


def test_in_a_thread_nothing_is_touched():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: list(interrupted_once(iter([1, 2])))).result() == [1, 2]
        whole(pool.submit(short("lvm").fit, X).result())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        press()
    short("lvm").fit(X)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_the_fit_ends_within_a_step_however_often_the_key_is_pressed():
    lvm = available()["lvm"](max_iter=10**6, tol=0, random_state=0)

    def press_when_begun(state):
        if state.iteration == 5:
            press(5)

    lvm.callback = press_when_begun
    with pytest.raises(KeyboardInterrupt):
        lvm.fit(X)
    assert lvm.n_iter_ == 5
    whole(lvm)
