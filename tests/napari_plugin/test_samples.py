import numpy as np
import pytest

from latentmap.napari_layers.layers import layer_features
from latentmap.samples.synthetic import time_lapse, volume
from latentmap.table import CellTable


def test_the_sample_opens_from_the_menu_s_name_ready_to_embed(qtbot, viewer, panel):
    viewer.open_sample("latentmap", "tissue")
    assert [layer.name for layer in viewer.layers] == ["tissue", "cells"]
    cells = viewer.layers["cells"]
    assert panel.cells.value == [cells]
    n_features = len(cells.features.columns) - 1
    # Where a cell lies is no feature of it.
    said = f"{cells.data.max()} cells, {n_features - 2} of {n_features} features"
    qtbot.wait_until(lambda: panel.about.value.startswith(said))


@pytest.mark.parametrize(
    ("key", "name", "make", "scale", "axes"),
    [
        ("time_lapse", "moving cells", time_lapse, (1, 0.65, 0.65), ("t", "y", "x")),
        ("three_d", "nuclei", volume, (0.9, 0.36, 0.36), ("z", "y", "x")),
    ],
)
def test_generated_samples_open_with_their_cells_and_their_size(qtbot, viewer, panel, key, name, make, scale, axes):
    viewer.open_sample("latentmap", key)
    assert [layer.name for layer in viewer.layers] == ["DNA", "marker", name]
    for layer in viewer.layers:
        assert tuple(layer.scale) == scale
        assert layer.axis_labels == axes
        assert [str(unit) for unit in layer.units[1:]] == ["micrometer"] * 2
    cells, sample = viewer.layers[name], make(layer=name)
    assert panel.cells.value == [cells]
    table = CellTable.read(cells.features, layer=name)
    assert table.keys == sample.cells.keys
    assert table.features.equals(sample.cells.features)
    said = f"{len(table.features)} cells"
    qtbot.wait_until(lambda: panel.about.value.startswith(said))


def test_features_have_frames_only_where_there_are_some():
    assert list(layer_features(volume().cells))[:2] == ["index", "volume_um3"]
    rows = layer_features(time_lapse().cells)
    assert list(rows)[:3] == ["index", "frame", "area_um2"]
    later = time_lapse().cells
    later = CellTable(later.features[np.array([frame == 5 for _, frame, _ in later.keys])])
    assert CellTable.read(layer_features(later), layer="cells").keys == later.keys
