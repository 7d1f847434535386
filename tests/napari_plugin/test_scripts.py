"""Scripts that open the panel and end, with or without closing napari's window."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import napari
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
features = pd.DataFrame(rng.normal(size=(60, 6)), columns=list("abcdef"))
viewer = napari.Viewer(show=False)
viewer.add_points(rng.uniform(0, 500, (60, 2)), features=features, name="cells")
_, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
panel.embed()
if "waits" in sys.argv:
    from latentmap.napari_plugin.demo import wait_until

    wait_until(lambda: not panel.running)
    assert panel.result is not None
if "closes" in sys.argv:
    viewer.close()
"""

# Tells how many colours there are on the screen, where the canvas is, after a run in napari's own event loop. What Qt
# gives of a window, and the tests' own loops, may be right when a user sees nothing.
SCREEN = """
import os
import napari
import numpy as np
import pandas as pd
from qtpy.QtCore import QPoint, QTimer
from qtpy.QtWidgets import QApplication

viewer = napari.Viewer()
viewer.window.resize(1200, 900)
viewer.window._qt_window.move(0, 0)
_, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
squares = np.kron(np.arange(1, 401).reshape(20, 20), np.pad(np.ones((6, 6), dtype=int), 1))
values = np.random.default_rng(0).normal(size=(400, 5))
features = pd.DataFrame(values, columns=list("abcde")).assign(label=range(1, 401))
viewer.add_labels(squares, name="cells", features=features)

def tell(tries=20):
    native = viewer.window._qt_viewer.canvas.native
    corner = native.mapToGlobal(QPoint(0, 0))
    where = corner.x(), corner.y(), native.width(), native.height()
    seen = QApplication.primaryScreen().grabWindow(0, *where).toImage()
    n_colours = len({seen.pixel(x, y) for x in range(5, seen.width(), 3) for y in range(5, seen.height(), 3)})
    if n_colours > 100 or not tries:
        print(n_colours, flush=True)
        os._exit(0)
    QTimer.singleShot(250, lambda: tell(tries - 1))

def wait():
    QTimer.singleShot(100, wait) if panel.running else QTimer.singleShot(1000, tell)

def start():
    panel.embed_button.native.click()
    QTimer.singleShot(100, wait)

QTimer.singleShot(1000, start)
napari.run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("waits",), ("waits", "closes")], ids=" ".join)
def test_a_script_ends_without_a_word_of_deleted_objects(how, tmp_path, qapp):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "ignore", "script.py", *how]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program may not read the screen unasked")
def test_the_canvas_is_on_the_screen_after_a_run(tmp_path, qapp):
    (tmp_path / "script.py").write_text(SCREEN)
    command, environment = [sys.executable, "-W", "ignore", "script.py"], {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100, done.stderr
