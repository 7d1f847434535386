"""What the tab Save and *Place other cells* do in a real notebook."""

import numpy as np
import pandas as pd
import pytest
from skimage.io import imread

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPEN = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
rng = np.random.default_rng(0)
labels = np.kron(np.arange(1, 61).reshape(6, 10), np.pad(np.ones((10, 10), int), 3))
cells = pd.DataFrame({"label": np.arange(1, 61), "a": rng.normal(size=60), "b": rng.normal(size=60)})
new_cells = cells.assign(label=100 + cells["label"])[:20]
shown = explore(cells, None, labels)
shown.session.parameters.max_iter = 20
shown
"""


def test_cells_are_placed_and_the_map_goes_back_into_the_table(notebook, lab):
    notebook.open(OPEN)
    notebook.run_all()
    page = notebook.page
    title = page.get_by_text("Place other cells")
    assert not title.is_visible()
    page.get_by_role("button", name="Embed", exact=True).click()
    title.click()
    field = page.get_by_placeholder("new_cells.csv")
    field.wait_for()
    assert page.locator("datalist option[value='new_cells']").count() == 1

    def magenta():
        return np.count_nonzero(
            (notebook.screenshot(part=page.locator(".latentmap-map")) == [255, 0, 255]).all(axis=-1)
        )

    assert magenta() == 0
    field.fill("absent.csv")
    field.press("Tab")
    place = page.get_by_role("button", name="Place on this map")
    place.click()
    page.get_by_text("absent.csv").last.wait_for()
    field.fill("new_cells")
    field.press("Tab")
    place.click()
    page.get_by_text('20 cells of "new_cells" placed on').wait_for()
    page.locator("canvas[data-guests='20']").wait_for()
    assert magenta() > 20 * 15
    apart = "shown.placed[['map_1', 'map_2']].to_numpy() - shown.table()[['map_1', 'map_2']][:20].to_numpy()"
    assert float(notebook.ask(f"print(np.abs({apart}).max())")) < 1e-4

    notebook.ask("shown.classes.assign('T', range(5))")
    page.get_by_role("tab", name="Save").click()
    page.get_by_role("button", name="Write into DataFrame").click()
    page.get_by_text('The DataFrame now has "map_1", "map_2", "variance", "lost_neighbors", "class".').wait_for()
    assert notebook.ask("print((cells['class'] == 'T').sum(), cells['map_1'].notna().all())") == "5 True\n"

    lists = page.locator(".latentmap-explorer select:visible")
    lists.first.select_option("classes as labels (.labels.tif)")
    lists.nth(1).select_option("all classes, numbered")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("The numbers: 0 no class, 1 T.").wait_for()
    folder = notebook.ask("import os; print(os.getcwd())").strip()
    assert np.bincount(imread(f"{folder}/map.labels.tif").ravel()).tolist() == [60 * 256 - 500, 500]

    lists.first.select_option("cells placed on the map (.placed.csv)")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved 20 cells in").wait_for()
    assert pd.read_csv(f"{folder}/map.placed.csv")["label"].tolist() == list(range(101, 121))
