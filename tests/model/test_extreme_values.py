"""Finite numbers, however far apart, give a map of finite numbers or a sentence; they never end the process."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

from latentmap import DETAIL, LVM, PAPER, DataWarning
from latentmap.model.kd_tree import leaves
from latentmap.model.robust_center import robust_center
from latentmap.model.state import State
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers
from latentmap.quality import neighbor_recall

# Above this many rows pairs are sampled, by a tree of the map.
_SAMPLED = 1025
PRESETS = {"default": {}, "detail": DETAIL, "paper": PAPER, "chebyshev": {"metric": "chebyshev"}}


def normal(n, columns=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, columns))


def fitted(X, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return LVM(**{"max_iter": 120} | parameters).fit(X)


def tables():
    """Tables that ended the process, or whose maps were NaN: some values are far larger than others."""
    rng, n = np.random.default_rng(0), 1500
    X = normal(n)
    clump = np.where(np.arange(n)[:, None] < 0.6 * n, 3e-5, 1) * X
    copies = np.repeat(normal(n // 22), 22, axis=0)
    counts = rng.integers(0, 255, size=(n, 6)).astype(float)
    counts[5, 2] = 2**32 - 1
    fill = X.copy()
    fill[5, 1] = 9.96921e36
    return {
        "60 % of rows within 3e-5": clump,
        "22 copies at 1e-9": copies + 1e-9 * normal(len(copies), seed=1),
        "log-normal, sigma 5": np.exp(5 * X),
        "Pareto .3": rng.pareto(0.3, size=(n, 4)),
        "the largest uint32": counts,
        "a fill value": fill,
    }


class TestASentinelAmongTheValues:
    @pytest.mark.parametrize("preset", PRESETS)
    @pytest.mark.parametrize("value", [1e5, 2.0**31 - 1, 1e15])
    @pytest.mark.parametrize("n", [100, pytest.param(_SAMPLED, marks=pytest.mark.slow)])
    def test_all_rows_have_a_place(self, n, value, preset):
        X = normal(n, 10)
        X[3, 4] = value
        lvm = fitted(X, **PRESETS[preset] | {"max_iter": 40})
        assert np.isfinite(lvm.embedding_).all()
        assert np.isfinite(lvm.variances_).all()
        assert np.isfinite(lvm.log_likelihood_).all()

    @pytest.mark.slow
    def test_the_others_keep_their_neighbours_and_most_of_the_frame(self):
        X = normal(_SAMPLED)
        others = np.arange(_SAMPLED) != 3
        X[3, 4] = 2.0**31 - 1
        with_it, without = fitted(X, max_iter=500), fitted(X[others], max_iter=500)
        maps = with_it.embedding_[others], without.embedding_
        recall, usual = (neighbor_recall(X[others], embedding, 10) for embedding in maps)
        assert recall > 0.95 * usual
        assert np.ptp(with_it.embedding_[others], axis=0).min() > np.ptp(with_it.embedding_, axis=0).max() / 10

    def test_a_warning_names_the_row_the_value_and_the_column(self):
        X = pd.DataFrame(normal(300, 3), columns=["area", "dna", "tubulin"])
        X.iloc[[3, 7], 1] = 2.0**31 - 1, -65535
        with pytest.warns(DataWarning, match=r"^2 of 300 rows lie .* row 3, with 2147483647 in column 'dna'"):
            LVM(max_iter=2).fit(X)

    @pytest.mark.filterwarnings("error")
    def test_heavy_but_usual_tails_give_no_warning(self):
        LVM(max_iter=2).fit(np.exp(normal(2000)))

    @pytest.mark.filterwarnings("error")
    def test_angles_do_not_ask_how_far_out_a_row_lies(self):
        X = normal(300)
        X[3] *= 1e6
        LVM(metric="cosine", max_iter=2).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("name", tables())
def test_tables_of_all_sizes_at_once(name):
    lvm = fitted(tables()[name])
    assert np.isfinite(lvm.embedding_).all()
    assert lvm.embedding_.std() > 0
    assert np.isfinite(lvm.log_likelihood_).all()


@pytest.mark.parametrize("scale", [1e-24, 1e-6, 1e30])
@pytest.mark.parametrize("parameters", [{}, PAPER], ids=["default", "paper"])
def test_the_unit_of_the_table_is_that_of_the_map(scale, parameters):
    X = normal(200)
    parameters = parameters | {"max_iter": 30}
    unit = 2.0 ** round(np.log2(scale))
    # Beyond what single precision can square twice, both are made in double precision.
    one, other = fitted(1e-6 * X, **parameters), fitted(1e-6 * unit * X, **parameters)
    assert_allclose(other.embedding_ / unit, one.embedding_, rtol=1e-6, atol=1e-12)
    assert_allclose(other.variances_ / unit**2, one.variances_, rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_units_whose_powers_are_no_numbers_are_refused(scale):
    with pytest.raises(ValueError, match=r"^The median distance of rows is .* change the unit.*\.$"):
        fitted(scale * normal(50))


class TestParameters:
    @pytest.mark.parametrize(
        "wrong",
        [
            {"learning_rate": 1e6},
            {"similarity_scale": 1e-10},
            {"repulsion": 1e30},
            {"dof": 1e-3},
            {"repulsion": np.nan},
        ],
        ids=str,
    )
    def test_beyond_sense_are_refused(self, wrong):
        (name,) = wrong
        with pytest.raises(ValueError, match=rf"^{name}, .* must be a number (from|of) .*\.$"):
            LVM(**wrong).fit(normal(50))

    @pytest.mark.parametrize(
        "edge",
        [
            {"learning_rate": 1e3},
            {"similarity_scale": 1e-3},
            {"similarity_scale": 1e3},
            {"repulsion": 1e6},
            {"repulsion": 1e-6},
            {"dof": 0.1},
            {"dof": 1e8},
        ],
        ids=str,
    )
    def test_at_their_limits_give_a_finite_map(self, edge):
        lvm = fitted(normal(_SAMPLED if "learning_rate" in edge else 300), **edge)
        assert np.isfinite(lvm.embedding_).all()
        assert np.isfinite(lvm.log_likelihood_[-1])

    @pytest.mark.parametrize("solver", ["em", "ascent"])
    def test_very_many_degrees_of_freedom_are_infinity(self, solver):
        one, other = (fitted(normal(60), solver=solver, dof=dof, max_iter=20) for dof in (1e18, np.inf))
        assert_array_equal(one.embedding_, other.embedding_)
        near = fitted(normal(60), solver=solver, dof=1e7, max_iter=20)
        assert near.log_likelihood_[-1] == pytest.approx(other.log_likelihood_[-1], rel=1e-4)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38])
def test_the_tree_stays_within_the_points_whatever_they_are(value):
    points = normal(2, 3000).astype(np.float32)
    points[:, ::3] = value
    with Workers(2) as workers:
        order, bounds = leaves(points, 5, np.eye(2), workers)
    assert_array_equal(np.sort(order), np.arange(3000))
    assert (bounds[0], bounds[-1]) == (0, 3000)


class LosesRows(LVM):
    """Has no place for two rows after the second iteration."""

    def _store_states(self, X, states, *args, **kwargs):
        def lossy():
            for state in states:
                if state.iteration == 2:
                    state = State.known(2, state.embedding * np.where(np.arange(len(X)) < 2, np.nan, 1)[:, None], -1.0)
                yield state

        return super()._store_states(X, lossy(), *args, **kwargs)


def test_a_map_that_is_lost_is_told_and_the_last_whole_one_kept():
    lvm = LosesRows(9)
    with pytest.raises(ValueError, match=r"2 of 50 rows have no finite position after iteration 2.*\.$"):
        lvm.fit(normal(50))
    assert lvm.n_iter_ == 1
    assert np.isfinite(lvm.embedding_).all()


class TestNeighbours:
    @pytest.mark.parametrize("n", [3000, pytest.param(11_000, marks=pytest.mark.slow)])
    @pytest.mark.parametrize("offset", [1e8, 1.7e9])
    def test_of_rows_far_from_zero(self, n, offset):
        X = normal(n, 20)
        there = X.copy()
        there[:, 0] += offset
        rows = np.arange(0, n, 50)
        found = Vectors(there).kneighbors(10).indices[rows]
        distances = cdist(X[rows], X)
        distances[np.arange(len(rows)), rows] = np.inf
        true = np.argsort(distances, axis=1)[:, :10]
        shared = np.mean([len(set(a) & set(b)) for a, b in zip(found, true, strict=True)]) / 10
        assert shared > 0.97

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [2e9, 1e30, 1e36])
    def test_of_the_others_beside_a_sentinel_among_many_rows(self, value):
        X = normal(11_000, 20)
        sound = Vectors(X).kneighbors(10)
        X[7, 1] = value
        found = Vectors(X).kneighbors(10)
        others = (sound.indices != 7).all(axis=1) & (np.arange(len(X)) != 7)
        shared = [len(set(a) & set(b)) for a, b in zip(found.indices[others], sound.indices[others], strict=True)]
        assert np.mean(shared) > 9.7
        assert (found.indices >= 0).all()

    def test_bridges_and_landmarks_of_rows_far_from_zero(self):
        X = normal(60, 3)
        X[:30] += 50
        far = Vectors(X + 1e9)
        part = (np.arange(60) < 30).astype(int)
        ((i, j, distance),) = far.shortest_bridges(part)
        between = cdist(X[:30], X[30:])
        assert distance == pytest.approx(between.min(), rel=1e-6)
        assert {i, j} == {between.argmin() // 30, 30 + between.argmin() % 30}
        which, distance = far.nearest(np.arange(60), np.array([0, 40]))
        assert_array_equal(which, cdist(X, X[[0, 40]]).argmin(axis=1))


def test_the_middle_heeds_most_rows():
    X = normal(500, 3)
    centre, spread = robust_center(X)
    X[::20] = 1e30
    assert_allclose(robust_center(X).center, centre, atol=0.2)
    assert robust_center(X).spread == pytest.approx(spread, rel=0.2)


class TestFewRows:
    @pytest.mark.parametrize("n", [3, 5, 14, 22, 27, 40])
    def test_k_is_at_most_a_third_of_them_and_says_so(self, n):
        with pytest.warns(DataWarning, match=rf"With {n} rows, n_neighbors \(k\) is {n // 3} instead of 15"):
            lvm = LVM().fit(normal(n))
        assert lvm.n_neighbors == 15
        assert lvm.n_neighbors_ == n // 3
        assert np.isfinite(lvm.embedding_).all()
        assert lvm.transform(normal(2, seed=1)).shape == (2, 2)

    @pytest.mark.filterwarnings("error")
    def test_k_is_as_asked_where_rows_suffice(self):
        assert LVM(max_iter=2).fit(normal(45)).n_neighbors_ == 15

    @pytest.mark.parametrize("n", [8, 14, 22])
    def test_the_map_tells_near_from_far(self, n):
        # With n - 1 neighbours it was chance: 0.5 on these tables.
        values = []
        for seed in range(5):
            X = normal(n, 3, seed)
            values.append(trustworthiness(X, fitted(X, max_iter=500).embedding_, n_neighbors=max(1, n // 2 - 1)))
        assert np.mean(values) > 0.75

    def test_neighbours_found_before_are_as_many(self):
        with pytest.warns(DataWarning):
            found = LVM().find_neighbors(normal(14))
        assert found.indices.shape == (14, 4)
        assert_array_equal(fitted(normal(14), neighbors=found).embedding_, fitted(normal(14)).embedding_)


def test_rows_left_out_of_the_map_stay_out():
    X = np.vstack([normal(60), normal(20) + 100])
    with pytest.warns(DataWarning, match="20 rows of the others get NaN"):
        lvm = LVM(9, connect="largest", max_iter=5).fit(X)
    again = lvm.transform(np.vstack([X, X[60:] + 0.1]))
    assert_array_equal(again[:80], lvm.embedding_)
    assert np.isnan(again[60:80]).all()
    assert np.isfinite(again[80:]).all()
    D = cdist(X, X)
    with pytest.warns(DataWarning):
        lvm = LVM(9, connect="largest", metric="precomputed", max_iter=5).fit(D)
    assert_array_equal(lvm.transform(D), lvm.embedding_)
