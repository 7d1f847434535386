"""Take the pictures of the walk through a notebook, in a real JupyterLab and a real browser.

Run it with the tests' libraries: ``python docs/notebook_screenshots.py``; with ``trust``, only those of that tab.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "jupyter"))

from chromium import ARGUMENTS, find_chromium  # noqa: E402
from lab import Lab  # noqa: E402
from notebook_page import NotebookPage  # noqa: E402

IMAGES = ROOT / "docs" / "images"
CODE = """from latentmap.jupyter import explore
from latentmap.samples.tissue import tissue

sample = tissue()
shown = explore(sample.cells, {"tissue": sample.image}, sample.labels, layer="cells")
shown"""


def main() -> None:
    """Take them all."""
    path = find_chromium()
    if path is None:
        sys.exit("There is no Chromium or Chrome here; LATENTMAP_CHROMIUM may name one.")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = Lab(Path(folder))
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            for theme in ("light", "dark") if "trust" not in sys.argv else ():
                take(NotebookPage(lab, browser), theme)
            take_trust(NotebookPage(lab, browser))
        finally:
            browser.close()
            lab.stop()


def take(notebook: NotebookPage, theme: str) -> None:
    """Embed the tissue, select the cells in a part of the map, and take a picture."""
    notebook.open(CODE, theme=theme, size=(1700, 1130))
    notebook.run_all()
    page = notebook.page
    page.locator("canvas[data-state='ready']").first.wait_for()
    if theme == "light":
        page.get_by_text("No map yet. Choose features").wait_for()
        notebook.screenshot(IMAGES / "notebook-empty.png")
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    box = page.locator(".latentmap-map .latentmap-canvases").bounding_box()
    corners = [(0.3, 0.12), (0.75, 0.12), (0.75, 0.42), (0.3, 0.42)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=8)
    page.mouse.up()
    page.get_by_role("tab", name="Explore").click()
    page.get_by_text("What is special about these").wait_for()
    image = page.locator("canvas[data-state='ready']").first.bounding_box()
    page.mouse.move(image["x"] + 0.42 * image["width"], image["y"] + 0.7 * image["height"], steps=5)
    page.wait_for_timeout(1000)  # until all that the selection and the mouse have changed is drawn
    notebook.screenshot(IMAGES / f"notebook-{theme}.png")
    if theme == "light":
        page.set_viewport_size({"width": 900, "height": 2300})
        page.wait_for_timeout(1000)
        notebook.screenshot(IMAGES / "notebook-narrow.png", page.locator(".jp-Notebook"))
        take_supplement(notebook)


def take_trust(notebook: NotebookPage) -> None:
    """What of a map not to believe, and where else one cell could lie."""
    notebook.open(CODE, size=(1700, 1250))
    notebook.run_all()
    page = notebook.page
    page.locator("canvas[data-state='ready']").first.wait_for()
    page.get_by_role("button", name="Embed", exact=True).click()
    page.get_by_text("cells on the map").wait_for()
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Check the map").click()
    page.get_by_role("button", name=" doubtful").wait_for()
    page.get_by_label("leave out a fifth each time").check()
    page.get_by_role("button", name="Make 5 maps").click()
    page.get_by_text("are among its nearest on another").wait_for()
    notebook.run("shown.selection.select_keys([('cells', 0, 78)], how='click in the image')")
    page.get_by_role("button", name="Where else could it lie?").click()
    page.get_by_text("The stronger the field").wait_for()
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)
    notebook.screenshot(IMAGES / "notebook-trust.png")


def take_supplement(notebook: NotebookPage) -> None:
    """Export the maps and images as they are, and take a picture of the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "supplement.html"
        arguments = 'title="Figure S3", caption="Nuclei of a stained tissue. Selected: those of the stroma."'
        notebook.run(f"shown.export_html({str(path)!r}, {arguments}); None")
        page = notebook.page.context.new_page()
        page.set_viewport_size({"width": 1300, "height": 1000})
        page.goto(path.as_uri())
        page.locator("#image canvas[data-state=ready]").wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "notebook-html-export.png")
        page.close()


if __name__ == "__main__":
    main()
