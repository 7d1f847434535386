"""The landmarks of a level: how many rows each stands for, and which."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from latentmap import LVM, DataWarning


def normal(n=300, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 5))


@pytest.mark.parametrize("n", [12, 40, 151, 300])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("has_ties", [False, True])
def test_each_row_has_one_landmark_the_nearest_and_a_landmark_is_its_own(n, seed, level, has_ties):
    X = normal(n, seed)
    X = np.round(X) if has_ties else X
    found = LVM(random_state=seed).find_landmarks(X, level)
    assert found.assignment.shape == (n,)
    assert found.represented.sum() == n
    np.testing.assert_array_equal(np.bincount(found.assignment, minlength=len(found.rows)), found.represented)
    np.testing.assert_array_equal(found.assignment[found.rows], np.arange(len(found.rows)))
    assert (np.diff(found.rows) > 0).all()
    if level == 1:
        distances = cdist(X, X[found.rows])
        np.testing.assert_allclose(distances[np.arange(n), found.assignment], distances.min(axis=1), atol=1e-12)
    together = [found.members([one]) for one in range(len(found.rows))]
    np.testing.assert_array_equal(np.sort(np.concatenate(together)), np.arange(n))


@pytest.mark.parametrize("n_levels", [1, 2])
@pytest.mark.parametrize("solver", ["ascent", "em"])
def test_they_are_those_of_a_fit_with_coarse_graining_and_need_none(solver, n_levels):
    X = normal()
    lvm = LVM(9, n_levels=n_levels, dof=np.inf, solver=solver, max_iter=2).fit(X)
    by_fit, alone = lvm.landmarks(), LVM(9).find_landmarks(X)
    np.testing.assert_array_equal(by_fit.rows, lvm.landmarks_)
    np.testing.assert_array_equal(by_fit.rows, alone.rows)
    np.testing.assert_array_equal(by_fit.assignment, alone.assignment)
    without = LVM(9, n_levels=0, max_iter=2).fit(X).landmarks()
    np.testing.assert_array_equal(without.assignment, alone.assignment)


def test_the_second_level_of_a_fit_is_among_the_first_and_the_one_found_alone():
    X = normal()
    lvm = LVM(9, n_levels=2, dof=np.inf, max_iter=2).fit(X)
    first, second = lvm.landmarks(), lvm.landmarks(2)
    assert set(second.rows) < set(first.rows)
    # A row goes to the landmark of its landmark.
    np.testing.assert_array_equal(
        second.rows[second.assignment], second.rows[second.assignment][first.rows][first.assignment]
    )
    alone = LVM(9).find_landmarks(X, 2)
    np.testing.assert_array_equal(alone.rows, second.rows)
    np.testing.assert_array_equal(alone.assignment, second.assignment)


def test_rows_that_are_not_on_the_map_have_no_landmark():
    X = np.vstack([normal(30) + 40, normal(120)])
    with pytest.warns(DataWarning, match="falls into 2 parts"):
        lvm = LVM(9, connect="largest", n_levels=1, dof=np.inf, max_iter=2).fit(X)
    found = lvm.landmarks()
    assert (found.assignment[:30] == -1).all()
    assert (found.assignment[30:] >= 0).all()
    assert found.represented.sum() == 120
    np.testing.assert_array_equal(found.rows, lvm.landmarks_)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_the_same_for_any_number_of_threads(metric):
    X = normal(20_000)
    one, two = (LVM(metric=metric, n_jobs=n_jobs).find_landmarks(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.assignment, two.assignment)


@pytest.mark.parametrize("level", [0, -1, 1.5, True, "1"])
def test_what_is_no_level_is_refused(level):
    with pytest.raises(ValueError, match="whole number from 1"):
        LVM().find_landmarks(normal(30), level)


def test_a_level_beyond_the_last_is_refused_with_the_last():
    with pytest.raises(ValueError, match=r"30 rows have no landmarks of level (\d+): give a level of at most"):
        LVM().find_landmarks(normal(30), 9)
