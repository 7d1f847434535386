from queue import SimpleQueue

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from latentmap.session import BackgroundJob, CellIndex, Classes
from latentmap.session.clustering import as_classes, cluster


def blobs(n_cells=1200, n_dimensions=2):
    centres = 10 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1]], dtype=float)
    return make_blobs(
        n_cells, centers=np.pad(centres, [(0, 0), (0, n_dimensions - 2)]), cluster_std=0.8, random_state=3
    )


@pytest.mark.parametrize("method", ["hdbscan", "k-means"])
@pytest.mark.parametrize("n_dimensions", [2, 3, 5])
def test_blobs_are_found_again(method, n_dimensions):
    places, truth = blobs(n_dimensions=n_dimensions)
    found = cluster(places, method, n_clusters=6)
    assert found.max() == 5
    assert adjusted_rand_score(truth, found) > 0.98


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("min_size", [8, 25])
def test_the_clusters_are_those_of_hdbscan_over_all_distances(seed, min_size):
    rng = np.random.default_rng(seed)
    clumps = [rng.normal(size=(200, 2)), rng.normal(size=(60, 2)) * 0.3 + 4, rng.normal(size=(80, 2)) * 0.1 - 40]
    places = np.concatenate([*clumps, rng.uniform(-9, 9, size=(90, 2))])
    found = cluster(places, min_size=min_size)
    exact = HDBSCAN(min_cluster_size=min_size, min_samples=min(10, min_size), copy=True).fit_predict(places)
    assert exact.max() > 0
    assert adjusted_rand_score(exact, found) > 0.97


def test_cells_between_the_clumps_are_in_none_and_the_largest_clump_is_the_first():
    rng = np.random.default_rng(0)
    clumps = rng.normal(size=(300, 2)) * 0.3 + np.repeat([[0, 0], [10, 0], [0, 10]], (50, 150, 100), axis=0)
    strays = np.array([[30.0, 30.0], [-10.0, -10.0], [30.0, 1.0]])
    found = cluster(np.concatenate([clumps, strays]), min_size=20)
    assert found[-3:].tolist() == [-1, -1, -1]
    assert [np.bincount(found[part]).argmax() for part in (slice(50), slice(50, 200), slice(200, 300))] == [2, 0, 1]
    assert (np.diff(np.bincount(found[found >= 0])) <= 0).all()


def test_far_groups_of_many_duplicates_are_joined():
    places = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], 60, axis=0)
    found = cluster(places, min_size=40)
    assert sorted(np.bincount(found + 1)) in ([0, 60, 60, 60], [0, 60, 120])
    assert all(len(set(found[start : start + 60])) == 1 for start in (0, 60, 120))


@pytest.mark.parametrize("method", ["hdbscan", "k-means"])
def test_equal_maps_give_equal_clusters_whatever_their_scale(method):
    places, _ = blobs()
    before = places.copy()
    found = cluster(places, method)
    np.testing.assert_array_equal(cluster(places, method), found)
    np.testing.assert_array_equal(places, before)
    assert adjusted_rand_score(found, cluster(1e-4 * places, method)) > 0.99


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "dbscan"}, 'no method "dbscan": choose one of hdbscan, k-means'),
        ({"min_size": 1}, "at least 1 cells cannot be found among 20"),
        ({"min_size": 21}, "at least 21 cells cannot be found among 20"),
        ({"method": "k-means", "n_clusters": 21}, "20 cells cannot be divided into 21 clusters"),
        ({"method": "k-means", "n_clusters": 0}, "20 cells cannot be divided into 0 clusters"),
    ],
)
def test_what_cannot_be_done_is_said(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cluster(np.random.default_rng(0).normal(size=(20, 2)), **options)
    with pytest.raises(ValueError, match="no coordinates on the map"):
        cluster(np.array([[0.0, np.nan]] * 20))


def test_a_job_can_run_it():
    places, truth = blobs(300)
    calls, found = SimpleQueue(), []

    def steps():
        return cluster(places)
        yield

    job = BackgroundJob(calls.put)
    job.start(steps(), yielded=print, returned=found.append, failed=found.append)
    while job.running:
        calls.get(timeout=60)()
    assert adjusted_rand_score(truth, found[0]) > 0.98


@pytest.fixture
def numbers():
    return np.arange(6)


@pytest.fixture
def classes(numbers):
    cell_index = CellIndex()
    cell_index.add([("cells", 0, int(number)) for number in numbers])
    return Classes(cell_index)


def test_clusters_become_classes_and_the_others_keep_theirs(classes, numbers):
    classes.assign("mine", [0, 4, 5])
    heard = []
    classes.changed.connect(lambda: heard.append(classes.names))
    as_classes(classes, numbers[:5], np.array([1, 0, 0, -1, -1]), how="k-means, 2 clusters")
    assert classes.names_of(numbers).tolist() == ["cluster 2", "cluster 1", "cluster 1", "", "", "mine"]
    assert heard == [("mine", "cluster 1", "cluster 2")]
    (choice,) = classes["cluster 1"].story
    assert (choice.how, choice.n_chosen, choice.n_selected) == ("k-means, 2 clusters", 2, 2)


def test_clustering_anew_leaves_no_empty_cluster_behind_and_no_other_class_is_touched(classes, numbers):
    classes.assign("cluster of mine", [])
    classes.assign("T 1", [])
    as_classes(classes, numbers, np.array([0, 0, 1, 1, 2, 2]))
    as_classes(classes, numbers, np.array([0, 0, 0, 1, 1, -1]))
    assert classes.names == ("cluster of mine", "T 1", "cluster 1", "cluster 2")
    as_classes(classes, numbers, np.array([0, 0, 0, 0, 0, 0]), "T")
    assert classes.names == ("cluster of mine", "T 1", "cluster 1", "cluster 2")
    assert classes.members("T 1").tolist() == numbers.tolist()
    as_classes(classes, numbers, np.full(6, -1))
    assert classes.names == ("cluster of mine", "T 1")


def test_numbers_and_clusters_must_agree(classes):
    with pytest.raises(ValueError, match="2 cells, but the clusters of 3"):
        as_classes(classes, np.arange(2), np.zeros(3, dtype=int))
