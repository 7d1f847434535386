"""The browser that the other tests here rely on: it sees, it does, and it lets no error pass."""

import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from notebook_page import CellError
from qtpy.QtCore import QTimer

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent

RED = """
import anywidget

class Red(anywidget.AnyWidget):
    _esm = '''
    function render({ el }) {
        const canvas = document.createElement("canvas");
        const gl = canvas.getContext("webgl2");
        gl.clearColor(1, 0, 0, 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        el.append(canvas);
    }
    export default { render };
    '''

Red()
"""


def is_coloured(picture, colour):
    """Where a picture has very nearly a colour."""
    return (abs(picture.astype(int) - colour) < 40).all(axis=-1)


def test_a_slider_that_is_moved_by_keys_moves_in_python(notebook):
    notebook.open("import ipywidgets\nslider = ipywidgets.IntSlider(3)\nslider").run_all()
    notebook.page.get_by_role("slider").press("ArrowRight")
    assert notebook.run("slider.value") == "4"


def test_webgl_draws_without_a_graphics_card(notebook):
    notebook.open(RED).run_all()
    canvas = notebook.page.locator("canvas")
    assert is_coloured(notebook.screenshot(part=canvas), [255, 0, 0]).mean() > 0.95  # but for the pixels at its rim


def test_an_error_in_a_cell_is_raised_with_its_traceback(notebook):
    notebook.open("1 + 1", "def halve(n):\n    return n / 0\nhalve(2)")
    with pytest.raises(CellError, match=r"return n / 0\n(.*\n)*ZeroDivisionError: division by zero"):
        notebook.run_all()
    with pytest.raises(CellError, match="KeyError: 'none'"):
        notebook.run("{}['none']")


def test_the_kernel_is_this_very_python_and_a_restart_empties_it(notebook):
    notebook.open("import sys\nprint(sys.prefix)\nkept = 5").run_all()
    assert notebook.run("print('a')\nkept, sys.executable") == f"a\n(5, {sys.executable!r})"
    notebook.restart_kernel()
    assert notebook.run("'kept' in globals()") == "False"


def test_what_a_test_leaves_is_cleared_for_the_next(notebook):
    notebook.open("import ipywidgets, os\nkept = ipywidgets.IntSlider(3)\nkept", "kept").run_all()
    notebook.run("import math\nfrom unittest.mock import patch\npatch.object(math, 'sqrt').start()\nNone")
    process = notebook.run("os.getpid()")
    notebook.page.get_by_role("slider").nth(1).wait_for()
    assert notebook.clear()
    notebook.open("import math, os\n'kept' in globals(), math.sqrt(25), os.getpid()")
    assert notebook.page.locator(".jp-Cell").count() == 1
    assert notebook.page.get_by_role("slider").count() == 0
    assert notebook.run_cell(0)[0]["data"]["text/plain"] == f"(False, 5.0, {process})"


def test_a_page_is_not_used_again_while_its_kernel_works(notebook):
    working = "threading.Thread(target=time.sleep, args=(20,), name='latentmap run', daemon=True)"
    notebook.open(f"import threading, time\n{working}.start()").run_all()
    notebook.patience = 0.5
    assert not notebook.clear()


def test_a_page_that_does_not_see_widgets_is_opened_again(notebook):
    """A page once did not see some of the first widgets of a cell, and so waited minutes for the others."""
    kernel = notebook.open().ask("import os\nprint(os.getpid())")
    assert notebook.has_widgets()
    deafen = "jupyterapp.shell.currentWidget.sessionContext.session.kernel.handleComms = false"
    notebook.page.evaluate(deafen)
    assert not notebook.has_widgets(timeout=5000)
    assert notebook.clear()
    with pytest.warns(UserWarning, match="JupyterLab has lost a button"):
        notebook.open("import ipywidgets, os\nprint(os.getpid())\nipywidgets.IntSlider(3)").run_all()
    assert notebook.ask("print(os.getpid())") != kernel
    notebook.page.get_by_role("slider").wait_for()


def test_a_dark_notebook_is_dark_and_nothing_lies_over_it(notebook):
    notebook.open("", theme="dark", size=(900, 600))
    picture = notebook.screenshot()
    assert picture.shape == (600, 900, 3)
    assert np.median(picture) < 50
    assert notebook.page.locator(".jp-Dialog, .Toastify__toast, #jupyterlab-splash").count() == 0


def test_no_error_and_no_request_to_another_machine_is_missed(notebook):
    page = notebook.open().page
    notebook.check()
    with page.expect_event("console"):
        page.evaluate("console.error('nobody reads this')")
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('nobody catches this') })")
    with page.expect_event("pageerror"):
        page.evaluate("Promise.reject(new Error('nobody awaits this')), 0")
    with page.expect_event("console"):
        page.evaluate("fetch('http://elsewhere.invalid/cells', { mode: 'no-cors' }).catch(() => {}), 0")
    with page.expect_event("console"):
        page.evaluate("new WebSocket('ws://elsewhere.invalid/changes'), 0")
    with pytest.raises(AssertionError) as failure:
        notebook.check()
    for complaint in [
        "error: nobody reads this",
        "error: nobody catches this",
        "error: nobody awaits this",
        "machine: http://elsewhere.invalid/cells",
        "machine: ws://elsewhere.invalid/changes",
    ]:
        assert complaint in str(failure.value)
    notebook.console.clear()
    notebook.requests.clear()


def test_qt_runs_beside_a_browser(qtbot, browser):
    page = browser.new_page()
    timer = QTimer(singleShot=True)
    with qtbot.wait_signal(timer.timeout):
        timer.start(1)
    assert page.evaluate("6 * 7") == 42


@pytest.mark.usefixtures("chromium")
def test_an_event_loop_starts_after_a_test_with_a_browser(pytester):
    pytester.makeconftest((HERE / "conftest.py").read_text())
    pytester.makepyfile("""
        import asyncio

        def test_with_a_browser(browser):
            browser.new_page()

        def test_with_an_event_loop():
            asyncio.run(asyncio.sleep(0))

        def test_with_the_browser_once_more(browser):
            assert browser.contexts == []
            browser.new_page().goto("about:blank")

        def test_with_another_event_loop():
            asyncio.run(asyncio.sleep(0))
    """)
    pytester.runpytest("-p", "no:xvfb").assert_outcomes(passed=4)


@pytest.mark.slow
def test_the_server_ends_when_the_tests_are_killed(tmp_path):
    start_and_die = """
import os, pathlib, signal, sys
from lab import Lab
print(Lab(pathlib.Path(sys.argv[1])).url, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", start_and_die, tmp_path]
    url = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True).stdout.strip()
    deadline = time.monotonic() + 30
    while answers(url):
        assert time.monotonic() < deadline


def answers(url):
    try:
        urllib.request.urlopen(url + "api", timeout=30).close()
    except OSError:
        return False
    return True
