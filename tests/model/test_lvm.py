"""The estimator as scikit-learn, pandas, pipelines and those who interrupt it know it."""

import os
import pickle
import subprocess
import sys
import tracemalloc
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from reference import graph as reference
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentmap import LVM, PAPER, DataWarning, State
from latentmap.model import sdd_solver


def normal(n=80, n_columns=20, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_columns))


def table(n=80):
    X = normal(n, 6)
    return pd.DataFrame(X, columns=[f"feature_{c}" for c in range(6)], index=[f"cell_{i}" for i in range(n)])


def assert_same_map(one, other):
    for name in ("embedding_", "variances_", "log_likelihood_", "landmarks_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.n_iter_, one.n_levels_) == (other.n_iter_, other.n_levels_)


# The model without any of these is checked beside the other methods, in test_every_method.py.
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@parametrize_with_checks([LVM(9, max_iter=20, n_levels=1), LVM(**PAPER | {"max_iter": 20})])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@parametrize_with_checks(
    [
        LVM(9, max_iter=20, metric="precomputed"),
        LVM(9, max_iter=20, connect="largest"),
        LVM(**PAPER | {"max_iter": 20}, n_levels=1),
    ]
)
def test_nor_in_models_that_are_rarer(estimator, check):
    check(estimator)


@pytest.fixture(scope="module", params=product(["ascent", "em"], [0, 1, 2]), ids=str)
def lvm(request):
    solver, n_levels = request.param
    return LVM(9, n_levels=n_levels, n_components=3, solver=solver, max_iter=25, tol=0, likelihood_every=10).fit(
        normal()
    )


class TestAttributes:
    def test_shapes_and_kinds(self, lvm):
        assert lvm.embedding_.shape == (80, 3)
        assert lvm.variances_.shape == (80,)
        assert lvm.embedding_.dtype == lvm.variances_.dtype == np.float64
        assert np.isfinite(lvm.embedding_).all()
        assert (lvm.variances_ > 0).all()
        assert lvm.n_iter_ == 25
        assert lvm.n_features_in_ == 20
        assert not hasattr(lvm, "feature_names_in_")

    def test_the_trace_of_the_likelihood(self, lvm):
        np.testing.assert_array_equal(lvm.log_likelihood_iterations_, [0, 10, 20, 25])
        assert lvm.log_likelihood_.shape == (4,)
        assert np.isfinite(lvm.log_likelihood_).all()
        assert (lvm.log_likelihood_ <= 0).all()
        assert lvm.log_likelihood_[-1] > lvm.log_likelihood_[0]

    def test_landmarks(self, lvm):
        if lvm.n_levels == 0:
            assert len(lvm.landmarks_) == 0
            return
        assert len(lvm.landmarks_) == round((80**2 / 2) ** (1 / 3))
        assert len(np.unique(lvm.landmarks_)) == len(lvm.landmarks_)
        assert set(lvm.landmarks_) <= set(range(80))
        assert lvm.n_levels_ == lvm.n_levels

    def test_landmarks_of_fewer_levels_are_those_of_more(self):
        one, two = (LVM(n_levels=n_levels, max_iter=1).fit(normal()) for n_levels in (1, 2))
        np.testing.assert_array_equal(one.landmarks_, two.landmarks_)


@pytest.mark.parametrize("likelihood_every", [1, 4, 1000])
def test_how_often_the_likelihood_is_kept(likelihood_every):
    lvm = LVM(max_iter=10, tol=0, likelihood_every=likelihood_every).fit(normal())
    expected = np.union1d(np.arange(0, 11, likelihood_every), [10])
    np.testing.assert_array_equal(lvm.log_likelihood_iterations_, expected)
    values = [p.state.log_likelihood for p in LVM(max_iter=10, tol=0).iter_fit(normal()) if p.state]
    np.testing.assert_array_equal(lvm.log_likelihood_, np.array(values)[expected])


@pytest.mark.parametrize("n_steps", [1, 2, 3])
@pytest.mark.parametrize("n_neighbors", [3, 6])
def test_the_graph_is_that_of_the_paper(n_neighbors, n_steps):
    X = normal(60, 3)
    dist = cdist(X, X)
    E = reference.neighborhood_graph(dist, n_neighbors, n_steps).E
    lvm = LVM(n_neighbors, n_steps, min_neighbors=0, max_iter=1).fit(X)
    np.testing.assert_allclose(lvm.graph_.toarray(), np.where(E, dist, 0))
    np.fill_diagonal(dist, np.inf)
    E |= dist <= np.sort(dist, axis=1)[:, [1]]
    np.testing.assert_allclose(
        LVM(n_neighbors, n_steps, min_neighbors=2, max_iter=1).fit(X).graph_.toarray(), np.where(E, dist, 0)
    )


class TestDisconnected:
    X = np.concatenate([make_blobs(n, 14, centers=1, random_state=n)[0] + 50 * n for n in (30, 50, 20)])

    def test_bridges_lose_no_row(self):
        lvm = LVM(5, 1, min_neighbors=0, max_iter=20).fit(self.X)
        assert np.isfinite(lvm.embedding_).all()
        assert connected_components(lvm.graph_, directed=False)[0] == 1
        E = reference.neighborhood_graph(cdist(self.X, self.X), 5).E
        np.testing.assert_array_equal(lvm.graph_.toarray() > 0, E)

    @pytest.mark.parametrize("n_levels", [0, 1])
    def test_the_largest_part_alone_is_embedded_as_if_there_were_no_other(self, n_levels):
        with pytest.warns(DataWarning, match=r"3 parts.* 50 rows of the others get NaN.* all 100"):
            lvm = LVM(5, n_levels=n_levels, connect="largest", max_iter=20).fit(self.X)
        alone = LVM(5, n_levels=n_levels, max_iter=20).fit(self.X[30:80])
        np.testing.assert_array_equal(lvm.embedding_[30:80], alone.embedding_)
        np.testing.assert_array_equal(lvm.variances_[30:80], alone.variances_)
        np.testing.assert_array_equal(lvm.landmarks_, 30 + alone.landmarks_)
        np.testing.assert_array_equal(lvm.graph_.toarray()[30:80, 30:80], alone.graph_.toarray())
        assert lvm.graph_.nnz == alone.graph_.nnz
        outside = np.r_[:30, 80:100]
        assert np.isnan(lvm.embedding_[outside]).all()
        assert np.isnan(lvm.variances_[outside]).all()

    @pytest.mark.filterwarnings("error")
    def test_data_in_one_piece_lose_nothing_either_way(self):
        assert_same_map(*(LVM(max_iter=5, connect=connect).fit(normal()) for connect in ("bridge", "largest")))


class TestCopies:
    # Not with much repulsion and levels: a landmark is pushed for all it stands for, also away from its own copies.
    @pytest.mark.parametrize(("model", "n_levels"), [({}, 0), (PAPER, 0), (PAPER, 1)])
    @pytest.mark.parametrize("n_copies", [2, 12])
    @pytest.mark.parametrize("dof", [np.inf, 2])
    def test_copies_lie_together_and_others_do_not(self, n_copies, model, n_levels, dof):
        X = np.repeat(normal(12), n_copies, axis=0)
        with pytest.warns(DataWarning, match=f"{12 * n_copies} of {12 * n_copies} rows are duplicates"):
            lvm = LVM(**dict(model, n_neighbors=5, n_levels=n_levels, dof=dof, max_iter=200)).fit(X)
        clumps = lvm.embedding_.reshape(12, n_copies, 2)
        centres = clumps.mean(axis=1)
        within = np.linalg.norm(clumps - centres[:, None], axis=2)
        between = cdist(centres, centres)[np.triu_indices(12, 1)]
        # Of so few rows copies are landmarks both, now and then, and as such are kept apart. Some copies have an edge
        # to the next clump, which pulls them out a little.
        assert (within.max() if n_levels == 0 else np.median(within)) < 0.15 * np.median(between)
        assert (lvm.variances_ > 0).all()

    def test_one_clump_larger_than_k_among_others(self):
        X = np.concatenate([normal(60), np.repeat(normal(1, seed=1), 40, axis=0)])
        with pytest.warns(DataWarning, match="40 of 100 rows are duplicates"):
            lvm = LVM(max_iter=30).fit(X)
        assert np.isfinite(lvm.embedding_).all()

    def test_of_two_rows_many_copies(self):
        X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 30, axis=0)
        with pytest.warns(DataWarning, match="60 of 60"):
            embedding = LVM(5, max_iter=50).fit_transform(X)
        assert np.isfinite(embedding).all()
        gap = np.linalg.norm(embedding[:30].mean(axis=0) - embedding[30:].mean(axis=0))
        assert gap > max(embedding[:30].std(), embedding[30:].std())


class TestFormsOfTheData:
    X = normal(200)

    @pytest.fixture(scope="class")
    @classmethod
    def expected(cls):
        return LVM(n_levels=1, max_iter=10).fit(cls.X)

    def fitted(self, X):
        return LVM(n_levels=1, max_iter=10).fit(X)

    def test_rows_of_lists(self, expected):
        assert_same_map(self.fitted(self.X.tolist()), expected)

    def test_order_in_memory(self, expected):
        assert_same_map(self.fitted(np.asfortranarray(self.X)), expected)
        assert_same_map(self.fitted(np.repeat(self.X, 2, axis=1)[:, ::2]), expected)

    def test_single_precision(self):
        single = self.X.astype(np.float32)
        found, expected = self.fitted(single), self.fitted(single.astype(float))
        np.testing.assert_array_equal(found.graph_.toarray(), expected.graph_.toarray())
        np.testing.assert_array_equal(found.embedding_, expected.embedding_)
        np.testing.assert_array_equal(found.transform(single), found.embedding_.astype(np.float32))

    def test_whole_numbers(self):
        X = np.round(10 * self.X).astype(np.int32)
        assert_same_map(self.fitted(X), self.fitted(X.astype(float)))

    def test_a_table_with_names(self, expected):
        X = pd.DataFrame(self.X, columns=[f"feature_{c}" for c in range(20)])
        lvm = self.fitted(X)
        assert_same_map(lvm, expected)
        np.testing.assert_array_equal(lvm.feature_names_in_, X.columns)
        np.testing.assert_array_equal(lvm.transform(X), lvm.embedding_)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_a_read_only_memory_map(self, tmp_path, dtype):
        self.X.astype(dtype).tofile(tmp_path / "X")
        X = np.memmap(tmp_path / "X", dtype, "r", shape=self.X.shape)
        lvm = self.fitted(X)
        assert_same_map(lvm, self.fitted(self.X.astype(dtype)))
        np.testing.assert_array_equal(lvm.transform(X), lvm.embedding_.astype(dtype))

    def test_what_is_given_stays_as_it_was(self):
        X = self.X.copy()
        self.fitted(X).transform(X[:5] + 1)
        np.testing.assert_array_equal(X, self.X)

    @pytest.mark.slow
    @pytest.mark.parametrize("n_levels", [0, 1])
    def test_a_large_memory_map_is_never_copied_whole(self, tmp_path, n_levels):
        shape = 1500, 4000
        normal(*shape).tofile(tmp_path / "X")
        X = np.memmap(tmp_path / "X", float, "r", shape=shape)
        distances, indices = NearestNeighbors(n_neighbors=9).fit(X[:, :50]).kneighbors()
        lvm = LVM(9, n_levels=n_levels, max_iter=2, neighbors=(indices, distances))
        tracemalloc.start()
        try:
            lvm.fit(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # The rows are 48 MB.
        assert peak < X.nbytes


class TestOtherNeighbors:
    X = normal(150)

    @pytest.fixture(scope="class")
    @classmethod
    def expected(cls):
        return LVM(9, max_iter=10).fit(cls.X)

    @pytest.mark.parametrize("n_given", [9, 20])
    def test_found_already(self, expected, n_given):
        distances, indices = NearestNeighbors(n_neighbors=n_given).fit(self.X).kneighbors()
        lvm = LVM(9, max_iter=10, neighbors=(indices, distances)).fit(self.X)
        np.testing.assert_array_equal(lvm.graph_.toarray() > 0, expected.graph_.toarray() > 0)
        np.testing.assert_allclose(lvm.embedding_, expected.embedding_, rtol=1e-6)

    def test_found_already_with_each_row_first(self, expected):
        distances, indices = NearestNeighbors(n_neighbors=10).fit(self.X).kneighbors(self.X)
        lvm = LVM(9, max_iter=10, neighbors=(indices, distances)).fit(self.X)
        np.testing.assert_allclose(lvm.embedding_, expected.embedding_, rtol=1e-6)

    def test_found_already_as_a_graph(self, expected):
        graph = KNeighborsTransformer(n_neighbors=12).fit_transform(self.X)
        lvm = LVM(9, max_iter=10, neighbors=graph).fit(self.X)
        np.testing.assert_allclose(lvm.embedding_, expected.embedding_, rtol=1e-6)

    @pytest.mark.parametrize("n_levels", [0, 1])
    def test_all_distances(self, n_levels):
        # From distances the principal components are others.
        settings = {"n_levels": n_levels, "max_iter": 10, "init": "spectral"}
        by_distances = LVM(**settings, metric="precomputed").fit(cdist(self.X, self.X))
        by_vectors = LVM(**settings).fit(self.X)
        np.testing.assert_array_equal(by_distances.landmarks_, by_vectors.landmarks_)
        np.testing.assert_allclose(by_distances.embedding_, by_vectors.embedding_, rtol=1e-6)
        np.testing.assert_allclose(by_distances.variances_, by_vectors.variances_, rtol=1e-6)

    def test_the_diagonal_of_the_distances_is_not_read(self):
        D = cdist(self.X, self.X)
        expected = LVM(max_iter=5, metric="precomputed").fit_transform(D)
        np.fill_diagonal(D, 7)
        np.testing.assert_array_equal(LVM(max_iter=5, metric="precomputed").fit_transform(D), expected)

    @pytest.mark.parametrize("n_levels", [0, 1])
    def test_a_graph_of_all_distances(self, n_levels):
        D = cdist(self.X, self.X)
        settings = {"n_levels": n_levels, "max_iter": 10, "metric": "precomputed", "init": "spectral"}
        dense, sparse = (LVM(**settings).fit(X) for X in (D, sp.csr_array(D)))
        # The way along the graph is never shorter than the straight one.
        np.testing.assert_allclose(sparse.embedding_, dense.embedding_, rtol=1e-6)

    def test_a_pipeline_with_a_neighbors_transformer(self):
        pipeline = make_pipeline(KNeighborsTransformer(n_neighbors=12), LVM(9, max_iter=10, metric="precomputed"))
        expected = LVM(9, max_iter=10, init="spectral").fit_transform(self.X)
        np.testing.assert_allclose(pipeline.fit_transform(self.X), expected, rtol=1e-6)
        np.testing.assert_allclose(pipeline.transform(self.X), expected, rtol=1e-6)

    @pytest.mark.parametrize("metric", ["cosine", "manhattan"])
    def test_named_and_callable_metrics_agree(self, metric):
        def by_hand(x, y):
            return np.abs(x - y).sum() if metric == "manhattan" else 1 - x @ y / np.sqrt(x @ x * (y @ y))

        settings = {"n_levels": 1, "max_iter": 10, "init": "spectral"}
        named, called = (LVM(metric=m, **settings).fit(self.X) for m in (metric, by_hand))
        np.testing.assert_allclose(named.embedding_, called.embedding_, rtol=1e-6)
        assert not np.allclose(named.embedding_, LVM(**settings).fit_transform(self.X))


class TestInScikitLearn:
    def test_output_as_a_table(self):
        X = table()
        lvm = LVM(n_components=3, max_iter=3).set_output(transform="pandas")
        embedding = lvm.fit_transform(X)
        assert list(embedding.columns) == ["lvm0", "lvm1", "lvm2"] == list(lvm.get_feature_names_out())
        pd.testing.assert_index_equal(embedding.index, X.index)
        assert isinstance(lvm.embedding_, np.ndarray)
        pd.testing.assert_frame_equal(lvm.transform(X), embedding)

    def test_before_and_after_others_in_a_pipeline(self):
        X = table()
        pipeline = make_pipeline(StandardScaler(), PCA(4), LVM(max_iter=10))
        embedding = pipeline.fit_transform(X)
        reduced = PCA(4).fit_transform(StandardScaler().fit_transform(X))
        np.testing.assert_allclose(embedding, LVM(max_iter=10).fit_transform(reduced), rtol=1e-6)
        np.testing.assert_array_equal(pipeline.get_feature_names_out(), ["lvm0", "lvm1"])
        assert pipeline.transform(X[:7]).shape == (7, 2)

    @pytest.mark.parametrize("n_levels", [0, 2])
    @pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
    def test_a_pickle_is_the_same_map(self, n_levels, metric):
        X, X_new = normal(), normal(7, seed=1)
        if metric == "precomputed":
            X, X_new = cdist(X, X), cdist(X_new, X)
        lvm = LVM(n_levels=n_levels, metric=metric, max_iter=10).fit(X)
        again = pickle.loads(pickle.dumps(lvm))
        assert_same_map(again, lvm)
        for mine, theirs in zip(
            again.transform_with_variances(X_new), lvm.transform_with_variances(X_new), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)

    def test_a_pickle_before_the_fit(self):
        lvm = pickle.loads(pickle.dumps(LVM(n_neighbors=7, dof=2)))
        assert (lvm.n_neighbors, lvm.dof) == (7, 2)

    def test_a_state_can_be_pickled(self):
        states = [p.state for p in LVM(max_iter=2).iter_fit(normal()) if p.state]
        again = pickle.loads(pickle.dumps(states[-1]))
        np.testing.assert_array_equal(again.embedding, states[-1].embedding)
        assert again.log_likelihood == states[-1].log_likelihood

    def test_a_clone_is_unfitted_and_equal(self):
        lvm = LVM(7, 2, 1, 3, dof=2, max_iter=5, callback=print).set_params(callback=None).fit(normal())
        copy = clone(lvm)
        assert copy.get_params() == lvm.get_params()
        assert not hasattr(copy, "embedding_")
        assert_same_map(copy.fit(normal()), lvm)

    def test_a_second_fit_forgets_the_first(self):
        lvm = LVM(max_iter=5).fit(table())
        lvm.fit(normal(60))
        assert_same_map(lvm, LVM(max_iter=5).fit(normal(60)))
        assert not hasattr(lvm, "feature_names_in_")
        assert lvm.transform(normal(60)).shape == (60, 2)

    def test_only_parameters_that_were_changed_are_shown(self):
        with config_context(print_changed_only=True):
            assert repr(LVM(n_neighbors=30)) == "LVM(n_neighbors=30)"


class Stopping:
    """A callback that counts, and stops the fit at some iteration."""

    def __init__(self, last):
        self.last, self.seen = last, []

    def __call__(self, state):
        self.seen.append(state)
        return state.iteration == self.last


class TestStopping:
    @pytest.mark.parametrize("last", [0, 1, 7])
    @pytest.mark.parametrize("solver", ["ascent", "em"])
    def test_a_callback_stops_the_fit_and_the_map_is_kept(self, solver, last):
        stopping = Stopping(last)
        lvm = LVM(n_levels=1, solver=solver, callback=stopping, tol=0).fit(normal())
        assert [state.iteration for state in stopping.seen] == list(range(last + 1))
        assert all(isinstance(state, State) for state in stopping.seen)
        np.testing.assert_array_equal(lvm.embedding_, stopping.seen[-1].embedding)
        np.testing.assert_array_equal(lvm.variances_, stopping.seen[-1].variances)
        assert lvm.n_iter_ == last == lvm.log_likelihood_iterations_[-1]
        if last and solver == "em":  # the steps of an ascent depend on how many there shall be
            assert_same_map(lvm, LVM(n_levels=1, solver="em", max_iter=last, tol=0).fit(normal()))

    @pytest.mark.parametrize("answer", [None, False, 0])
    def test_a_callback_that_does_not_say_true_changes_nothing(self, answer):
        lvm = LVM(callback=lambda state: answer, max_iter=8).fit(normal())
        assert_same_map(lvm, LVM(max_iter=8).fit(normal()))

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
    def test_a_callback_that_raises_leaves_the_map_so_far(self, error):
        def interrupted(state):
            if state.iteration == 5:
                raise error

        lvm = LVM(**PAPER, callback=interrupted)
        with pytest.raises(error) as kept:  # as a notebook does, it keeps the traceback with all its frames
            lvm.fit(normal())
        assert kept.value.__traceback__ is not None
        np.testing.assert_array_equal(lvm.embedding_, LVM(**PAPER | {"max_iter": 5}, tol=0).fit(normal()).embedding_)
        assert lvm.transform(normal()).shape == (80, 2)

    def test_an_interruption_in_the_midst_of_an_iteration_leaves_the_last_whole_one(self, monkeypatch):
        solve, calls = sdd_solver.solve, []

        def interrupted(*args, **kwargs):
            calls.append(None)
            if len(calls) == 6:
                raise KeyboardInterrupt
            return solve(*args, **kwargs)

        lvm = LVM(**PAPER)
        monkeypatch.setattr(sdd_solver, "solve", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lvm.fit(normal())
        monkeypatch.undo()
        whole = LVM(**PAPER | {"max_iter": 5}, tol=0).fit(normal())
        # Who interrupts does not wait for the likelihood of the last map.
        whole.log_likelihood_ = whole.log_likelihood_[:-1]
        assert_same_map(lvm, whole)

    def test_a_generator_left_early_keeps_the_last_state(self):
        lvm = LVM(**PAPER, n_levels=1)
        steps = lvm.iter_fit(normal())
        for progress in steps:
            if progress.iteration == 4:
                break
        steps.close()
        assert_same_map(lvm, LVM(**PAPER | {"max_iter": 4}, n_levels=1, tol=0).fit(normal()))

    def test_a_generator_left_before_the_map_is_begun_leaves_none(self):
        lvm = LVM()
        steps = lvm.iter_fit(normal())
        for progress in steps:
            if progress.stage == "start":
                break
        steps.close()
        assert not hasattr(lvm, "embedding_")

    def test_stages_come_in_order_and_states_with_the_last(self):
        progress = list(LVM(**PAPER | {"max_iter": 3}, n_levels=1, tol=0).iter_fit(normal()))
        stages = ["neighbours", "graph", "coarse-graining", "start"]
        assert [p.stage for p in progress] == stages + 4 * ["embedding"]
        assert [p.iteration for p in progress] == 4 * [0] + [0, 1, 2, 3]
        assert {p.max_iter for p in progress} == {3}
        assert [p.state is None for p in progress] == 4 * [True] + 4 * [False]

    def test_states_do_not_change_once_they_are_handed_out(self):
        states, copies = [], []
        for progress in LVM(max_iter=6, tol=0).iter_fit(normal()):
            if progress.state is not None:
                states.append(progress.state)
                copies.append((progress.state.embedding.copy(), progress.state.variances.copy()))
        for state, (embedding, variances) in zip(states, copies, strict=True):
            np.testing.assert_array_equal(state.embedding, embedding)
            np.testing.assert_array_equal(state.variances, variances)
        with pytest.raises(AttributeError):
            states[0].iteration = 3

    @pytest.mark.slow
    def test_a_fit_that_has_converged_stops_before_max_iter(self):
        X = normal(150, 10)
        lvm, longer = (LVM(**PAPER | {"max_iter": 800}, tol=tol, likelihood_every=10).fit(X) for tol in (2e-3, 0))
        assert lvm.n_iter_ < longer.n_iter_ == 800
        assert lvm.n_iter_ % 10 == 0
        before, last = lvm.log_likelihood_[-2:]
        assert last - before < 2e-3 * abs(last)
        assert (np.diff(lvm.log_likelihood_)[:-1] >= 2e-3 * np.abs(lvm.log_likelihood_[1:-1])).all()
        np.testing.assert_array_equal(longer.log_likelihood_[: len(lvm.log_likelihood_)], lvm.log_likelihood_)
        # What is left may be several times that, but not much of the whole.
        assert longer.log_likelihood_[-1] - last < 0.1 * abs(last)


class TestRandomness:
    def test_numpys_own_random_state_is_left_alone(self):
        np.random.seed(5)  # noqa: NPY002
        expected = np.random.random()  # noqa: NPY002
        np.random.seed(5)  # noqa: NPY002
        LVM(n_levels=1, max_iter=2).fit(normal(1200))
        assert np.random.random() == expected  # noqa: NPY002

    def test_numpys_own_random_state_has_no_say(self):
        np.random.seed(5)  # noqa: NPY002
        first = LVM(n_levels=1, max_iter=2).fit(normal(1200))
        np.random.seed(6)  # noqa: NPY002
        assert_same_map(LVM(n_levels=1, max_iter=2).fit(normal(1200)), first)

    @pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng, int])
    def test_each_kind_of_seed_repeats_the_map(self, make):
        assert_same_map(*(LVM(n_levels=1, max_iter=2, random_state=make(3)).fit(normal()) for _ in range(2)))

    def test_no_seed_is_allowed(self):
        one, two = (LVM(n_levels=1, max_iter=2, random_state=None).fit(normal()) for _ in range(2))
        assert (one.landmarks_ != two.landmarks_).any()


@pytest.mark.parametrize("solver", ["ascent", "em"])
def test_where_all_rows_are_neighbors_the_map_is_only_begun_and_that_is_said(solver):
    with pytest.warns(DataWarning, match=r"All 2 rows are neighbours.*Lower n_neighbors"):
        lvm = LVM(9, n_components=1, max_iter=50, solver=solver).fit(normal(2))
    assert lvm.n_iter_ == 0
    assert np.isfinite(lvm.embedding_).all()
    assert np.isfinite(lvm.log_likelihood_).all()
    assert np.isfinite(lvm.transform(normal(3, seed=1))).all()


@pytest.mark.parametrize("n_components", [1, 2, 5, 10])
@pytest.mark.parametrize("dof", [np.inf, 1, 2, 3.7])
def test_any_number_of_dimensions_with_any_tail(n_components, dof):
    lvm = LVM(n_components=n_components, dof=dof, max_iter=30).fit(normal())
    assert lvm.embedding_.shape == (80, n_components)
    assert lvm.log_likelihood_[-1] > lvm.log_likelihood_[0]


def test_tied_variances_are_one_variance():
    lvm = LVM(tied_variances=True, max_iter=20).fit(normal())
    assert len(np.unique(lvm.variances_)) == 1
    assert len(np.unique(LVM(max_iter=20).fit(normal()).variances_)) == 80


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("n_levels", [0, 1])
def test_other_units_give_the_same_map_in_other_units(scale, n_levels):
    X = normal()
    one, other = (LVM(n_levels=n_levels, max_iter=20).fit(table) for table in (X, scale * X))
    # Single precision, and steps whose length does not depend on that of the gradient.
    extent = np.abs(other.embedding_).max()
    np.testing.assert_allclose(other.embedding_, scale * one.embedding_, atol=1e-4 * extent)
    np.testing.assert_allclose(other.variances_, scale**2 * one.variances_, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [0, 1, 2])
def test_the_paper_in_other_units_gives_the_same_map_in_other_units(n_levels):
    X = normal(300)
    # Rounding grows with the iterations, but by a power of two there is none.
    for scale, max_iter, tolerance in ((1000.0, 30, 1e-6), (1024.0, 200, 1e-12)):
        model = LVM(**PAPER | {"max_iter": max_iter}, tol=0, n_levels=n_levels)
        one, other = (clone(model).fit(table) for table in (X, scale * X))
        extent = np.abs(other.embedding_).max()
        np.testing.assert_allclose(other.embedding_, scale * one.embedding_, atol=tolerance * extent)
        np.testing.assert_allclose(other.variances_, scale**2 * one.variances_, rtol=1e3 * tolerance)


def test_shifted_and_turned_data_give_the_same_map():
    X = normal()
    turned = X @ np.linalg.qr(normal(20, 20, seed=1))[0] + 5
    one, other = (LVM(max_iter=20).fit_transform(rows) for rows in (turned, X))
    # Rows near the centre have coordinates near 0, so the width of the map is the measure.
    np.testing.assert_allclose(one, other, rtol=0, atol=2e-5 * np.ptp(other))


@pytest.mark.parametrize(("budget", "n_levels"), [(10**9, 0), (200 * 199, 0), (200 * 199 - 1, 1), (5000, 1), (1, None)])
def test_auto_takes_the_fewest_levels_within_the_budget(budget, n_levels):
    lvm = LVM(**PAPER | {"max_iter": 1}, pair_budget=budget).fit(normal(200))
    if n_levels is None:  # a budget that cannot be met: as far as it helps
        assert lvm.n_levels_ >= 2
    else:
        assert lvm.n_levels_ == n_levels
    assert_same_map(lvm, LVM(**PAPER | {"max_iter": 1}, n_levels=lvm.n_levels_).fit(normal(200)))


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("solver", ["em", "ascent"])
def test_levels_beyond_the_last_that_leaves_fewer_pairs_change_nothing(solver):
    X = np.random.default_rng(0).normal(size=(60, 3))
    few, many = (LVM(5, n_levels=n_levels, solver=solver, max_iter=3).fit(X) for n_levels in (30, 10**6))
    assert many.n_levels_ == few.n_levels_ < 30
    np.testing.assert_array_equal(many.embedding_, few.embedding_)


@pytest.mark.parametrize("n_steps", [10**6, 10**9, 10**30])
def test_steps_beyond_all_rows_change_nothing(n_steps):
    X = np.random.default_rng(0).normal(size=(60, 3))
    # From each row all that can be reached are reached in fewer steps than there are rows.
    far, farther = (LVM(5, n_steps=steps, max_iter=3).fit(X) for steps in (59, n_steps))
    np.testing.assert_array_equal(far.graph_.toarray(), farther.graph_.toarray())
    np.testing.assert_array_equal(far.embedding_, farther.embedding_)
    np.testing.assert_array_equal(far.transform(X[:9] + 0.1), farther.transform(X[:9] + 0.1))


@pytest.mark.slow
def test_python_can_run_the_kernels_itself():
    """For who debugs them: with NUMBA_DISABLE_JIT=1."""
    script = """
import numpy as np
from latentmap import LVM
X = np.random.default_rng(0).normal(size=(20, 4))
for others in ({}, {"solver": "em"}):
    print(*LVM(5, max_iter=1, likelihood_every=0, **others).fit(X).embedding_.ravel())
"""
    found = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ | others
        ).stdout
        for others in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    for compiled, python in zip(*(text.splitlines() for text in found), strict=True):
        np.testing.assert_allclose(np.fromstring(python, sep=" "), np.fromstring(compiled, sep=" "), rtol=1e-4)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"n_steps": 1}, {"connect": "largest"}, PAPER],
    ids=["default", "one step", "largest", "paper"],
)
def test_neighbors_of_a_fit_are_the_nearest_first_and_at_their_distances(parameters):
    X = np.random.default_rng(0).standard_normal((120, 5))
    lvm = LVM(random_state=0).set_params(**{**parameters, "n_neighbors": 8, "max_iter": 3}).fit(X)
    dist = cdist(X, X)
    np.fill_diagonal(dist, np.inf)
    np.testing.assert_array_equal(lvm.neighbors_.indices, np.argsort(dist, axis=1)[:, :8])
    np.testing.assert_allclose(lvm.neighbors_.distances, np.sort(dist, axis=1)[:, :8])
