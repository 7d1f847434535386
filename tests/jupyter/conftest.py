import asyncio

import pytest
from chromium import ARGUMENTS, find_chromium
from lab import Lab
from notebook_page import NotebookPage
from playwright.sync_api import sync_playwright


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


class Playwright:
    """Chromium, without a window, as long as the tests last; between those that use it no event loop is seen to run.

    Attributes
    ----------
    notebook : NotebookPage or None
        A page that is cleared for the next test with a notebook.
    """

    def __init__(self, path):
        self._path, self._manager, self._browser, self.notebook = path, sync_playwright(), None, None
        self._chromium = self._manager.start().chromium
        self._loop = asyncio.get_running_loop()
        self.rest()

    @property
    def browser(self):
        """Chromium, with at most a cleared notebook open in it; one that has crashed is started anew."""
        # Playwright leaves its event loop as the one that runs in this thread, also while it waits for the next call.
        asyncio._set_running_loop(self._loop)
        if self._browser is None or not self._browser.is_connected():
            self._browser, self.notebook = self._chromium.launch(executable_path=self._path, args=ARGUMENTS), None
        return self._browser

    def rest(self):
        """Other tests can have event loops of their own, until the browser is asked for again."""
        asyncio._set_running_loop(None)

    def stop(self):
        self.browser.close()
        self._manager.__exit__()
        self.rest()


@pytest.fixture(scope="session")
def playwright(chromium):
    playwright = Playwright(chromium)
    yield playwright
    playwright.stop()


@pytest.fixture
def browser(request, playwright):
    """Chromium, without a window; what the test opens in it shares nothing with other tests."""
    assert "browser" in request.node.fixturenames or request.node.get_closest_marker("browser"), (
        "Mark the test with pytest.mark.browser: it asks for one only when it runs."
    )
    browser = playwright.browser
    yield browser
    kept = playwright.notebook and playwright.notebook.page.context
    for context in browser.contexts:
        if context is not kept:
            context.close()
    playwright.rest()


@pytest.fixture
def notebook(lab, playwright, browser):
    """A page for a notebook; the test opens it. It must not ask other machines for anything, nor report errors.

    It may be that of the test before, with its kernel: JupyterLab and Python take seconds to start.
    """
    notebook = playwright.notebook or NotebookPage(lab, browser)
    playwright.notebook = None
    yield notebook
    try:
        notebook.check()
    finally:
        if notebook.clear():
            playwright.notebook = notebook
        else:
            lab.shut_down_kernels()
