"""The images of a viewer as they are printed in a figure."""

import numpy as np
import pytest
from napari.components import ViewerModel
from napari.layers import Labels

from latentmap.napari_layers.figure_planes import planes_in_view
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.source import View


@pytest.mark.parametrize(
    ("scale", "units", "expected"),
    [
        ((1, 1), ("pixel", "pixel"), (None, "", 1)),
        ((0.5, 0.25), ("um", "um"), (0.25, "µm", 2)),
        ((0.25, 500), ("um", "nm"), (500, "nm", 0.5)),
        ((2, 0.5, 0.5), ("um", "um", "um"), (0.5, "µm", 1)),
    ],
)
def test_a_pixel_has_the_width_and_height_of_the_layer_s(scale, units, expected):
    layer, viewer = Labels(np.ones((4, 64, 80)[-len(scale) :], dtype=int), scale=scale, units=units), ViewerModel()
    viewer.add_layer(layer)
    (plane,) = planes_in_view([LabelsSource(layer, "cells")], viewer.layers, View.of(viewer))
    assert (plane.pixel_size, plane.unit, plane.aspect) == (expected[0], expected[1], pytest.approx(expected[2]))
