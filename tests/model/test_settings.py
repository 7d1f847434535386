"""What the words among the parameters stand for."""

import numpy as np
import pytest

from latentmap import DETAIL, LVM
from latentmap.model.settings import Settings


@pytest.mark.parametrize(("n", "scale"), [(100, 1), (3000, 1), (24_000, 0.5), (81_000, 1 / 3)])
def test_the_automatic_scale_falls_as_the_cube_root_of_the_rows(n, scale):
    assert Settings.of(LVM(**DETAIL)).similarity_scale_of(n) == pytest.approx(scale, rel=1e-12)


@pytest.mark.parametrize("model", [{}, {"solver": "em"}, {"n_levels": 1}], ids=str)
def test_the_automatic_scale_is_that_of_the_rows_that_are_mapped(monkeypatch, model):
    monkeypatch.setattr("latentmap.model.settings._ROWS_AT_FULL_SCALE", 25)
    X = np.random.default_rng(0).normal(size=(200, 3))
    automatic, given, full = (
        LVM(max_iter=5, n_neighbors=6, random_state=0, similarity_scale=scale, **model).fit_transform(X)
        for scale in ("auto", 0.5, 1)
    )
    np.testing.assert_array_equal(automatic, given)
    assert np.ptp(automatic - full) > 0


@pytest.mark.parametrize("wrong", ["wide", 0, np.nan, None])
def test_another_word_is_refused(wrong):
    with pytest.raises(ValueError, match=r'^similarity_scale, .* must be a number from 0.001 to 1000, or "auto"'):
        LVM(similarity_scale=wrong).fit(np.eye(10))
