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


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("waits",), ("waits", "closes")], ids=" ".join)
def test_a_script_ends_without_a_word_of_deleted_objects(how, tmp_path, qapp):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "ignore", "script.py", *how]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
