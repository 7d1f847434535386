"""Where the cells of napari's layers lie, without a window."""

import numpy as np
import pandas as pd
import pytest
from napari.layers import Labels, Points, Tracks

from latentmap.napari_layers.cell_places import cell_places
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.points_source import PointsSource

PIXELS = np.array([[0, 7, 7], [0, 7, 7], [3, 0, 0]])


def labels(name, **settings):
    return LabelsSource(Labels(PIXELS.copy(), name=name, **settings), name)


def test_without_layers_there_are_no_cells():
    with pytest.raises(ValueError, match=r"^There are no cells yet\.$"):
        cell_places([])


def test_points_lie_where_the_scale_puts_them_and_label_0_is_no_cell():
    layer = Points([[1, 2], [3, 4], [5, 6]], scale=(2, 3), features={"label": [4, 0, 9]})
    found = cell_places([PointsSource(layer, "spots")]).find()
    assert found.index.tolist() == [("spots", 0, 4), ("spots", 0, 9)]
    assert found.to_numpy().tolist() == [[2, 6], [10, 18]]


def test_the_time_of_tracks_is_no_place():
    layer = Tracks(np.array([[1, 0, 5, 6], [1, 1, 7, 8], [2, 1, 9, 10]], float))
    found = cell_places([PointsSource(layer, "film")]).find()
    assert found.index.tolist() == [("film", 0, 1), ("film", 1, 1), ("film", 1, 2)]
    assert found.to_numpy().tolist() == [[5, 6], [7, 8], [9, 10]]


def test_places_stay_when_a_layer_is_changed_meanwhile():
    source = labels("cells")
    places = cell_places([source])
    source.layer.data[:] = 0
    assert places.find().index.tolist() == [("cells", 0, 3), ("cells", 0, 7)]


@pytest.mark.parametrize(
    ("settings", "unit", "place"),
    [
        ({}, "pixels", [0.5, 1.5]),
        ({"scale": (2, 4)}, "units of the scale", [1, 6]),
        ({"scale": (2, 4), "units": ("um", "um")}, "µm", [1, 6]),
        ({"scale": (2, 4), "units": ("mm", "mm")}, "mm", [1, 6]),
    ],
)
def test_the_unit_is_that_of_the_labels(settings, unit, place):
    points = PointsSource(Points([[0.0, 0.0]], features={"label": [1]}), "spots")
    places = cell_places([labels("cells", **settings), points])
    found = places.find()
    assert places.unit == unit
    assert found.loc[("cells", 0, 7)].tolist() == place
    assert found.loc[("spots", 0, 1)].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("settings", "unit"),
    [
        ({}, "pixels"),
        ({"scale": (0.5, 0.5)}, "units of the scale"),
        ({"scale": (0.5, 0.5), "units": ("um", "um")}, "µm"),
    ],
)
def test_points_alone_lie_in_the_unit_of_their_layer(settings, unit):
    layer = Points([[10.0, 10.0]], features={"label": [1]}, **settings)
    places = cell_places([PointsSource(layer, "spots"), PointsSource(layer, "others")])
    assert places.unit == unit
    assert places.find().iloc[0].tolist() == ([5, 5] if settings else [10, 10])


def test_tracks_lie_in_the_unit_of_their_axes_in_space():
    tracks = Tracks(np.array([[1.0, 0, 5, 6]]), scale=(1, 0.5, 0.5), units=("s", "um", "um"))
    assert cell_places([PointsSource(tracks, "film")]).unit == "µm"


def test_points_in_different_units_are_refused():
    one, other = (Points([[1, 2]], units=(unit, unit), features={"label": [1]}) for unit in ("um", "mm"))
    with pytest.raises(ValueError, match='in different units, "mm", "um": give them the same one'):
        cell_places([PointsSource(one, "one"), PointsSource(other, "other")])


def test_units_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="cannot be compared"):
        cell_places([labels("one", scale=(2, 2), units=("um", "um")), labels("two")])


def test_all_layers_have_the_unit_of_the_first():
    first, second = (labels(name, scale=(500, 500), units=(unit, unit)) for name, unit in (("a", "um"), ("b", "nm")))
    places = cell_places([first, second])
    found = places.find()
    assert places.unit == "µm"
    pd.testing.assert_series_equal(found.loc[("a", 0, 7)] / 1000, found.loc[("b", 0, 7)], check_names=False)


def test_labels_and_points_in_different_units_have_no_radius_in_common():
    points = PointsSource(Points([[0.0, 0.0]], features={"label": [1]}, units=("nm", "nm")), "spots")
    with pytest.raises(ValueError, match=r'^The layers are in different units, "nm", "um": give them the same one\.$'):
        cell_places([labels("cells", units=("um", "um")), points])
