"""The main job on real tissue, from the menu to files: ``python -m latentmap.napari_plugin.demo``."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import napari
import numpy as np
from qtpy.QtWidgets import QApplication

from latentmap.napari_plugin.panel.panel import MapPanel

SIZE = (1500, 850)
"""The window's size, in pixels."""
CLUMP = 25
"""How many cells the demonstration selects."""


def open_tissue(viewer: napari.Viewer) -> MapPanel:
    """Open the panel and the sample, as the menus do."""
    viewer.window.resize(*SIZE)
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.open_sample("latentmap", "tissue")
    return panel


def wait_until(condition: Callable[[], bool], seconds: float = 600) -> None:
    """Run the event loop until a condition holds.

    Parameters
    ----------
    condition : callable
    seconds : float
        How long to wait at most.

    Raises
    ------
    TimeoutError
        If it is not the case by then.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"Nothing came of it in {seconds} seconds.")
        QApplication.processEvents()
        time.sleep(0.005)


def select_clump(panel: MapPanel) -> None:
    """Select the cell with the most certain place on the map, and those nearest to it there.

    Parameters
    ----------
    panel : MapPanel
        After a run.
    """
    if panel.result is not None:
        places = panel.result.embedding
        distances = np.linalg.norm(places - places[np.argmin(panel.result.variances)], axis=1)
        keys = panel.result.cells.keys
        panel.selection.choose_keys((keys[row] for row in np.argsort(distances)[:CLUMP]), how="closest on the map")


def demo(folder: Path, *, stay: bool = False) -> None:
    """Map the tissue's nuclei, light up a clump of them, and write a picture and a table.

    Parameters
    ----------
    folder : pathlib.Path
        Gets ``tissue-map.png`` and ``tissue-map.csv``.
    stay : bool
        Leave the window open.
    """
    viewer = napari.Viewer(title="latentmap")
    panel = open_tissue(viewer)
    panel.embed()
    wait_until(lambda: not panel.running)
    if panel.result is None:
        raise SystemExit(panel.status.value)
    select_clump(panel)
    drawn = time.monotonic() + 1
    wait_until(lambda: time.monotonic() > drawn)

    folder.mkdir(parents=True, exist_ok=True)
    picture, table = folder / "tissue-map.png", folder / "tissue-map.csv"
    viewer.screenshot(str(picture), canvas_only=False, flash=False)
    panel.saving.save_table(table)
    wait_until(lambda: not panel.running)
    print(f"{len(panel.result.embedding)} nuclei on the map after {panel.result.n_iter} iterations.")
    print(f"The picture:  {picture.resolve()}")
    print(f"The table:    {table.resolve()}")
    if stay:
        print("Select points on the map and watch the tissue; close the window to end.", flush=True)
        napari.run()
    else:
        viewer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("demo-output"), help="where the files go")
    parser.add_argument("--stay", action="store_true", help="leave the window open")
    arguments = parser.parse_args()
    demo(arguments.folder, stay=arguments.stay)
