"""What the eye sees of the default map: a frame that is used, groups that are there, rows that are held."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from latentmap import LVM, PAPER, DataWarning
from latentmap.quality import frame_fill, groups_found, knn_error, largest_pieces

BEFORE = {"min_neighbors": 0, "row_normalized": False, "local_scaling": 0.0, "init": "spectral"}


def heavy_tailed(n=1500, seed=0):
    """One group, the rows of which lie the farther apart the farther out they are."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 8)) * np.exp(rng.normal(size=(n, 1)))


def test_a_table_with_heavy_tails_fills_its_frame():
    X = heavy_tailed()
    assert frame_fill(LVM().fit_transform(X)) > 0.5
    # It can fail: rows far out take the room.
    assert frame_fill(LVM(**BEFORE).fit_transform(X)) < 0.4


def test_density_kept_gives_sparse_regions_more_room():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(400, 5)), 40 + 6 * rng.normal(size=(400, 5))])
    ratios = []
    for local_scaling in (0.0, 0.5, 1.0):
        embedding = LVM(local_scaling=local_scaling).fit_transform(X)
        dense, sparse = (np.sqrt(part.var(axis=0).sum()) for part in (embedding[:400], embedding[400:]))
        ratios.append(sparse / dense)
    assert ratios[0] > 1.5 * ratios[2]
    assert ratios[0] > ratios[1] > ratios[2]
    assert 0.7 < ratios[2] < 1.4


def test_a_continuum_is_hardly_cut_into_groups():
    sheet = np.random.default_rng(0).uniform(size=(1500, 2)) * [3, 1]
    X = np.column_stack([np.cos(sheet[:, 0]), np.sin(sheet[:, 0]), sheet[:, 1]])
    assert groups_found(LVM().fit_transform(X)).n_groups <= 4


def test_every_row_keeps_its_nearest_and_no_row_is_held_less():
    X = np.random.default_rng(0).normal(size=(500, 30))
    lvm = LVM(max_iter=1).fit(X)
    assert lvm.min_neighbors_ == 10
    assert np.diff(lvm.graph_.indptr).min() >= 10
    nearest = np.argsort(np.linalg.norm(X[:, None] - X[None], axis=2), axis=1)[:, 1:11]
    rows = np.repeat(np.arange(500), 10)
    assert (lvm.graph_[rows, nearest.ravel()] > 0).all()
    assert np.diff(LVM(min_neighbors=0, max_iter=1).fit(X).graph_.indptr).min() < 5


def test_edges_are_distances_of_the_table_whatever_the_scaling():
    X = heavy_tailed(200)
    kept, even = (LVM(local_scaling=g, max_iter=1).fit(X).graph_ for g in (0.0, 1.0))
    np.testing.assert_array_equal(kept.toarray(), even.toarray())


@pytest.mark.parametrize("n", [14, 27, 60])
def test_few_rows_are_no_dots(n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 6))
    with pytest.warns(DataWarning, match="instead of 15") if n < 45 else nullcontext():
        embedding = LVM().fit_transform(X)
    apart = np.linalg.norm(embedding[:, None] - embedding[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    # Before, most rows had another within a hundredth of the width.
    assert np.median(apart.min(axis=1)) > 0.02 * np.ptp(embedding, axis=0).max()


def test_few_rows_do_not_clot():
    def evenness(embedding):
        """The median distance to the second neighbour, over that to the fifteenth; .34 if points fall at random."""
        distances = np.sort(np.linalg.norm(embedding[:, None] - embedding[None], axis=2), axis=1)
        return np.median(distances[:, 2] / distances[:, 15])

    X, y = (rows[:300] for rows in load_digits(return_X_y=True))
    default, short = (LVM(similarity_scale=scale).fit_transform(X) for scale in (LVM().similarity_scale, 1.0))
    assert evenness(default) > 0.23
    assert knn_error(default, y) <= knn_error(short, y) + 0.01
    # It can fail: with the scale of many rows, they lie in knots.
    assert evenness(short) < 0.21


@pytest.mark.parametrize("parameter", ["min_neighbors", "row_normalized", "local_scaling"])
@pytest.mark.parametrize("value", [-1, "yes", 1.5, None])
def test_other_values_are_refused_in_words(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        LVM(**{parameter: value}).fit(np.random.default_rng(0).normal(size=(50, 3)))


@pytest.mark.slow
@pytest.mark.parametrize("model", [{}, {"local_scaling": 0.0}, PAPER], ids=["default", "density kept", "paper"])
def test_new_rows_are_placed_as_well_as_those_of_the_map(model):
    X, y = (rows[:900] for rows in load_digits(return_X_y=True))
    held = np.arange(len(X)) % 5 == 0
    lvm = LVM(**model).fit(X[~held])
    on_the_map = knn_error(lvm.embedding_, y[~held], n_neighbors=9)
    placed = knn_error(lvm.embedding_, y[~held], lvm.transform(X[held]), y[held], n_neighbors=9)
    # Those who wrote the digits held out wrote others on the map, unlike those of each fold.
    assert placed < on_the_map - 0.02


@pytest.mark.slow
def test_one_kind_of_digit_stays_in_one_piece(load_data):
    data = load_data("mnist70k")
    images, y = (data[name][50_000:60_000] for name in ("X", "y"))
    X = PCA(50, random_state=0).fit_transform(images.astype(float))
    smoothed, plain = (largest_pieces(LVM(init=init).fit_transform(X), y) for init in ("smoothed_pca", "pca"))
    assert smoothed.min() > 0.9
    # It can fail: from the components as they are, the 2s end in several pieces.
    assert plain.min() < 0.8
