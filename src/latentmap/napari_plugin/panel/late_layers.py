"""Layers of cells that come into the viewer while their map is shown: opened by hand, or brought back by undo."""

from collections.abc import Callable, Collection, Mapping

from napari.layers import Layer
from qtpy.QtCore import QTimer

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.reopened_layers import comparing, give_features
from latentmap.napari_plugin.panel.cells_section import CellsSection
from latentmap.napari_plugin.panel.deleted_labels import DeletedLabels
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import BackgroundJob, Runs
from latentmap.table.cells import listed


class LateLayers:
    """Links layers whose cells are on the maps in view, once they are there.

    Parameters
    ----------
    cells : CellsSection
    scene : Scene
    side_by_side : SideBySide
        Says which maps are in view.
    runs : Runs
        All maps of the session.
    bring : callable
        Ticks and links the layers of these names in the keys of cells.
    tell : callable
        Shows a sentence to the user.
    """

    def __init__(
        self,
        cells: CellsSection,
        scene: Scene,
        side_by_side: SideBySide,
        runs: Runs,
        bring: Callable[[Collection[str], Mapping[str, Layer]], None],
        tell: Callable[[str], None],
    ) -> None:
        self._cells, self._scene, self._side_by_side = cells, scene, side_by_side
        self._bring, self._tell = bring, tell
        self._job = BackgroundJob(main_thread())
        self._deleted = DeletedLabels(runs, cells.measuring.changes)
        # When napari has done its work, and whoever adds several layers has added them.
        self._soon = QTimer(singleShot=True, interval=0)
        self._soon.timeout.connect(self.link)

    def look_soon(self, *_: object) -> None:
        """Look for such layers in the next turn of the event loop."""
        self._soon.start()

    def remember(self, layer: Layer) -> None:
        """Remember where the cells of a linked layer lay that is being deleted: others may come under its name."""
        for source in self._scene.link.sources:
            if source.layer is layer and isinstance(source, LabelsSource):
                self._deleted.remember(source)

    def stop(self) -> None:
        """Look no more."""
        self._soon.stop()
        self._job.drop()
        self._deleted.stop()

    def link(self) -> None:
        """Link such layers now."""
        runs = self._side_by_side.shown
        linked = [source.name for source in self._scene.link.sources]
        lacking = {name for run in runs for name in run.table.features.index.unique("layer")} - {*linked}
        late = [layer for layer in self._cells.sources.candidates() if self._cells.sources.of(layer).name in lacking]
        if not late or self._scene.is_drawing_a_run:
            return
        tables = [run.table for run in runs]
        give_features(late, tables, ())
        self._bring([*linked, *(self._cells.sources.of(layer).name for layer in late)], {})
        self._scene.arrange(runs)
        said = f"The cells of {listed([layer.name for layer in late])} light up from now on."
        self._tell(said)
        sources = [source for source in self._scene.link.sources if source.layer in late]
        self._deleted.compare(source for source in sources if isinstance(source, LabelsSource))
        self._job.start(
            comparing(sources, tables, ()),
            yielded=lambda _: None,
            returned=lambda notes: self._tell(" ".join([said, *notes])) if notes else None,
            failed=self._failed,
        )

    def _failed(self, error: Exception) -> None:
        self._tell(str(error))
        if not isinstance(error, OSError | ValueError):
            raise error
