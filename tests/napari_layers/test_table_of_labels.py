"""The table of a labels layer, which is read at every turn."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from napari.layers import Labels

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.table import matching


def test_a_table_is_read_again_only_after_a_change_even_one_that_napari_does_not_tell_of():
    rows = pd.DataFrame({"label": [1, 2], "area": [4.0, 5.0], "kind": ["a", "b"]})
    layer = Labels(np.array([[1, 2]]), name="cells", features=rows)
    source = LabelsSource(layer, "cells")
    first = source.table().features
    assert source.table().features is first
    layer.features.loc[0, "area"] = 7.0
    assert source.table().features["area"].tolist() == [7.0, 5.0]
    assert first["area"].tolist() == [4.0, 5.0]
    source.name = "nuclei"
    assert source.table().features.index.unique("layer").tolist() == ["nuclei"]


@pytest.fixture
def searched(monkeypatch):
    """How often cells were looked for in an image."""
    found, find = [], matching.find_cells
    monkeypatch.setattr(matching, "find_cells", lambda *a, **k: found.append(1) or find(*a, **k))
    return found


def test_pixels_are_searched_for_the_rows_again_only_when_they_or_the_rows_have_changed(searched):
    rows = pd.DataFrame({"label": [1, 2], "area": [4.0, 5.0]})
    layer = Labels(np.array([[1, 2, 0]]), name="cells", features=rows)
    source = LabelsSource(layer, "cells")
    assert [source.mismatch(), source.mismatch()] == ["", ""]
    assert len(searched) == 1
    layer.data_setitem((np.array([0]), np.array([2])), 3)
    assert source.mismatch() == '1 of 3 cells in the labels "cells" have no row in the table.'
    layer.data = np.array([[1, 2]])
    assert source.mismatch() == ""
    layer.features.loc[1, "label"] = 9
    assert source.mismatch().startswith('1 of 2 rows have a cell in the labels "cells"')
    layer.data[0, 1] = 9
    layer.refresh()
    assert source.mismatch() == ""
    assert len(searched) == 5


@pytest.mark.slow
def test_a_layer_does_not_keep_its_source():
    layer = Labels(np.array([[1, 2]]), name="cells")
    source = weakref.ref(LabelsSource(layer, "cells"))
    gc.collect()
    assert source() is None
