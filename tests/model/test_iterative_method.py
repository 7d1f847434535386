"""What all methods share: states handed over one by one, of which the last is the result."""

import numpy as np
import pytest

from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.state import State

X = np.zeros((5, 3))


class Counting(IterativeMethod):
    """Yields a map of its iteration's number; it may know each objective, only compute it, or fail."""

    title = "Counting"
    objective_name = "number"

    def __init__(self, is_known=True, every=0, fails_at=None, max_iter=4, tol=0.0, callback=None):
        self.is_known = is_known
        self.every = every
        self.fails_at = fails_at
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.computed = []

    def iter_fit(self, X, y=None):
        self._check_parameters()
        yield from self._store_states(X, self._states(), self.max_iter, self._keep, self.every)

    def _states(self):
        for iteration in range(self.max_iter + 1):
            if iteration == self.fails_at:
                raise MemoryError("no room")
            points = np.full((5, 2), float(iteration))
            if self.is_known:
                yield State.known(iteration, points, iteration / 2)
            else:
                yield State(iteration, points, np.full(5, np.nan), self._objective)

    def _objective(self, points, variances):
        self.computed.append(int(points[0, 0]))
        return points[0, 0] / 2

    def _keep(self, state, course):
        self.kept_ = state.iteration, dict(course)


@pytest.mark.parametrize("last", range(5))
def test_the_last_state_of_a_fit_that_is_stopped_is_the_result(last):
    method = Counting(callback=lambda state: state.iteration == last).fit(X)
    assert method.n_iter_ == last
    assert method.n_features_in_ == 3
    np.testing.assert_array_equal(method.embedding_, np.full((5, 2), float(last)))
    assert method.kept_ == (last, {iteration: iteration / 2 for iteration in range(last + 1)})


def test_so_is_that_of_a_fit_that_fails():
    method = Counting(fails_at=3)
    with pytest.raises(MemoryError, match="no room"):
        method.fit(X)
    assert method.n_iter_ == 2
    assert method.kept_[0] == 2


def test_without_a_state_nothing_is_kept():
    method = Counting(fails_at=0)
    with pytest.raises(MemoryError):
        method.fit(X)
    assert not hasattr(method, "embedding_")
    assert not hasattr(method, "kept_")


@pytest.mark.parametrize(("every", "computed"), [(0, [4]), (1, [0, 1, 2, 3, 4]), (3, [0, 3, 4])])
def test_an_objective_is_computed_as_often_as_asked_and_at_the_end(every, computed):
    method = Counting(is_known=False, every=every).fit(X)
    assert method.computed == computed
    assert method.kept_ == (4, {iteration: iteration / 2 for iteration in computed})


def test_states_are_not_asked_for_ahead():
    steps = Counting(fails_at=2).iter_fit(X)
    assert [next(steps).iteration for _ in range(2)] == [0, 1]
    steps.close()


@pytest.mark.parametrize(("name", "value"), [("max_iter", 0), ("max_iter", 2.5), ("tol", -1), ("tol", np.nan)])
def test_parameters_that_methods_share_are_checked(name, value):
    with pytest.raises(ValueError, match=rf"^{name}.*{value}"):
        Counting(**{name: value}).fit(X)


class Interrupted(Counting):
    """An objective that takes so long that the user has enough of it, as of the fit before."""

    def __init__(self, interrupted_at=None, **others):
        super().__init__(is_known=False, **others)
        self.interrupted_at = interrupted_at

    def _states(self):
        for state in super()._states():
            if state.iteration == self.interrupted_at:
                raise KeyboardInterrupt
            yield state

    def _objective(self, points, variances):
        super()._objective(points, variances)
        raise KeyboardInterrupt


def test_an_interruption_while_the_objective_is_computed_leaves_the_map():
    method = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        method.fit(X)
    assert method.computed == [4]
    assert method.kept_ == (4, {})
    np.testing.assert_array_equal(method.embedding_, np.full((5, 2), 4.0))


def test_who_interrupts_does_not_wait_for_the_objective():
    method = Interrupted(interrupted_at=3)
    with pytest.raises(KeyboardInterrupt):
        method.fit(X)
    assert method.computed == []
    assert method.kept_ == (2, {})
    assert method.n_features_in_ == 3
    np.testing.assert_array_equal(method.embedding_, np.full((5, 2), 2.0))
