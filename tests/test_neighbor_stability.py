"""How much of each cell's neighbourhood on the map stays when the map is made again."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state

from latentmap import LVM
from latentmap.quality import neighbor_stability, seed_changes


class Sample(PCA):
    """A map that leaves some cells where they lie in the table, and throws the others about by its seed."""

    def fit_transform(self, X, y=None):
        Y = X[:, :2].copy()
        thrown = X[:, 2] > 0
        Y[thrown] = 100 + check_random_state(self.random_state).normal(size=(thrown.sum(), 2))
        return Y


@pytest.fixture(scope="module")
def table():
    """120 cells in a plane, every third of which is thrown about."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    X[:, 2] = np.where(np.arange(120) % 3 == 0, 1.0, -1.0)
    return X


def near(Y, i, k):
    return set(np.argsort(np.linalg.norm(Y - Y[i], axis=1), kind="stable")[1 : k + 1])


def test_is_the_mean_share_over_all_pairs_of_maps(table):
    seeds, k = (3, 5, 8), 6
    maps = [Sample(random_state=seed).fit_transform(table) for seed in seeds]
    expected = [
        np.mean([len(near(one, i, k) & near(other, i, k)) / k for one, other in combinations(maps, 2)])
        for i in range(len(table))
    ]
    assert neighbor_stability(Sample(), table, k, seeds=seeds) == pytest.approx(expected)
    assert neighbor_stability(Sample(), table, k, seeds=seeds) == pytest.approx(
        1 - seed_changes(Sample(), table, k, seeds=seeds).mean(axis=0)
    )


def test_cells_that_lie_elsewhere_with_each_seed_have_the_low_scores(table):
    thrown = table[:, 2] > 0
    for leave_out in (False, True):
        kept = neighbor_stability(Sample(), table, 6, leave_out=leave_out)
        assert kept[thrown].max() < kept[~thrown].min()
    # Cells that stay keep all neighbours that both maps have.
    assert (kept[~thrown] == 1).all()


def test_each_map_leaves_out_another_fifth_and_each_cell_has_a_score(table):
    seen = []

    class Heard(Sample):
        def fit_transform(self, X, y=None):
            seen.append({tuple(row) for row in X})
            return super().fit_transform(X)

        def __sklearn_clone__(self):
            return Heard()

    kept = neighbor_stability(Heard(), table, 6, leave_out=True)
    assert [len(rows) for rows in seen] == [96] * 5
    assert all(sum(tuple(row) in rows for rows in seen) == 4 for row in table)
    assert np.isfinite(kept).all()


def test_a_map_whose_seed_changes_nothing_is_stable_by_seeds_alone():
    X = np.random.default_rng(0).normal(size=(90, 5))
    lvm = LVM(max_iter=10)
    assert (neighbor_stability(lvm, X, seeds=(0, 1)) == 1).all()
    assert neighbor_stability(lvm, X, seeds=(0, 1, 2), leave_out=True).mean() < 0.95


def test_noise_is_less_stable_than_a_plane():
    rng = np.random.default_rng(0)
    plane = np.column_stack([rng.uniform(size=(120, 2)) * 20, np.zeros((120, 18))])
    noise = 200 + rng.normal(size=(120, 20))
    kept = neighbor_stability(LVM(max_iter=60), np.vstack([plane, noise]), seeds=(0, 1, 2), leave_out=True)
    assert kept[:120].mean() > kept[120:].mean() + 0.1


def test_the_same_scores_for_any_number_of_threads(table):
    one, two = (neighbor_stability(Sample(), table, 6, leave_out=True, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one == two).all()


def test_what_cannot_be_scored_is_refused(table):
    with pytest.raises(ValueError, match="at least two different"):
        neighbor_stability(Sample(), table, seeds=(1,))
    with pytest.raises(ValueError, match="at least 3 different"):
        neighbor_stability(Sample(), table, seeds=(1, 2), leave_out=True)
    with pytest.raises(ValueError, match="two maps share 12 of the 20 cells"):
        neighbor_stability(Sample(), table[:20], leave_out=True)
    with pytest.raises(ValueError, match="these are distances"):
        neighbor_stability(LVM(metric="precomputed"), np.zeros((30, 30)), leave_out=True)
