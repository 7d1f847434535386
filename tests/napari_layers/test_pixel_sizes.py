"""How large the pixels of a layer are, wherever napari keeps that."""

import numpy as np
import pytest
from napari.components import ViewerModel
from napari.layers import Labels

from latentmap.jupyter.napari_input import ViewerLayers
from latentmap.napari_layers.pixel_sizes import pixel_sizes

TURN = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])


def affine(linear, shift=(7, -3)):
    return np.vstack([np.column_stack([linear, shift]), [0, 0, 1]])


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ({"affine": affine(np.diag([0.5, 0.25]))}, (0.5, 0.25)),
        ({"affine": affine(0.5 * TURN), "scale": (2, 3)}, (1, 1.5)),
        ({"affine": affine(np.diag([0.5, 0.5]) @ TURN), "rotate": 30, "scale": (2, 3)}, (1, 1.5)),
        ({"affine": affine(TURN)}, (1, 1)),
        ({"affine": affine(-0.5 * np.eye(2))}, (0.5, 0.5)),
    ],
)
def test_an_affine_transform_counts(placed, expected):
    layer = Labels(np.eye(8, dtype=int), units=("um", "um"), **placed)
    steps, unit = pixel_sizes([layer], is_time=False)[0][layer]
    assert steps == pytest.approx(expected)
    assert unit == "um"


def test_a_turn_without_a_unit_leaves_pixels():
    layer = Labels(np.eye(8, dtype=int), affine=affine(TURN))
    assert pixel_sizes([layer], is_time=False)[0][layer] == (None, "")


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ({"affine": affine(np.diag([0.5, 0.25])), "units": ("um", "um")}, ((0.5, 0.25), "um")),
        ({"scale": (-2, 2), "units": ("um", "um")}, ((2, 2), "um")),
        ({"scale": (500, 0.5), "units": ("nm", "um")}, ((0.5, 0.5), "um")),
        ({"scale": (3, 2)}, ((3, 2), "")),
    ],
)
def test_a_notebook_takes_the_same_sizes_from_a_viewer(placed, expected):
    viewer = ViewerModel()
    viewer.add_labels(np.eye(8, dtype=int), **placed)
    (picture,) = ViewerLayers(viewer).pictures().values()
    assert picture.scale == pytest.approx(expected[0])
    assert picture.unit == expected[1]
