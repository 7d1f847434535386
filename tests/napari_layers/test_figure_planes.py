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


STACK = np.arange(1, 5 * 6 * 7 + 1).reshape(5, 6, 7)


@pytest.mark.parametrize(
    ("order", "expected", "size"),
    [
        ((0, 1, 2), STACK[3], (0.5, 2)),
        ((1, 0, 2), STACK[:, 4], (0.5, 6)),
        ((2, 1, 0), STACK[:, :, 2].T, (3, 1 / 3)),
        ((0, 2, 1), STACK[3].T, (1, 0.5)),
    ],
)
def test_the_plane_is_the_one_in_view_along_whichever_axes(order, expected, size):
    viewer = ViewerModel()
    viewer.add_image(STACK / 2, name="DNA", scale=(3, 1, 0.5), units=("um",) * 3)
    layer = viewer.add_labels(STACK, name="cells", scale=(3, 1, 0.5), units=("um",) * 3)
    viewer.dims.order = order
    for axis, index in enumerate((3, 4, 2)):
        viewer.dims.set_point(axis, index * layer.scale[axis])
    (plane,) = planes_in_view([LabelsSource(layer, "cells")], viewer.layers, View.of(viewer))
    np.testing.assert_array_equal(plane.labels, expected)
    np.testing.assert_array_equal(plane.channels["DNA"].image, expected / 2)
    assert (plane.pixel_size, plane.aspect) == pytest.approx(size)


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ({"scale": (3, 1, -0.5)}, STACK[3, :, ::-1]),
        ({"scale": (3, -1, -0.5)}, STACK[3, ::-1, ::-1]),
        ({"affine": np.diag([1.0, -1, 1, 1])}, STACK[3, ::-1]),
        ({"rotate": (0, 0, 180)}, STACK[3, ::-1, ::-1]),
        ({"rotate": (0, 0, 90)}, np.rot90(STACK[3])),
        ({"rotate": (0, 0, 90), "scale": (3, 1, -0.5)}, STACK[3].T),
        ({"rotate": (0, 0, 30)}, STACK[3]),
    ],
)
def test_a_plane_is_mirrored_and_turned_by_right_angles_as_in_view(placed, expected):
    viewer = ViewerModel()
    viewer.add_image(STACK / 2, name="DNA", **placed)
    layer = viewer.add_labels(STACK, name="cells", **placed)
    viewer.dims.set_point(0, 3 * layer.scale[0])
    (plane,) = planes_in_view([LabelsSource(layer, "cells")], viewer.layers, View.of(viewer))
    np.testing.assert_array_equal(plane.labels, expected)
    np.testing.assert_array_equal(plane.channels["DNA"].image, expected / 2)


def test_an_image_that_ends_before_the_frame_in_view_is_not_drawn():
    viewer = ViewerModel()
    short, long = viewer.add_labels(STACK[:2], name="short"), viewer.add_labels(STACK, name="long")
    viewer.dims.set_point(0, 3)
    planes = planes_in_view([LabelsSource(one, one.name) for one in (short, long)], viewer.layers, View.of(viewer))
    assert [plane.title for plane in planes] == ["long"]
