"""What of an AnnData the map is made of, in the notebook's widget and in a real browser."""

import asyncio

import anndata
import numpy as np
import pandas as pd

from latentmap.jupyter import explore, open_session

CODE = """\
import anndata, numpy as np, pandas as pd
from latentmap.jupyter import explore
rng = np.random.default_rng(0)
obs = pd.DataFrame(index=[f"cell {n}" for n in range(60)])
adata = anndata.AnnData(rng.normal(size=(60, 501)), obs=obs, obsm={"X_pca": rng.normal(size=(60, 10))})
shown = explore(adata)
shown"""


def adata():
    rng = np.random.default_rng(0)
    return anndata.AnnData(
        rng.normal(size=(60, 3)),
        obs=pd.DataFrame(index=[f"cell {number}" for number in range(60)]),
        var=pd.DataFrame(index=["area", "DNA", "actin"]),
        obsm={"X_scVI": rng.normal(size=(60, 5))},
        layers={"raw": rng.normal(size=(60, 3))},
    )


def test_a_session_file_keeps_the_choice(tmp_path):
    async def main():
        shown = explore(adata(), use_rep="X_scVI")
        shown.session.parameters.max_iter = 3
        shown.embed()
        await shown.finished()
        first = shown.table()
        again = open_session(shown.save(tmp_path / "cells.latentmap"))
        assert again.form.source.label == "X_scVI (5)"
        assert again.form.features.chosen == [f"X_scVI_{axis}" for axis in range(1, 6)]
        assert again.session.parameters.scaling == "none"
        again.embed()
        await again.finished()
        pd.testing.assert_frame_equal(again.table(), first)
        again.close()
        shown.close()

    asyncio.run(main())


def test_layer_is_a_layer_of_the_anndata_where_it_has_one():
    async def main():
        shown = explore(adata(), layer="raw")
        names = shown.session.parameters.features
        keys = shown.cells.keys
        shown.close()
        other = explore(adata(), layer="slide")
        assert other.cells.keys[0] == ("slide", 0, 1)
        assert other.session.parameters.features == ("area", "DNA", "actin")
        other.close()
        return names, keys

    names, keys = asyncio.run(main())
    assert names == ("area [layer raw]", "DNA [layer raw]", "actin [layer raw]")
    assert keys[0] == ("cells", 0, 1)


def test_the_choice_is_on_the_page(notebook):
    notebook.open(CODE)
    notebook.run_all()
    row = notebook.page.locator(".widget-hbox", has_text="Features from").last
    choice = row.locator("select")
    choice.wait_for()
    texts = [text.replace("\xa0", " ") for text in choice.locator("option").all_inner_texts()]
    assert texts == ["table columns (501)", "X_pca (10)", "all of these (511)"]
    assert choice.evaluate("one => one.selectedIndex") == 1
    choice.select_option(index=0)
    notebook.page.get_by_text("501 of 501").first.wait_for()
    assert notebook.ask("print(len(shown.session.parameters.features), shown.session.parameters.scaling)") == (
        "501 standard\n"
    )
    choice.select_option(index=1)
    notebook.page.get_by_text("10 of 10").first.wait_for()
    assert notebook.ask("print(shown.session.parameters.scaling)") == "none\n"
