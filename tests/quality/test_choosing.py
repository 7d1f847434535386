"""Choosing parameters by rows that are held out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from latentmap import LVM, choose
from latentmap.methods import ClassicalMDS, LaplacianEigenmaps
from latentmap.model.vectors import Vectors
from latentmap.quality import neighbor_log_score
from latentmap.quality.held_out import held_out_scores, true_neighbors

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
IRIS = load_iris().data
SHORT = LVM(max_iter=10)


def uniform(n=300, d=2, seed=0):
    return np.random.default_rng(seed).uniform(size=(n, d))


def scored(X, positions, k=10):
    rows = np.arange(len(X))
    return held_out_scores(positions, rows, true_neighbors(Vectors(X, method="exact"), rows, k)).mean()


class TestTheScore:
    def test_true_neighbors_are_the_nearest_others_among_copies_too(self):
        X = np.repeat(uniform(20), 3, axis=0)
        found = true_neighbors(Vectors(X, method="exact"), np.arange(60), 2)
        for row, others in enumerate(found):
            assert sorted([row, *others]) == [row // 3 * 3, row // 3 * 3 + 1, row // 3 * 3 + 2]

    @pytest.mark.slow
    def test_it_is_as_defined(self):
        """With the similarity that a search among many finds for each half, the mean log probability."""
        X, Y = uniform(60, 3), uniform(60, 2, seed=1) / 5
        rows = np.arange(60)
        neighbors = true_neighbors(Vectors(X, method="exact"), rows, 4)
        logs = {}
        for width in np.exp(np.linspace(-7, 7, 141)):
            for exponent in np.exp(np.linspace(-2, 4, 61)):
                p = (1 + cdist(Y, Y) ** 2 / width**2) ** -exponent
                np.fill_diagonal(p, 0)
                with np.errstate(divide="ignore"):
                    log = np.log(p / p.sum(axis=1, keepdims=True))
                logs[width, exponent] = np.take_along_axis(log, neighbors, axis=1).mean(axis=1)
        expected = 0.0
        for half, other in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
            expected += max(logs.values(), key=lambda found: found[other].mean())[half].sum()
        assert held_out_scores(Y, rows, neighbors).mean() == pytest.approx(expected / 60 + np.log(59), abs=2e-3)

    @pytest.mark.parametrize(
        "change", [lambda Y: 1e4 * Y, lambda Y: 1e-4 * Y + 7, lambda Y: Y @ [[0.6, 0.8], [-0.8, 0.6]]]
    )
    def test_width_place_and_turn_of_the_map_mean_nothing(self, change):
        X = uniform()
        assert scored(X, change(X)) == pytest.approx(scored(X, X), rel=1e-4)

    def test_it_is_nothing_for_noise_and_falls_with_what_the_map_mixes_up(self):
        X, rng = uniform(), np.random.default_rng(1)
        found = [scored(X, X + spread * rng.normal(size=X.shape)) for spread in (0, 0.03, 0.1, 0.3)]
        assert found == sorted(found, reverse=True)
        assert found[0] > 2
        assert abs(scored(X, rng.permutation(X))) < 0.05

    def test_a_map_at_one_point_is_a_guess(self):
        X = uniform()
        assert scored(X, np.zeros((300, 2))) == pytest.approx(0, abs=1e-9)

    def test_too_many_neighbours_are_refused(self):
        with pytest.raises(ValueError, match="at most 75 "):
            neighbor_log_score(SHORT.fit(IRIS), IRIS, n_neighbors=76)


class TestTheChoice:
    @pytest.mark.slow
    def test_the_table_is_in_the_order_of_dimensions_and_then_as_given(self):
        grid = {"n_neighbors": [30, 5], "n_components": [1, 2]}
        choice = choose(IRIS, grid, estimator=SHORT, n_folds=2)
        assert choice.table[["n_components", "n_neighbors"]].to_numpy().tolist() == [[1, 30], [1, 5], [2, 30], [2, 5]]
        assert choice.table["score"].idxmax() == choice.table["behind"].idxmin()
        assert choice.table["behind"].min() == 0
        best = choice.table.loc[choice.table["score"].idxmax()]
        near = choice.table[choice.table["behind"] <= best["standard_error"]].iloc[0]
        assert choice.best == {"n_components": best["n_components"], "n_neighbors": best["n_neighbors"]}
        assert choice.simplest == {"n_components": near["n_components"], "n_neighbors": near["n_neighbors"]}
        assert choice.table["principal_components"].nunique() == 2
        assert not choice.stopped

    def test_it_is_that_of_maps_made_one_by_one(self):
        choice = choose(IRIS, {"n_neighbors": [7]}, estimator=SHORT, n_folds=2, held_out=30)
        order = np.random.default_rng(0).permutation(150)
        scores = []
        for lot in (np.sort(order[:30]), np.sort(order[30:60])):
            rest = np.setdiff1d(np.arange(150), lot)
            lvm = LVM(7, max_iter=10).fit(IRIS[rest])
            positions = np.empty((150, 2))
            positions[rest], positions[lot] = lvm.embedding_, lvm.transform(IRIS[lot])
            scores.append(
                held_out_scores(positions, lot, true_neighbors(Vectors(IRIS, method="exact"), lot, 10)).mean()
            )
        assert choice.table["score"][0] == pytest.approx(np.mean(scores), abs=1e-12)
        assert choice.table["standard_error"][0] == pytest.approx(abs(scores[0] - scores[1]) / 2, abs=1e-12)

    @pytest.mark.slow
    def test_the_dimensions_that_there_are_and_no_more(self):
        plane = np.hstack([uniform(200), np.zeros((200, 1))]) + 1e-6 * np.random.default_rng(0).normal(size=(200, 3))
        choice = choose(plane, {"n_components": [1, 2, 3]}, estimator=ClassicalMDS(), n_folds=2)
        line, flat, solid = choice.table["score"]
        assert line < flat - 0.5
        assert solid < flat + 0.01
        assert choice.simplest == {"n_components": 2}
        np.testing.assert_allclose(choice.table["principal_components"][:2], choice.table["score"][:2], atol=1e-6)

    def test_there_is_hardly_anything_to_be_told_of_noise(self):
        X = np.random.default_rng(0).normal(size=(200, 60))
        choice = choose(X, {"n_neighbors": [15]}, estimator=SHORT, n_folds=2)
        assert choice.table["score"][0] < 0.3

    @pytest.mark.slow
    def test_distances_alone_and_other_metrics(self):
        D = cdist(IRIS, IRIS)
        grid = {"n_neighbors": [7]}
        of_rows = choose(IRIS, grid, estimator=SHORT, n_folds=2)
        of_distances = choose(D, grid, estimator=LVM(max_iter=10, metric="precomputed"), n_folds=2)
        assert np.isnan(of_distances.table["principal_components"][0])
        assert of_distances.table["score"][0] == pytest.approx(of_rows.table["score"][0], abs=0.15)
        assert choose(IRIS + 1, grid, estimator=LVM(max_iter=10, metric="cosine"), n_folds=2).table["score"][0] > 0

    def test_it_can_be_stopped_in_any_iteration(self):
        heard = []

        def stop(progress):
            heard.append(progress)
            return progress.done == 3 and progress.fit is not None and progress.fit.state is not None

        choice = choose(IRIS, {"n_neighbors": [5, 15]}, estimator=SHORT, n_folds=3, callback=stop)
        assert (choice.stopped, choice.n_folds) == (True, 1)
        assert "stopped" in choice.sentence
        assert [progress.done for progress in heard] == sorted(progress.done for progress in heard)
        assert {progress.total for progress in heard} == {6}
        first = choose(IRIS, {"n_neighbors": [5, 15]}, estimator=SHORT, n_folds=3, callback=lambda step: step.done == 1)
        assert list(first.table["n_neighbors"]) == [5]
        with pytest.raises(ValueError, match="before there was a score"):
            choose(IRIS, {"n_neighbors": [5, 15]}, callback=lambda progress: True)

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"candidates": {"k": [3]}}, "LVM has no parameter"),
            ({"candidates": {"n_neighbors": 3}}, "in a list"),
            ({"candidates": {"n_neighbors": []}}, "in a list"),
            ({"candidates": {"n_neighbors": [0]}}, "n_neighbors"),
            ({"n_folds": 1}, "at least 2"),
            ({"n_folds": 50}, "four of the 150 rows"),
            ({"n_true": 100}, "half of the 150 rows"),
            ({"held_out": 0}, "held_out"),
            ({"estimator": LaplacianEigenmaps()}, "places no new rows"),
        ],
        ids=str,
    )
    def test_what_is_wrong_is_said(self, wrong, says):
        with pytest.raises(ValueError, match=says):
            choose(IRIS, **{"estimator": SHORT, **wrong})

    def test_maps_that_leave_rows_out_are_refused(self):
        two = np.vstack([uniform(80), uniform(20) + 50])
        with pytest.raises(ValueError, match='connect to "bridge"'):
            choose(two, {"n_neighbors": [5]}, estimator=LVM(max_iter=5, connect="largest"), n_folds=2)
