"""A notebook with the widget in a real JupyterLab and a real browser, and what a user does there."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Locator, sync_playwright

from benchmarks.notebook_front.replies import Kernel
from benchmarks.paths import ROOT

sys.path.insert(0, str(ROOT / "tests" / "jupyter"))

from chromium import ARGUMENTS, find_chromium
from lab import Lab
from notebook_page import NotebookPage

SIZE = (1700, 1100)
# How long to wait for the kernel, in seconds: a map of a million cells takes minutes.
_LONGEST = 1200
IMPORTS = "from benchmarks.notebook_front.kernel import Watch, explore, keep_finished, middle, ready\n"
# Notes when what is drawn says that it is, in milliseconds of the system's clock. Unless a run is watched, it has the
# graphics end first: reading a pixel waits for them.
_NOTES = """() => {
    const notes = (window.notes = { all: [], waits: true });
    const note = (what, at, number) => notes.all.push({ what, at: performance.timeOrigin + at, number });
    const end = (canvas) => {
        const gl = notes.waits && canvas.getContext("webgl2");
        if (!gl) return;
        const bound = gl.getParameter(gl.READ_FRAMEBUFFER_BINDING);
        gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        gl.bindFramebuffer(gl.READ_FRAMEBUFFER, bound);
    };
    const noteIf = { "data-state": "image ", "data-frame": "frame", "data-marks": "marks" };
    new MutationObserver((records) => {
        for (const { type, target, attributeName, oldValue, addedNodes } of records) {
            if (type === "childList") {
                const says = [...addedNodes].some((node) => node.textContent?.includes("No map yet"));
                if (says) note("no map yet", performance.now());
                continue;
            }
            const value = target.getAttribute(attributeName);
            if (value === oldValue) continue;
            const isImage = attributeName === "data-state";
            if (!isImage || value === "ready") end(target);
            note(isImage ? noteIf[attributeName] + value : noteIf[attributeName], performance.now(), Number(value));
        }
    }).observe(document.body, {
        subtree: true, childList: true, attributes: true, attributeOldValue: true, attributeFilter: Object.keys(noteIf),
    });
    const hear = (event) => note(event.type, event.timeStamp);
    window.addEventListener("pointermove", (event) => event.buttons && hear(event), true);
    window.addEventListener("pointerup", hear, true);
}"""
# A note without a number is as good as any.
_SEEN = (
    "([what, start, least]) => notes.all.some((one) => one.what === what && one.at > start && !(one.number < least))"
)


class Notebook:
    """A notebook with nothing shown in it yet.

    Parameters
    ----------
    lab : lab.Lab
    page : NotebookPage
        New, or emptied by the notebook before.
    setup : str
        The code that is run first.
    keeps : bool
        Whether the page and its kernel are left to the next notebook.

    Attributes
    ----------
    kernel : Kernel
    page : playwright.sync_api.Page
    rest : float
        What stands still for so many seconds has settled.
    """

    rest = 0.5

    def __init__(self, lab: Any, page: NotebookPage, setup: str, *, keeps: bool) -> None:
        self._lab, self._keeps = lab, keeps
        self._page = page.open(size=SIZE)
        self.page = self._page.page
        self._page.run(IMPORTS + setup)
        newest = max(lab.connections.glob("kernel-*.json"), key=lambda path: path.stat().st_mtime)
        self.kernel = Kernel(newest)
        self.page.evaluate(_NOTES)

    def close(self) -> None:
        """Shut the kernel down, and close the page; or only empty both."""
        self.kernel.close()
        self._page.check()
        if self._keeps:
            self._page.clear()
            return
        self._lab.shut_down_kernels()
        self.page.context.close()

    def show(self, code: str) -> float:
        """Run a cell that shows the widget; return when that was asked for."""
        start = time.time()
        self._page.run(f"shown = {code}\nshown")
        self.kernel.do("watch = Watch(shown)")
        return start

    @property
    def map(self) -> Locator:
        """What the map is drawn on."""
        return self.page.locator(".latentmap-map .latentmap-canvases").first

    @property
    def image(self) -> Locator:
        """What the image is drawn on."""
        return self.page.locator(".latentmap-pane canvas").first

    def when(self, what: str, start: float, least: int = 0) -> float:
        """Wait until the browser has noted something after a moment, and return when that was.

        Parameters
        ----------
        what : str
        start : float
            The moment, in seconds of the system's clock.
        least : int
            The lowest number that the note may have, if it has one.
        """
        self.page.wait_for_function(_SEEN, arg=[what, 1000 * start, least], polling=50)
        return next(at for at, number in self.noted(what, start) if not (number is not None and number < least))

    def noted(self, what: str, start: float) -> list[tuple[float, int]]:
        """Return when the browser has noted something after a moment, with the number that it had."""
        found = self.page.evaluate("notes.all")
        return [(one["at"] / 1000, one["number"]) for one in found if one["what"] == what and one["at"] > 1000 * start]

    def wait_for_drawing(self, waits: bool) -> None:
        """Say whether the browser is to note what is drawn only when the graphics have done it."""
        self.page.evaluate(f"notes.waits = {str(waits).lower()}")

    def press(self, name: str) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True).last.click()

    def settle(self) -> None:
        """Wait until nothing goes on any more."""
        self.wait_until("not (watch.running or shown.explore.distinctive._job.running)")
        self.page.wait_for_timeout(1000 * self.rest)

    def wait_until(self, expression: str) -> None:
        """Wait until the kernel says that something is so.

        Raises
        ------
        TimeoutError
            If it is not so within twenty minutes.
        """
        until = time.monotonic() + _LONGEST
        while not self.kernel.value(expression):
            if time.monotonic() > until:
                raise TimeoutError(f"Not so within {_LONGEST} s: {expression}.")
            self.page.wait_for_timeout(50)

    def loop(self, element: Locator, places: Sequence[tuple[float, float]], pause: float = 0.0) -> float:
        """Draw a line with the mouse, and return when the mouse was let go.

        Parameters
        ----------
        element : Locator
        places : sequence of (float, float)
            To the right and downwards from the middle of the element, in pixels.
        pause : float
            Between two moves, in seconds.
        """
        element.scroll_into_view_if_needed()
        box, mouse = element.bounding_box(), self.page.mouse
        assert box is not None
        through = [(box["x"] + box["width"] / 2 + x, box["y"] + box["height"] / 2 + y) for x, y in places]
        start = time.time()
        mouse.move(*through[0])
        mouse.down()
        for place in through[1:]:
            mouse.move(*place)
            time.sleep(pause)
        mouse.up()
        return self.when("pointerup", start)


Open = Callable[[str], Notebook]


@contextmanager
def laboratory(*, keeps: bool = False) -> Iterator[Open]:
    """Start JupyterLab and a browser.

    Parameters
    ----------
    keeps : bool
        Whether all notebooks share one page and its kernel, which is sooner ready for the next.

    Yields
    ------
    callable
        Opens a notebook in which some code has been run.
    """
    path = find_chromium()
    if path is None:
        raise SystemExit("There is no Chromium or Chrome here; LATENTMAP_CHROMIUM may name one.")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = Lab(Path(folder))
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        pages: list[NotebookPage] = []

        def open_notebook(setup: str) -> Notebook:
            if not pages or not keeps:
                pages[:] = [NotebookPage(lab, browser)]
            return Notebook(lab, pages[0], setup, keeps=keeps)

        try:
            yield open_notebook
        finally:
            browser.close()
            lab.stop()
