"""Long measures of trust report how far they have come, and can be stopped."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from latentmap import LVM
from latentmap.quality import (
    Stopped,
    choose,
    coincidence_calibration,
    group_contacts,
    iter_neighborhood_test,
    likelihood_field,
    lost_neighbors,
    neighbor_stability,
    neighborhood_test,
    other_places,
    seed_changes,
)


@pytest.fixture(scope="module")
def fitted():
    """A map of noise in 6 columns, and the table."""
    X = np.random.default_rng(0).normal(size=(200, 6))
    return X, LVM(max_iter=10).fit(X)


def measures(X, lvm):
    Y, groups = lvm.embedding_, np.arange(200) % 3
    return {
        "null": lambda **kw: neighborhood_test(X, Y, lvm, **kw),
        "seeds": lambda **kw: seed_changes(lvm, X, **kw),
        "calibration": lambda **kw: coincidence_calibration(lvm, X, held_out=0.2, **kw),
        "stability": lambda **kw: neighbor_stability(lvm, X, seeds=(0, 1, 2), leave_out=True, **kw),
        "field": lambda **kw: likelihood_field(lvm, 3, size=16, **kw),
        "places": lambda **kw: other_places(lvm, 3, **kw),
        "contacts": lambda **kw: group_contacts(lvm.neighbors_, Y, groups, **kw),
        "lost": lambda **kw: lost_neighbors(lvm.neighbors_, Y, **kw),
    }


NAMES = ("null", "seeds", "calibration", "stability", "field", "places", "contacts", "lost")


@pytest.mark.parametrize("name", NAMES)
def test_progress_begins_at_nothing_and_only_grows(fitted, name):
    shares = []
    measures(*fitted)[name](callback=lambda progress: shares.append(progress.share))
    assert shares[0] == 0
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] <= 1


@pytest.mark.parametrize("name", NAMES)
def test_a_callback_stops_it(fitted, name):
    seen = []

    def stop(progress):
        seen.append(progress)
        return len(seen) == 2

    with pytest.raises(Stopped, match="before there was a result"):
        measures(*fitted)[name](callback=stop)
    assert len(seen) == 2


def test_a_choice_tells_its_progress_in_the_same_words(fitted):
    seen = []
    choose(
        fitted[0],
        {"n_neighbors": [5, 10]},
        estimator=LVM(max_iter=3),
        n_folds=2,
        held_out=20,
        callback=lambda progress: seen.append((progress.stage, progress.share)),
    )
    shares = [share for _, share in seen]
    assert seen[0][0] == "n_neighbors = 5, lot 1"
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] == 1


def test_the_map_of_noise_shows_its_iterations(fitted):
    X, lvm = fitted
    steps = [step for step in iter_neighborhood_test(X, lvm.embedding_, lvm) if step.stage == "a map of noise"]
    assert steps[-1].fit.iteration == steps[-1].fit.max_iter == 10


def test_a_generator_that_is_closed_ends(fitted):
    X, lvm = fitted
    steps = iter_neighborhood_test(X, lvm.embedding_, lvm)
    next(steps)
    steps.close()
    with pytest.raises(StopIteration):
        next(steps)


def test_methods_without_iterations_can_be_tested_too(fitted):
    X, _ = fitted
    found = neighborhood_test(X, PCA(2).fit_transform(X), PCA(2))
    assert len(found.null) == 200


def test_neighbours_of_the_fit_are_used_again(fitted, monkeypatch):
    X, lvm = fitted
    found = neighborhood_test(X, lvm.embedding_, lvm)
    searched = neighborhood_test(X, lvm.embedding_, LVM(max_iter=10))
    assert found.agreement == pytest.approx(searched.agreement)
    monkeypatch.setattr("latentmap.quality.known_neighbors.RankedRows", None)
    assert (neighborhood_test(X, lvm.embedding_, lvm).p_values == found.p_values).all()
    # Of another table they are not.
    with pytest.raises(TypeError):
        neighborhood_test(X + np.arange(200)[:, None], lvm.embedding_, lvm)
