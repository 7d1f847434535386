"""What the measures of trust find on tables and maps whose truth is known, at the false rate that they state."""

import importlib

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from latentmap import LVM
from latentmap.quality import group_contacts, neighborhood_test, other_places

SEEDS = range(10)
FEW_SEEDS = range(4)


@pytest.fixture(scope="module")
def made_up(pytestconfig):
    """The module of made-up tables of the benchmarks, which are not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pytestconfig.rootpath)
        yield importlib.import_module("benchmarks.trust.made_up")


def verdicts(X, Y, groups):
    """The pairs with a verdict, as sets of (a, b, verdict)."""
    near = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(return_distance=False)
    pairs = group_contacts(near, Y, groups).pairs
    found = pairs[pairs["verdict"] != ""]
    return set(found[["a", "b", "verdict"]].itertuples(index=False, name=None))


class TestATornRing:
    def test_the_tear_is_found_and_nothing_else(self, made_up):
        found = []
        for seed in SEEDS:
            made, angle = made_up.ring(400, seed)
            found.append(verdicts(made.X, made_up.opened(angle, seed), made.groups))
        assert sum((0, 5, "torn") in one for one in found) == 10
        assert sum(len(one) for one in found) == 10

    def test_a_whole_ring_is_not_torn(self, made_up):
        for seed in SEEDS:
            made, _ = made_up.ring(400, seed)
            assert verdicts(made.X, made.X[:, :2], made.groups) == set()

    def test_cells_at_the_tear_have_second_places(self, made_up):
        # A third of them are found, at one false one in ten.
        n_true, n_false = 0, 0
        for seed in (0, 1):
            made, angle = made_up.ring(200, seed)
            lvm = LVM().fit(made.X)
            Y = made_up.opened(angle, seed)
            # In its likeliest size: cells amid a shorter line would lie on either side.
            init = Y * lvm.embedding_.std() / Y.std(), lvm.variances_
            start = next(step.state for step in LVM(init=init).iter_fit(made.X) if step.state)
            torn = LVM().restore(made.X, start.embedding, start.variances, lvm.n_iter_)
            order = np.argsort(np.minimum(angle, 2 * np.pi - angle))
            at_tear, amid = (
                sum(other_places(torn, row).odds[1:].sum() >= 0.05 for row in rows) for rows in (order[:5], order[-5:])
            )
            n_true, n_false = n_true + at_tear, n_false + amid
        assert n_true >= 3
        assert n_false <= 1


class TestTwoOverlappingGaussians:
    @pytest.mark.parametrize("apart", [0.0, 1.0, 2.0])
    def test_are_neither_torn_nor_joined(self, made_up, apart):
        n_false = 0
        for seed in FEW_SEEDS:
            made = made_up.overlapping(300, seed, apart)
            n_false += len(verdicts(made.X, LVM().fit_transform(made.X), made.groups))
        assert n_false == 0

    def test_are_found_when_a_map_parts_them(self, made_up):
        for seed in SEEDS:
            made = made_up.overlapping(300, seed)
            Y = made_up.side_by_side(3 * made.groups, seed)
            assert verdicts(made.X, Y, made.groups) == {(0, 1, "torn")}


class TestABridgeOfDoublets:
    def test_the_types_are_not_said_to_be_joined(self, made_up):
        n_false = 0
        for seed in FEW_SEEDS:
            made = made_up.bridge(400, seed)
            found = verdicts(made.X, LVM().fit_transform(made.X), made.groups)
            n_false += (0, 1, "joined") in found
        assert n_false == 0

    def test_types_that_a_map_puts_side_by_side_are(self, made_up):
        for seed in SEEDS:
            made = made_up.bridge(400, seed)
            Y = made_up.side_by_side(made.groups, seed)
            Y[made.groups == 2] += 10
            assert (0, 1, "joined") in verdicts(made.X, Y, made.groups)

    def test_doublets_that_a_map_hides_in_a_type_are_doubtful(self, made_up):
        made = made_up.bridge(400, 0)
        lvm = LVM().fit(made.X)
        right = neighborhood_test(made.X, lvm.embedding_, lvm)
        assert right.is_sure.mean() >= 0.95
        Y = lvm.embedding_.copy()
        doublets = np.flatnonzero(made.groups == 2)
        hidden = doublets[:8]
        Y[hidden] = Y[np.random.default_rng(0).choice(np.flatnonzero(made.groups == 0), 8, replace=False)] + 0.01
        found = neighborhood_test(made.X, Y, lvm)
        assert np.mean(~found.is_sure[hidden]) >= 0.7
        assert np.mean(~np.delete(found.is_sure, hidden)) <= 0.05


class TestBatchShifts:
    def test_mixed_on_the_map_alone(self, made_up):
        for seed in SEEDS:
            made = made_up.batches(400, seed, 10)
            assert verdicts(made.X, made_up.noise(400, seed, 2), made.groups) == {(0, 1, "joined")}

    def test_apart_on_the_map_alone(self, made_up):
        for seed in SEEDS:
            made = made_up.batches(400, seed, 2)
            assert verdicts(made.X, made_up.side_by_side(3 * made.groups, seed), made.groups) == {(0, 1, "torn")}

    def test_without_a_shift_there_is_nothing_to_say(self, made_up):
        for seed in FEW_SEEDS:
            made = made_up.batches(300, seed, 0)
            assert verdicts(made.X, LVM().fit_transform(made.X), made.groups) == set()


class TestPureNoise:
    @pytest.mark.slow
    def test_nearly_everything_is_doubtful_at_the_stated_rate(self, made_up):
        sure, small = [], []
        for seed in range(3):
            for columns in (3, 10, 50):
                X = made_up.noise(500, seed, columns)
                lvm = LVM().fit(X)
                found = neighborhood_test(X, lvm.embedding_, lvm)
                sure.append(found.is_sure.mean())
                small.append(np.mean(found.p_values <= 0.05))
        # A false discovery on noise is any sure cell; one table in twenty may have some.
        assert np.mean(np.array(sure) > 0) <= 0.12
        assert np.mean(small) == pytest.approx(0.05, abs=0.015)

    @pytest.mark.parametrize(
        "name",
        [
            "noise, 10 uniform columns",
            "noise, 10 skewed columns (exponential)",
            "noise, 50 columns of counts (Poisson, mean .3)",
        ],
    )
    def test_columns_of_another_shape_are_doubtful_where_they_are_shuffled(self, made_up, name):
        X = made_up.OTHER_NOISE[name](500, 0)
        lvm = LVM().fit(X)
        found = neighborhood_test(X, lvm.embedding_, lvm, null="columns")
        assert found.is_sure.mean() <= 0.01
        assert np.mean(found.p_values <= 0.05) <= 0.12

    def test_groups_drawn_at_random_are_neither(self, made_up):
        for seed in FEW_SEEDS:
            X = made_up.noise(300, seed, 10)
            groups = np.random.default_rng(seed).integers(3, size=300)
            assert verdicts(X, LVM().fit_transform(X), groups) == set()
