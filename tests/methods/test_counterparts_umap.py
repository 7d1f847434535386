"""What umap-learn tests beside `test_counterparts`: distances in parts, other types of new rows, names of columns."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs
from sklearn.pipeline import make_union

from latentmap import LVM

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
IRIS = load_iris().data


def test_multi_component_layout_precomputed():
    """Groups far apart, of whose distances alone a map is made, lie apart."""
    X, group = make_blobs(90, 2, centers=[[0, 0], [200, 0], [0, 200]], random_state=0)
    embedding = LVM(n_neighbors=8, metric="precomputed", max_iter=60).fit_transform(cdist(X, X))
    away = cdist(embedding, embedding)
    np.fill_diagonal(away, np.inf)
    assert (group[away.argmin(axis=1)] == group).all()


def test_disconnected_data_precomputed():
    """Of distances as of rows: those whom nobody is near keep a place."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(80, 3)), [[1e3, 0, 0], [0, -1e3, 0]]]
    of_rows = LVM(max_iter=20).fit(X)
    of_distances = LVM(max_iter=20, metric="precomputed").fit(cdist(X, X))
    assert np.isfinite(of_rows.embedding_).all()
    assert np.isfinite(of_distances.embedding_).all()
    assert np.isfinite(of_distances.variances_).all()


def test_precomputed_transform_on_iris():
    """New rows are placed by their distances where they are placed by their columns."""
    X, new = IRIS[::2], IRIS[1::2][:20]
    lvm = LVM(max_iter=40, metric="precomputed").fit(cdist(X, X))
    placed = lvm.transform(cdist(new, X))
    nearest = lvm.embedding_[cdist(new, X).argmin(axis=1)]
    width = np.ptp(lvm.embedding_, axis=0).max()
    assert np.median(np.linalg.norm(placed - nearest, axis=1)) < 0.1 * width


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_transform_on_a_modified_dtype(dtype):
    """New rows of another type than those of the map are placed where they belong."""
    X = (10 * IRIS).round()
    lvm = LVM(max_iter=20).fit(X)
    np.testing.assert_allclose(lvm.transform(X[:10].astype(dtype)), lvm.embedding_[:10], rtol=1e-5, atol=1e-5)


def test_get_feature_names_out_of_a_union():
    names = make_union(LVM(max_iter=2), LVM(n_components=3, max_iter=2)).fit(IRIS).get_feature_names_out()
    assert list(names) == ["lvm-1__lvm0", "lvm-1__lvm1", *(f"lvm-2__lvm{at}" for at in range(3))]
