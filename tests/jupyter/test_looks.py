"""How the whole widget looks in JupyterLab's themes, wide and narrow: nothing is clipped, and it follows the theme."""

import numpy as np
import pytest

CELL = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
features = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=["area", "DNA", "actin", "tubulin"])
features["label"] = np.arange(1, 61)
labels = np.zeros((60, 100), dtype=int)
for at in range(60):
    row, column = divmod(at, 10)
    labels[10 * row + 2 : 10 * row + 8, 10 * column + 2 : 10 * column + 8] = at + 1
shown = explore(features, {"DNA": 1.0 * (labels > 0)}, labels)
shown.session.parameters.n_neighbors = 6
shown.selection.choose_keys([("cells", 0, 1 + at) for at in range(9)])
shown
"""

# What is cut off at its right: text that ends in dots, and parts that would have to be scrolled to. Fields to write in,
# and lists that scroll up and down, may hold more than they show.
CLIPPED = """() => [...document.querySelectorAll(".jp-OutputArea-output *")].filter(part => {
    const style = getComputedStyle(part);
    return part.checkVisibility() && part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1
        && style.overflowX !== "visible" && !["INPUT", "SELECT", "TEXTAREA"].includes(part.tagName);
}).map(part => `${part.className}: ${part.textContent.slice(0, 60)}`)"""


@pytest.mark.parametrize("width", [800, 1700])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_clipped_and_the_theme_is_followed(theme, width, notebook):
    notebook.open(CELL, theme=theme, size=(width, 2300))
    notebook.run_all()
    page = notebook.page
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.locator(".latentmap-canvases > canvas[data-frame]").first.wait_for()
    assert page.evaluate(CLIPPED) == []
    for tab in ("Explore", "Save"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate(CLIPPED) == []
    box = page.locator(".jp-OutputArea-output").last.bounding_box()
    assert box["x"] + box["width"] <= width
    background = np.median(notebook.screenshot(part=page.locator(".jp-OutputArea-output").last), axis=(0, 1))
    assert (background < 60).all() if theme == "dark" else (background > 200).all()
