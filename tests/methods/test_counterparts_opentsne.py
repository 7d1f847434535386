"""What openTSNE tests beside `test_counterparts`: starts, low variance, the same rows again, more dimensions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from latentmap import LVM
from latentmap.methods import available

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
IRIS = load_iris().data
STARTING = [name for name, kind in available().items() if "init" in kind().get_params()]


@pytest.mark.parametrize("name", STARTING)
def test_optimization_does_not_change_the_start(name):
    """test_inplace_embedding_optimization_doesnt_change_init: the user's array stays as it was."""
    start = np.random.default_rng(0).normal(size=(len(IRIS), 2))
    before = start.copy()
    method = available()[name](init=start).set_params(max_iter=3)
    method.fit(IRIS)
    np.testing.assert_array_equal(start, before)
    assert not np.shares_memory(method.embedding_, start)


@pytest.mark.parametrize("name", STARTING)
def test_mismatching_embedding_dimensions(name):
    for start in (np.zeros((len(IRIS), 3)), np.zeros((len(IRIS) - 1, 2))):
        with pytest.raises(ValueError, match="init"):
            available()[name](init=start).fit(IRIS)


def test_low_variance():
    """Rows that differ by little have the map of those that differ by more."""
    X = np.random.default_rng(0).normal(size=(120, 5))
    small, large = (LVM(max_iter=10).fit_transform(scale * X) for scale in (2.0**-40, 1.0))
    np.testing.assert_allclose(small / small.std(), large / large.std(), atol=1e-6)


def test_the_same_rows_again_are_placed_the_same():
    """test_same_partial_embedding_on_fixed_random_state."""
    lvm = LVM(max_iter=10).fit(IRIS[::2])
    np.testing.assert_array_equal(lvm.transform(IRIS[1::2]), lvm.transform(IRIS[1::2]))


@pytest.mark.parametrize("d", [3, 4])
def test_more_dimensions(d):
    assert LVM(n_components=d, max_iter=5).fit_transform(IRIS).shape == (len(IRIS), d)
