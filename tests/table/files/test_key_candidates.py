import numpy as np
import pandas as pd
import pytest

from latentmap.table.files.key_candidates import key_choices, rows_of
from latentmap.table.image_keys import keys_in_image

LABELS = np.array([[3, 7, 1000, 1001]])


@pytest.fixture
def rows():
    return pd.DataFrame(
        {
            "ImageNumber": [1, 1, 1, 1],
            "Row": [1, 2, 3, 4],
            "ObjectNumber": [3, 7, 1000, 1001],
            "Area": [7.0, 7.0, 3.0, 9.0],
            "Parent": [3, None, 7, 1000],
            "Type": ["A", "B", "A", "B"],
        }
    )


def choices(rows, labels=LABELS, **settings):
    found, repeated = key_choices(rows, keys_in_image(labels, layer="nuclei", **settings), layer="nuclei")
    return [(one.name, one.n_matched, one.n_rowless) for one in found], repeated


def test_the_column_that_fits_best_comes_first(rows):
    assert choices(rows) == ([("ObjectNumber", 4, 0), ("Row", 1, 3)], ["Area"])


def test_of_columns_that_fit_alike_the_one_called_as_usual_comes_first(rows):
    alike = rows.assign(Row=rows["ObjectNumber"])[["Row", "ObjectNumber"]]
    assert [name for name, *_ in choices(alike)[0]] == ["ObjectNumber", "Row"]


def test_what_fits_nothing_is_not_offered(rows):
    assert choices(rows.drop(columns=["Row", "ObjectNumber", "Area"])) == ([], [])


def test_numbers_may_repeat_from_frame_to_frame(rows):
    film = pd.concat([rows.assign(frame=frame) for frame in (0, 1)])
    found, _ = choices(film, np.stack([LABELS, LABELS[:, :2].repeat(2, axis=1)]), has_frames=True)
    assert found[0] == ("ObjectNumber", 6, 0)
    assert choices(film.drop(columns="frame"))[1] == ["Row", "ObjectNumber", "Area"]


def test_numbers_too_large_to_be_exact_are_no_labels():
    assert choices(pd.DataFrame({"id": [3.0, 1e19], "other": [3.0, np.inf], "huge": [3, 2**64 - 1]})) == ([], [])


def test_rows_of_any_file(rows, tmp_path):
    anndata = pytest.importorskip("anndata")
    rows.to_csv(tmp_path / "cells.csv", index=False)
    rows.to_parquet(tmp_path / "cells.parquet")
    obs = rows.drop(columns="Parent").set_axis(list("abcd"))
    anndata.AnnData(np.zeros((4, 1)), obs=obs).write_h5ad(tmp_path / "cells.h5ad")
    for ending in ("csv", "parquet", "h5ad"):
        assert choices(rows_of(tmp_path / f"cells.{ending}"))[0][0] == ("ObjectNumber", 4, 0)
