"""Napari's grid of canvases, which would tear maps and lights from what they belong to."""

from collections.abc import Callable, Sequence
from typing import Any

from napari.layers import Layer
from qtpy.QtCore import QTimer

from latentmap.napari_layers.source import OWN
from latentmap.session.look import Look


class Grid:
    """Keeps in one cell of napari's grid what belongs together.

    As long as the grid is on, the maps are in a view of their own, and so many layers share a cell that every light
    lies over its layer. Where no number does it, the grid is switched off.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    look : Look
        Says where the maps are.
    together : callable
        Returns the layers of cells with their lights.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        viewer: Any,
        look: Look,
        together: Callable[[], Sequence[tuple[Layer, Layer]]],
        tell: Callable[[str], None],
    ) -> None:
        self._viewer, self._look, self._together, self._tell = viewer, look, together, tell
        self._before: tuple[int, bool] | None = None
        # In a turn of its own: napari is at the list of layers, or at the grid.
        self._turn = QTimer()
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._keep)
        for event in self._events():
            event.connect(self._changed)
        self._changed()

    def close(self) -> None:
        """Leave the grid alone."""
        self._turn.stop()
        for event in self._events():
            event.disconnect(self._changed)

    def _events(self) -> list[Any]:
        layers = self._viewer.layers.events
        return [self._viewer.canvas.grid.events.enabled, layers.inserted, layers.removed, layers.reordered]

    def _changed(self) -> None:
        if self._viewer.canvas.grid.enabled or self._before is not None:
            self._turn.start(0)

    def _keep(self) -> None:
        grid, pairs = self._viewer.canvas.grid, self._together()
        if not grid.enabled:
            self._leave()
        elif pairs:
            asked = grid.stride if self._before is None else self._before[0]
            if (stride := self._stride(asked, pairs)) is None:
                grid.enabled = False
                self._tell(
                    "Napari's grid is off again: it would show what is selected apart from its layer. Put images and "
                    "labels in turn, each labels layer above its image, to see several of them in a grid."
                )
            else:
                self._arrange(asked, stride)

    def _stride(self, asked: int, pairs: Sequence[tuple[Layer, Layer]]) -> int | None:
        """How few layers can share a cell so that all pairs do."""
        layers = [layer for layer in self._viewer.layers if layer.metadata.get(OWN) != "map"]
        # Napari counts from the end if it is asked for less than 0.
        at = {layer: place for place, layer in enumerate(layers if asked > 0 else reversed(layers))}
        shares = (
            n for n in range(abs(asked), len(layers)) if all(at[one] // n == at[other] // n for one, other in pairs)
        )
        stride = next(shares, None)
        return stride if stride is None or asked > 0 else -stride

    def _arrange(self, asked: int, stride: int) -> None:
        grid = self._viewer.canvas.grid
        if self._before is None:
            self._before = asked, self._look.own_view
        self._look.own_view = True
        if grid.stride != stride:
            grid.stride = stride
            self._tell(
                f"Grid: {abs(stride)} layers share a cell, so that what is selected lights up over its layer; the maps "
                "are in a view of their own."
            )

    def _leave(self) -> None:
        """Have everything as it was before the grid."""
        if self._before is not None:
            (self._viewer.canvas.grid.stride, own_view), self._before = self._before, None
            self._look.own_view = own_view
