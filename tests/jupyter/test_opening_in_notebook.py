"""An outline, a group opened from it, and the way back, in a notebook."""

import asyncio
from html import unescape

import numpy as np
import pandas as pd
import pytest

from latentmap.jupyter import explore
from latentmap.jupyter.html_export import HtmlExport
from latentmap.session.landmarks import REPRESENTED

N = 120


def cells():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 3)) + 6 * rng.integers(0, 2, (N, 1))
    return pd.DataFrame(values, columns=["a", "b", "c"]).assign(label=np.arange(1, N + 1))


def test_into_a_group_and_back_without_a_browser():
    async def main():
        shown = explore(cells())
        section = shown.explore.opening
        session = shown.session
        session.parameters.n_neighbors, session.parameters.max_iter = 6, 20

        def where():
            return unescape(section.path.value).replace("\u202f", " ")

        assert "No map yet." in where()
        assert section.buttons["open"].disabled
        section.buttons["outline"].click()
        outline = await shown.finished()
        assert f"{len(outline.numbers)} landmarks of {N} cells" in where()
        drawn = shown.maps.shown[0]
        counts = outline.result.features[REPRESENTED].to_numpy()
        assert len(drawn.numbers) == len(outline.numbers)
        assert counts.sum() == N
        drawn.chosen.emit(outline.numbers[:9], "replace", "lasso on the map")
        section.buttons["open"].click()
        group = await shown.finished()
        n_in = int(np.isin(outline.result.members, range(9)).sum())
        assert len(group.numbers) == n_in
        assert f"{len(outline.numbers)} landmarks of {N} cells > {n_in} cells" in where()
        # The rows selected are those of the table that explore was given, as before.
        assert shown.selected == tuple(np.flatnonzero(session.selection.is_selected(np.arange(N))))
        page = HtmlExport(session, shown.maps, shown.cells).page("Cells", "")
        assert f">Opened from</th><td>{outline.name}</td>" in page
        section.buttons["back"].click()
        assert session.runs.current is outline
        # With the landmarks their cells are selected.
        assert len(session.selection) == n_in > 9
        page = HtmlExport(session, shown.maps, shown.cells).page("Cells", "")
        assert "Each point is a landmark: the larger, the more cells it stands for." in page
        session.selection.clear()
        session.selection.select(group.numbers[:1])
        session.runs.show(group)
        section.buttons["open"].click()
        assert "1 cell would make no map: select at least 10" in shown.status.value
        assert len(session.runs) == 2
        shown.close()

    asyncio.run(main())


CELL = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
rng = np.random.default_rng(0)
values = rng.normal(size=(120, 3)) + 6 * rng.integers(0, 2, (120, 1))
labels = np.kron(np.arange(1, 121).reshape(10, 12), np.pad(np.ones((10, 10), int), 3))
table = pd.DataFrame(values, columns=["a", "b", "c"]).assign(label=np.arange(1, 121))
shown = explore(table, None, labels)
shown.session.parameters.n_neighbors = 6
shown
"""


@pytest.mark.browser
@pytest.mark.slow
def test_into_a_group_and_back_in_a_browser(notebook):
    notebook.open(CELL)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("tab", name="Explore").click()
    page.get_by_text("No map yet. Embed maps all cells").wait_for()
    page.get_by_role("button", name="Outline").click()
    page.get_by_text("19 landmarks of 120 cells", exact=True).wait_for()
    notebook.ask("shown.selection.select(shown.session.runs.current.numbers[:9], how='test')")
    page.get_by_role("button", name="Open this group").click()
    n_in = notebook.ask("print(sum(np.isin(list(shown.session.runs)[0].result.members, range(9))))").strip()
    page.get_by_text(f"19 landmarks of 120 cells > {n_in} cells", exact=True).wait_for()
    page.get_by_role("button", name="Back").click()
    page.get_by_text("19 landmarks of 120 cells", exact=True).wait_for()
    assert notebook.ask("print(len(shown.selection), len(shown.selected))") == "9 9\n"
    assert notebook.ask("print(len(shown.maps.shown[0].numbers))") == "19\n"
