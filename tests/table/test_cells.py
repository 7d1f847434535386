import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable


def table(**columns):
    return pd.DataFrame({"label": [3, 7, 1000], "area": [1.0, 2.0, 3.0], **columns})


def test_keys_are_explicit_and_survive_sparse_labels():
    cells = CellTable.read(table(), layer="nuclei")
    assert cells.keys == [("nuclei", 0, 3), ("nuclei", 0, 7), ("nuclei", 0, 1000)]
    assert list(cells.features.columns) == ["area"]
    assert cells.notes == ()


def test_frame_and_layer_columns_are_keys_not_features():
    cells = CellTable.read(table(label=[1, 1, 1], frame=[0, 1, 1], layer=["a", "a", "b"]), layer="unused")
    assert cells.keys == [("a", 0, 1), ("a", 1, 1), ("b", 1, 1)]
    assert cells.numeric == ["area"]


def test_napari_s_index_column_is_the_label():
    cells = CellTable.read(table().rename(columns={"label": "index"}), layer="nuclei")
    assert [label for _, _, label in cells.keys] == [3, 7, 1000]


def test_reading_leaves_the_caller_s_table_alone():
    rows = table()
    before = rows.copy()
    features = CellTable.read(rows, layer="nuclei").features
    features.iloc[0, 0] = -1.0
    pd.testing.assert_frame_equal(rows, before)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"label": [3, 3, 7]}, r"1 cell has more.* label 3 in frame 0"),
        ({"label": [3, np.nan, 7]}, r"1 row without a number in column \"label\""),
        ({"label": [3, 7.5, 8]}, r"\"label\" must hold whole numbers"),
        ({"frame": [0, None, None]}, r"2 rows without a number in column \"frame\""),
        ({"label": [0, 0, 0]}, "holds no cell"),
    ],
)
def test_keys_that_cannot_be_told_apart_are_refused(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        CellTable.read(table(**columns), layer="nuclei")


def test_a_table_without_labels_is_not_guessed_at():
    with pytest.raises(ValueError, match='add a column "label"'):
        CellTable.read(pd.DataFrame({"area": [1.0, 2.0]}), layer="nuclei")


def test_the_background_is_left_out_and_said_so():
    cells = CellTable.read(table(label=[0, 1, 5]), layer="nuclei")
    assert [label for _, _, label in cells.keys] == [1, 5]
    assert cells.notes == ("1 row of label 0 (the background) left out.",)


@pytest.mark.parametrize("columns", [{}, {"frame": [0, 0, 0]}, {"layer": ["a", "a", "b"], "CellID": [0, 1, 0]}])
def test_where_numbers_begin_with_0_it_is_said_what_to_do(columns):
    rows = table(**{"CellID": [2, 0, 1], **columns}).drop(columns="label", errors="ignore")
    notes = CellTable.read(rows, layer="nuclei", columns={"label": "CellID"}).notes
    assert 'The numbers in column "CellID" begin with 0: if this is a cell, add 1 to all of them.' in notes


@pytest.mark.parametrize("part", ["layer", "frame"])
def test_rows_of_cosmx_that_count_what_lies_in_no_cell_are_left_out_with_the_reason(part):
    rows = pd.DataFrame({"fov": [1, 1, 1, 2, 2], "cell_ID": [0, 1, 2, 0, 1], "CD3E": [900, 4, 7, 800, 5]})
    cells = CellTable.read(rows, layer="cells", columns={"label": "cell_ID", part: "fov"})
    assert cells.features["CD3E"].tolist() == [4, 7, 5]
    assert cells.notes == (
        "2 rows of cell_ID 0 left out: with CosMx, they count the transcripts of a field outside all cells.",
    )


def test_only_numbers_make_a_map():
    rows = table(
        kind=["x", "y", "z"], dead=[True, False, True], age=pd.to_timedelta([1, 2, 3], unit="h"), count=[1, 2, 3]
    ).astype({"count": "Int64"})
    assert CellTable.read(rows, layer="nuclei").numeric == ["area", "count"]


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [
        ({}, '"index"'),
        ({"label": "CellID"}, '"index", "label"'),
        ({"label": "CellID", "frame": "T"}, '"index", "label"'),
    ],
)
def test_columns_that_could_say_which_cell_a_row_is_but_do_not_are_told(columns, left_out):
    rows = pd.DataFrame({"index": [5, 6], "label": [1, 2], "CellID": [3, 4], "T": [0, 1], "area": [1.0, 2.0]})
    cells = CellTable.read(rows, layer="a", columns=columns)
    assert cells.notes == (f"Left out, because other columns say which cell a row is: {left_out}.",)
    assert not {"index", "label"} & set(cells.features)


def test_words_under_such_a_name_are_kept_under_another():
    rows = pd.DataFrame({"label": ["tumor", "stroma"], "CellID": [3, 0], "index": ["AAC", "GGT"], "area": [1.0, 2.0]})
    cells = CellTable.read(rows.iloc[::-1], layer="a", columns={"label": "CellID"})
    assert cells.features["label_1"].tolist() == ["tumor"]
    assert cells.features["index_1"].tolist() == ["AAC"]
    assert 'Column "label" is called "label_1" here, because "CellID" says which cell a row is.' in cells.notes


def test_what_tells_cells_of_one_number_apart_is_named():
    rows = pd.DataFrame({"label": [1, 2, 1, 2], "Center_X": [4.0, 5, 6, 7], "area": [1, 2, 3, 4]})
    with pytest.raises(ValueError, match=r'by a column "frame" or "layer"\.$'):
        CellTable.read(rows, layer="a")
    for name, values in (("ImageNumber", [1, 1, 2, 2]), ("file", ["a", "a", "b", "b"])):
        with pytest.raises(ValueError, match=f'"{name}" does: give it as the column of the layers'):
            CellTable.read(rows.assign(**{name: values}), layer="a")


def test_what_is_said_of_several_tables_is_said_once():
    tables = [
        CellTable.read(pd.DataFrame({"label": [0, 1], "area": [1.0, 2.0]}), layer="a"),
        CellTable.read(pd.DataFrame({"label": [0, 1], "area": [1.0, 2.0]}), layer="b"),
        CellTable.read(pd.DataFrame({"label": [0, 0, 1], "area": [1.0, 2.0, 3.0]}), layer="c"),
    ]
    once, twice = "2 rows of label 0 (the background) left out.", "1 row of label 0 (the background) left out."
    said = CellTable.pool(tables).notes
    assert [note for note in said if "background" in note] == [f"In 2 layers: {twice}", once]


def test_times_that_tell_cells_apart_are_named_as_frames():
    rows = pd.DataFrame({"CellID": [1, 2, 1, 2], "Timepoint": [0, 0, 1, 1], "area": [1, 2, 3, 4.0]})
    said = r'label 1 in frame 0 \(from the column "CellID"\).* "Timepoint" does: give it as the column of the frames\.$'
    with pytest.raises(ValueError, match=said):
        CellTable.read(rows, layer="a", columns={"label": "CellID"})


def test_two_columns_that_tell_cells_apart_together_are_named():
    """InCarta counts the cells of each field of each well from 1."""
    wells, fields, numbers = np.meshgrid(["C - 3", "D - 4"], [1, 2], [1, 2, 3])
    keys = {"WELL LABEL": wells.ravel(), "Z": 1, "FOV": fields.ravel(), "label": numbers.ravel()}
    said = '"WELL LABEL" and "FOV" together do: join them in one column, and give it as that of the layers'
    with pytest.raises(ValueError, match=said):
        CellTable.read(pd.DataFrame({**keys, "area": np.arange(12.0)}), layer="a")
    rows = pd.DataFrame({**keys, "area": np.arange(12.0)}).rename(columns={"FOV": "Timepoint"})
    said = '"Timepoint" together do: give "Timepoint" as the column of the frames, and the other as that of the layers'
    with pytest.raises(ValueError, match=said):
        CellTable.read(rows, layer="a")
    columns = {"layer": "WELL LABEL", "frame": "Timepoint"}
    assert len(CellTable.read(rows, layer="a", columns=columns).features) == 12


def test_what_a_map_has_added_is_no_feature():
    """Nor is it where a layer holds True and False as numbers, or in an AnnData after the name of the map."""
    of_map = {"map_1": 0.5, "map_2": 0.25, "variance": 0.1, "lost_neighbors": 0.2, "is_sure": 1.0}
    rows = pd.DataFrame({"label": [3], "area": [4.0], **of_map})
    assert CellTable.read(rows, layer="cells").mappable == ["area"]
    beside = {"X_latentmap_1": 0.5, "latentmap_lost_neighbors": 0.2, "latentmap_is_sure": 1.0, "lost_neighbors": 3.0}
    rows = pd.DataFrame({"label": [3], **beside})
    # A column of that name that no map has added is the user's own.
    assert {"latentmap_lost_neighbors", "latentmap_is_sure"}.isdisjoint(CellTable.read(rows, layer="cells").mappable)
    assert "lost_neighbors" in CellTable.read(rows, layer="cells").mappable


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, np.array([1, 2]), {3}])
def test_columns_of_lists_are_left_out_and_said_so(value):
    rows = pd.DataFrame({"label": [1, 2, 3], "area": [1.0, 2.0, 3.0], "corners": [None, value, value]})
    cells = CellTable.read(rows, layer="cells")
    assert list(cells.features) == ["area"]
    assert cells.notes == ('Left out: "corners", which holds lists or the like, no numbers or words.',)
    assert list(rows) == ["label", "area", "corners"]
