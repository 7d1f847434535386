"""A notebook in a real browser, for tests."""

import io
import itertools
import json
import re
import time
import warnings
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Error
from skimage.io import imread

# Milliseconds: for what the page does, for a cell, which may make several maps, for a kernel to be emptied, and for a
# first widget to be shown and to answer.
TIMEOUT, CELL_TIMEOUT, CLEARING_TIMEOUT, PROBE_TIMEOUT = 60_000, 300_000, 15_000, 30_000

_CONNECTED = """() => {
    const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
    return context?.isReady && context.session?.kernel?.connectionStatus === "connected";
}"""

# Through the application, as keys that are pressed before the kernel is there are lost.
_RUN_ALL = """async () => {
    await jupyterapp.commands.execute("notebook:run-all-cells");
    const cells = [...jupyterapp.shell.currentWidget.content.model.cells];
    return cells.filter(cell => cell.type === "code").flatMap(cell => cell.outputs.toJSON());
}"""

_ADD = """code => {
    const model = jupyterapp.shell.currentWidget.content.model;
    model.sharedModel.insertCell(model.cells.length, { cell_type: "code", source: code });
    return model.cells.length;
}"""

_RUN = """async place => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.deselectAll();
    notebook.activeCellIndex = place;
    await jupyterapp.commands.execute("notebook:run-cell");
    return notebook.model.cells.get(place).outputs.toJSON();
}"""

# No cell is added, which takes longer than most answers do.
_ASK = """async code => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel, outputs = [];
    const asked = kernel.requestExecute({ code, store_history: false });
    asked.onIOPub = ({ header, content }) => {
        if (["stream", "execute_result", "error"].includes(header.msg_type)) {
            outputs.push({ output_type: header.msg_type, ...content });
        }
    };
    await asked.done;
    return outputs;
}"""

# JupyterLab asks the kernel for its widgets as soon as it is connected. A cell that opens hundreds of widgets meanwhile
# has once left it without some of them; each one that refers to them then takes two seconds to fail.
_PROBE = """async model_id => {
    const type = "application/vnd.jupyter.widget-view+json";
    const { rendermime } = jupyterapp.shell.currentWidget.content;
    const renderer = rendermime.createRenderer(type);
    await renderer.renderModel(rendermime.createModel({ data: { [type]: { version_major: 2, model_id } } }));
    const manager = await renderer._manager.promise;
    while (!manager.restoredStatus) await new Promise(wake => setTimeout(wake, 20));
    await Promise.allSettled(Object.values(manager._models)); // those of the test before may take seconds to fail
    renderer.node.querySelector("button").click();
    renderer.dispose();
    return true;
}"""
_OPEN_PROBE = """
import ipywidgets as _widgets
_heard = []
_probe = _widgets.Button()
_probe.on_click(lambda _: _heard.append(1))
print(_probe.model_id)
"""
_PROBE_HAS_ANSWERED = "print(len(_heard))"
_CLOSE_PROBE = """
for _part in (_probe.layout, _probe.style, _probe):
    _part.close()
del _part, _probe, _heard, _widgets
"""

_RESTART = """async () => {
    await jupyterapp.shell.currentWidget.sessionContext.restartKernel();
    return true;
}"""

_REPLACE = """content => {
    jupyterapp.shell.currentWidget.content.model.fromJSON(content);
    return true;
}"""

_CHANGE_THEME = """async theme => {
    await jupyterapp.commands.execute("apputils:change-theme", { theme });
    return true;
}"""

# Widgets close what they are made of, so the largest come first; patches are those of unittest.mock.
_EMPTY_THE_KERNEL = """
from unittest.mock import patch
from ipywidgets.widgets.widget import _instances
patch.stopall()
for kind in ("Explorer", ""):
    for one in [one for one in _instances.values() if kind in type(one).__name__]:
        one.close()
get_ipython().reset()
"""
# Nothing, once what works in the background has had some tenths of a second to end.
_WHAT_IS_LEFT = """
import threading, time
from ipywidgets.widgets.widget import _instances
left = {name for name in dir() if not name.startswith("_")}
left -= {"In", "Out", "exit", "quit", "get_ipython", "open", "threading", "time"}
left |= {type(one).__name__ for one in _instances.values()}
for _ in range(TENTHS):
    working = {thread.name for thread in threading.enumerate() if thread.name.startswith("latentmap")}
    if not working:
        break
    time.sleep(0.1)
print(sorted(left | working))
del threading, time, _instances, left, working
"""

# What JupyterLab itself reports when all is well.
_HARMLESS = (
    "Could not restore the debugger state: Canceled future",  # its debugger asks the kernel that is being restarted
)

# What JupyterLab says when a widget refers to one that it does not have, be it closed by now or never opened. It was
# provoked by having the page connect to the kernel again, once in five times: the page then worked off an older message
# about a box that had been closed meanwhile. Without that it was not seen in eleven rounds of showing, embedding,
# comparing and closing. Whether pages of the tests connect again by themselves is not known. Clicks are heard in the
# kernel's main thread, so it is not that two threads mix up the order of messages; only the question for all widgets,
# on connecting, is answered in another thread.
# "Comm not found" is the same from the other side: a message for a widget that the page has dropped already. So is
# "Failed to initialize": anywidget 0.11 keeps the messages for a widget until its code is loaded, and drops them
# after 2 seconds. It was seen on a busy machine, in tests that close widgets before they are shown. One cause of both
# was found since: an explorer sent more messages than the 1000 that ZeroMQ lets wait (test_messages.py).
_LOST_WIDGET = (
    "Error: widget model not found",
    "Comm not found for comm id",
    "[anywidget] Failed to initialize model",
)

# Notebook 7.6 reports errors of its own settings, commands and fonts; those of a widget come from elsewhere.
_NOTEBOOK = "/static/notebook/"

_numbers = itertools.count()


class CellError(Exception):
    """A cell has raised; the message is its traceback."""


class NotebookPage:
    """A notebook that is open in JupyterLab, in a browser of its own, with its kernel.

    Parameters
    ----------
    lab : lab.Lab
    browser : playwright.sync_api.Browser

    Attributes
    ----------
    page : playwright.sync_api.Page
    console : list of str
        The errors that were written to the browser's console, or that nobody has caught.
    requests : list of str
        The addresses outside this machine that the page has asked for.
    patience : float
        For so many seconds `clear` waits until what works in the background has ended.
    """

    patience = 5.0

    def __init__(self, lab, browser):
        self._lab = lab
        self.console, self.requests = [], []
        self._shown, self._is_empty = None, False
        context = browser.new_context()
        context.set_default_timeout(TIMEOUT)
        context.on("request", lambda request: self._note_request(request.url))
        context.on("console", self._note_message)
        context.on("weberror", lambda error: self._note_error(str(error.error), error.error.stack or ""))
        self.page = context.new_page()
        self.page.on("websocket", lambda socket: self._note_request(socket.url))

    def open(self, *cells, theme="light", size=(1400, 1000), app="lab"):
        """Show a new notebook of these code cells, none of which has run, as soon as its kernel is there."""
        content = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        return self.show(content, theme, size, app)

    def show(self, content, theme="light", size=(1400, 1000), app="lab"):
        """Show a notebook as soon as its kernel is there; none of its cells runs by itself.

        Where the page was cleared, it stays the same page, with the same kernel.
        """
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        theme = f"JupyterLab {theme.capitalize()}"
        if self._is_empty and self._shown[1] == app:
            self._change_theme(theme)
            self._call(_REPLACE, json.loads(json.dumps(content)))
        else:
            self._load(content, theme, app)
        self._shown, self._is_empty = (theme, app), False
        if not self.has_widgets():
            # No test has begun, so this hides nothing of what it is about.
            warnings.warn("JupyterLab has lost a button: the page was opened again, with another kernel.", stacklevel=2)
            self._lab.shut_down_kernels()
            self._load(content, theme, app)
            self.console.clear()
            assert self.has_widgets(), "JupyterLab does not show a button, or the kernel does not hear it."
        return self

    def has_widgets(self, timeout=PROBE_TIMEOUT):
        """Whether a button of the kernel appears in the page, and the kernel hears a click on it, within so many ms."""
        deadline = time.monotonic() + timeout / 1000
        try:
            self._call(_PROBE, self.ask(_OPEN_PROBE, timeout).strip(), timeout)
            while self.ask(_PROBE_HAS_ANSWERED, timeout).strip() == "0":
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.02)
            self.ask(_CLOSE_PROBE, timeout)
        except Error:
            return False
        return True

    def _change_theme(self, theme):
        if self._shown[0] != theme:
            self._call(_CHANGE_THEME, theme)
            self.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)

    def _load(self, content, theme, app):
        name = f"notebook{next(_numbers)}"
        nbformat.write(content, self._lab.notebooks / f"{name}.ipynb")
        self._lab.write_settings("apputils-extension/themes", theme=theme)
        self.page.goto(self._lab.address(name, app))
        self._wait_for_kernel()

    def clear(self):
        """Empty the notebook and its kernel for the next `show`; whether nothing of what was there is left."""
        if self._shown is None:
            return False
        empty = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
        try:
            self.page.mouse.move(0, 0)
            self._call(_REPLACE, empty, CLEARING_TIMEOUT)
            what_is_left = _WHAT_IS_LEFT.replace("TENTHS", str(round(10 * self.patience)))
            left = self.ask(_EMPTY_THE_KERNEL + what_is_left, CLEARING_TIMEOUT)
            self._is_empty = left.strip() == "[]" and self.page.locator(".jupyter-widgets").count() == 0
        except (CellError, Error):
            return False
        self.console.clear()
        self.requests.clear()
        return self._is_empty

    def _note_request(self, url):
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.hostname not in {"127.0.0.1", "localhost"}:
            self.requests.append(url)

    def _note_message(self, message):
        if message.type == "error":
            url = message.location["url"]
            self._note_error(f"{message.text} ({url})", url)

    def _note_error(self, text, where):
        first = next((line for line in where.splitlines() if "://" in line), "")
        if not text.startswith(_HARMLESS) and _NOTEBOOK not in first:
            self.console.append(text)

    def _wait_for_kernel(self):
        self.page.wait_for_function(_CONNECTED)

    def _call(self, script, argument=None, timeout=TIMEOUT):
        # Unlike evaluate this has a time limit. It calls again what returns false, which none of these scripts does.
        return self.page.wait_for_function(script, arg=argument, timeout=timeout).json_value()

    def run_all(self):
        """Run all cells, one after the other, and wait for the last."""
        raise_error(self._call(_RUN_ALL, timeout=CELL_TIMEOUT))

    def run_cell(self, place, timeout=CELL_TIMEOUT):
        """Run the cell at a place, counted from 0 and texts included; its outputs, as the notebook's file has them."""
        outputs = self._call(_RUN, place, timeout)
        raise_error(outputs)
        return outputs

    def outputs(self, place):
        """A locator of what is shown below the cell at a place."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(place).locator(".jp-OutputArea-output")

    def run(self, code):
        """Run code in a new cell at the end; what it prints and returns, as text."""
        return _text(self.run_cell(self._call(_ADD, code) - 1))

    def ask(self, code, timeout=CELL_TIMEOUT):
        """Run code that shows nothing in the notebook, in its kernel; what it prints and returns, as text."""
        outputs = self._call(_ASK, code, timeout)
        raise_error(outputs)
        return _text(outputs)

    def wait_until(self, condition):
        """Have the kernel answer between the attempts, until it says that something holds."""
        for _ in range(100):
            if self.ask(f"print(bool({condition}))").strip().endswith("True"):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"never so: {condition}")

    def restart_kernel(self):
        """Restart the kernel, and wait until it is there."""
        self._call(_RESTART)
        self._wait_for_kernel()
        assert self.has_widgets(), "JupyterLab does not show a button of the kernel that was started again."

    def screenshot(self, path=None, part=None):
        """The pixels of the page, or of the part that a locator finds: red, green and blue. A path gets them as PNG."""
        return imread(io.BytesIO((part or self.page).screenshot(path=path)))[..., :3]

    def wait_for_picture(self, condition, part=None):
        """The first screenshot that meets a condition; for what is drawn when nothing tells that it is."""
        deadline = time.monotonic() + TIMEOUT / 1000
        while not condition(picture := self.screenshot(part=part)):
            assert time.monotonic() < deadline, "No screenshot has met the condition."
        return picture

    def check(self):
        """Fail if anything was asked from another machine, or if there is an error in the console."""
        self.page.evaluate("0")  # what the page reported before is known once it has answered
        asked = [f"It has asked another machine: {url}" for url in self.requests]
        if any(text.startswith(_LOST_WIDGET) for text in self.console):
            # What the widget shows is for the test to see; this alone does not say that anything is missing.
            warnings.warn("JupyterLab has not found a widget that a message was for.", stacklevel=2)
            self.console = [text for text in self.console if not text.startswith(_LOST_WIDGET)]
        reported = [f"It has reported an error: {text}" for text in self.console]
        assert not asked + reported, "\n".join(asked + reported)


def _text(outputs):
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)


def raise_error(outputs):
    """Raise the first error among a cell's outputs."""
    for output in outputs:
        if output["output_type"] == "error":
            raise CellError(re.sub(r"\x1b\[[\d;]*m", "", "\n".join(output["traceback"])))
