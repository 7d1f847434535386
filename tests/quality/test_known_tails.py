"""Maps that are held against another one have its tails."""

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll

from latentmap import LVM
from latentmap.quality import coincidence_calibration, neighbor_stability, neighborhood_test
from latentmap.quality.known_tails import with_tails_of_map


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(400, random_state=0)[0]


def intrinsic(**parameters):
    return LVM(10, dof="intrinsic", max_iter=20, **parameters)


@pytest.mark.parametrize("parameters", [{}, {"n_components": 3}, {"solver": "em"}, {"n_neighbors": 3}])
def test_the_tails_of_a_map_are_found_without_making_it(roll, parameters):
    lvm = LVM(dof="intrinsic", max_iter=2).set_params(**parameters)
    assert lvm.find_dof(roll) == lvm.fit(roll).dof_
    assert LVM(dof=np.inf).find_dof(roll) == np.inf
    assert LVM(n_components=3).find_dof(roll) == 3


def test_only_a_method_that_would_find_its_tails_is_told_them(roll):
    for estimator in (LVM(), LVM(dof=4), object()):
        assert with_tails_of_map(estimator, roll) is estimator
    assert with_tails_of_map(intrinsic(), roll).dof == 8
    cloud = np.random.default_rng(0).normal(size=(400, 10))
    assert with_tails_of_map(intrinsic().fit(cloud), roll).dof == 2


def test_noise_gets_the_tails_of_the_map_whether_it_is_at_hand_or_not(roll):
    """Noise of as many columns would get others by itself."""
    lvm = intrinsic().fit(roll)
    noise = np.random.default_rng(0).normal(size=roll.shape)
    assert intrinsic().find_dof(noise) != lvm.dof_
    told, at_hand, not_at_hand = (
        neighborhood_test(roll, lvm.embedding_, method) for method in (LVM(10, dof=8, max_iter=20), lvm, intrinsic())
    )
    np.testing.assert_array_equal(at_hand.null, told.null)
    np.testing.assert_array_equal(not_at_hand.null, told.null)


def nearly_a_sheet(n):
    """Return a sheet with just so much noise that it does not count as one, found by halving."""
    rng = np.random.default_rng(0)
    sheet, noise = np.c_[rng.uniform(size=(n, 2)), np.zeros(n)], np.c_[np.zeros((n, 2)), rng.normal(size=n)]
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if intrinsic().find_dof(sheet + middle * noise) == 8 else (low, middle)
    return sheet + high * noise


def test_maps_without_some_of_the_cells_have_the_tails_of_all(monkeypatch):
    X, made = nearly_a_sheet(300), []
    assert intrinsic().find_dof(X) == 4
    # Fewer cells lie farther apart, and see less of the noise.
    assert intrinsic().find_dof(X[:240]) == 8
    fit = LVM.iter_fit
    monkeypatch.setattr(LVM, "iter_fit", lambda lvm, *args: made.append(lvm.dof) or fit(lvm, *args))
    neighbor_stability(intrinsic(), X, leave_out=True)
    coincidence_calibration(intrinsic(), X)
    assert {*made} == {4}
