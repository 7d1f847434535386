"""The table of a labels layer, which is read at every turn."""

import numpy as np
import pandas as pd
from napari.layers import Labels

from latentmap.napari_layers.labels_source import LabelsSource


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
