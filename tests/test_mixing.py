"""How well batches are mixed, against a literal count."""

import numpy as np
import pytest

from latentmap.quality import neighbor_mixing

rng = np.random.default_rng(0)


def literal(Y, batches, k):
    """The share of other batches among each row's k nearest, and that by chance, row by row."""
    shares, chances = [], []
    for row in range(len(Y)):
        distances = np.sqrt(((Y - Y[row]) ** 2).sum(axis=1))
        others = [other for other in np.argsort(distances, kind="stable") if other != row]
        shares.append(sum(batches[other] != batches[row] for other in others[:k]) / k)
        chances.append(sum(batches[other] != batches[row] for other in others) / (len(Y) - 1))
    return np.mean(shares), np.mean(chances)


@pytest.mark.parametrize("k", [1, 15])
def test_shares_are_those_of_a_literal_count(k):
    batches = rng.choice(["a", "b", "c"], 120, p=[0.6, 0.3, 0.1])
    Y = rng.normal(size=(120, 2)) + 0.8 * (batches == "b")[:, None]
    found = neighbor_mixing(Y, batches, k)
    assert found == pytest.approx(literal(Y, batches, k))
    assert found.ratio == pytest.approx(found.share / found.by_chance)


def test_unequal_batches_that_are_shuffled_are_mixed_as_by_chance():
    batches = rng.choice([0, 1], 4000, p=[0.95, 0.05])
    found = neighbor_mixing(rng.normal(size=(4000, 2)), batches, n_samples=1500)
    assert found.ratio == pytest.approx(1, abs=0.1)
    assert found.by_chance == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(
    ("batches", "k", "said"),
    [
        (["a"] * 9, 3, "one batch"),
        (["a", None] * 4 + ["b"], 3, "has no class"),
        (["a", "b", "b"] * 3, 9, "at most 8"),
    ],
)
def test_what_cannot_be_told_is_refused(batches, k, said):
    with pytest.raises(ValueError, match=said):
        neighbor_mixing(rng.normal(size=(9, 2)), batches, k)
