"""A map written into the DataFrame that its cells came from."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import MapTable
from latentmap.table.files.frame_writing import write_into_frame

KEYS = pd.MultiIndex.from_tuples([("cells", 0, label) for label in (7, 3, 5)])


def made(**columns):
    rows = pd.DataFrame({"layer": "cells", "frame": 0, "label": [3, 7], "map_1": [0.5, 0.7], **columns})
    return MapTable(rows, coordinates=("map_1",), added=tuple(columns))


def test_columns_of_an_earlier_map_are_replaced():
    frame = pd.DataFrame({"area": [1.0, 2.0, 3.0]}, index=list("abc"))
    said = write_into_frame(frame, KEYS, np.arange(3), made(variance=[0.1, 0.2]))
    assert said == ('The DataFrame now has "map_1", "variance". 1 of 3 rows has no cell on the map.',)
    np.testing.assert_array_equal(frame["variance"], [0.2, 0.1, np.nan])
    write_into_frame(frame, KEYS, np.arange(3), made(**{"class": ["T", ""]}))
    assert list(frame) == ["area", "map_1", "class"]
    assert frame["class"].tolist() == ["", "T", ""]


def test_columns_of_a_map_that_the_table_was_saved_with_are_replaced():
    columns = {"map_1": 1.0, "map_2": 2.0, "variance": 3.0, "lost_neighbors": 0.5, "is_sure": True, "class": "T"}
    frame = pd.DataFrame({"area": [1.0, 2.0, 3.0], **columns})
    write_into_frame(frame, KEYS, np.arange(3), made(lost_neighbors=[0.1, 0.2]))
    assert list(frame) == ["area", "map_1", "lost_neighbors", "class"]
    np.testing.assert_array_equal(frame["lost_neighbors"], [0.2, 0.1, np.nan])
    frame["is_sure"] = "a column of the user's"
    write_into_frame(frame, KEYS, np.arange(3), made())
    assert list(frame) == ["area", "map_1", "class", "is_sure"]


def test_a_column_of_the_users_own_is_never_replaced():
    frame = pd.DataFrame({"class": ["x", "y", "z"]})
    with pytest.raises(ValueError, match='The DataFrame has "class" of its own'):
        write_into_frame(frame, KEYS, np.arange(3), made(**{"class": ["T", ""]}))
    assert list(frame) == ["class"]


def test_rows_that_describe_no_cell_of_the_map_are_left_empty_or_refused():
    frame = pd.DataFrame({"area": [1.0, 2.0, 3.0, 4.0]})
    write_into_frame(frame, KEYS[:1], np.array([2]), made())
    np.testing.assert_array_equal(frame["map_1"], [np.nan, np.nan, 0.7, np.nan])
    with pytest.raises(ValueError, match="Nothing is written"):
        write_into_frame(frame, KEYS[2:], np.array([0]), made())


def test_classes_that_somebody_has_changed_are_their_own():
    frame = pd.DataFrame({"area": [1.0, 2.0, 3.0]})
    write_into_frame(frame, KEYS, np.arange(3), made(variance=[0.1, 0.2], **{"class": ["T", ""]}))
    write_into_frame(frame, KEYS, np.arange(3), made(variance=[0.1, 0.2], **{"class": ["B", ""]}))
    assert frame["class"].tolist() == ["", "B", ""]
    frame["class"], frame["variance"] = "mine", "mine, too"
    with pytest.raises(ValueError, match='The DataFrame has "variance", "class" of its own'):
        write_into_frame(frame, KEYS, np.arange(3), made(variance=[0.1, 0.2], **{"class": ["T", ""]}))
    write_into_frame(frame, KEYS, np.arange(3), made())
    assert frame["class"].tolist() == ["mine"] * 3


def test_classes_that_the_table_of_the_map_has_stay_and_what_goes_is_told():
    frame = pd.DataFrame({"area": [1.0, 2.0, 3.0]})
    classes = {"class": ["T", ""]}
    write_into_frame(frame, KEYS, np.arange(3), made(variance=[0.1, 0.2], **classes))
    rows = made(**classes).rows
    (said,) = write_into_frame(frame, KEYS, np.arange(3), MapTable(rows, coordinates=("map_1",)))
    assert 'Removed, as an earlier map has left it: "variance".' in said
    assert frame["class"].tolist() == ["", "T", ""]
    (said,) = write_into_frame(frame, KEYS, np.arange(3), made())
    assert 'Removed, as an earlier map has left it: "class".' in said
    assert list(frame) == ["area", "map_1"]
