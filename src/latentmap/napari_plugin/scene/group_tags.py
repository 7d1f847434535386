"""The names of groups on the maps of a canvas."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from qtpy.QtGui import QFont, QFontMetricsF
from vispy.scene.visuals import create_visual_node
from vispy.visuals import TextVisual

from latentmap.display.group_names import GroupName, lay_out_names
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.map_layer import MapLayer

_POINTS = 10.0
_PIXELS_PER_POINT = 96 / 72
_ABOVE_ALL = 900_000  # below the lines that the mouse draws
# A dark halo around white letters is read on any ground.
_RING = 1.6 * np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (0.7, -0.7), (-0.7, 0.7), (-0.7, -0.7), (0, 0)])
_COLOURS = [*[(0, 0, 0, 0.8)] * (len(_RING) - 1), (1, 1, 1, 1)]
_NOWHERE = -10_000.0


class _PlacedTextVisual(TextVisual):  # type: ignore[misc]
    """Text that finds its place anew whenever the canvas is drawn."""

    def __init__(self, places: Callable[[], np.ndarray], **options: object) -> None:
        super().__init__(**options)
        self.unfreeze()
        self._find_places, self._drawn_at = places, np.empty((0, 2), dtype=np.float32)
        self.freeze()

    def _prepare_draw(self, view: object) -> object:
        places = self._find_places().astype(np.float32)
        if len(places) and not np.array_equal(places, self._drawn_at):  # setting them has the canvas drawn again
            self.pos = self._drawn_at = places
        return super()._prepare_draw(view)


_PlacedText = create_visual_node(_PlacedTextVisual)


class GroupTags:
    """Writes the names of groups on maps, in letters of one size, as the camera moves."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._maps: list[tuple[MapLayer, tuple[GroupName, ...]]] = []
        self._sizes = np.empty((0, 2))
        self._text: Any = None

    @property
    def names(self) -> list[str]:
        """The names, from map to map."""
        return [one.name for _, names in self._maps for one in names]

    @property
    def places(self) -> np.ndarray:
        """The middle of each name in pixels of the canvas; NaN if it is not drawn, shape (n_names, 2)."""
        points = [self._canvas.pixels(one.position[None]) for _, names in self._maps for one in names]
        is_seen = [shown.points.visible for shown, names in self._maps for _ in names]
        at = np.where(np.array(is_seen)[:, None], np.concatenate(points), np.nan) if points else np.empty((0, 2))
        return lay_out_names(at, self._sizes, tuple(self._canvas.node().size))

    def show(self, maps: Sequence[tuple[MapLayer, tuple[GroupName, ...]]]) -> None:
        """Write these names on these maps, and no others."""
        before, self._maps = self.names, list(maps)
        if not self.names:
            self.close()
            return
        if self._text is None:
            self._text = _PlacedText(self._halo_places, font_size=_POINTS, bold=True, parent=self._canvas.node())
            self._text.order = _ABOVE_ALL
            before = []
        if self.names != before:
            font = QFont()
            font.setBold(True)
            font.setPixelSize(round(_POINTS * _PIXELS_PER_POINT))
            metrics = QFontMetricsF(font)
            self._sizes = np.array([(metrics.horizontalAdvance(name) + 6, metrics.height()) for name in self.names])
            # All halos lie below all letters.
            self._text.text = self.names * len(_RING)
            self._text.color = np.repeat(np.array(_COLOURS, dtype=float), len(self.names), axis=0)
        self._text.update()

    def keep(self, maps: Sequence[MapLayer]) -> None:
        """Remove the names from all maps but these."""
        self.show([pair for pair in self._maps if any(pair[0] is shown for shown in maps)])

    def close(self) -> None:
        """Remove all names from the canvas."""
        self._maps = []
        text, self._text = self._text, None
        if text is not None:
            text.parent = None

    def _halo_places(self) -> np.ndarray:
        places = np.nan_to_num(self.places, nan=_NOWHERE)
        return np.concatenate([places + shift for shift in _RING])
