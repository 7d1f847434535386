"""Maps made elsewhere, and more cells like those selected, in the notebook's widget."""

import asyncio

import anndata
import numpy as np
import pandas as pd
import pytest

from latentmap.jupyter import LabelledImage, explore, open_session

LABELS = np.kron(np.arange(1, 61).reshape(6, 10), np.pad(np.ones((6, 6), int), 2))
RNG = np.random.default_rng(0)
UMAP = RNG.normal(size=(60, 2))
ADATA = anndata.AnnData(
    RNG.normal(size=(60, 3)),
    obs=pd.DataFrame({"label": np.arange(1, 61)}, index=[f"cell {number}" for number in range(60)]),
    var=pd.DataFrame(index=["area", "DNA", "actin"]),
    obsm={"X_umap": UMAP},
)


def explored(test):
    """Run a test with a widget on the cells of `ADATA`, and their image."""

    async def main():
        shown = explore(ADATA, LabelledImage("cells", LABELS), layer="cells")
        shown.session.parameters.max_iter = 4
        try:
            await test(shown)
        finally:
            shown.close()

    asyncio.run(main())


def test_the_map_of_an_anndata_is_offered_added_and_saved(tmp_path):
    async def test(shown):
        assert shown.session.parameters.features == ("area", "DNA", "actin")
        assert shown.elsewhere.map.options[0] == "UMAP (from the table)"
        assert shown.elsewhere._columns[0].layout.display == "none"
        shown.elsewhere.add.click()
        run = await shown.finished()
        np.testing.assert_array_equal(run.result.embedding, UMAP)
        assert "recall" in shown.runs.lines.children[0].children[3].value
        assert "A map made elsewhere has no variances" in shown.status.value
        (controller,) = shown.maps.shown
        np.testing.assert_allclose(np.corrcoef(controller._positions[:, 0], UMAP[:, 0])[0, 1], 1)
        shown.embed()
        ours = await shown.finished()
        shown.maps.compared_runs = [run]
        shown.maps.arrange()
        assert shown.maps.runs == [run, ours]
        shown.runs.lines.children[0].children[1].click()
        assert "its parameters are not known" in shown.status.value
        with pytest.raises(ValueError, match="made elsewhere"):
            shown.code()
        with pytest.raises(ValueError, match="made elsewhere"):
            _ = shown.estimator
        page = shown.export_html(tmp_path / "page.html").read_text()
        assert "Made elsewhere" in page
        np.testing.assert_array_equal(shown.table()[["map_1", "map_2"]], UMAP)
        again = open_session(shown.save(tmp_path / "cells.latentmap"))
        assert [one.name for one in again.session.runs] == [run.name, ours.name]
        again.close()

    explored(test)


def test_maps_are_added_from_python(tmp_path):
    async def test(shown):
        named = [shown.add_map(), shown.add_map("X_umap"), shown.add_map(["X_umap_2", "DNA"], name="mine")]
        await shown.finished()
        assert named[-1].name == "mine (from the table)"
        other = pd.DataFrame({"CellID": np.arange(60, 0, -1), "tSNE1": np.arange(60.0), "tSNE2": 1.0})
        run = shown.add_map(data=other, keys={"label": "CellID"})
        await shown.finished()
        assert run.name == "t-SNE (from the data)"
        assert run.result.embedding[:, 0].tolist() == list(range(59, -1, -1))
        for asked, sentence in [("PHATE", 'There is no map "PHATE" in the table: there are "UMAP"'), ([], "")]:
            with pytest.raises(ValueError, match=sentence or "Which map"):
                shown.add_map(asked, None if asked else other.assign(umap_x=1.0, umap_y=2.0, label=other["CellID"]))

    explored(test)


def test_labels_of_other_data_are_not_the_numbers_of_rows():
    async def main():
        shown = explore(pd.DataFrame(ADATA.X, columns=list("abc")))
        with pytest.raises(ValueError, match="rows of the widget were numbered"):
            shown.add_map("UMAP", data=ADATA[::-1])
        with pytest.raises(ValueError, match="columns is 5: give the name of a map"):
            shown.add_map(5)
        shown.close()

    asyncio.run(main())


def test_a_map_is_added_as_an_array_with_one_row_for_each_cell():
    async def test(shown):
        n_cells = len(shown.cells.features)
        positions = np.random.default_rng(0).normal(size=(n_cells, 2))
        run = shown.add_map(positions, name="mine")
        await shown.finished()
        assert run.name == "mine (from an array)"
        assert np.array_equal(run.result.embedding, positions)
        assert run.result.cells.features.index.equals(shown.cells.features.index)
        for wrong in [positions[1:], positions[:, :1], positions[:, 0], np.empty((0, 2))]:
            with pytest.raises(ValueError, match=f"one row for each of the {n_cells} cells"):
                shown.add_map(wrong)
        with pytest.raises(ValueError, match="Both an array and a table"):
            shown.add_map(positions, pd.DataFrame({"label": [1]}))
        assert shown.add_map(np.array(["X_umap_1", "X_umap_2"])).name.endswith("(from the table)")
        await shown.finished()

    explored(test)


def test_embed_with_nothing_changed_shows_the_map_there_is_and_more_cells_are_found():
    async def test(shown):
        shown.embed_button.click()
        first = await shown.finished()
        shown.session.parameters.random_state = 1
        shown.embed_button.click()
        await shown.finished()
        shown.session.parameters.random_state = 0
        await asyncio.sleep(0.05)
        shown.embed_button.click()
        assert not shown.session.runs.running
        assert shown.session.runs.current is first
        assert f"This map is &quot;{first.name}&quot;" in shown.status.value
        more = shown.explore.more
        assert more.near.disabled
        shown.selection.select_keys([("cells", 0, 25)], how="test")
        more.n_more.value = 4
        more.near.click()
        while more.presenter.running:
            await asyncio.sleep(0.01)
        assert {label for _, _, label in shown.selection.keys} == {25, 15, 35, 24, 26}
        more.alike.click()
        while more.presenter.running:
            await asyncio.sleep(0.01)
        assert len(shown.selection) == 9
        shown.selection.undo()
        assert len(shown.selection) == 5

    explored(test)
