"""Which images lie where labels lie."""

import numpy as np
import pytest
from napari.layers import Image, Labels

from latentmap.napari_layers.pairs import paired

PIXELS = np.zeros((30, 30), dtype=int)
PIXELS[2:8, 2:10], PIXELS[12:20, 12:18] = 1, 2


def is_sure(image, **placed):
    labels = Labels(PIXELS, name="cells", **placed)
    (pair,) = paired([image, labels])[labels].values()
    return pair.is_sure


@pytest.mark.parametrize(
    "matrix",
    [
        [[-1, 0, 29], [0, 1, 0], [0, 0, 1]],
        [[-1, 0, 29], [0, -1, 29], [0, 0, 1]],
        [[0, 1, 0], [-1, 0, 29], [0, 0, 1]],
        [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
    ],
    ids=["mirrored", "upside down", "turned", "transposed"],
)
def test_an_image_that_lies_turned_or_mirrored_is_no_sure_pair(matrix):
    assert not is_sure(Image(PIXELS * 1.0, affine=np.array(matrix, dtype=float)))
    assert is_sure(Image(PIXELS * 1.0, affine=np.array(matrix, dtype=float)), affine=np.array(matrix, dtype=float))


@pytest.mark.parametrize(
    "image",
    [
        Image(PIXELS * 1.0),
        Image([PIXELS * 1.0, PIXELS[::2, ::2] * 1.0], multiscale=True),
        Image(np.stack([PIXELS * 1.0] * 2)),
        Image(np.stack([PIXELS.astype(np.uint8)] * 3, axis=-1), rgb=True),
    ],
    ids=["plain", "multiscale", "channels", "colours"],
)
def test_an_image_that_lies_like_the_labels_is_a_sure_pair(image):
    assert is_sure(image)
    assert not is_sure(image, translate=(5, 0))


@pytest.mark.parametrize(("scale", "unit", "is_one"), [(500, "nm", True), (0.5, "nm", False), (0.5, "um", True)])
def test_layers_in_other_units_lie_in_one_place_if_they_are_of_one_length(scale, unit, is_one):
    image = Image(PIXELS * 1.0, scale=(scale, scale), units=(unit, unit))
    assert is_sure(image, scale=(0.5, 0.5), units=("um", "um")) == is_one
