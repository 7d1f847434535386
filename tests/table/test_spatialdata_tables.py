"""The tables of a SpatialData, read and written without its library: by what they say of their rows."""

from types import SimpleNamespace

import anndata
import numpy as np
import pandas as pd

from latentmap.table import from_spatialdata


def table(regions, labels, columns=("area",), first=0.0, names=None):
    """A table whose rows are of these elements; its values count up from the first."""
    values = first + np.arange(len(labels) * len(columns), dtype=float).reshape(len(labels), -1)
    names = [f"cell {row}" for row in range(len(labels))] if names is None else names
    obs = pd.DataFrame({"region": pd.Categorical(regions), "cell": labels}, index=names)
    attrs = {"region": sorted({*regions}), "region_key": "region", "instance_key": "cell"}
    uns = {"spatialdata_attrs": attrs}
    return anndata.AnnData(values, obs=obs, var=pd.DataFrame(index=list(columns)), uns=uns)


def test_a_table_of_two_others_adds_its_columns_to_both():
    tables = {
        "a": table(["a"] * 3, [1, 2, 3]),
        "b": table(["b"] * 3, [1, 2, 3], first=10.0),
        "both": table(["a", "b", "b"], [3, 2, 7], ["volume"], first=100.0),
    }
    features = from_spatialdata(SimpleNamespace(tables=tables), layer="?").features
    assert features.index.is_unique
    assert len(features) == 7
    assert features["area"].loc[[("a", 0, 3), ("b", 0, 1), ("b", 0, 2)]].tolist() == [2.0, 10.0, 11.0]
    volumes = features["volume"].dropna()
    assert volumes.to_dict() == {("a", 0, 3): 100.0, ("b", 0, 2): 101.0, ("b", 0, 7): 102.0}
