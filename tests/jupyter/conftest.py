import pytest
from chromium import find_chromium
from lab import Lab
from notebook_page import NotebookPage
from playwright.sync_api import sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # WebGL where there is no graphics card, and the same pixels where there is one.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


@pytest.fixture(scope="session")
def chromium():
    """The path of Chromium; without one the test is skipped."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium or Chrome here; LATENTMAP_CHROMIUM may name one")
    return path


@pytest.fixture(scope="session")
def lab(chromium, tmp_path_factory):
    """A JupyterLab server."""
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture
def browser(chromium):
    """Chromium, without a window.

    For one test only: as long as Playwright is there, asyncio takes its event loop for one that is running, and no
    other test could start one.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def notebook(lab, browser):
    """A page for a notebook; the test opens it. It must not ask other machines for anything, nor report errors."""
    notebook = NotebookPage(lab, browser)
    yield notebook
    try:
        notebook.check()
    finally:
        lab.shut_down_kernels()
