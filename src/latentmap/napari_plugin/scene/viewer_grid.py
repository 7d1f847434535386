"""napari's grid mode, which would show maps and highlights apart from their layers."""

from collections.abc import Callable, Sequence

from napari.components import ViewerModel
from napari.layers import Layer
from napari.utils.events import EventEmitter
from qtpy.QtCore import QTimer

from latentmap.napari_layers.source import OWNED_KEY
from latentmap.session.display_settings import DisplaySettings


class ViewerGrid:
    """Keeps layers that belong together in one tile of napari's grid.

    While the grid is on, the maps are in a separate view, and enough layers share a tile that every highlight lies over
    its layer. If no number of layers per tile achieves this, the grid is switched off.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    display_settings : DisplaySettings
        Says whether the maps are in a separate view.
    together : callable
        Returns the layers of cells, each with its highlight.
    tell : callable
        Shows a sentence to the user.
    """

    def __init__(
        self,
        viewer: ViewerModel,
        display_settings: DisplaySettings,
        together: Callable[[], Sequence[tuple[Layer, Layer]]],
        tell: Callable[[str], None],
    ) -> None:
        self._viewer, self._display_settings, self._together, self._tell = viewer, display_settings, together, tell
        self._before: tuple[int, bool] | None = None
        # In the next turn of the event loop: napari is still changing the list of layers or the grid.
        self._turn = QTimer()
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._update)
        for event in self._events():
            event.connect(self._changed)
        self._changed()

    def close(self) -> None:
        """Leave the grid alone."""
        self._turn.stop()
        for event in self._events():
            event.disconnect(self._changed)

    def _events(self) -> list[EventEmitter]:
        layers = self._viewer.layers.events
        return [self._viewer.canvas.grid.events.enabled, layers.inserted, layers.removed, layers.reordered]

    def _changed(self) -> None:
        if self._viewer.canvas.grid.enabled or self._before is not None:
            self._turn.start(0)

    def _update(self) -> None:
        grid, pairs = self._viewer.canvas.grid, self._together()
        if not grid.enabled:
            self._restore()
        elif pairs:
            asked = grid.stride if self._before is None else self._before[0]
            if (stride := self._stride(asked, pairs)) is None:
                grid.enabled = False
                self._tell(
                    "Grid mode was switched off, because it would show the selected cells apart from their layer. To "
                    "see several images in a grid, put each labels layer directly above its image."
                )
            else:
                self._arrange(asked, stride)

    def _stride(self, asked: int, pairs: Sequence[tuple[Layer, Layer]]) -> int | None:
        """The fewest layers per tile that keep all pairs together; None if no number does."""
        layers = [layer for layer in self._viewer.layers if layer.metadata.get(OWNED_KEY) != "map"]
        # napari counts from the end if the stride is negative.
        at = {layer: index for index, layer in enumerate(layers if asked > 0 else reversed(layers))}
        shares = (
            n for n in range(abs(asked), len(layers)) if all(at[one] // n == at[other] // n for one, other in pairs)
        )
        stride = next(shares, None)
        return stride if stride is None or asked > 0 else -stride

    def _arrange(self, asked: int, stride: int) -> None:
        grid = self._viewer.canvas.grid
        if self._before is None:
            self._before = asked, self._display_settings.own_view
        self._display_settings.own_view = True
        if grid.stride != stride:
            grid.stride = stride
            self._tell(
                f"Grid mode: {abs(stride)} layers share a tile, so that selected cells light up in their layer. The "
                "maps are in a separate view."
            )

    def _restore(self) -> None:
        """Restore the stride and the view of the maps as they were before the grid."""
        if self._before is not None:
            (self._viewer.canvas.grid.stride, own_view), self._before = self._before, None
            self._display_settings.own_view = own_view
