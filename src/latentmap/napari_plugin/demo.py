"""A demonstration on real tissue, from the menu to files: ``python -m latentmap.napari_plugin.demo``."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import napari
import numpy as np
from qtpy.QtWidgets import QApplication

from latentmap.napari_plugin.commands import panel_of
from latentmap.napari_plugin.panel.panel import MapPanel

SIZE = (1500, 850)
"""The window's size, in pixels."""
CLUMP = 25
"""The number of cells that the demonstration selects."""


def open_tissue(viewer: napari.Viewer) -> MapPanel:
    """Open the panel and the sample tissue, as the menus do."""
    viewer.window.resize(*SIZE)
    panel = panel_of(viewer)
    viewer.open_sample("latentmap", "tissue")
    return panel


def wait_until(condition: Callable[[], bool], seconds: float = 600) -> None:
    """Run the event loop until a condition holds.

    Parameters
    ----------
    condition : callable
        Returns whether it holds.
    seconds : float
        The longest time to wait.

    Raises
    ------
    TimeoutError
        If it does not hold by then.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"Still waiting after {seconds} seconds.")
        QApplication.processEvents()
        time.sleep(0.005)


def select_clump(panel: MapPanel) -> None:
    """Select the cell with the most certain position on the map, and those nearest to it there."""
    if panel.result is not None:
        positions = panel.result.embedding
        distances = np.linalg.norm(positions - positions[np.argmin(panel.result.variances)], axis=1)
        keys = panel.result.cells.keys
        panel.selection.select_keys((keys[row] for row in np.argsort(distances)[:CLUMP]), how="closest on the map")


def demo(folder: Path, *, stay: bool = False) -> None:
    """Map the tissue's nuclei, select a clump of them, and save a picture and a table.

    Parameters
    ----------
    folder : pathlib.Path
        Where ``tissue-map.png`` and ``tissue-map.csv`` are written.
    stay : bool
        Whether to leave the window open.
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
        print("Select points on the map and watch the tissue. Close the window to quit.", flush=True)
        napari.run()
    else:
        viewer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("demo-output"), help="where to write the files")
    parser.add_argument("--stay", action="store_true", help="leave the window open")
    arguments = parser.parse_args()
    demo(arguments.folder, stay=arguments.stay)
