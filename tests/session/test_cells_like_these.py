import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from latentmap.images.cell_places import cell_places, place_columns
from latentmap.images.crops import Crops
from latentmap.session import Parameters, iter_run
from latentmap.session.more_cells import most_alike, nearest_in_tissue
from latentmap.table import CellTable
from latentmap.table.preparing import prepare

NAMES = ("area", "DNA", "actin")


def made(table, **parameters):
    steps = iter_run(table, Parameters(features=NAMES, n_neighbors=5, max_iter=2, **parameters))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.fixture
def labels():
    """Two frames with 8 x 8 cells each; the same numbers are elsewhere in the second."""
    numbers = np.arange(3, 67).reshape(8, 8)
    frames = np.stack([numbers, numbers[::-1]])
    return np.kron(frames, np.pad(np.ones((1, 5, 5), int), ((0, 0), (0, 2), (0, 2))))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(128, 3)), columns=list(NAMES))
    rows.loc[11, "DNA"] = np.nan
    labels = np.tile(np.arange(3, 67), 2)
    return CellTable.read(rows.assign(label=labels, frame=np.repeat([0, 1], 64)), layer="cells")


@pytest.mark.parametrize(
    ("metric", "scaling"), [("euclidean", "standard"), ("correlation", "none"), ("manhattan", "robust")]
)
def test_the_most_alike_are_nearest_to_any_of_those_selected(table, metric, scaling):
    result = made(table, metric=metric, scaling=scaling)
    n = len(result.embedding)
    chosen, is_open = np.isin(np.arange(n), [4, 70]), np.arange(n) != 90
    values = prepare(table, NAMES, Parameters(scaling=scaling).preparation).values
    near = cdist(values, values[chosen], {"manhattan": "cityblock"}.get(metric, metric)).min(axis=1)
    expected = [row for row in np.argsort(near, kind="stable") if row not in (4, 70, 90)]
    assert most_alike(result, chosen, is_open, 9).tolist() == expected[:9]
    assert len(most_alike(result, chosen, is_open, 1000)) == n - 3


def test_cells_of_a_flat_image_beside_a_stack_have_places(table):
    rng = np.random.default_rng(1)
    places = pd.DataFrame(rng.uniform(0, 9, size=(128, 3)), table.features.index, columns=list("012")).add_prefix(
        "centroid-"
    )
    places.loc[pd.IndexSlice[:, 0, :], "centroid-2"] = np.nan
    result = made(table.with_features(places))
    keys = result.cells.features.index
    for key, axes in ((("cells", 0, 8), 2), (("cells", 1, 8), 3)):
        chosen = keys.isin([key])
        of_image = np.flatnonzero(keys.get_level_values("frame") == key[1])
        near = cdist(places.loc[[key]].to_numpy()[:, :axes], places.loc[keys[of_image]].to_numpy()[:, :axes])[0]
        found = nearest_in_tissue(result, {}, chosen, np.ones(len(keys), bool), 4)
        assert found.tolist() == of_image[np.argsort(near)[1:5]].tolist()


def test_the_nearest_are_of_the_same_image_and_frame(table, labels):
    result = made(table)
    keys = result.cells.features.index
    chosen = keys.isin([("cells", 1, 30)])
    found = nearest_in_tissue(result, {"cells": Crops(labels, has_frames=True)}, chosen, np.ones(len(keys), bool), 4)
    assert set(keys[found]) == {("cells", 1, label) for label in (29, 31, 22, 38)}
    everything = nearest_in_tissue(result, {"cells": Crops(labels, has_frames=True)}, chosen, ~chosen, 1000)
    assert set(keys[everything].get_level_values("frame")) == {1}
    assert len(everything) == 63
    with pytest.raises(ValueError, match="Where these cells lie is not known"):
        nearest_in_tissue(result, {}, chosen, ~chosen, 4)


def test_the_nearest_are_so_in_the_unit_of_the_pixels(table, labels):
    result = made(table)
    keys = result.cells.features.index
    chosen = keys.isin([("cells", 1, 30)])
    for spacing, nearest in (((3.0, 1.0), {29, 31, 28, 32}), ((1.0, 3.0), {22, 38, 14, 46}), (None, {29, 31, 22, 38})):
        crops = {"cells": Crops(labels, has_frames=True, spacing=spacing)}
        found = nearest_in_tissue(result, crops, chosen, np.ones(len(keys), bool), 4)
        assert set(keys[found].get_level_values("label")) == nearest
    volume = np.zeros((6, 9, 9), int)
    volume[0, 0:3, 0:3], volume[5, 0:3, 0:3], volume[0, 6:9, 6:9] = 3, 4, 5
    places = cell_places(table.features.loc[[("cells", 0, label) for label in (3, 4, 5)]], {"cells": Crops(volume)})
    np.testing.assert_array_equal(places, [[0, 1, 1], [5, 1, 1], [0, 7, 7]])
    crops = {"cells": Crops(volume, spacing=(2.0, 0.5, 0.5))}
    places = cell_places(table.features.loc[[("cells", 0, label) for label in (3, 4, 5)]], crops)
    np.testing.assert_array_equal(places, [[0, 0.5, 0.5], [10, 0.5, 0.5], [0, 3.5, 3.5]])


def test_columns_of_places_come_first(table, labels):
    features = table.features.assign(**{"centroid-0": 1.0, "centroid-1": np.arange(128.0), "bbox-0": 0, "bbox-1": 9})
    places = cell_places(features, {"cells": Crops(labels, has_frames=True)})
    np.testing.assert_array_equal(places, features[["centroid-0", "centroid-1"]])


@pytest.mark.parametrize(
    "columns",
    [
        ["centroid-0", "centroid-1", "centroid-2"],
        ["AreaShape_Center_Y", "AreaShape_Center_X"],
        ["y", "x"],
        ["z", "y", "x"],
        ["Location_Center_Z", "Location_Center_Y", "Location_Center_X"],
    ],
)
def test_columns_of_places_by_their_usual_names(columns):
    others = ["area", "x_score", "centroid_distance", "centroid_local-0", "centroid_local-1", "Atlas_X", "Atlas_Y"]
    assert place_columns(pd.DataFrame(1.0, index=[0], columns=[*others, *reversed(columns)])) == columns
    assert place_columns(pd.DataFrame(1.0, index=[0], columns=others)) == []
