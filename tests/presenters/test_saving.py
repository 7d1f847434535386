"""What is saved of a map, and what is said of it."""

import errno
import os

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.figure import figure_of, save_figure
from latentmap.presenters.saving import SavePresenter, failure
from latentmap.session import save
from latentmap.table import CellTable
from latentmap.table.files.formats import WRITABLE


@pytest.fixture
def saving(session):
    return SavePresenter(session)


def test_without_a_map_there_is_nothing_to_save(saving, session, cells, calls, tmp_path):
    assert not saving.has_map
    with pytest.raises(ValueError, match="There is no map yet: press Embed"):
        saving.table(tmp_path / "map.csv")
    session.embed(cells)
    assert not saving.has_map
    calls.until(lambda: not session.runs.running)
    assert saving.has_map


@pytest.mark.parametrize("ending", [one.ending for one in WRITABLE])
def test_a_table_is_as_it_was_when_it_was_taken(saving, session, embed, tmp_path, ending):
    run, path = embed(), tmp_path / f"map{ending}"
    write = saving.table(path)
    assert not path.exists()
    session.runs.clear()
    assert write() == f"Saved {len(run.result.embedding)} cells in {path}."
    if ending == ".csv":
        assert len(pd.read_csv(path)) == len(run.result.embedding)


@pytest.mark.parametrize("ending", [".csv", ".h5ad"])
def test_it_is_said_where_the_classes_are(saving, session, cells, calls, tmp_path, ending):
    session.embed(CellTable(cells.features.assign(**{"class": "a column of its own"})))
    calls.until(lambda: not session.runs.running)
    session.classes.assign("T", [0, 1])
    path = tmp_path / f"map{ending}"
    where = """The classes are in the column "class_1": "class" is a column of the cells' own."""
    assert saving.table(path)() == f"Saved 313 cells in {path}. {where}"


def test_a_script_comes_with_its_table(saving, embed, tmp_path):
    embed()
    said, text = saving.script(tmp_path / "map.py")
    assert said == "map.py makes this map again from map_cells.csv."
    assert (tmp_path / "map.py").read_text() == text
    assert (tmp_path / "map_cells.csv").exists()


def test_a_map_is_written_into_an_anndata(saving, embed, tmp_path):
    anndata = pytest.importorskip("anndata")
    run = embed()
    keys = run.result.cells.features.index[:5]
    obs = pd.DataFrame({"label": keys.get_level_values("label")}, index=[str(row) for row in range(5)])
    anndata.AnnData(obs=obs).write_h5ad(tmp_path / "cells.h5ad")
    said = saving.into_anndata(tmp_path / "cells.h5ad")()
    assert said.startswith("Written into cells.h5ad.")
    assert anndata.read_h5ad(tmp_path / "cells.h5ad").obsm["X_latentmap"].shape == (5, 2)


@pytest.mark.slow
def test_rows_that_name_no_image_are_not_taken_for_those_of_the_first(saving, session, calls, tmp_path):
    anndata = pytest.importorskip("anndata")
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["area", "dab_mean"])
    rows = rows.assign(label=np.arange(60) % 30 + 1, layer=np.repeat(["field 1", "field 2"], 30))
    session.embed(CellTable.read(rows, layer="unused"))
    calls.until(lambda: not session.runs.running)
    path, names = tmp_path / "cells.h5ad", list(map(str, range(30)))
    adata = anndata.AnnData(obs=pd.DataFrame({"label": np.arange(1, 31)}, index=names))
    adata.write_h5ad(path)
    with pytest.raises(
        ValueError, match='add a column "layer" that says which of them each row is from: "field 1", "field 2"'
    ):
        saving.into_anndata(path)()
    adata.obs["layer"] = "field 2"
    adata.write_h5ad(path)
    saving.into_anndata(path)()
    result = session.runs.current.result
    np.testing.assert_array_equal(anndata.read_h5ad(path).obsm["X_latentmap"], result.embedding[30:])


def test_why_a_file_cannot_be_written_is_said_in_words():
    assert failure("map.csv", FileNotFoundError(2, "No such file or directory")) == (
        '"map.csv": No such file or directory.'
    )
    assert failure("map.csv", OSError("The disk is away.")) == "The disk is away."
    assert failure("map.xyz", ValueError("Choose another ending.")) == "Choose another ending."


@pytest.mark.parametrize("kind", ["table", "script", "session", "figure"])
def test_a_full_disk_leaves_what_was_there(saving, session, embed, tmp_path, monkeypatch, kind):
    def write(path):
        if kind == "table":
            saving.table(path)()
        elif kind == "script":
            saving.script(path)
        elif kind == "session":
            save(session, path)
        else:
            pytest.importorskip("matplotlib")
            save_figure(figure_of(session, [session.runs.current], [], np.zeros((2, 4))), path)

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    embed()
    path = tmp_path / {"table": "map.csv", "script": "map.py", "session": "map.latentmap", "figure": "map.svg"}[kind]
    write(path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write(path)
    assert "No space left" in failure(path.name, caught.value)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
