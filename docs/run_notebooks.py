"""Run the example notebooks in a real JupyterLab and a real browser, and store them with what came of it.

Run it with the tests' libraries: ``python docs/run_notebooks.py``, or with the names of some, such as ``first-map``.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "jupyter"))

from chromium import ARGUMENTS, find_chromium
from example import FOLDER, render, small
from lab import Lab
from notebook_page import NotebookPage


def main(names: list[str]) -> None:
    """Run these, or all."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("There is no Chromium or Chrome here; LATENTMAP_CHROMIUM may name one.")
    paths = [FOLDER / f"{name}.ipynb" for name in names] or sorted(FOLDER.glob("*.ipynb"))
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = Lab(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        try:
            for path in paths:
                page = NotebookPage(lab, browser)
                nbformat.write(render(page, path, small), path)
                page.check()
                lab.shut_down_kernels()
                print(f"{path.name}: {path.stat().st_size // 1000} kB")
        finally:
            browser.close()
            lab.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
