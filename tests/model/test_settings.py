"""What the words among the parameters stand for."""

import numpy as np
import pytest

from latentmap import DETAIL, LVM, PAPER
from latentmap.model.settings import Settings


@pytest.mark.parametrize(("n", "scale"), [(23, 10), (575, 2), (2300, 1), (3000, 1), (24_000, 0.5), (81_000, 1 / 3)])
def test_the_automatic_scale_is_long_for_few_rows_and_short_for_many(n, scale):
    assert Settings.of(LVM(**DETAIL)).similarity_scale_of(n) == pytest.approx(scale, rel=1e-12)
    assert Settings.of(LVM()).similarity_scale_of(n) == pytest.approx(max(scale, 1), rel=1e-12)
    assert Settings.of(LVM(**PAPER)).similarity_scale_of(n) == 1


@pytest.mark.parametrize("model", [{}, {"solver": "em"}, {"n_levels": 1}], ids=str)
@pytest.mark.parametrize(("rows", "word", "number"), [("_SPARSE_ROWS", "at_least_1", 2), ("_FINE_ROWS", "auto", 0.5)])
def test_the_scale_is_that_of_the_rows_that_are_mapped(monkeypatch, model, rows, word, number):
    monkeypatch.setattr(f"latentmap.model.settings.{rows}", 800 if number > 1 else 25)
    X = np.random.default_rng(0).normal(size=(200, 3))
    automatic, given, full = (
        LVM(max_iter=5, n_neighbors=6, random_state=0, similarity_scale=scale, **model).fit(X)
        for scale in (word, number, 1)
    )
    assert automatic.similarity_scale_ == number
    np.testing.assert_array_equal(automatic.embedding_, given.embedding_)
    assert np.ptp(automatic.embedding_ - full.embedding_) > 0


@pytest.mark.parametrize("wrong", ["wide", 0, np.nan, None])
def test_another_word_is_refused(wrong):
    with pytest.raises(
        ValueError, match=r'^similarity_scale, .* must be a number from 0.001 to 1000, or "at_least_1", or "auto"'
    ):
        LVM(similarity_scale=wrong).fit(np.eye(10))


@pytest.mark.parametrize(
    ("n", "kept"), [(50, 10), (10_000, 10), (12_500, 8), (16_000, 6), (20_000, 5), (70_000, 5), (10**7, 5)]
)
def test_few_rows_keep_more_neighbours_than_many(n, kept):
    assert Settings.of(LVM()).min_neighbors_of(n) == kept
    assert Settings.of(LVM(min_neighbors=3)).min_neighbors_of(n) == 3


def test_a_fit_says_how_many_neighbours_it_kept_and_a_given_number_makes_the_same_map():
    X = np.random.default_rng(0).normal(size=(200, 5))
    automatic, given = (LVM(max_iter=5, min_neighbors=kept).fit(X) for kept in ("auto", 10))
    assert automatic.min_neighbors_ == given.min_neighbors_ == 10
    np.testing.assert_array_equal(automatic.embedding_, given.embedding_)
    new = X[:20] + 0.01
    np.testing.assert_array_equal(automatic.transform(new), given.transform(new))


@pytest.mark.parametrize("wrong", ["many", -1, 2.5, None])
def test_another_number_of_kept_neighbours_is_refused(wrong):
    with pytest.raises(ValueError, match=r'^min_neighbors \(m\), .* or "auto", .* whole number of 0 or more'):
        LVM(min_neighbors=wrong).fit(np.eye(10))
