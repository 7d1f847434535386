import os
import subprocess
import sys

import pandas as pd
from skimage.io import imread


def test_the_demonstration_leaves_a_picture_and_a_table(tmp_path, qapp):
    command = [sys.executable, "-W", "ignore", "-m", "latentmap.napari_plugin.demo", str(tmp_path / "out")]
    done = subprocess.run(command, env={**os.environ, "QT_QPA_PLATFORM": "xcb"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "out" / "tissue-map.csv")
    assert f"{len(table)} nuclei on the map" in done.stdout
    assert {"layer", "frame", "label", "dab_mean", "map_1", "map_2", "variance"} <= set(table)
    picture = imread(tmp_path / "out" / "tissue-map.png")
    # The rings of the selected points and their lit cells; nothing else in the window has napari's highlight colour.
    highlighted = (abs(picture[..., :3].astype(int) - [0, 153, 255]) < 40).all(axis=-1)
    assert highlighted.sum() > 300
