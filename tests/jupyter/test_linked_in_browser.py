"""The rows selected, linked with other widgets in the browser, without a detour through Python code."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELL = """
import ipywidgets as w, numpy as np, pandas as pd
from latentmap.jupyter import explore
labels = np.kron(np.arange(1, 41).reshape(5, 8), np.pad(np.ones((10, 10), int), 3))
cells = pd.DataFrame({"label": np.arange(1, 41), "a": np.arange(40.0), "b": np.sin(np.arange(40.0))})
shown, other = explore(cells, None, labels), explore(cells[:10])
names = w.SelectMultiple(options=[f"cell {label}" for label in cells["label"]])
links = [w.jslink((shown, "selected"), (names, "index")), w.jslink((names, "index"), (other, "selected"))]
w.VBox([names, shown, other])
"""
CHOSEN = "() => [...document.querySelector('select[multiple]').selectedOptions].map(one => one.value)"


def test_a_list_and_another_explorer_follow_and_lead(notebook):
    notebook.open(CELL)
    notebook.run_all()
    page, rows = notebook.page, "print(shown.selected, names.index, other.selected)"

    def wait_for(*chosen):
        words = [f"cell {row + 1}" for row in chosen]
        page.wait_for_function(f"words => JSON.stringify(({CHOSEN})()) === JSON.stringify(words)", arg=words)

    # In the widget itself.
    page.locator("canvas[data-state='ready']").first.wait_for()
    notebook.ask("shown.selection.select_keys([('cells', 0, 3), ('cells', 0, 8)], how='test')")
    wait_for(2, 7)
    page.wait_for_timeout(300)
    assert notebook.ask(rows) == "(2, 7) (2, 7) (2, 7)\n"

    # In the list.
    page.locator("select[multiple]").select_option(["cell 1", "cell 6"])
    wait_for(0, 5)
    page.wait_for_timeout(300)
    assert notebook.ask(rows) == "(0, 5) (0, 5) (0, 5)\n"
    assert notebook.ask("print(shown.images.pane.selected.tolist())") == "[0, 5]\n"

    # In the other explorer.
    notebook.ask("other.selection.select_keys([('cells', 0, 10)], how='test')")
    wait_for(9)
    page.wait_for_timeout(300)
    assert notebook.ask(rows) == "(9,) (9,) (9,)\n"

    # None at all, and then no link any more.
    page.locator("select[multiple]").select_option([])
    wait_for()
    page.wait_for_timeout(300)
    assert notebook.ask(rows) == "() () ()\n"
    notebook.ask("for one in links: one.unlink()")
    notebook.ask("shown.selected = [4]")
    page.wait_for_timeout(500)
    assert notebook.ask(rows) == "(4,) () ()\n"
