import numpy as np
import pytest
from skimage.measure import label

from latentmap.samples.tissue import SMALLEST, tissue


@pytest.fixture(scope="module")
def sample():
    return tissue()


def test_the_nuclei_are_numbered_in_a_row_and_all_measured(sample):
    numbers = np.unique(sample.labels)
    assert 250 <= numbers.max() <= 400
    assert numbers.tolist() == list(range(numbers.max() + 1))
    assert sample.cells.keys == [("cells", 0, number) for number in numbers[1:]]
    assert np.isfinite(sample.cells.features.to_numpy()).all()


def test_every_nucleus_is_one_piece_and_no_debris(sample):
    for number in (1, 50, 200):
        mask = sample.labels == number
        assert label(mask).max() == 1
        assert mask.sum() > SMALLEST


def test_nuclei_are_bluer_than_what_surrounds_them(sample):
    inside = sample.labels > 0
    red, blue = (sample.image[..., channel].astype(float) for channel in (0, 2))
    assert np.mean((blue - red)[inside]) > np.mean((blue - red)[~inside]) + 5
