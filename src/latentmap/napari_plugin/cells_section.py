"""The part of the panel where the user says which cells a map is to be made of."""

from collections.abc import Callable
from typing import Any

from magicgui.widgets import Container, Label
from napari.layers import Labels, Layer
from psygnal import Signal
from qtpy.QtWidgets import QSizePolicy

from latentmap.napari_plugin.measure_section import MeasureSection
from latentmap.napari_plugin.points_source import POINT_LIKE
from latentmap.napari_plugin.progress_bar import RunProgressBar
from latentmap.napari_plugin.source import OWN, Source
from latentmap.napari_plugin.sources import Sources
from latentmap.napari_plugin.tick_list import TickList
from latentmap.table import CellTable

EMPTY = (
    "No layer of cells yet. Open File > Open Sample > latentmap > Tissue (immunohistochemistry), or add a labels layer "
    "in which every cell has its own number."
)


class CellsSection(Container):
    """Which layers the cells come from; layers without features can be measured here.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    progress : RunProgressBar
    tell : callable
        Takes a sentence for the user.

    Attributes
    ----------
    cells : CellTable or None
        The cells of the layers ticked, as they were when these last changed; None if there is something to do first.
    """

    altered = Signal()
    """Emitted when there are other cells or features to choose from."""

    def __init__(self, viewer: Any, progress: RunProgressBar, tell: Callable[[str], None]) -> None:
        self._viewer = viewer
        self.sources = Sources(viewer)
        self.cells: CellTable | None = None
        self._watched: list[Layer] = []
        self.layers = TickList("The layers that the cells come from. The cells of several layers go into one map.")
        self.about = Label(value="")
        self.measuring = MeasureSection(viewer, progress, tell, self._changed)
        super().__init__(widgets=[self.about, self.measuring], labels=False)
        self.margins = (0, 0, 0, 0)
        self.native.layout().insertWidget(0, self.layers)
        self.about.native.setWordWrap(True)
        self.about.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.layers.changed.connect(self._changed)
        self._changed()

    @property
    def value(self) -> list[Layer]:
        """The layers ticked."""
        return self.layers.value

    def chosen(self) -> list[Source]:
        """Return the layers ticked, as sources."""
        return [self.sources.of(layer) for layer in self.layers.value]

    def table(self) -> CellTable:
        """Return the cells of all layers ticked.

        Returns
        -------
        CellTable

        Raises
        ------
        ValueError
            If there is none; the sentence says what to do first.
        """
        sources = self.chosen()
        if not sources:
            raise ValueError(EMPTY if not self.layers.things else "Tick the layers that the cells come from.")
        if bare := [source.layer.name for source in sources if source.layer.features.empty]:
            raise ValueError(
                f'"{bare[0]}" has no features yet. Press Measure, or load a table into the layer\'s features.'
            )
        table = CellTable.pool([source.table() for source in sources])
        if not offered(table):
            raise ValueError(f'No column of the table of "{sources[0].layer.name}" holds numbers. Press Measure.')
        return table

    def reset_choices(self, *_: object) -> None:
        """Take up the layers that there are now; napari calls this whenever they change."""
        # Maps and lights get new points whenever the selection changes, and no table is to be read anew for that.
        kinds = (Labels, *POINT_LIKE)
        self._watch([one for one in self._viewer.layers if isinstance(one, kinds) and OWN not in one.metadata])
        candidates = self.sources.candidates()
        if candidates != self.layers.things:
            ticked = [layer for layer in self.layers.value if layer in candidates]
            self.layers.offer([(layer.name, layer) for layer in candidates], ticked or candidates[:1])
            self._changed()
        else:
            self.measuring.offer(self._bare())

    def leave(self) -> None:
        """Let go of the layers, and of measuring them."""
        self.measuring.stop()
        self._watch([])

    def _watch(self, layers: list[Layer]) -> None:
        for layer in self._watched:
            layer.events.features.disconnect(self._featured)
            layer.events.name.disconnect(self._renamed)
        for layer in layers:
            layer.events.features.connect(self._featured)
            layer.events.name.connect(self._renamed)
        self._watched = layers

    def _featured(self) -> None:
        candidates = self.sources.candidates()
        if candidates != self.layers.things:
            self.reset_choices()
        else:
            self._changed()

    def _renamed(self) -> None:
        self.layers.offer([(layer.name, layer) for layer in self.layers.things], self.layers.value)

    def _changed(self, *_: object) -> None:
        self.cells, self.about.value = None, ""
        try:
            self.cells = self.table()
        except ValueError as error:
            self.about.value = str(error)
        bare = self._bare()
        self.measuring.visible = len(bare) > 0
        self.measuring.offer(bare)
        self.altered.emit()

    def _bare(self) -> list[Layer]:
        """The labels layers ticked that have no features yet."""
        return [layer for layer in self.layers.value if isinstance(layer, Labels) and layer.features.empty]


def offered(table: CellTable) -> list[str]:
    """Return the features that a map of these cells can be made of: numbers that no layer lacks.

    Parameters
    ----------
    table : CellTable

    Returns
    -------
    list of str
    """
    numeric = table.numeric
    if not numeric:
        return []
    lacking = table.features[numeric].isna().groupby(level="layer").all().any()
    return [name for name in numeric if not lacking[name]] or numeric
