import numpy as np
import pytest

from latentmap.table import measure


@pytest.fixture
def labels():
    labels = np.zeros((20, 20), dtype=np.uint16)
    labels[2:6, 2:8] = 7
    labels[10:18, 10:18] = 1000
    return labels


def test_shape_and_intensity_of_each_cell(labels):
    dna = np.where(labels == 7, 10.0, 30.0)
    dna[2, 2] = 16.0
    cells = measure(labels, {"DNA": dna, "actin": labels / 2}, layer="nuclei")
    assert cells.keys == [("nuclei", 0, 7), ("nuclei", 0, 1000)]
    assert cells.features["area"].tolist() == [24, 64]
    assert cells.features["DNA_mean"].tolist() == [10.25, 30.0]
    assert cells.features["DNA_max"].tolist() == [16.0, 30.0]
    assert cells.features["actin_min"].tolist() == [3.5, 500.0]
    assert not [name for name in cells.features if "intensity" in name]


def test_without_images_the_shape_is_measured(labels):
    cells = measure(labels, layer="nuclei")
    assert cells.features["extent"].tolist() == [1.0, 1.0]
    assert cells.features["eccentricity"].iloc[1] == pytest.approx(0)


def test_volumes(labels):
    cells = measure(np.stack([labels] * 3), {"DNA": np.stack([labels] * 3)}, layer="nuclei")
    assert cells.features["area"].tolist() == [72, 192]
    assert cells.features["DNA_mean"].tolist() == [7, 1000]


def test_a_channel_of_another_size_is_named(labels):
    with pytest.raises(ValueError, match=r'"DNA" has the shape \(5, 5\)'):
        measure(labels, {"DNA": np.zeros((5, 5))}, layer="nuclei")


def test_no_cell(labels):
    with pytest.raises(ValueError, match='"nuclei" holds no cell'):
        measure(np.zeros_like(labels), layer="nuclei")


def test_too_many_axes(labels):
    with pytest.raises(ValueError, match="4 axes"):
        measure(labels[None, None], layer="nuclei")
