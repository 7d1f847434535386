"""The tables of a SpatialData, read and written without its library: by what they say of their rows."""

from types import SimpleNamespace

import anndata
import numpy as np
import pandas as pd
import pytest

from latentmap.table import MapTable, from_spatialdata, write_into_spatialdata
from latentmap.table.feature_sets import feature_sets
from latentmap.table.usual_features import measurements


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


def test_the_same_column_in_tables_of_other_cells_is_one():
    tables = {
        "all": table(["a"] * 3 + ["b"] * 3, [1, 2, 3] * 2, ["volume"], first=100.0),
        "a": table(["a"] * 2, [3, 1]),
        "b": table(["b"] * 3, [3, 2, 1], first=10.0),
        "c": table(["b", "c"], [3, 1], first=10.0),
        "d": table(["b", "d"], [3, 1], first=20.0),
    }
    kinds = {"a": "T", "b": "B", "c": "M", "d": "M"}
    for adata in tables.values():
        adata.obs["kind"] = pd.Categorical([kinds[region] for region in adata.obs["region"]])
        adata.obs["note"] = pd.array([None] * adata.n_obs, dtype="string")
    features = from_spatialdata(SimpleNamespace(tables=tables), layer="?").features
    assert [column for column in features if "area" in column] == ["area", "area (d)"]
    known = features["area"].dropna()
    assert known.loc["a"].to_dict() == {(0, 3): 0.0, (0, 1): 1.0}
    assert known.loc["b"].to_dict() == {(0, 3): 10.0, (0, 2): 11.0, (0, 1): 12.0}
    assert known.loc["c"].to_dict() == {(0, 1): 11.0}
    assert features["area (d)"].dropna().to_dict() == {("b", 0, 3): 20.0, ("d", 0, 1): 21.0}
    assert features["kind"].tolist() == ["T"] * 3 + ["B"] * 3 + ["M"] * 2


def test_arrays_and_layers_of_two_tables_stay_apart():
    rng = np.random.default_rng(0)
    tables = {"rna": table(["a"] * 9, range(1, 10)), "protein": table(["a"] * 9, range(1, 10), first=100.0)}
    for adata, n_components in zip(tables.values(), (3, 5), strict=True):
        adata.obsm = {"X_pca": rng.normal(size=(9, n_components)), "X_umap": rng.normal(size=(9, 2))}
        adata.layers["counts"] = adata.X.round()
    # The first component may be the same by chance.
    tables["protein"].obsm["X_pca"][:, 0] = tables["rna"].obsm["X_pca"][:, 0]
    sdata = SimpleNamespace(tables=tables, is_backed=lambda: False)
    cells = from_spatialdata(sdata, layer="?")
    sets = {one.name: one.columns for one in feature_sets(cells.mappable)}
    assert sets["X_pca"] == ("X_pca_1", "X_pca_2", "X_pca_3")
    assert sets["X_pca (protein)"] == tuple(f"X_pca (protein)_{axis}" for axis in range(1, 6))
    assert sets['layer "counts"'] == ("area [layer counts]", "area (protein) [layer counts]")
    assert measurements(sets["table columns"]) == ("area", "area (protein)")
    np.testing.assert_array_equal(cells.features["X_pca (protein)_5"], tables["protein"].obsm["X_pca"][:, 4])

    # Maps that were made before are no features, also where each table has another.
    for adata in tables.values():
        adata.obsm["X_latentmap"], adata.obs["latentmap_variance"] = rng.normal(size=(9, 2)), rng.random(9)
    cells = from_spatialdata(sdata, layer="?")
    assert measurements(feature_sets(cells.mappable)[0].columns) == ("area", "area (protein)")
    assert [name for name in cells.features if name.startswith(("map_", "latentmap_"))] == [
        "latentmap_variance",
        "map_1",
        "map_2",
    ]
    made = MapTable(cells.features.reset_index(), coordinates=("map_1",), features=tuple(cells.mappable))
    assert write_into_spatialdata(sdata, made) == ('Written into "rna", "protein".',)


def written(tables, kept, layer="cells", **elements):
    """Write a map of some of the cells into all tables; the first coordinate of each is its area."""
    sdata = SimpleNamespace(tables=tables, is_backed=lambda: False, **elements)
    cells = from_spatialdata(sdata, layer=layer).features
    # The map before is there again.
    cells = cells.drop(columns="map_1", errors="ignore")
    rows = cells[kept(cells.index)].rename(columns={"area": "map_1"}).reset_index()
    return write_into_spatialdata(sdata, MapTable(rows, coordinates=("map_1",)), layer=layer)


def test_cells_without_numbers_get_their_own_place_though_two_tables_share_names():
    shapes = {name: table([name] * 3, ["p", "q", "r"], first=first) for name, first in (("s", 0.0), ("t", 10.0))}
    told = written(shapes, lambda keys: keys.get_level_values("layer") == "s")
    assert shapes["s"].obsm["X_latentmap"].ravel().tolist() == [0.0, 1.0, 2.0]
    assert "X_latentmap" not in shapes["t"].obsm
    assert told == ('Written into "s".',)
    told = written(shapes, lambda keys: keys.get_level_values("label") > 1)
    assert np.isnan(shapes["t"].obsm["X_latentmap"][0, 0])
    assert shapes["t"].obsm["X_latentmap"][1:, 0].tolist() == [11.0, 12.0]
    assert told[-1] == 'Written into "s", "t".'


def test_rows_without_numbers_are_found_by_name_where_their_table_has_changed():
    table_of = {"t": table(["t"] * 3, ["x", "y", "z"])}
    cells = from_spatialdata(SimpleNamespace(tables=table_of), layer="?").features.rename(columns={"area": "map_1"})
    kept = SimpleNamespace(tables={"t": table_of["t"][1:].copy()}, is_backed=lambda: False)
    write_into_spatialdata(kept, MapTable(cells.reset_index(), coordinates=("map_1",)))
    assert kept.tables["t"].obsm["X_latentmap"].ravel().tolist() == [1.0, 2.0]


def test_cells_of_shapes_are_written_beside_those_of_labels():
    tables = {"a": table(["a"] * 3, [3, 1, 2]), "spots": table(["spots"] * 2, ["p", "q"], first=10.0)}
    assert written(tables, lambda keys: np.ones(len(keys), bool)) == ('Written into "a", "spots".',)
    assert tables["a"].obsm["X_latentmap"].ravel().tolist() == [0.0, 1.0, 2.0]
    assert tables["spots"].obsm["X_latentmap"].ravel().tolist() == [10.0, 11.0]


def loose(first, names):
    """A table that says which label a row is, but not of which element."""
    obs = pd.DataFrame({"label": [1, 2, 3]}, index=names)
    return anndata.AnnData(first + np.arange(3.0)[:, None], obs=obs, var=pd.DataFrame(index=["area"]))


def test_tables_of_no_labels_are_of_other_cells_unless_their_rows_have_the_same_names():
    tables = {name: loose(first, [f"{name}{at}" for at in range(3)]) for name, first in (("s", 0.0), ("t", 10.0))}
    cells = from_spatialdata(SimpleNamespace(tables=tables), layer="cells")
    assert cells.features["area"].to_dict() == {
        **{("cells", 0, label): label - 1.0 for label in (1, 2, 3)},
        **{("t", 0, label): label + 9.0 for label in (1, 2, 3)},
    }
    assert any('The table "t" does not say which labels its rows belong to' in note for note in cells.notes)
    written(tables, lambda keys: np.ones(len(keys), bool))
    assert [tables[name].obsm["X_latentmap"][0, 0] for name in "st"] == [0.0, 10.0]

    alike = {name: loose(first, ["AA-1", "CC-1", "GG-1"]) for name, first in (("rna", 0.0), ("protein", 10.0))}
    cells = from_spatialdata(SimpleNamespace(tables=alike), layer="cells")
    assert cells.features["area (protein)"].tolist() == [10.0, 11.0, 12.0]


def test_a_map_of_the_cells_of_one_table_leaves_another_whose_rows_have_the_same_names():
    tables = {
        "t": table(["a"] * 3, [1, 2, 3], names=["3", "4", "5"]),
        "u": table(["spots"] * 6, list("pqrstu"), first=10.0, names=map(str, range(6))),
    }
    told = written(tables, lambda keys: keys.get_level_values("layer") == "a")
    assert told == ('Written into "t".',)
    assert "X_latentmap" not in tables["u"].obsm


def test_spots_are_counted_from_0_but_0_in_labels_is_the_background():
    tables = {"t": table(["spots"] * 3 + ["more"] * 2, [0, 1, 2, 0, 1])}
    elements = {"shapes": {"spots": None, "more": None}}
    features = from_spatialdata(SimpleNamespace(tables=tables, **elements), layer="?").features
    assert features["area"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert features["cell"].tolist() == ["0", "1", "2", "0", "1"]  # which is no feature
    tables["t"] = tables["t"][[4, 2, 0]].copy()
    assert written(tables, lambda keys: np.ones(len(keys), bool), **elements) == ('Written into "t".',)
    assert tables["t"].obsm["X_latentmap"].ravel().tolist() == [4.0, 2.0, 0.0]

    cells = from_spatialdata(SimpleNamespace(tables=tables, labels=elements["shapes"]), layer="?")
    assert cells.keys == [("more", 0, 1), ("spots", 0, 2)]
    assert "1 row of label 0 (the background) left out." in cells.notes


def test_numbered_rows_are_found_by_what_they_are_of_though_their_names_have_changed():
    tables = {"t": table(["s"] * 3, ["x", "y", "z"])}
    cells = from_spatialdata(SimpleNamespace(tables=tables), layer="?").features.rename(columns={"area": "map_1"})
    changed = tables["t"][[2, 0]].copy()
    changed.obs_names = ["cell 0", "cell 1"]
    kept = SimpleNamespace(tables={"t": changed}, is_backed=lambda: False)
    write_into_spatialdata(kept, MapTable(cells.reset_index(), coordinates=("map_1",)))
    assert changed.obsm["X_latentmap"].ravel().tolist() == [2.0, 0.0]
    changed.obs["cell"] = ["x", "x"]
    with pytest.raises(ValueError, match=r'^"x" of "s" has more than one row'):
        write_into_spatialdata(kept, MapTable(cells.reset_index(), coordinates=("map_1",)))


@pytest.mark.parametrize("frame", [[0, 1, 2], [0.5, 1.5, 2.5], ["a", "b", "c"]])
@pytest.mark.parametrize("instances", [[1, 2, 3], ["x", "y", "z"]])
def test_columns_that_are_called_like_a_key_say_something_else(frame, instances):
    one = table(["a"] * 3, instances)
    one.obs = one.obs.assign(frame=frame, layer=["L2", "L4", "L6"], label=["T", "B", "T"])
    cells = from_spatialdata(SimpleNamespace(tables={"t": one}), layer="?")
    of = "a" if instances[0] == 1 else "t"
    assert cells.keys == [(of, 0, 1), (of, 0, 2), (of, 0, 3)]
    assert cells.features["frame_number"].tolist() == frame
    assert cells.features["layer_1"].tolist() == ["L2", "L4", "L6"]
    assert cells.features["label_1" if of == "a" else "cell_label"].tolist() == ["T", "B", "T"]
    assert any('Column "frame" of table "t" is called "frame_number" here' in note for note in cells.notes)
    tables = {"t": one[::-1].copy()}
    written(tables, lambda keys: np.ones(len(keys), bool))
    assert tables["t"].obsm["X_latentmap"].ravel().tolist() == [2.0, 1.0, 0.0]


def test_rows_that_are_other_cells_now_are_announced():
    tables = {"t": table(["a"] * 3, [1, 2, 3]), "more": table(["a"] * 3, [3, 2, 1], ["area", "volume"], first=10.0)}
    sdata = SimpleNamespace(tables=tables, is_backed=lambda: False)
    cells = from_spatialdata(sdata, layer="?").features
    features = ("area", "area (more)", "volume")
    made = MapTable(cells.assign(map_1=cells["area"]).reset_index(), coordinates=("map_1",), features=features)
    assert write_into_spatialdata(sdata, made) == ('Written into "t", "more".',)
    tables["t"].obs["cell"] = [3, 2, 1]
    told = write_into_spatialdata(sdata, made)
    assert told[0].startswith('Table "t": In 2 of 3 rows, features have other values than those that the map was made')
    assert len(told) == 2


def test_numbered_rows_of_which_nothing_says_which_they_are_are_refused():
    tables = {"t": loose(0.0, ["0", "1", "2"])}
    del tables["t"].obs["label"]
    sdata = SimpleNamespace(tables=tables, is_backed=lambda: False)
    cells = from_spatialdata(sdata, layer="?").features
    made = MapTable(cells.assign(map_1=0.0).reset_index(), coordinates=("map_1",), features=("area",))
    assert write_into_spatialdata(sdata, made) == ('Written into "t".',)
    tables["t"] = tables["t"][::-1].copy()
    tables["t"].obs_names = ["0", "1", "2"]
    with pytest.raises(ValueError, match=r'^The rows of "t" were numbered, and now they are others'):
        write_into_spatialdata(sdata, made)


def test_a_row_of_no_element_is_of_no_labels():
    one = table(["a", "a", "a"], [1, 2, 3])
    one.obs["region"] = pd.Categorical(["a", "a", None])
    sdata = SimpleNamespace(tables={"t": one}, labels={"a": None, "cells": None})
    assert from_spatialdata(sdata, layer="cells").keys == [("a", 0, 1), ("a", 0, 2), ("t", 0, 3)]


@pytest.mark.parametrize("attributes", [None, "a", {}])
def test_damaged_attributes_are_none(attributes):
    one = table(["a"] * 2, [1, 2])
    one.uns["spatialdata_attrs"] = attributes
    assert from_spatialdata(SimpleNamespace(tables={"t": one}), layer="?").keys == [("t", 0, 1), ("t", 0, 2)]


def test_a_map_is_written_by_the_columns_that_its_cells_were_read_by():
    one = table(["a"] * 3, [1, 2, 3])
    one.obs["nucleus"] = [3, 1, 2]
    sdata = SimpleNamespace(tables={"t": one}, is_backed=lambda: False)
    columns = {"label": "nucleus"}
    cells = from_spatialdata(sdata, layer="?", columns=columns).features.rename(columns={"area": "map_1"})
    write_into_spatialdata(sdata, MapTable(cells.reset_index(), coordinates=("map_1",)), columns=columns)
    assert one.obsm["X_latentmap"].ravel().tolist() == [0.0, 1.0, 2.0]
