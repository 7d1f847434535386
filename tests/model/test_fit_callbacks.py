"""scikit-learn's callbacks on a fit, and what is there where scikit-learn has none."""

import importlib.util
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from latentmap import LVM
from latentmap.methods import available
from latentmap.model import fit_tasks

X = load_iris().data[::2]
BESIDE = {"comparisons": np.column_stack([np.arange(73), np.arange(1, 74), np.arange(2, 75)])}
needs_callbacks = pytest.mark.skipif(
    importlib.util.find_spec("sklearn.callback") is None, reason="scikit-learn has callbacks from 1.9 on"
)


class Recording:
    """A callback that notes what it hears, and may stop the fit."""

    max_propagation_depth = None

    def __init__(self, stops_at=None):
        self.heard, self.maps, self.totals, self._stops_at = [], [], set(), stops_at

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.heard.append(("end", context.task_name, context.task_id))
        if context.task_name == "iteration":
            self.totals.add(context.parent.max_subtasks)
            self.maps.append((fitted_estimator.embedding_, fitted_estimator.transform(X[:3])))
            return context.task_id == self._stops_at
        return False


@needs_callbacks
def test_each_iteration_is_a_task_with_a_map_as_if_the_fit_had_stopped_there():
    recording = Recording()
    lvm = LVM(max_iter=4).set_callbacks(recording).fit(X)
    iterations = [(word, "iteration", at) for at in range(4) for word in ("begin", "end")]
    assert recording.heard == ["setup", ("begin", "fit", 0), *iterations, ("end", "fit", 0), "teardown"]
    assert recording.totals == {4}
    for n, (embedding, placed) in enumerate(recording.maps, start=1):
        shorter = LVM(max_iter=4, callback=lambda state, n=n: state.iteration == n).fit(X)
        np.testing.assert_array_equal(embedding, shorter.embedding_)
        np.testing.assert_array_equal(placed, shorter.transform(X[:3]))
    np.testing.assert_array_equal(lvm.embedding_, LVM(max_iter=4).fit(X).embedding_)


@needs_callbacks
def test_a_callback_stops_the_fit_and_is_cloned_with_it():
    recording = Recording(stops_at=1)
    lvm = clone(LVM(max_iter=20).set_callbacks(recording)).fit(X)
    assert lvm.n_iter_ == 2
    assert recording.heard[-1] == "teardown"
    assert LVM(max_iter=3).set_callbacks(recording).set_callbacks().fit(X).n_iter_ == 3
    assert len(recording.maps) == 2


@needs_callbacks
def test_a_callback_is_released_when_the_fit_fails():
    recording = Recording()

    def fail(state):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        LVM(max_iter=4, callback=fail).set_callbacks(recording).fit(X)
    assert recording.heard[0] == "setup"
    assert recording.heard[-1] == "teardown"


@needs_callbacks
def test_a_pipeline_hands_its_callbacks_on():
    recording = Recording()
    recording.maps = None

    def heard(estimator, context):
        recording.heard.append((estimator.__class__.__name__, context.task_name))

    recording.on_fit_task_begin = lambda estimator, context: None
    recording.on_fit_task_end = heard
    make_pipeline(StandardScaler(), LVM(max_iter=3)).set_callbacks(recording).fit(X)
    assert recording.heard.count(("LVM", "iteration")) == 3
    assert recording.heard.count("setup") == recording.heard.count("teardown") == 1


@needs_callbacks
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("name", list(available()))
def test_every_method_tells_of_its_iterations(name):
    method = available()[name]()
    method.set_params(**{key: 3 for key in ("max_iter",) if key in method.get_params()})
    recording = Recording()
    recording.on_fit_task_end = lambda estimator, context: recording.heard.append(context.task_name)
    method.set_callbacks(recording).fit(X, BESIDE.get(name))
    assert recording.heard.count("iteration") == (method.n_iter_ if "max_iter" in method.get_params() else 1)
    assert recording.heard[-2:] == ["fit", "teardown"]


def test_older_versions_of_scikit_learn_have_no_callbacks_and_need_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    spec = importlib.util.spec_from_file_location("fit_tasks_of_before", fit_tasks.__file__)
    before = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(before)
    assert not hasattr(before.CallbackSupportMixin, "set_callbacks")

    @before.with_callbacks
    def fit(estimator):
        return estimator

    assert fit(3) == 3
    tasks = before.FitTasks(LVM(), X, None)
    assert not tasks.follow(next(LVM(max_iter=1).iter_fit(X)))
    tasks.end()
