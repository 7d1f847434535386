"""Makes the pictures of napari.md: ``python docs/napari_screenshots.py`` (without a screen, after ``xvfb-run -a``)."""

import time
from pathlib import Path

import napari
import numpy as np
from qtpy.QtWidgets import QApplication

from latentmap.napari_plugin.demo import SIZE, open_tissue, select_clump, wait_until
from latentmap.napari_plugin.panel.panel import MapPanel
from latentmap.session import VARIANCE, ColourBy

IMAGES = Path(__file__).parent / "images"


def settle(seconds: float = 1) -> None:
    """Let the window work for a while."""
    settled = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > settled)


def picture(viewer: napari.Viewer, name: str) -> None:
    """Let the window settle, then save it."""
    settle()
    viewer.screenshot(str(IMAGES / f"napari-{name}.png"), canvas_only=False, flash=False)


def show(panel: MapPanel, tab: str) -> None:
    """Turn to a tab of the panel."""
    names = [panel.tabs.tabText(place) for place in range(panel.tabs.count())]
    panel.tabs.setCurrentIndex(names.index(tab))


def embed(panel: MapPanel) -> None:
    """Make a map, and wait for it."""
    panel.embed()
    wait_until(lambda: not panel.running)


def trust(viewer: napari.Viewer, panel: MapPanel) -> None:
    """Which cells and which gaps not to believe."""
    show(panel, "Trust")
    tab = panel.trust
    panel.selection.clear()
    for button in (tab.checking.check, tab.contacts.look):
        button.native.click()
        wait_until(lambda: not tab.work.running)
    tab.checking.colour.native.click()
    tab.checking.hollow.value = True
    picture(viewer, "trust")
    panel.session.display_settings.colour_by = VARIANCE
    tab.checking.hollow.value = False


def tissue() -> None:
    """From the empty window to classes, and what is special about them."""
    viewer = napari.Viewer(title="latentmap")
    viewer.window.resize(*SIZE)
    viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    picture(viewer, "empty")
    viewer.close()

    viewer = napari.Viewer(title="latentmap")
    panel = open_tissue(viewer)
    picture(viewer, "sample")
    embed(panel)
    picture(viewer, "map")
    select_clump(panel)
    show(panel, "Explore")
    picture(viewer, "selected")
    show(panel, "Gallery")
    picture(viewer, "gallery")
    show(panel, "Explore")
    panel.explore.selected.class_name.value = "connective tissue"
    panel.explore.selected.assign.native.click()
    panel.explore.clusters.button.native.click()
    wait_until(lambda: not panel.explore.clusters.presenter.running)
    panel.session.display_settings.colour_by = ColourBy("class")
    panel.selection.clear()
    picture(viewer, "classes")
    panel.session.display_settings.colour_by = VARIANCE
    panel.selection.select_keys([("cells", 0, 78)], how="click in the image")
    panel.explore.hover(("cells", 0, 78))
    picture(viewer, "picked")
    trust(viewer, panel)
    show(panel, "Save")
    picture(viewer, "save")
    compare(viewer, panel)
    viewer.close()


def compare(viewer: napari.Viewer, panel: MapPanel) -> None:
    """Two maps of the same cells, side by side."""
    show(panel, "Map")
    panel.parameters.take("detail")
    embed(panel)
    first, _ = panel.session.runs
    panel.kept.table.tick(first)
    select_clump(panel)
    viewer.reset_view()
    picture(viewer, "compare")


def volume() -> None:
    """A map of three dimensions, of cells in a volume."""
    viewer = napari.Viewer(title="latentmap")
    viewer.window.resize(*SIZE)
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.open_sample("latentmap", "three_d")
    panel.parameters.n_components = 3
    embed(panel)
    show(panel, "Explore")
    panel.session.display_settings.axes = (0, 1, 2)
    panel.session.display_settings.colour_by = ColourBy("feature", "kind")
    panel.scene.view.viewer.scene.camera.angles = (10, 30, 60)
    places = panel.result.embedding
    nearest = np.argsort(np.linalg.norm(places - places[0], axis=1))[:12]
    keys = panel.result.cells.keys
    panel.selection.select_keys([keys[row] for row in nearest], how="lasso on the map")
    picture(viewer, "volume")
    viewer.close()


def film() -> None:
    """Cells of a time-lapse on one map, those of one kind selected in every frame."""
    viewer = napari.Viewer(title="latentmap")
    viewer.window.resize(*SIZE)
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    viewer.open_sample("latentmap", "time_lapse")
    embed(panel)
    show(panel, "Explore")
    panel.session.display_settings.colour_by = ColourBy("frame")
    kinds = panel.result.cells.features["kind"]
    panel.selection.select_keys(list(kinds.index[kinds == kinds.iloc[0]]), how="lasso on the map")
    viewer.dims.set_current_step(0, 4)
    picture(viewer, "film")
    viewer.close()


def methods() -> None:
    """Another method with its own parameters, and comparisons made by clicking."""
    viewer = napari.Viewer(title="latentmap")
    viewer.window.resize(*SIZE)
    panel = open_tissue(viewer)
    panel.parameters.method = "isomap"
    embed(panel)
    panel.session.display_settings.colour_by = ColourBy("feature", "area")
    picture(viewer, "isomap")
    panel.parameters.method = "comparisons"
    keys = panel.result.cells.keys
    numbers = panel.session.cell_index.add(panel.result.cells.features.index)
    area = panel.result.cells.features["area"].to_numpy()
    order = np.argsort(area)
    for one, alike, other in zip(order[:24], order[1:25], order[::-1][:24], strict=True):
        panel.session.comparisons.restore([*panel.session.comparisons.triplets, numbers[[one, alike, other]]])
    embed(panel)
    panel.session.comparisons.on = True
    for cell in (order[30], order[31]):
        panel.selection.select_keys([keys[cell]], how="click in the image")
    picture(viewer, "comparisons")
    viewer.close()


if __name__ == "__main__":
    tissue()
    volume()
    film()
    methods()
    QApplication.processEvents()
