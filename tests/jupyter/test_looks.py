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
shown.selection.select_keys([("cells", 0, 1 + at) for at in range(9)])
shown
"""

# What is cut off at its right: text that ends in dots, and parts that would have to be scrolled to. Fields to write in,
# and lists that scroll up and down, may hold more than they show.
CLIPPED = """() => [...document.querySelectorAll(".jp-OutputArea-output *")].filter(part => {
    const style = getComputedStyle(part);
    return part.checkVisibility() && part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1
        && style.overflowX !== "visible" && !["INPUT", "SELECT", "TEXTAREA"].includes(part.tagName);
}).map(part => `${part.className}: ${part.textContent.slice(0, 60)}`)"""

# The letters after which the names of features with a "_" are broken.
BROKEN = """() => [...document.querySelectorAll(".latentmap-panel .widget-button")].flatMap(button => {
    const text = [...button.childNodes].find(node => node.data?.includes("_"));
    if (!text || !button.checkVisibility()) return [];
    const letter = document.createRange();
    const below = [...text.data].map((_, at) => {
        letter.setStart(text, at);
        letter.setEnd(text, at + 1);
        return letter.getBoundingClientRect().bottom;
    });
    return [...text.data].filter((_, at) => below[at + 1] > below[at] + 4);
})"""

# The room above and below what the card of no cell says, and the width of its frame.
EMPTY = """() => {
    const part = document.querySelector(".latentmap-card > .empty"), words = document.createRange();
    words.selectNodeContents(part);
    const [inner, outer] = [words.getBoundingClientRect(), part.getBoundingClientRect()];
    return [inner.top - outer.top, outer.bottom - inner.bottom, parseFloat(getComputedStyle(part).borderTopWidth)];
}"""


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
    # Where a cell is to be shown is a place that one sees, and no gap.
    above, below, frame = page.evaluate(EMPTY)
    assert abs(above - below) <= 2
    assert frame >= 1
    arrow = notebook.screenshot(part=page.locator(".latentmap-panel select:visible").first)[4:-4, -22:-4].astype(int)
    assert np.ptp(arrow.mean(axis=-1)) > 80
    for tab in ("Explore", "Save"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate(CLIPPED) == []
    box = page.locator(".jp-OutputArea-output").last.bounding_box()
    assert box["x"] + box["width"] <= width
    background = np.median(notebook.screenshot(part=page.locator(".jp-OutputArea-output").last), axis=(0, 1))
    assert (background < 60).all() if theme == "dark" else (background > 200).all()


# Where the parts are in the window, with the sidebar of JupyterLab closed: left, top, right and bottom.
PLACES = """() => Object.fromEntries(Object.entries({
    panel: ".latentmap-panel", tabs: ".latentmap-panel > .widget-tab", map: ".latentmap-map .latentmap-canvases",
    image: ".latentmap-pane .box", below: ".latentmap-below", notebook: ".jp-WindowedPanel-outer",
    card: ".latentmap-card", gallery: ".latentmap-gallery", embed: "button.mod-primary",
}).map(([name, part]) => {
    const { left, top, right, bottom } = document.querySelector(part).getBoundingClientRect();
    return [name, [left, top, right, bottom]];
}))"""

TO_THE_CELL = "[...document.querySelectorAll('.jp-CodeCell')].at(-1).scrollIntoView()"


def test_map_and_image_are_in_view_at_once_and_nothing_moves(notebook):
    notebook.open(CELL.removesuffix("shown\n"), "shown", size=(1366, 768))
    page = notebook.page
    page.evaluate("jupyterapp.shell.collapseLeft()")
    notebook.run_all()
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.locator(".latentmap-canvases > canvas[data-frame]").first.wait_for()
    for width, height, least in ((1280, 768, 380), (1366, 768, 380), (1440, 900, 480), (1920, 1080, 640)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => document.body.clientWidth === width", arg=width)
        page.wait_for_timeout(1000)  # for the notebook to follow
        page.evaluate(TO_THE_CELL)
        places = page.evaluate(PLACES)
        _, map_top, map_right, map_bottom = places["map"]
        image_left, image_top, image_right, image_bottom = places["image"]
        assert places["panel"][2] <= places["map"][0]
        assert map_right <= image_left
        assert abs(map_top - image_top) < 10
        assert image_right <= width
        assert max(map_bottom, image_bottom) <= places["notebook"][3]
        assert min(map_bottom - map_top, image_bottom - image_top) >= least
    page.set_viewport_size({"width": 1366, "height": 768})
    page.wait_for_timeout(1000)
    page.evaluate(TO_THE_CELL)
    before = page.evaluate(PLACES)
    assert before["embed"][3] <= before["notebook"][3]
    page.get_by_text("More", exact=True).first.click()
    for tab in ("Explore", "Gates", "Save", "Map"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        assert page.evaluate(PLACES) == before
        assert page.evaluate(CLIPPED) == []
    notebook.ask("shown.selection.select_keys([])")
    notebook.ask("shown.card.hover(3)")
    page.locator(".latentmap-card .values").wait_for()
    assert page.evaluate(PLACES) == before
    # With the sidebar, the parts are narrower, but stand where they stood.
    page.evaluate("jupyterapp.shell.expandLeft()")
    page.set_viewport_size({"width": 1280, "height": 768})
    page.wait_for_timeout(1000)
    page.evaluate(TO_THE_CELL)
    places = page.evaluate(PLACES)
    assert places["panel"][2] <= places["map"][0] < places["map"][2] <= places["image"][0]
    assert max(places["map"][3], places["image"][3], places["embed"][3]) <= places["notebook"][3]
    for tab in ("Explore", "Gates", "Save", "Map"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        assert page.evaluate(CLIPPED) == []


LONG = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
names = ["area", "perimeter", *(f"haematoxylin_of_the_ring_{at}" for at in range(10))]
features = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 12)), columns=names)
labels = np.repeat(np.arange(1, 61), 20).reshape(60, 20)
features["label"] = np.arange(1, 61)
shown = explore(features, {"DNA": 1.0 * (labels > 0)}, labels, layer="a_section_of_the_gut")
shown.session.parameters.n_neighbors, shown.session.parameters.max_iter = 6, 5
shown.classes.assign("dividing, or just divided", [3])
shown
"""
# What of the card of a cell lies beyond its edge.
BEYOND = """() => {
    const card = document.querySelector(".latentmap-card > div"), edge = card.getBoundingClientRect();
    return [...card.querySelectorAll("*")].filter(part => {
        const box = part.getBoundingClientRect();
        return box.right > edge.right + 1 || box.bottom > edge.bottom + 1;
    }).map(part => part.textContent.slice(0, 60));
}"""


def test_the_card_of_a_cell_and_the_summary_are_whole_at_any_width(notebook):
    notebook.open(LONG, size=(1700, 2300))
    notebook.run_all()
    page = notebook.page
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.get_by_role("tab", name="Explore").click()
    page.get_by_text("Selection: none.").wait_for()
    notebook.ask("shown.card.hover(3)")
    page.locator(".latentmap-card .values > *").nth(11).wait_for()
    notebook.ask("shown.selection.select_keys([('a_section_of_the_gut', 0, 1 + at) for at in range(9)])")
    page.get_by_text("What is special about these 9 of 60 cells").wait_for()
    broken = page.evaluate(BROKEN)
    assert broken
    assert set(broken) == {"\u200b"}, "A name is broken in the middle of a word."
    for width in (1700, 1280, 800):
        page.set_viewport_size({"width": width, "height": 2300})
        page.wait_for_function("width => document.body.clientWidth === width", arg=width)
        page.wait_for_timeout(500)  # for the notebook to follow
        assert page.evaluate(BEYOND) == []
        assert [part for part in page.evaluate(CLIPPED) if not part.startswith(("name", "faint"))] == []
