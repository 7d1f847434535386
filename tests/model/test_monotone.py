"""Without momentum no iteration lowers the log-likelihood: a promise of EM, not a hope."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from latentmap import LVM


def trace(X, **parameters):
    """The log-likelihood after every iteration."""
    lvm = LVM(solver="em", momentum=0, tol=0, likelihood_every=1, **parameters).fit(X)
    assert len(lvm.log_likelihood_) == lvm.n_iter_ + 1
    return lvm.log_likelihood_


def assert_never_falls(values):
    assert values[-1] > values[0]
    # What a sum of so many terms may lose to rounding.
    assert np.diff(values).min() > -1e-10 * np.abs(values).max()


@pytest.mark.parametrize("dof", [np.inf, 2, 3.7])
@pytest.mark.parametrize("n_levels", [0, 1, 2])
@pytest.mark.parametrize("tied_variances", [False, True])
def test_on_random_problems(n_levels, dof, tied_variances):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 6)) * rng.uniform(0.2, 4, (60, 1))
        d = 1 + seed % 4
        values = trace(
            X,
            n_neighbors=6,
            n_levels=n_levels,
            n_components=d,
            dof=dof,
            tied_variances=tied_variances,
            max_iter=30,
            random_state=seed,
        )
        assert_never_falls(values)


@pytest.mark.slow
@pytest.mark.parametrize("dof", [np.inf, 2])
@pytest.mark.parametrize("n_levels", [0, 1, 2])
def test_on_digits(n_levels, dof):
    assert_never_falls(trace(load_digits().data, n_levels=n_levels, dof=dof, max_iter=60))
