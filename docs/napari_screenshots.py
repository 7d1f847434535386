"""Makes the pictures of napari.md: ``python docs/napari_screenshots.py`` (without a screen, after ``xvfb-run -a``)."""

import time
from pathlib import Path

import napari

from latentmap.napari_plugin.demo import SIZE, open_tissue, select_clump, wait_until
from latentmap.session import VARIANCE, By

IMAGES = Path(__file__).parent / "images"


def picture(viewer: napari.Viewer, name: str) -> None:
    """Let the window settle, then save it."""
    settled = time.monotonic() + 1
    wait_until(lambda: time.monotonic() > settled)
    viewer.screenshot(str(IMAGES / f"napari-{name}.png"), canvas_only=False, flash=False)


def main() -> None:
    """Walk from the empty window to the linked map."""
    viewer = napari.Viewer(title="latentmap")
    viewer.window.resize(*SIZE)
    viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    picture(viewer, "empty")
    viewer.close()

    viewer = napari.Viewer(title="latentmap")
    panel = open_tissue(viewer)
    picture(viewer, "sample")
    panel.embed()
    wait_until(lambda: not panel.running)
    picture(viewer, "map")
    select_clump(panel)
    picture(viewer, "selected")
    panel.selected.class_name.value = "connective tissue"
    panel.selected.assign.native.click()
    panel.session.look.colour_by = By("class")
    panel.selection.clear()
    picture(viewer, "classes")
    panel.session.look.colour_by = VARIANCE
    panel.selection.undo()

    cells = viewer.layers["cells"]
    viewer.layers.selection.active = cells
    cells.mode = "pick"
    cells.selected_label = 78
    picture(viewer, "picked")
    viewer.close()


if __name__ == "__main__":
    main()
