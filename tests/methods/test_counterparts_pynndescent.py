"""What pynndescent tests beside `test_counterparts`: near duplicates, one column, any seed, pickles."""

import pickle

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM
from latentmap.methods import available

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")


def test_near_duplicates_do_not_overflow():
    """test_rp_trees_should_not_stack_overflow_with_near_duplicate_data: enough rows that trees are built."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3, 4)), 2000, axis=0) + 1e-9 * rng.normal(size=(6000, 4))
    indices = LVM(n_neighbors=10).find_neighbors(X).indices
    assert (np.diff(np.sort(indices, axis=1), axis=1) > 0).all()
    assert (indices // 2000 == np.arange(6000)[:, None] // 2000).mean() > 0.99


def test_one_dimensional_data():
    X = np.random.default_rng(0).normal(size=(500, 1))
    found = LVM(n_neighbors=5).find_neighbors(X)
    exact = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()[0]
    np.testing.assert_allclose(np.sort(found.distances, axis=1), exact, rtol=1e-6, atol=1e-9)


def test_random_state_none():
    X = np.random.default_rng(0).normal(size=(80, 3))
    first, second = (LVM(max_iter=5, random_state=None).fit_transform(X) for _ in range(2))
    assert np.isfinite(first).all()
    assert np.isfinite(second).all()


@pytest.mark.parametrize(("bad", "says"), [(np.nan, "NaN"), (np.inf, "inf"), ("word", "word")])
def test_bad_data(bad, says):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(object)
    X[7, 1] = bad
    with pytest.raises(ValueError, match=says):
        LVM().find_neighbors(X)


@pytest.mark.parametrize("name", [name for name, kind in available().items() if hasattr(kind, "transform")])
def test_pickle_unpickle(name):
    """A map that was pickled places new rows where the map itself does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    method = available()[name]()
    method.set_params(**{key: 4 for key in ("max_iter",) if key in method.get_params()})
    method.fit(X, np.arange(60).reshape(-1, 3) if name == "comparisons" else None)
    again = pickle.loads(pickle.dumps(method))
    new = X[:5] + 0.01
    np.testing.assert_array_equal(again.transform(new), method.transform(new))
