"""The colours of groups that scanpy keeps in an AnnData come and go with the table."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.colours import map_colours
from latentmap.session import ColourBy, Session, load, save
from latentmap.table import CellTable, from_anndata, read_table, write_table
from latentmap.table.files.anndata_colours import read_colours

anndata = pytest.importorskip("anndata")

OWN = {"0": "#1f77b4", "1": "#ff7f0e", "10": "#2ca02c"}


@pytest.fixture
def adata():
    rng = np.random.default_rng(0)
    # Not in the order of the rows, and not in that of the alphabet.
    leiden = pd.Categorical(rng.permutation(["10", "1", "0"] * 20), categories=["0", "1", "10"])
    obs = pd.DataFrame({"label": range(1, 61), "leiden": leiden}, index=[f"cell {row}" for row in range(60)])
    uns = {"leiden_colors": np.array([*OWN.values()], dtype=object)}
    return anndata.AnnData(rng.normal(size=(60, 4)), obs=obs, uns=uns)


@pytest.fixture
def session(adata):
    waiting = []
    session = Session(waiting.append)
    cells = CellTable.pool([from_anndata(adata, layer="cells")])
    session.parameters.features, session.parameters.max_iter = ("0", "1", "2", "3"), 3
    session.dropped.drop(session.cell_index.add(cells.features.index)[:2], ())
    run = session.embed(cells)
    while run.result is None:
        if waiting:
            waiting.pop(0)()
    yield session
    session.close()


def colours_of(session):
    session.display_settings.colour_by = ColourBy("feature", "leiden")
    run = session.runs.current
    groups = map_colours(session, run.result.cells, run.numbers, run.result.variances)
    return dict(zip(groups.names, groups.colours, strict=True))


def test_groups_have_the_colours_of_the_table_also_in_an_opened_session(session, tmp_path):
    assert colours_of(session) == OWN
    save(session, tmp_path / "s.latentmap")
    again = Session(lambda act: act())
    load(tmp_path / "s.latentmap").restore(again)
    assert colours_of(again) == OWN


@pytest.mark.slow
def test_they_are_written_back_in_the_order_of_the_categories_with_those_of_the_classes(session, tmp_path):
    numbers = session.runs.current.numbers
    session.classes.assign("zebra", numbers[:5])
    session.classes.assign("ape", numbers[5:9])
    path = write_table(session.map_table(session.runs.current), tmp_path / "map.h5ad")
    again = anndata.read_h5ad(path)
    assert list(again.uns["leiden_colors"]) == [OWN[name] for name in again.obs["leiden"].cat.categories]
    assert list(again.obs["class"].cat.categories) == ["", "ape", "zebra"]
    assert list(again.uns["class_colors"])[1:] == [session.classes["ape"].colour, session.classes["zebra"].colour]
    assert read_table(path, layer="cells").colours["leiden"] == OWN


def test_only_colours_that_fit_are_read(adata):
    adata.uns["leiden_colors"] = np.array(["#1F77B4FF", "tomato"])
    adata.uns["batch_colors"] = np.array(["#000000"])
    assert read_colours(adata) == {"leiden": {"0": "#1f77b4"}}
