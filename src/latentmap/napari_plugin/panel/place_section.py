"""The part of the panel that places cells of another layer on an existing map."""

from collections.abc import Callable
from functools import partial

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from napari.layers import Layer

from latentmap.napari_layers.layer_writing import write_positions
from latentmap.napari_layers.source import Source
from latentmap.napari_layers.sources import Sources
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import label_row
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.session import BackgroundJob, Run, Session, place
from latentmap.session.job import as_single_step
from latentmap.session.wording import counted
from latentmap.table import CellTable


class PlaceSection(Container[Widget]):
    """Places the cells of a layer on the current map, which stays as it is."""

    def __init__(self, session: Session, sources: Sources, scene: Scene, tell: Callable[[str], None]) -> None:
        self._session, self._sources, self._scene, self._tell = session, sources, scene, tell
        self._job = BackgroundJob(main_thread())
        self.layer = ComboBox(
            choices=self._measured,
            tooltip="Cells that have the features of the map, measured in the same way, for example those of another "
            "image.",
        )
        self.button = PushButton(
            text="Place on this map",
            tooltip="Show where these cells belong on the map, which stays as it is, and add their coordinates to the "
            "features of their layer.",
        )
        super().__init__(widgets=[label_row("Other cells", self.layer), self.button], labels=False)
        self.margins = (0, 0, 0, 0)
        self.button.changed.connect(self.place)
        for signal in (session.runs.changed, session.runs.started, session.runs.ended):
            signal.connect(self.refresh, max_args=0)
        self.refresh()

    @property
    def running(self) -> bool:
        """Whether cells are being placed."""
        return self._job.running

    def refresh(self) -> None:
        """Offer all layers that have features, if there is a map."""
        self.layer.reset_choices()
        runs = self._session.runs
        self.visible = runs.current is not None
        self.button.enabled = self.layer.value is not None and not runs.running and not self.running

    def place(self) -> None:
        """Place the cells of the chosen layer, in a thread."""
        current, layer = self._session.runs.current, self.layer.value
        if current is None or layer is None:
            return
        try:
            source = self._sources.of(layer)
            table = source.table()
        except ValueError as error:
            self._tell(str(error))
            return
        self._tell(f'Placing the cells of "{layer.name}" …')
        self._job.start(
            as_single_step(place, current, table),
            yielded=lambda _: None,
            returned=partial(self._placed, current, source),
            failed=self._failed,
        )
        self.refresh()

    def stop(self) -> None:
        """Stop placing cells."""
        self._job.drop()

    def _measured(self, _: object) -> list[tuple[str, Layer]]:
        return [(layer.name, layer) for layer in self._sources.candidates() if not layer.features.empty]

    def _placed(self, run: Run, source: Source, placed: CellTable) -> None:
        self.refresh()
        name = source.layer.name
        if source.layer not in self._sources.candidates():
            self._tell(f'"{name}" was deleted, so its cells were not placed.')
            return
        write_positions(source, placed.features, run.parameters["features"])
        is_seen = self._scene.maps.show_placed(run, placed.features, f"{name} on the map")
        colour = ", in magenta" if is_seen else ""
        said = f'{counted(len(placed.features), "cell")} of "{name}" placed on "{run.name}"{colour}.'
        self._tell(" ".join([said, *placed.notes]))

    def _failed(self, error: Exception) -> None:
        self.refresh()
        self._tell(str(error))
        if not isinstance(error, ValueError):
            raise error
