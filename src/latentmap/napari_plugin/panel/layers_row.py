"""The buttons below the list of layers: tick all or none, and lay their images out."""

from collections.abc import Callable

from magicgui.widgets import Container, PushButton
from magicgui.widgets.bases import Widget
from napari.components import ViewerModel
from napari.layers import Labels, Layer
from psygnal import Signal

from latentmap.napari_layers.layout import are_apart, change_layout, places
from latentmap.napari_plugin.qt.tick_list import TickList
from latentmap.napari_plugin.qt.wrapping_layout import wrap

APART, ON_TOP = "Side by side", "On top of each other"


class LayersRow(Container[Widget]):
    """Ticks all layers or none, and lays images out side by side; shown where there are several layers."""

    laid_out = Signal()
    """Emitted when images have been moved."""

    def __init__(self, viewer: ViewerModel, layers: TickList[Layer], tell: Callable[[str], None]) -> None:
        self._viewer, self._layers, self._tell = viewer, layers, tell
        self.all = PushButton(text="All", tooltip="Tick all layers.")
        self.none = PushButton(text="None", tooltip="Untick all layers.")
        self.layout_button = PushButton(
            text=APART,
            tooltip="Moves each labels layer with its images to a place of its own: that of its well, if the names "
            "have wells such as B07, else in a grid. Another click puts all back. Only where the layers are drawn "
            "changes.",
        )
        super().__init__(widgets=[self.all, self.none, self.layout_button], layout="horizontal", labels=False)
        self.margins = (0, 0, 0, 0)
        wrap(self.native)
        self.all.changed.connect(lambda: self._tick(layers.things))
        self.none.changed.connect(lambda: self._tick([]))
        self.layout_button.changed.connect(self._change_layout)
        self.show_state()

    def show_state(self) -> None:
        """Show what can be done with the layers that there are now."""
        things = self._layers.things
        labels = [layer for layer in things if isinstance(layer, Labels)]
        self.visible = len(things) > 1
        self.layout_button.visible = len(labels) > 1
        self.layout_button.text = ON_TOP if len(labels) > 1 and are_apart(labels) else APART

    def _tick(self, layers: list[Layer]) -> None:
        self._layers.value = layers

    def _change_layout(self) -> None:
        said = change_layout(places(self._viewer))
        self.show_state()
        self.laid_out.emit()
        self._tell(said)
