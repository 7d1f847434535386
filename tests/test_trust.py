"""What says which cells and which gaps of a map not to believe, on made-up tables whose truth is known."""

import importlib

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM
from latentmap.quality import group_contacts, lost_neighbors, neighbor_recall, neighborhood_test


@pytest.fixture(scope="module")
def trust(pytestconfig):
    """A function that imports a module of benchmarks.trust, which is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pytestconfig.rootpath)
        yield lambda name: importlib.import_module(f"benchmarks.trust.{name}")


@pytest.fixture(scope="module")
def made_up(trust):
    return trust("made_up")


@pytest.fixture(scope="module")
def groups(made_up):
    """Five groups far apart, their neighbours and their map."""
    made = made_up.separate(1000, 0)
    lvm = LVM()
    return made, lvm.find_neighbors(made.X), lvm.fit_transform(made.X)


def known_neighbors(X, k=15):
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


class TestLostNeighbors:
    def test_is_the_recall_of_each_row_alone(self, made_up):
        X = made_up.noise(120, 0, 4)
        lost = lost_neighbors(known_neighbors(X, 7), X[:, :2])
        assert np.mean(1 - lost) == pytest.approx(neighbor_recall(X, X[:, :2], 7))
        one, other = known_neighbors(X, 7), known_neighbors(X[:, :2], 7)
        assert lost.tolist() == [1 - len(set(a) & set(b)) / 7 for a, b in zip(one, other, strict=True)]

    def test_nothing_is_lost_on_the_table_itself(self, made_up):
        X = made_up.noise(100, 0, 2)
        assert (lost_neighbors(LVM().find_neighbors(X), 3 * X) == 0).all()

    def test_finds_the_cells_that_were_moved(self, made_up, groups):
        _, neighbors, Y = groups
        moved, rows = made_up.moved(Y, 0.02, 0)
        lost = lost_neighbors(neighbors, moved)
        others = np.delete(lost, rows)
        assert np.median(lost[rows]) > np.quantile(others, 0.95)

    def test_halves_of_the_cells_agree_beyond_the_spacing(self, trust):
        # What is counted among one half of the cells holds for the other.
        measure = trust("held_out")
        X = load_digits().data
        Y = LVM().fit_transform(X)
        one, other = measure.held_out(X, Y, 0)
        assert measure.partial_correlation(one.lost, other.lost, other.spacing) > 0.3

    @pytest.mark.parametrize(
        ("neighbors", "words"),
        [
            (np.zeros((5, 3), int), "5 lists, but the map has 20 rows"),
            (np.full((20, 3), 20), "from 0 to 19"),
            (np.zeros((20, 3)), "must hold row numbers"),
            (np.zeros(20, int), "must hold row numbers"),
        ],
    )
    def test_says_what_is_wrong_with_the_neighbours(self, made_up, neighbors, words):
        with pytest.raises(ValueError, match=words):
            lost_neighbors(neighbors, np.zeros((20, 2)))


class TestNeighborhoodTest:
    @pytest.mark.parametrize("columns", [2, 10, 40])
    def test_on_noise_nearly_all_is_doubtful(self, made_up, columns):
        X = made_up.noise(800, columns, columns)
        lvm = LVM().fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm)
        assert found.is_sure.mean() <= 0.01
        # The p-values are what they say.
        assert np.mean(found.p_values <= 0.05) == pytest.approx(0.05, abs=0.03)

    def test_noise_is_mapped_with_the_scales_of_all_rows(self, made_up):
        X = made_up.noise(1150, 0, 6)
        lvm = LVM(max_iter=5).fit(X)
        given = LVM(max_iter=5, similarity_scale=2**0.5)
        found, expected = (neighborhood_test(X, lvm.embedding_, method) for method in (lvm, given))
        assert len(found.null) == 575
        np.testing.assert_array_equal(found.null, expected.null)

    def test_a_null_of_few_columns_has_enough_rows(self, made_up):
        # A small map of two columns has more of its cells at the edge, so that it agrees less.
        X = made_up.noise(1500, 0, 2)
        # With longer scales one row in ten keeps every neighbour, and no p-value is below that share.
        lvm = LVM(max_iter=100, similarity_scale=1.0).fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm)
        assert len(found.null) == 1500
        assert np.mean(found.p_values <= 0.05) == pytest.approx(0.05, abs=0.03)

    def test_columns_that_say_the_same_twice_do_not_make_noise_sure(self, made_up):
        X = np.hstack([made_up.noise(600, 0, 5)] * 3 + [np.ones((600, 2))])
        lvm = LVM().fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm)
        assert found.is_sure.mean() <= 0.01
        assert np.mean(found.p_values <= 0.05) <= 0.1

    def test_a_table_and_its_principal_components_are_judged_alike(self, made_up):
        # A few directions hold most of the variance, so that shuffled principal components map well.
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 3)) @ rng.normal(size=(3, 20)) + 0.5 * rng.normal(size=(600, 20))
        Z = PCA().fit_transform(X)
        Y = LVM().fit_transform(X)
        one, other = (neighborhood_test(table, Y, LVM()).is_sure.mean() for table in (X, Z))
        assert one == pytest.approx(other, abs=0.02)
        assert one > 0.8
        assert neighborhood_test(Z, Y, LVM(), null="columns").is_sure.mean() < 0.2

    def test_few_misplaced_cells_do_not_make_their_groups_doubtful(self, made_up):
        made = made_up.separate(1000, 0, columns=20)
        lvm = LVM().fit(made.X)
        moved, rows = made_up.moved(lvm.embedding_, 0.05, 0)
        elsewhere = made_up.misplaced(made.groups, moved, rows)
        found = neighborhood_test(made.X, moved, lvm)
        assert np.mean(~found.is_sure[elsewhere]) >= 0.95
        assert np.mean(~np.delete(found.is_sure, rows)) <= 0.05

    def test_an_unknown_null_is_refused(self, made_up):
        X = made_up.noise(100, 0)
        with pytest.raises(ValueError, match="null must be one of auto, noise, columns"):
            neighborhood_test(X, X[:, :2], LVM(), null="rows")

    def test_metrics_of_yes_and_no_get_shuffled_columns(self, made_up):
        X = (made_up.noise(200, 0, 12) > 0).astype(float)
        lvm = LVM(metric="hamming", max_iter=50).fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm, metric="hamming")
        assert found.is_sure.mean() <= 0.02

    def test_in_groups_far_apart_nearly_nothing_is(self, groups):
        made, neighbors, Y = groups
        found = neighborhood_test(made.X, Y, LVM(), neighbors=neighbors)
        assert found.is_sure.mean() >= 0.99
        assert found.sentence.startswith(f"{found.is_sure.sum()} cells sure, {np.sum(~found.is_sure)} doubtful.")

    def test_cells_moved_into_other_groups_are_doubtful(self, made_up, groups):
        made, neighbors, Y = groups
        moved, rows = made_up.moved(Y, 0.05, 0)
        elsewhere = made_up.misplaced(made.groups, moved, rows)
        assert len(elsewhere) > 20
        found = neighborhood_test(made.X, moved, LVM(), neighbors=neighbors)
        assert np.mean(~found.is_sure[elsewhere]) >= 0.9
        assert np.mean(~np.delete(found.is_sure, rows)) <= 0.05

    def test_a_null_of_fewer_rows_is_not_milder(self, made_up):
        X = made_up.noise(1200, 3)
        lvm = LVM().fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm, n_null=300)
        assert len(found.null) == 300
        assert found.is_sure.mean() <= 0.01

    def test_same_seed_same_answer(self, groups):
        made, neighbors, Y = groups
        one, again = (neighborhood_test(made.X, Y, LVM(max_iter=20), neighbors=neighbors) for _ in range(2))
        assert (one.p_values == again.p_values).all()

    @pytest.mark.slow
    @pytest.mark.parametrize("metric", ["cosine", "manhattan"])
    def test_other_metrics(self, made_up, metric):
        made = made_up.separate(300, 1)
        lvm = LVM(metric=metric, max_iter=100).fit(made.X)
        found = neighborhood_test(made.X, lvm.embedding_, lvm, metric=metric)
        assert found.is_sure.mean() > 0.9

    def test_a_rate_is_below_one(self, made_up):
        X = made_up.noise(100, 0)
        with pytest.raises(ValueError, match="false_rate must be above 0"):
            neighborhood_test(X, X[:, :2], LVM(), false_rate=5)


class TestGroupContacts:
    def test_a_ring_torn_open(self, made_up):
        made, angle = made_up.ring(800, 0)
        found = group_contacts(known_neighbors(made.X), made_up.opened(angle, 0), made.groups)
        torn = found.pairs[found.pairs["verdict"] != ""]
        assert torn[["a", "b", "verdict"]].to_numpy().tolist() == [[0, 5, "torn"]]
        assert found.sentences[0].startswith("0 and 5 touch in the data but not on the map: ")
        # The cells are those at the tear.
        at_tear = np.minimum(angle, 2 * np.pi - angle)[found.cells[torn.index[0]]]
        assert at_tear.max() < 0.6

    def test_one_group_in_two_pieces(self, made_up):
        made, angle = made_up.ring(800, 0)
        found = group_contacts(known_neighbors(made.X), made_up.in_two(angle, 0), np.full(800, "ring"))
        assert found.pairs["verdict"].tolist() == ["split"]
        assert found.sentences[0].startswith("ring is in two pieces on the map but holds together in the data: ")

    def test_groups_side_by_side_that_lie_apart(self, made_up):
        made = made_up.separate(400, 0, 2)
        found = group_contacts(known_neighbors(made.X), made_up.side_by_side(made.groups, 0), made.groups)
        assert found.pairs["verdict"].tolist() == ["joined"]

    def test_batches(self, made_up):
        # Two batches far apart in the data are mixed on one map, two that overlap are apart on another.
        shifted, close = (made_up.batches(600, 0, shift) for shift in (10, 3))
        mixed, apart = made_up.noise(600, 0, 2), made_up.side_by_side(3 * close.groups, 0)
        joined = group_contacts(known_neighbors(shifted.X), mixed, shifted.groups)
        torn = group_contacts(known_neighbors(close.X), apart, close.groups)
        assert joined.pairs["verdict"].tolist() == ["joined"]
        assert torn.pairs["verdict"].tolist() == ["torn"]

    @pytest.mark.parametrize("apart", [0.0, 2.0])
    def test_overlapping_gaussians_are_neither(self, made_up, apart):
        made = made_up.overlapping(600, 0, apart)
        lvm = LVM()
        found = group_contacts(lvm.find_neighbors(made.X), lvm.fit_transform(made.X), made.groups)
        assert found.pairs["verdict"].tolist() == [""]
        assert found.sentences == []

    def test_groups_far_apart_are_neither(self, groups):
        made, neighbors, Y = groups
        pairs = group_contacts(neighbors, Y, made.groups).pairs
        assert len(pairs) == 10
        assert (pairs["verdict"] == "").all()

    def test_false_verdicts_are_rare_where_map_and_table_differ_by_chance(self):
        # The map is the table, and both are measured with an error: nothing is torn or joined.
        n_false = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            true = rng.uniform(size=(300, 2))
            codes = (true[:, 0] * 3).astype(int)
            X, Y = (true + 0.03 * rng.normal(size=true.shape) for _ in range(2))
            n_false += (group_contacts(known_neighbors(X), Y, codes).pairs["verdict"] != "").any()
        assert n_false <= 1

    def test_names_stay_as_they_are(self, made_up):
        made = made_up.separate(200, 0, 2)
        named = pd.Categorical.from_codes(made.groups, ["B cells", "T cells"])
        pairs = group_contacts(known_neighbors(made.X), made_up.side_by_side(made.groups, 0), named).pairs
        assert pairs[["a", "b"]].to_numpy().tolist() == [["B cells", "T cells"]]

    def test_one_group_in_one_piece_has_no_pairs(self, made_up):
        X = made_up.noise(200, 0, 2)
        found = group_contacts(known_neighbors(X), X, np.zeros(200))
        assert len(found.pairs) == 0
        assert found.sentences == []
