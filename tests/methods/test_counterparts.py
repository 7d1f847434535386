"""What umap-learn, pynndescent and openTSNE test of duplicates, ties, graphs in parts, batches and validation.

Each test names the one that it is the counterpart of. It is written anew, and holds where the packages differ what we
promise instead.
"""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.preprocessing import normalize

from latentmap import LVM, DataWarning
from latentmap.methods import Siamese, available
from latentmap.model.vectors import Vectors

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
IRIS, SPECIES = load_iris(return_X_y=True)
# Methods whose new rows are placed by what was learned of all rows of the map.
PLACING = [name for name, kind in available().items() if hasattr(kind, "transform") and name != "comparisons"]


def blobs():
    return make_blobs(100, 2, centers=5, cluster_std=0.5, center_box=(-20, 20), random_state=42)


def groups(embedding, n=5):
    return KMeans(n, n_init=10, random_state=0).fit_predict(embedding)


@cache
def split(name):
    """A map of most of the irises by a method, and the others."""
    method = available()[name]()
    short = {"max_iter": 60} if "max_iter" in method.get_params() else {}
    X, new, of_X, of_new = train_test_split(IRIS, SPECIES, test_size=1 / 3, random_state=42)
    return method.set_params(**short).fit(X), X, new, of_X, of_new


class TestUmap:
    """umap/tests."""

    @pytest.mark.parametrize("kind", ["spatial", "binary"])
    def test_repeated_points(self, kind):
        """test_repeated_points_small_dense_spatial, ..._binary: copies share a position there with unique=True.

        Here every row is kept and pushes the others, so that copies lie together and not on one point.
        """
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 20)) if kind == "spatial" else (rng.random((60, 20)) < 0.4).astype(float)
        X[1] = X[0]
        embedding = LVM(n_neighbors=5).fit_transform(X)
        assert np.linalg.norm(embedding[0] - embedding[1]) < 0.15 * np.median(pdist(embedding))

    @pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array])
    def test_repeated_points_sparse(self, make):
        """test_repeated_points_small_sparse_spatial: sparse rows are made dense here, and that is said."""
        X = np.random.default_rng(0).poisson(0.4, size=(60, 20)).astype(float)
        X[1] = X[0]
        with pytest.warns(DataWarning, match="was made dense"):
            embedding = LVM(n_neighbors=5).fit_transform(make(X))
        np.testing.assert_array_equal(embedding, LVM(n_neighbors=5).fit_transform(X))

    def test_repeated_points_large_n(self):
        """test_repeated_points_large_n: fewer different rows than neighbours."""
        X = np.repeat(np.random.default_rng(0).normal(size=(3, 4)), 8, axis=0)
        with pytest.warns(DataWarning, match="24 of 24 rows are duplicates"):
            embedding = LVM(n_neighbors=10).fit_transform(X)
        assert np.isfinite(embedding).all()
        assert adjusted_rand_score(np.repeat([0, 1, 2], 8), groups(embedding, 3)) == 1

    def test_blobs_cluster(self):
        """test_blobs_cluster."""
        X, y = make_blobs(n_samples=500, n_features=10, centers=5, random_state=0)
        assert adjusted_rand_score(y, groups(LVM().fit_transform(X))) == 1

    @pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
    def test_multi_component_layout(self, metric):
        """test_multi_component_layout, ..._precomputed: parts stay whole and lie as their centres do."""
        X, y = blobs()
        table = squareform(pdist(X)) if metric == "precomputed" else X
        embedding = LVM(n_neighbors=4, metric=metric).fit_transform(table)
        assert adjusted_rand_score(y, groups(embedding)) == 1
        centres = [np.array([one[y == label].mean(axis=0) for label in range(5)]) for one in (X, embedding)]
        assert np.corrcoef(*(pdist(one) for one in centres))[0, 1] > 0.5

    @pytest.mark.parametrize("n_isolates", [1, 5])
    def test_disconnected_data(self, n_isolates):
        """test_disconnected_data, ..._precomputed: rows without a neighbour get NaN there; here bridges join them.

        With connect="largest" they get NaN here too, and are counted.
        """
        rng = np.random.default_rng(0)
        # Three rows for each isolate: a part of its own that no other row has as a neighbour.
        X = np.vstack(
            [rng.normal(size=(40, 3)), *(1e3 * (at + 1) + rng.normal(size=(3, 3)) for at in range(n_isolates))]
        )
        assert np.isfinite(LVM(2).fit_transform(X)).all()
        with pytest.warns(DataWarning, match=f"the {3 * n_isolates} rows of the others get NaN"):
            embedding = LVM(2, connect="largest", min_neighbors=0).fit_transform(X)
        assert np.isnan(embedding[40:]).all()
        assert np.isfinite(embedding[:40]).all()

    def test_bad_transform_data(self):
        """test_bad_transform_data: a map of one row."""
        with pytest.raises(ValueError, match="at least 2"):
            LVM().fit([[1, 1, 1, 1]])

    @pytest.mark.parametrize("name", PLACING)
    def test_transform_embedding_stability(self, name):
        """test_umap_transform_embedding_stability: as many new rows as the map has do not move it."""
        method, X, *_ = split(name)
        before = method.embedding_.copy()
        method.transform(np.random.default_rng(0).random(X.shape))
        np.testing.assert_array_equal(method.embedding_, before)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"n_components": -1},
            {"n_components": 1.5},
            {"n_neighbors": 0.5},
            {"n_neighbors": -1},
            {"metric": 45},
            {"learning_rate": -1.5},
            {"repulsion": -0.5},
            {"max_iter": -2},
            {"init": "foobar"},
            {"init": 42},
            {"init": np.zeros((2, 3))},
            {"dof": -1.0},
            {"similarity_scale": -1.0},
            {"n_levels": -1},
            {"metric": "haversine"},
        ],
        ids=str,
    )
    def test_validation(self, parameters):
        """test_umap_validation_params.py."""
        with pytest.raises(ValueError, match=r"\."):
            LVM(**parameters).fit(IRIS)

    def test_too_many_neighbors_warns(self):
        """test_umap_too_many_neighbors_warns."""
        with pytest.warns(DataWarning, match=r"n_neighbors \(k\) is \d+ instead of 2000"):
            LVM(2000, max_iter=5).fit(IRIS[:100])

    @pytest.mark.parametrize("n", [255, 257, 0])
    def test_fit_data_and_targets_compliant(self, n):
        """test_umap_fit_data_and_targets_compliant: as many classes as rows."""
        rng = np.random.default_rng(0)
        with pytest.raises(ValueError, match=r"256"):
            Siamese().fit(rng.random((256, 10)), rng.integers(0, 10, n))

    @pytest.mark.parametrize("y", [None, SPECIES])
    def test_fit_instance_returned(self, y):
        """test_umap_fit_instance_returned."""
        method = LVM(max_iter=2)
        assert method.fit(IRIS, y) is method


class TestPynndescent:
    """pynndescent/tests/test_pynndescent_.py."""

    @pytest.fixture(scope="class")
    def rows(self):
        """Rows as there: uniform, and two of zeros."""
        return np.vstack([np.random.default_rng(42).uniform(size=(1000, 5)), np.zeros((2, 5))])

    @staticmethod
    def recall(found, X, metric="euclidean", k=10):
        X = normalize(X) if metric == "cosine" else X
        exact = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X, return_distance=False)[:, 1:]
        return np.mean([len({*one} & {*other}) / k for one, other in zip(found, exact, strict=True)])

    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    @pytest.mark.parametrize("method", ["approximate", "exact"])
    def test_neighbor_accuracy(self, rows, metric, method):
        """test_nn_descent_neighbor_accuracy, test_angular_..."""
        X = rows if metric == "euclidean" else rows[:1000]
        found = Vectors(X, metric, method=method).kneighbors(10).indices
        assert self.recall(found, X, metric) > 0.98

    def test_query_accuracy(self, rows):
        """test_nn_descent_query_accuracy: all new rows are searched exactly here."""
        found = Vectors(rows[200:]).query(rows[:200], 10)
        exact = NearestNeighbors(n_neighbors=10).fit(rows[200:]).kneighbors(rows[:200])[0]
        np.testing.assert_allclose(found.distances, exact, atol=1e-12)

    @pytest.mark.parametrize("method", ["approximate", "exact"])
    def test_duplicates_do_not_overflow_and_no_neighbor_comes_twice(self, method):
        """test_rp_trees_should_not_stack_overflow_with_duplicate_data: mostly zeros, and other copies."""
        rng = np.random.default_rng(0)
        X = np.vstack([np.zeros((700, 6)), np.repeat(rng.random((30, 6)), 10, axis=0), rng.random((200, 6))])
        found = Vectors(X, method=method).kneighbors(10).indices
        assert found.shape == (1200, 10)
        assert all(len({*row, at}) == 11 for at, row in enumerate(found.tolist()))
        assert ((found >= 0) & (found < 1200)).all()

    def test_rows_of_zeros_under_the_cosine(self):
        """The same data under its own metric: the cosine of a row of zeros is undefined, and is refused or defined."""
        X = np.vstack([np.zeros((50, 6)), np.random.default_rng(0).random((100, 6))])
        assert np.isfinite(LVM(metric="cosine", max_iter=3).fit_transform(X)).all()

    @pytest.mark.parametrize("method", ["approximate"])
    def test_deterministic(self, method):
        """test_deterministic."""
        X = np.random.default_rng(42).normal(0, 100, (1000, 50))
        first, second = (Vectors(X, method=method, random_state=42).kneighbors(10) for _ in range(2))
        np.testing.assert_array_equal(first.indices, second.indices)
        np.testing.assert_array_equal(first.distances, second.distances)

    def test_ties(self):
        """Rows on a grid have many neighbours at one distance; which are taken does not depend on the threads."""
        X = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
        one, other = (LVM(6, max_iter=20, n_jobs=n_jobs).fit_transform(X) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one, other)
        assert np.isfinite(one).all()

    def test_no_output(self, rows, capfd):
        """test_no_output_when_verbose_is_false."""
        LVM(max_iter=2).fit(rows[:100])
        assert capfd.readouterr().out == ""


class TestOpenTSNE:
    """openTSNE's tests/test_correctness.py."""

    @pytest.mark.parametrize("dof", [1.0, 2.0, np.inf])
    def test_iris(self, dof):
        """test_iris, and again with another dof: nothing is told by a random start, all by the map."""
        start = np.random.default_rng(0).normal(size=(150, 2))
        nearest = KNeighborsClassifier(10)
        assert nearest.fit(start, SPECIES).score(start, SPECIES) < 0.6
        embedding = LVM(30, dof=dof).fit_transform(IRIS)
        assert nearest.fit(embedding, SPECIES).score(embedding, SPECIES) > 0.95

    def test_precomputed_distances(self):
        """TestTSNECorrectnessUsingPrecomputedDistanceMatrix: the same map of distances as of the rows."""
        X = IRIS + np.random.default_rng(0).normal(0, 1e-3, IRIS.shape)
        of_rows = LVM(init="spectral", max_iter=50).fit_transform(X)
        of_distances = LVM(init="spectral", max_iter=50, metric="precomputed").fit_transform(squareform(pdist(X)))
        np.testing.assert_allclose(of_rows, of_distances, atol=1e-2 * of_rows.std())

    @pytest.mark.parametrize("name", PLACING)
    def test_one_by_one(self, name):
        """test_iris_bh_transform_equivalency_with_one_by_one: all at once or one by one, to the last bit."""
        method, _, new, *_ = split(name)
        one_by_one = np.vstack([method.transform(row[None]) for row in new[:12]])
        self.equal(name, one_by_one, method.transform(new[:12]))

    @pytest.mark.parametrize("name", PLACING)
    def test_subsets(self, name):
        """test_bh_transform_with_point_subsets_using_perplexity_nn."""
        method, _, new, *_ = split(name)
        self.equal(name, method.transform(new)[:25], method.transform(new[:25]))

    @staticmethod
    def equal(name, one, other):
        # The network multiplies all rows at once, and BLAS rounds by how many there are.
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 if name == "siamese" else 0)

    def test_transform_correctness(self):
        """test_iris_bh_transform_correctness."""
        method, _, new, of_X, of_new = split("lvm")
        nearest = KNeighborsClassifier(10).fit(method.embedding_, of_X)
        assert nearest.score(method.transform(new), of_new) > 0.95

    def test_going_on(self):
        """test_advanced_flow: a map that goes on from an earlier one stays finite."""
        first = LVM(max_iter=20).fit(IRIS)
        second = LVM(max_iter=20, init=first.embedding_).fit(IRIS)
        assert np.isfinite(second.embedding_).all()
