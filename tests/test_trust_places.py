"""Where else a cell could lie, how maps differ, and how probable it is that two cells coincide."""

import importlib

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits

from latentmap import LVM, PAPER
from latentmap.quality import (
    changed_neighbors,
    coincidence_calibration,
    compare_maps,
    likelihood_field,
    other_places,
    reliability,
    seed_changes,
)


@pytest.fixture(scope="module")
def made_up(pytestconfig):
    """The module of made-up tables of the benchmarks, which are not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pytestconfig.rootpath)
        yield importlib.import_module("benchmarks.trust.made_up")


@pytest.fixture(scope="module")
def digits():
    return load_digits().data[:400]


@pytest.fixture(scope="module")
def misplaced(made_up):
    """A map of two groups far apart on which cell 0 lies in the other group, and the groups."""
    made = made_up.separate(300, 0, 2)
    lvm = LVM().fit(made.X)
    Y = lvm.embedding_.copy()
    Y[0] = Y[made.groups != made.groups[0]].mean(axis=0)
    return LVM().restore(made.X, Y, lvm.variances_, lvm.n_iter_), made.groups


class TestCellLikelihood:
    @pytest.mark.parametrize(
        "settings", [{}, {"n_components": 3}, PAPER], ids=["heavy tails", "three dimensions", "paper"]
    )
    def test_is_what_the_likelihood_of_the_map_gains(self, digits, settings):
        lvm = LVM(**{**settings, "max_iter": 20}).fit(digits)
        likelihood, state = lvm._solution.problem.likelihood, lvm._solution.state
        moved = state.embedding.copy()
        moved[7] = moved[100] + 0.3
        gain = likelihood.log_likelihood(moved, state.variances) - likelihood.log_likelihood(
            state.embedding, state.variances
        )
        here, there = lvm.cell_likelihood(7)(np.stack([state.embedding[7], moved[7]]).astype(float))
        assert there - here == pytest.approx(gain, rel=1e-5)

    def test_unknown_rows_are_refused(self, digits):
        lvm = LVM(max_iter=2).fit(digits)
        with pytest.raises(ValueError, match="no row 400"):
            lvm.cell_likelihood(400)


class TestOtherPlaces:
    def test_a_misplaced_cell_belongs_to_its_own_group(self, misplaced):
        lvm, groups = misplaced
        best = other_places(lvm, 0).positions[0]
        to_group = [np.linalg.norm(lvm.embedding_[1:][groups[1:] == group] - best, axis=1).min() for group in (0, 1)]
        assert np.argmin(to_group) == groups[0]

    def test_the_field_is_highest_there(self, misplaced):
        lvm, _ = misplaced
        field = likelihood_field(lvm, 0, size=40)
        i, j = np.unravel_index(np.argmax(field.log_likelihood), (40, 40))
        best = other_places(lvm, 0).positions[0]
        step = max(np.diff(field.x)[0], np.diff(field.y)[0])
        assert np.abs(best - [field.x[j], field.y[i]]).max() < 2 * step
        assert field.log_likelihood.max() == 0

    def test_a_field_of_a_turned_map_is_the_same_field_seen_along_other_axes(self, misplaced):
        lvm, _ = misplaced
        turn = np.array([[0.0, -1.0], [1.0, 0.0]])
        drawn = lvm.embedding_ @ turn
        box = np.array([drawn.min(axis=0), drawn.max(axis=0)])
        plain, turned = likelihood_field(lvm, 0, size=12), likelihood_field(lvm, 0, size=12, turn=turn, box=box)
        # (x, y) is drawn at (y, -x).
        assert turned.x == pytest.approx(plain.y)
        assert turned.y == pytest.approx(-plain.x[::-1])
        assert turned.log_likelihood == pytest.approx(plain.log_likelihood.T[::-1])
        assert np.array_equal(plain.odds, np.exp(plain.log_likelihood / plain.weight))

    def test_the_odds_of_the_field_are_those_of_the_places(self, made_up):
        made, angle = made_up.ring(300, 0)
        lvm = LVM().fit(made.X)
        Y = made_up.opened(angle, 0)
        torn = LVM().restore(made.X, Y * lvm.embedding_.std() / Y.std(), lvm.variances_, lvm.n_iter_)
        found = ((row, other_places(torn, row)) for row in np.argsort(np.minimum(angle, 2 * np.pi - angle)))
        row, places = next((row, one) for row, one in found if len(one.odds) > 1)
        # A grid with two of the places at its corners.
        ends = places.positions[:2]
        field = likelihood_field(torn, row, size=2, margin=0, box=[ends.min(axis=0), ends.max(axis=0)])
        ratio = np.divide(*(field.odds[np.argmin(abs(field.y - y)), np.argmin(abs(field.x - x))] for x, y in ends))
        assert ratio == pytest.approx(places.odds[0] / places.odds[1], rel=1e-4)

    def test_odds_sum_to_one_and_fall(self, misplaced):
        places = other_places(misplaced[0], 5)
        assert places.odds.sum() == pytest.approx(1)
        assert (np.diff(places.odds) <= 0).all()

    def test_cells_at_a_tear_have_a_second_place_at_its_other_side(self, made_up):
        made, angle = made_up.ring(300, 0)
        lvm = LVM().fit(made.X)
        Y = made_up.opened(angle, 0)
        torn = LVM().restore(made.X, Y * lvm.embedding_.std() / Y.std(), lvm.variances_, lvm.n_iter_)
        from_tear = np.minimum(angle, 2 * np.pi - angle)
        seconds = [other_places(torn, row).odds for row in np.argsort(from_tear)[:6]]
        amid = [other_places(torn, row).odds for row in np.argsort(from_tear)[-6:]]
        at_tear, elsewhere = (sum(odds[1:].sum() >= 0.05 for odds in found) for found in (seconds, amid))
        assert at_tear >= 3
        assert at_tear > elsewhere

    def test_a_field_needs_two_dimensions(self, digits):
        with pytest.raises(ValueError, match="two dimensions, but this one has 3"):
            likelihood_field(LVM(n_components=3, max_iter=2).fit(digits), 0)


class TestMapChanges:
    def test_counts_the_neighbours_that_differ(self):
        rng = np.random.default_rng(0)
        one, other = rng.normal(size=(2, 50, 2))

        def near(Y, i):
            return set(np.argsort(np.linalg.norm(Y - Y[i], axis=1))[1:6])

        changed = changed_neighbors(one, other, 5)
        assert changed.tolist() == [1 - len(near(one, i) & near(other, i)) / 5 for i in range(50)]

    @pytest.mark.slow
    def test_cells_that_were_moved_are_found_and_another_seed_is_not(self):
        # Up to 1024 rows another seed gives the same map.
        X, lvm = load_digits().data[:1100], LVM(max_iter=100)
        by_seed = seed_changes(lvm, X)
        assert by_seed.mean() > 0.05
        Y, seed = lvm.fit_transform(X), LVM(max_iter=100, random_state=9).fit_transform(X)
        assert compare_maps(Y, seed, by_seed).is_changed.mean() <= 0.02
        moved, rows = Y.copy(), np.arange(30)
        moved[rows] = Y[::-1][rows]
        found = compare_maps(Y, moved, by_seed)
        assert found.is_changed[rows].mean() >= 0.7
        assert np.delete(found.is_changed, rows).mean() <= 0.05
        assert found.sentence.startswith(f"{found.is_changed.sum()} of 1100 cells have changed")

    def test_none_has_changed_where_nothing_but_the_seed_differs(self):
        class Jitter(BaseEstimator):
            """A map that throws each cell about by its seed, some further than others."""

            def __init__(self, random_state=0):
                self.random_state = random_state

            def fit_transform(self, X, y=None):
                away = np.random.default_rng(self.random_state).normal(size=X.shape)
                return X + np.linspace(0.02, 0.3, len(X))[:, None] * away

        below = []
        for table in range(12):
            X = np.random.default_rng(100 + table).normal(size=(200, 2))
            Y, another = Jitter(10 + table).fit_transform(X), Jitter(50 + table).fit_transform(X)
            found = compare_maps(Y, another, seed_changes(Jitter(), X, seeds=(1, 2, 3), Y=Y))
            assert not found.is_changed.any()
            below.append((found.p_values <= 0.05).mean())
        assert np.mean(below) == pytest.approx(0.05, abs=0.02)
        few = np.arange(0, 200, 2)
        alone = seed_changes(Jitter(), X, seeds=(1, 2), Y=Y, rows=few)
        again = [changed_neighbors(Y[few], Jitter(seed).fit_transform(X)[few]) for seed in (1, 2)]
        np.testing.assert_array_equal(alone, again)
        with pytest.raises(ValueError, match="Y has 3 cells, but the maps of other seeds have 200"):
            seed_changes(Jitter(), X, seeds=(1, 2), Y=Y[:3])

    def test_a_moved_cell_is_found_among_cells_that_every_seed_changes(self):
        # One cell in ten changes all of its neighbours between any two seeds.
        rng = np.random.default_rng(0)
        Y = rng.uniform(size=(600, 2))
        restless, moved = np.arange(60), np.arange(60, 80)

        def another_seed():
            other = Y + 0.002 * rng.normal(size=Y.shape)
            other[restless] = rng.uniform(size=(60, 2))
            return other

        seeds = [another_seed() for _ in range(4)]
        by_seed = [changed_neighbors(seeds[0], seeds[1]), changed_neighbors(seeds[2], seeds[3])]
        by_seed.append(changed_neighbors(seeds[0], seeds[2]))
        assert compare_maps(Y, another_seed(), by_seed).is_changed.mean() <= 0.02
        other = another_seed()
        other[moved] = rng.uniform(size=(20, 2))
        found = compare_maps(Y, other, by_seed).is_changed
        assert found[moved].mean() >= 0.8
        assert np.delete(found, moved).mean() <= 0.02

    def test_one_pair_of_seeds_will_do(self):
        rng = np.random.default_rng(0)
        Y = rng.normal(size=(300, 2))
        by_seed = changed_neighbors(Y, Y + 0.01 * rng.normal(size=Y.shape))[None]
        other = Y.copy()
        other[:40] = rng.normal(size=(40, 2))
        assert compare_maps(Y, other, by_seed).is_changed[:40].mean() >= 0.8

    def test_other_cells_are_refused(self):
        with pytest.raises(ValueError, match="30 and 20 cells"):
            changed_neighbors(np.zeros((30, 2)), np.zeros((20, 2)))

    def test_one_seed_is_too_few(self, digits):
        with pytest.raises(ValueError, match="at least two"):
            seed_changes(LVM(), digits, seeds=(1, 1))


class TestCalibration:
    @pytest.mark.slow
    def test_recalibrated_probabilities_are_frequencies(self):
        found = coincidence_calibration(LVM(), load_digits().data[:900])
        assert found.before.gap > found.after.gap
        assert found.after.gap < 0.1
        assert found.after.brier < 1
        curve = found.recalibrate.predict(np.linspace(0, 1, 50))
        assert (np.diff(curve) >= 0).all()

    @pytest.mark.slow
    @pytest.mark.parametrize("settings", [{}, PAPER], ids=["heavy tails", "paper"])
    def test_the_fit_calibrates_itself(self, settings):
        # On rows that took no part in it, and on pairs of its own.
        X = np.random.default_rng(0).permutation(load_digits().data[:900])
        new, kept = X[:100], X[100:]
        lvm = LVM(**settings).fit(kept)
        positions, variances = lvm.transform_with_variances(new)
        r2 = np.square(positions[:, None] - lvm.embedding_).sum(axis=2)
        total = variances[:, None] + lvm.variances_
        true = np.argsort(cdist(new, kept), axis=1)[:, : lvm.n_neighbors_]
        is_near = np.zeros(r2.shape, bool)
        is_near[np.arange(100)[:, None], true] = True
        after = reliability(lvm.neighbor_probability(r2, total, placed=True), is_near)
        before = reliability(lvm.coincidence(r2, total), is_near)
        assert after.gap <= 0.05 < before.gap
        assert after.brier < before.brier

        r2 = np.square(lvm.embedding_[:200, None] - lvm.embedding_).sum(axis=2)
        is_near = np.zeros(r2.shape, bool)
        is_near[np.arange(200)[:, None], lvm.neighbors_.indices[:200]] = True
        others = ~np.eye(200, 800, dtype=bool)
        p = lvm.neighbor_probability(r2, lvm.variances_[:200, None] + lvm.variances_)
        assert reliability(p[others], is_near[others]).gap <= 0.05

    def test_the_curves_are_those_of_the_last_map(self, digits):
        lvm = LVM(max_iter=20).fit(digits)
        assert not hasattr(lvm, "recalibration_")
        steps = lvm.iter_calibrate()
        next(steps)
        steps.close()
        assert not hasattr(lvm, "recalibration_")
        lvm.calibrate()
        assert (np.diff(lvm.recalibration_.placed.predict(np.linspace(0, 1, 50))) >= 0).all()
        lvm.fit(digits[:300])
        assert not hasattr(lvm, "recalibration_")

    def test_rows_left_out_have_no_probability(self, digits):
        X = np.concatenate([digits, digits[:40] + 1e4])
        with pytest.warns(match="40 of 440 rows"):
            lvm = LVM(10, max_iter=20, connect="largest").fit(X)
        p = lvm.neighbor_probability(np.full(440, 0.1), lvm.variances_)
        assert np.isnan(p[400:]).all()
        assert np.isfinite(p[:400]).all()

    def test_a_curve_says_how_far_off_the_probabilities_are(self):
        p = np.random.default_rng(0).uniform(size=40_000)
        came_true = np.random.default_rng(1).uniform(size=len(p)) < p / 2
        curve = reliability(p, came_true)
        assert curve.observed == pytest.approx(curve.stated / 2, abs=0.03)
        assert curve.n_pairs.sum() == np.sum(p >= 0.05)
        assert curve.gap == pytest.approx(0.26, abs=0.02)

    def test_too_few_rows_are_refused(self, digits):
        with pytest.raises(ValueError, match="Only 10 rows would be held out"):
            coincidence_calibration(LVM(), digits[:100])
