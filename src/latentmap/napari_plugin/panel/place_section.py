"""The part of the panel that places cells of another layer on an existing map."""

from collections.abc import Callable

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from napari.layers import Layer

from latentmap.model.data_warnings import warn_user
from latentmap.napari_layers.layer_writing import write_positions
from latentmap.napari_layers.source import Source
from latentmap.napari_layers.sources import Sources
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import label_row
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.presenters.placing import PLACE, PlacePresenter
from latentmap.session import Run, Session
from latentmap.table import CellTable


class PlaceSection(Container[Widget]):
    """Draws what `PlacePresenter` decides, for the cells of a layer."""

    def __init__(self, session: Session, sources: Sources, scene: Scene, tell: Callable[[str], None]) -> None:
        self._sources, self._scene, self._tell = sources, scene, tell
        self.layer = ComboBox(choices=self._measured, tooltip=PLACE["cells"].about)
        self.button = PushButton(
            text=PLACE["place"].label,
            tooltip=f"{PLACE['place'].about} Their coordinates are added to the features of their layer.",
        )
        super().__init__(widgets=[label_row(PLACE["cells"].label, self.layer), self.button], labels=False)
        self.margins = (0, 0, 0, 0)
        self.button.changed.connect(self.place)
        self.presenter = PlacePresenter(session, self, main_thread(), tell)
        self.presenter.refresh()

    @property
    def running(self) -> bool:
        """Whether cells are being placed."""
        return self.presenter.running

    def refresh(self) -> None:
        """Offer all layers that have features, if there is a map."""
        self.presenter.refresh()

    def show_place(self, *, has_map: bool, can_place: bool) -> None:
        """Offer the layers, and enable the button if one is chosen."""
        self.layer.reset_choices()
        self.visible = has_map
        self.button.enabled = can_place and self.layer.value is not None

    def place(self) -> None:
        """Place the cells of the chosen layer."""
        if (layer := self.layer.value) is None:
            return
        try:
            source = self._sources.of(layer)
            table = source.table()
        except ValueError as error:
            self._tell(str(error))
            return
        self.presenter.place(layer.name, lambda: table, lambda run, placed: self._show(source, run, placed))

    def stop(self) -> None:
        """Stop placing cells."""
        self.presenter.stop()

    def _measured(self, _: object) -> list[tuple[str, Layer]]:
        return [(layer.name, layer) for layer in self._sources.candidates() if not layer.features.empty]

    def _show(self, source: Source, run: Run, placed: CellTable) -> bool:
        name = source.layer.name
        if source.layer not in self._sources.candidates():
            raise ValueError(f'"{name}" was deleted, so its cells were not placed.')
        for sentence in write_positions(source, placed.features, run.parameters["features"]):
            warn_user(sentence)
        return self._scene.maps.show_placed(run, placed.features, f"{name} on the map")
