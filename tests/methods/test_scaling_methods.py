"""Classical, gradient and landmark scaling, and Isomap, against their equations."""

import re
import time

import numpy as np
import pytest
from reference import scaling as reference
from scipy.optimize import check_grad
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

import latentmap
from latentmap.methods import ClassicalMDS, GradientMDS, Isomap, LandmarkMDS
from latentmap.methods.mds.landmark import CHOICES
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.mds.squared_stress import COSTS, SquaredStress, cost_to
from latentmap.model.workers import Workers

DataWarning = latentmap.DataWarning


def cloud(n=40, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * np.arange(1, d + 1)[::-1]


def up_to_signs(points):
    """Return points with the largest coordinate of each dimension above 0."""
    return points * np.sign(points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])])


class TestClassical:
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_it_is_the_lecture_s(self, d):
        D = cdist(cloud(), cloud(), "cityblock")
        method = ClassicalMDS(d, metric="manhattan").fit(cloud())
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(reference.classical(D**2, d)), atol=1e-9)
        B = reference.gram(D**2)
        np.testing.assert_allclose(method.eigenvalues_, np.linalg.eigvalsh(B)[::-1], atol=1e-9 * np.abs(B).max())
        left = np.sum((B - method.embedding_ @ method.embedding_.T) ** 2)
        assert method.strain_ == pytest.approx(left / np.sum(B**2))

    def test_euclidean_distances_come_out_exactly(self):
        places = ClassicalMDS(3).fit_transform(cloud())
        np.testing.assert_allclose(cdist(places, places), cdist(cloud(), cloud()), atol=1e-9)

    def test_of_euclidean_distances_it_is_that_of_principal_components(self):
        X = load_iris().data
        components = PCA(2).fit_transform(X)
        np.testing.assert_allclose(up_to_signs(ClassicalMDS().fit_transform(X)), up_to_signs(components), atol=1e-9)

    def test_the_two_points_of_the_lecture_s_question(self):
        D = np.array([[0.0, 4.0], [4.0, 0.0]])
        np.testing.assert_allclose(reference.gram(D), [[1, -1], [-1, 1]])
        np.testing.assert_allclose(np.abs(Scaling.of(D, 1).positions), 1)

    def test_ten_cities_come_out_with_negative_eigenvalues(self, load_data):
        D = load_data("us_cities10")["D"].astype(float)
        method = ClassicalMDS(metric="precomputed").fit(D)
        assert np.corrcoef(D.ravel(), cdist(method.embedding_, method.embedding_).ravel())[0, 1] > 0.999
        assert (method.eigenvalues_ < -1).sum() == 3
        assert method.strain_ < 1e-3

    def test_dimensions_that_there_are_not_are_told_of_and_stay_at_0(self):
        X = np.c_[cloud(d=2), cloud(d=2) @ [1.0, 2.0]]
        with pytest.warns(DataWarning, match="span only 2 dimensions"):
            places = ClassicalMDS(3).fit_transform(X)
        assert not places[:, 2].any()
        np.testing.assert_allclose(cdist(places, places), cdist(X, X), atol=1e-9)

    def test_distances_that_no_points_have_get_the_dimensions_that_there_are(self):
        # Around a square of side 1, where the way to the opposite corner is 2.
        D = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]], dtype=float)
        with pytest.warns(DataWarning, match="no other eigenvalue is above 0"):
            method = ClassicalMDS(3, metric="precomputed").fit(D)
        np.testing.assert_allclose(method.eigenvalues_, [2, 2, 0, -1], atol=1e-12)
        np.testing.assert_array_equal(method.embedding_[:, 2], 0)
        assert method.strain_ == pytest.approx(1 / 9)

    def test_many_rows_give_the_same_map_as_few_eigenvectors_do(self):
        X = cloud(1200, 4)
        many = ClassicalMDS(3).fit(X)
        assert len(many.eigenvalues_) == 3
        np.testing.assert_allclose(up_to_signs(many.embedding_), up_to_signs(PCA(3).fit_transform(X)), atol=1e-6)

    def test_many_rows_of_few_dimensions(self):
        with pytest.warns(DataWarning, match="span only 2 dimensions"):
            places = ClassicalMDS(4).fit_transform(cloud(1200, 2))
        np.testing.assert_array_equal(places[:, 2:], 0)
        np.testing.assert_allclose(cdist(places, places), cdist(cloud(1200, 2), cloud(1200, 2)), atol=1e-6)

    def test_the_order_of_the_rows_does_not_matter(self):
        order = np.random.default_rng(1).permutation(40)
        one, other = ClassicalMDS().fit_transform(cloud()), ClassicalMDS().fit_transform(cloud()[order])
        np.testing.assert_allclose(up_to_signs(one)[order], up_to_signs(other), atol=1e-9)

    def test_new_rows_lie_at_their_true_distances(self):
        method = ClassicalMDS(3).fit(cloud())
        new = cloud(7, seed=5)
        np.testing.assert_allclose(cdist(method.transform(new), method.embedding_), cdist(new, cloud()), atol=1e-9)

    def test_too_many_rows_are_refused_in_a_sentence(self):
        with pytest.raises(ValueError, match=r"Classical scaling \(ClassicalMDS\) counts every pair of rows"):
            ClassicalMDS().fit(np.zeros((10_001, 1)))

    def test_a_metric_without_a_value_is_told_of(self):
        X = cloud()
        X[3] = 1.0
        with pytest.raises(ValueError, match="first is row"):
            ClassicalMDS(metric="correlation").fit(X)


class TestLandmarks:
    def test_rows_are_placed_as_de_silva_and_tenenbaum_do(self):
        X = cloud()
        D = cdist(X, X, "cityblock") ** 2
        method = LandmarkMDS(12, metric="manhattan").fit(X)
        chosen = method.landmarks_
        expected = np.array([reference.landmarks(D[np.ix_(chosen, chosen)], D[i, chosen], 2) for i in range(len(X))])
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(expected), atol=1e-9)
        np.testing.assert_allclose(method.transform(X), method.embedding_, atol=1e-9)

    @pytest.mark.parametrize(
        ("n", "n_landmarks", "is_taken"), [(20, 5, True), (21, 5, False), (10, 30, True), (11, 30, False)]
    )
    def test_as_many_rows_are_taken_as_distances_are_held(self, monkeypatch, n, n_landmarks, is_taken):
        monkeypatch.setattr("latentmap.methods.mds.landmark.MOST_DISTANCES", 100)
        method = LandmarkMDS(n_landmarks)
        if is_taken:
            assert method.fit(cloud()[:n]).embedding_.shape == (n, 2)
        else:
            with pytest.raises(ValueError, match=r"accepts more rows with fewer of them: it takes up to [12]0 rows"):
                method.fit(cloud()[:n])

    def test_each_landmark_is_farthest_from_those_before(self):
        X = cloud()
        chosen = LandmarkMDS(12, landmarks="farthest").fit(X).landmarks_
        for number in range(1, 12):
            nearest = cdist(X, X[chosen[:number]]).min(axis=1)
            assert nearest[chosen[number]] == pytest.approx(nearest.max())

    @pytest.mark.parametrize("landmarks", CHOICES)
    def test_where_all_rows_are_landmarks_the_map_is_the_classical_one(self, landmarks):
        method = LandmarkMDS(1000, landmarks=landmarks).fit(cloud())
        assert sorted(method.landmarks_) == list(range(40))
        classical = ClassicalMDS().fit(cloud())
        np.testing.assert_allclose(up_to_signs(method.embedding_), up_to_signs(classical.embedding_), atol=1e-9)
        assert method.strain_ == pytest.approx(classical.strain_)

    @pytest.mark.parametrize("landmarks", CHOICES)
    def test_few_landmarks_place_all_rows_of_a_plane_exactly(self, landmarks):
        X = cloud(300, 2)
        places = LandmarkMDS(5, landmarks=landmarks).fit_transform(X)
        np.testing.assert_allclose(cdist(places, places), cdist(X, X), atol=1e-8)

    def test_distances_given_are_taken(self):
        X, new = cloud(60), cloud(9, seed=3)
        given = LandmarkMDS(20, metric="precomputed").fit(cdist(X, X))
        measured = LandmarkMDS(20).fit(X)
        np.testing.assert_array_equal(given.landmarks_, measured.landmarks_)
        np.testing.assert_allclose(given.transform(cdist(new, X)), measured.transform(new), atol=1e-9)

    @pytest.mark.parametrize("landmarks", CHOICES)
    def test_copies_of_a_row_are_no_landmark_twice(self, landmarks, recwarn):
        X = np.repeat(cloud(4, 2), 5, axis=0)
        chosen = LandmarkMDS(10, landmarks=landmarks).fit(X).landmarks_
        assert len(set(chosen.tolist())) == 10
        if landmarks == "kmeans":
            assert len(np.unique(X[chosen[:4]], axis=0)) == 4
        assert not recwarn.list

    def test_of_each_of_some_groups_the_row_nearest_to_its_mean_is_a_landmark(self):
        groups = np.repeat(np.arange(6), 30)
        X = 100 * np.random.default_rng(1).normal(size=(6, 5))[groups] + cloud(180, 5)
        chosen = LandmarkMDS(6, landmarks="kmeans").fit(X).landmarks_
        assert sorted(groups[chosen]) == list(range(6))
        for row in chosen:
            own = np.flatnonzero(groups == groups[row])
            assert row == own[np.linalg.norm(X[own] - X[own].mean(axis=0), axis=1).argmin()]

    def test_k_means_looks_at_some_of_many_rows_and_no_thread_changes_it(self, monkeypatch):
        monkeypatch.setattr("latentmap.methods.mds.landmark._ROWS_PER_CENTER", 3)
        X = cloud(500, 4)
        one, other = (LandmarkMDS(8, landmarks="kmeans", random_state=seed).fit(X).landmarks_ for seed in (0, 1))
        assert len(set(one)) == 8
        assert set(one) != set(other)
        with threadpool_limits(1):
            np.testing.assert_array_equal(LandmarkMDS(8, landmarks="kmeans").fit(X).landmarks_, one)

    @pytest.mark.parametrize("metric", ["precomputed", "manhattan"])
    def test_k_means_of_other_distances_is_refused(self, metric):
        D = cdist(cloud(), cloud())
        with pytest.raises(ValueError, match=f'landmarks="kmeans" .* metric="{metric}"'):
            LandmarkMDS(5, landmarks="kmeans", metric=metric).fit(D)

    @pytest.mark.slow
    def test_100_000_rows_take_seconds(self):
        X = np.random.default_rng(0).normal(size=(100_000, 20)).astype(np.float32)
        began = time.perf_counter()
        assert np.isfinite(LandmarkMDS(landmarks="farthest").fit_transform(X)).all()
        # Some ten times what it takes on a quiet machine.
        assert time.perf_counter() - began < 60

    def test_fewer_landmarks_than_the_map_needs_are_refused(self):
        with pytest.raises(ValueError, match=re.escape("n_landmarks (landmarks), the rows by which all others")):
            LandmarkMDS(2).fit(cloud())


class TestGradient:
    @pytest.mark.parametrize("kind", COSTS)
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_costs_are_the_lecture_s_but_for_the_rounding(self, kind, d):
        Y, D = cloud(20, d, 1), cdist(cloud(20), cloud(20))
        stress = SquaredStress(D**2, kind, Workers(2))
        exact = getattr(reference, kind)(Y, D)
        found = stress.cost(Y)[0]
        assert found <= exact * (1 + 1e-12)
        assert found >= exact - stress.rounding * len(Y) ** 2 - 1e-9 * exact
        assert (stress.rounding > 0) == (kind == "absolute")

    @pytest.mark.parametrize("kind", COSTS)
    def test_gradients_are_those_of_finite_differences(self, kind):
        Y, D = cloud(12, 2, 1), cdist(cloud(12), cloud(12))
        stress = SquaredStress(D**2, kind, Workers(1))
        error = check_grad(
            lambda y: stress.cost(y.reshape(Y.shape))[0],
            lambda y: stress.cost(y.reshape(Y.shape))[1].ravel(),
            Y.ravel(),
        )
        assert error < 1e-4 * np.linalg.norm(stress.cost(Y)[1])

    @pytest.mark.parametrize("kind", COSTS)
    def test_what_one_row_adds_is_its_part_of_the_whole(self, kind):
        Y, D = cloud(15, 2, 1), cdist(cloud(15), cloud(15))
        stress = SquaredStress(D**2, kind, Workers(1))
        moved = Y.copy()
        moved[3] += 0.7
        costs, gradients = cost_to(np.array([Y[3], moved[3]]), Y[np.arange(15) != 3], np.delete(D[[3, 3]] ** 2, 3, 1),
                                   stress.rounding)  # fmt: skip
        assert costs[1] - costs[0] == pytest.approx(stress.cost(moved)[0] - stress.cost(Y)[0])
        np.testing.assert_allclose(gradients[0], stress.cost(Y)[1][3], rtol=1e-9)

    @pytest.mark.parametrize("kind", COSTS)
    @pytest.mark.parametrize("init", ["classical", "random"])
    def test_the_cost_never_rises(self, kind, init):
        method = GradientMDS(cost=kind, init=init, max_iter=80, tol=0).fit(load_iris().data)
        assert method.costs_[-1] < method.costs_[0]
        assert (np.diff(method.costs_) <= 0).all()
        assert method.cost_ == method.costs_[-1]

    @pytest.mark.parametrize("kind", COSTS)
    def test_true_distances_come_out(self, kind):
        X = cloud(30, 2)
        places = GradientMDS(cost=kind, init="random", max_iter=3000, tol=1e-12).fit_transform(X)
        np.testing.assert_allclose(cdist(places, places), cdist(X, X), atol=0.02 * X.std())

    def test_absolute_differences_bear_wrong_distances_and_squares_do_not(self):
        X = cloud(30, 2)
        D = cdist(X, X)
        D[2, 5] = D[5, 2] = 10 * D.max()
        rest = np.setdiff1d(np.arange(30), [2, 5])
        misfit = {}
        for kind in COSTS:
            places = GradientMDS(metric="precomputed", cost=kind, max_iter=3000, tol=1e-9).fit_transform(D)
            misfit[kind] = procrustes(X[rest], places[rest])[2]
        assert misfit["absolute"] < 0.01 < misfit["squared"]

    def test_turned_and_moved_starts_lead_to_turned_and_moved_maps(self):
        X, start = cloud(30), cloud(30, 2, 4)
        turn = np.array([[0.6, -0.8], [0.8, 0.6]])
        one = GradientMDS(init=start, max_iter=30, tol=0).fit_transform(X)
        other = GradientMDS(init=start @ turn + 5, max_iter=30, tol=0).fit_transform(X)
        np.testing.assert_allclose(one @ turn + 5, other, atol=1e-6)

    def test_the_map_does_not_depend_on_the_number_of_threads(self):
        X, _ = make_swiss_roll(700, random_state=1)
        one, two = (GradientMDS(max_iter=5, n_jobs=n_jobs).fit_transform(X) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one, two)

    @pytest.mark.parametrize("kind", COSTS)
    def test_each_new_row_lies_where_its_own_cost_is_least(self, kind):
        X = load_iris().data
        method = GradientMDS(cost=kind, max_iter=100).fit(X[::2])
        new = X[1::20]
        squared = cdist(new, X[::2], "sqeuclidean")
        placed = method.transform(new)
        rounding = SquaredStress(cdist(X[::2], X[::2], "sqeuclidean"), kind, Workers(1)).rounding
        costs = cost_to(placed, method.embedding_, squared, rounding)[0]
        starts = cost_to(method.embedding_[squared.argmin(axis=1)], method.embedding_, squared, rounding)[0]
        assert (costs <= starts).all()
        for step in 0.01 * np.random.default_rng(0).normal(size=(20, 2)):
            assert (cost_to(placed + step, method.embedding_, squared, rounding)[0] > costs * (1 - 1e-6)).all()

    def test_stopping_keeps_the_last_state(self):
        method = GradientMDS(callback=lambda state: state.iteration == 4).fit(cloud())
        assert method.n_iter_ == 4
        np.testing.assert_array_equal(method.embedding_, GradientMDS(max_iter=4, tol=0).fit(cloud()).embedding_)

    @pytest.mark.parametrize(
        ("settings", "says"),
        [
            ({"cost": "cubed"}, "cost is 'cubed'"),
            ({"init": "pca"}, "init is 'pca'"),
            ({"init": np.zeros((3, 2))}, "init is a map of 3 rows"),
            ({"tol": -1}, "tol, the change of the cost"),
        ],
    )
    def test_bad_parameters_are_said_in_a_sentence(self, settings, says):
        with pytest.raises(ValueError, match=re.escape(says)):
            GradientMDS(**settings).fit(cloud())


class TestIsomap:
    def test_paths_are_those_of_floyd_and_warshall_and_the_map_is_classical(self):
        X, _ = make_swiss_roll(150, random_state=0)
        method = Isomap(8, 2).fit(X)
        expected = reference.geodesics(X, 8)
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(method.distances_, expected, rtol=1e-12)
        np.testing.assert_allclose(
            up_to_signs(method.embedding_), up_to_signs(reference.classical(expected**2, 2)), atol=1e-7
        )

    @pytest.mark.slow
    def test_it_is_scikit_learn_s_with_new_rows_too(self):
        from sklearn.manifold import Isomap as Theirs

        X, _ = make_swiss_roll(1100, random_state=0)
        ours, theirs = Isomap(9).fit(X[:1050]), Theirs(n_neighbors=9).fit(X[:1050])
        signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
        np.testing.assert_allclose(ours.embedding_, theirs.embedding_ * signs, atol=1e-6)
        np.testing.assert_allclose(ours.transform(X[1050:]), theirs.transform(X[1050:]) * signs, atol=1e-6)

    def test_parts_are_joined_by_their_shortest_bridge(self):
        X = np.vstack([cloud(20, 2), cloud(20, 2, 1) + np.array([60, 0])])
        D = cdist(X, X)
        i, j = np.unravel_index(D[:20, 20:].argmin(), (20, 20))
        distances = Isomap(5).fit(X).distances_
        assert np.isfinite(distances).all()
        assert distances[i, 20 + j] == pytest.approx(D[i, 20 + j])
        assert (distances[:20, 20:] >= D[i, 20 + j] - 1e-9).all()

    def test_copies_of_rows_lie_together(self):
        X, _ = make_swiss_roll(100, random_state=0)
        X = np.vstack([X, X[:10]])
        with pytest.warns(DataWarning, match="duplicates"):
            places = Isomap(8).fit_transform(X)
        np.testing.assert_allclose(places[:10], places[100:], atol=1e-3 * places.std())

    def test_it_can_be_stopped_between_paths(self):
        X, _ = make_swiss_roll(600, random_state=0)
        steps = Isomap(8).iter_fit(X)
        stages = [next(steps).stage for _ in range(4)]
        assert stages == ["neighbours", "graph", "graph", "graph"]
        steps.close()

    def test_a_stopped_fit_leaves_the_map_before(self):
        X, _ = make_swiss_roll(120, random_state=0)
        method = Isomap(8).fit(X)
        before = method.embedding_
        steps = method.iter_fit(cloud(60))
        next(steps)
        next(steps)
        steps.close()
        assert method.embedding_ is before
        np.testing.assert_allclose(method.transform(X[:5]), before[:5], atol=1e-6)
