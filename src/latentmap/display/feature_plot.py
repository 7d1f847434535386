"""A scatter plot of two features or a histogram of one, drawn as pixels that any front end can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latentmap.display.axis_ticks import axis_ticks, linear_ticks
from latentmap.session import Axis

PLAIN = (86, 139, 208)
"""The colour of cells while there are no classes: red, green and blue from 0 to 255."""

MOST_POINTS = 20_000
"""More cells are drawn as a density."""

_MARGIN = 0.04
_BARS = 60
# How opaque cells are while others are selected.
_DIMMED = 0.22
# The share of the plot that the points would cover without overlap, and their smallest and largest radius in pixels.
_FILL, _SMALLEST, _LARGEST = 0.12, 1.0, 4.0
# The side of a square of the density, in pixels, and how opaque one with a single cell is.
_SQUARE, _FAINTEST = 4, 0.25
# A colour as one number.
_PACK = np.array([256 * 256, 256, 1])


class Limits(NamedTuple):
    """Which part of the plot is in view, as positions along the axes."""

    left: float
    right: float
    bottom: float
    top: float


@dataclass(frozen=True, eq=False)
class FeaturePlot:
    """Cells at their positions along one or two axes.

    Attributes
    ----------
    axes : tuple of Axis
        One for a histogram, two for a scatter plot.
    positions : ndarray of float, shape (n_cells, n_axes)
        NaN where a cell has no value, or the axis cannot show it.

    Examples
    --------
    >>> plot = FeaturePlot((Axis("area"),), np.array([[1.0], [1.0], [2.0], [np.nan]]))
    >>> plot.limits.bottom, plot.limits.top
    (0.0, 2.1)
    >>> plot.picture(plot.limits, (30, 20), np.full((4, 3), 255), np.zeros(4, dtype=bool)).shape
    (20, 30, 4)
    """

    axes: tuple[Axis, ...]
    positions: np.ndarray

    @property
    def is_histogram(self) -> bool:
        """Whether the plot has one feature."""
        return len(self.axes) == 1

    @property
    def shown(self) -> np.ndarray:
        """Which cells the plot can show, shape (n_cells,)."""
        is_shown: np.ndarray = ~np.isnan(self.positions).any(axis=1)
        return is_shown

    @property
    def limits(self) -> Limits:
        """The limits with all cells in view."""
        across = _ends(self.positions[self.shown, 0])
        if self.is_histogram:
            return Limits(*across, 0.0, 1.05 * max(1, int(self._histogram(self.shown).max(initial=1))))
        return Limits(*across, *_ends(self.positions[self.shown, 1]))

    def ticks(self, limits: Limits, most: Sequence[int] = (6, 6)) -> tuple[list[tuple[float, str]], ...]:
        """Return the positions and the text of the ticks to the right and upwards."""
        across = axis_ticks(self.axes[0], limits.left, limits.right, most[0])
        if not self.is_histogram:
            return across, axis_ticks(self.axes[1], limits.bottom, limits.top, most[1])
        counts = [count for count in linear_ticks(limits.bottom, limits.top, most[1]) if count == round(count)]
        return across, [(count, f"{count:g}") for count in counts]

    def picture(
        self, limits: Limits, size: tuple[int, int], colours: np.ndarray, selected: np.ndarray, scale: float = 1.0
    ) -> np.ndarray:
        """Draw the cells.

        Parameters
        ----------
        limits : Limits
            The part in view.
        size : tuple of int
            Width and height in pixels.
        colours : ndarray of int, shape (n_cells, 3)
            Red, green and blue, from 0 to 255.
        selected : ndarray of bool, shape (n_cells,)
            Which cells are selected; the others are dimmed then.
        scale : float
            Pixels of the picture for each pixel of the page.

        Returns
        -------
        ndarray of uint8, shape (height, width, 4)
            Red, green, blue and opacity; nothing is drawn between the cells.
        """
        width, height = size
        drawing = np.zeros((height, width, 4))
        some = bool(selected[self.shown].any())
        for is_top in (False, True) if some else (False,):
            cells = np.flatnonzero(self.shown & (selected == is_top)) if some else np.flatnonzero(self.shown)
            if self.is_histogram:
                # Selected cells stand at the foot of the bars of all cells.
                cells = np.flatnonzero(self.shown & selected) if is_top else np.flatnonzero(self.shown)
                layer = self._bars(limits, size, cells, colours)
            elif len(self.positions) > MOST_POINTS:
                layer = self._density(limits, size, cells, colours, round(_SQUARE * scale))
            else:
                layer = self._points(limits, size, cells, colours, scale * (1.4 if is_top else 1.0))
            layer[..., 3] *= _DIMMED if some and not is_top else 1
            drawing = _over(layer, drawing)
        drawing[..., 3] *= 255
        return np.rint(drawing).astype(np.uint8)

    def _pixels(self, limits: Limits, size: tuple[int, int], cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The column and row of each cell, which may lie outside."""
        width, height = size
        across, up = self.positions[cells].T
        columns = np.floor((across - limits.left) / (limits.right - limits.left) * width)
        rows = np.floor((limits.top - up) / (limits.top - limits.bottom) * height)
        # Far outside, numbers would not fit into an integer.
        return np.clip(columns, -1000, width + 1000).astype(int), np.clip(rows, -1000, height + 1000).astype(int)

    def _points(
        self, limits: Limits, size: tuple[int, int], cells: np.ndarray, colours: np.ndarray, scale: float
    ) -> np.ndarray:
        width, height = size
        layer = np.zeros((height, width, 4))
        radius = np.clip(np.sqrt(_FILL * width * height / np.pi / max(1, len(self.positions))), _SMALLEST, _LARGEST)
        radius *= scale
        columns, rows = self._pixels(limits, size, cells)
        reach = int(np.ceil(radius))
        for up in range(-reach, reach + 1):
            for right in range(-reach, reach + 1):
                # The rim is softer than the rest.
                cover = float(np.clip(radius + 0.5 - np.hypot(up, right), 0, 1))
                if cover:
                    at = (rows + up >= 0) & (rows + up < height) & (columns + right >= 0) & (columns + right < width)
                    place = rows[at] + up, columns[at] + right
                    stronger = cover >= layer[(*place, 3)]
                    place = place[0][stronger], place[1][stronger]
                    layer[(*place, slice(3))] = colours[cells[at][stronger]]
                    layer[(*place, 3)] = cover
        return layer

    def _density(
        self, limits: Limits, size: tuple[int, int], cells: np.ndarray, colours: np.ndarray, square: int
    ) -> np.ndarray:
        """Squares, the more opaque the more cells lie in them, in the mean colour of these."""
        width, height = size
        counts = -(-height // square), -(-width // square)
        columns, rows = self._pixels(limits, size, cells)
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        squares = rows[inside] // square * counts[1] + columns[inside] // square
        sums = [
            np.bincount(squares, weights, counts[0] * counts[1]).reshape(counts)
            for weights in (None, *colours[cells[inside]].T)
        ]
        n_cells = sums[0]
        layer = np.zeros((*counts, 4))
        layer[..., :3] = np.stack(sums[1:], axis=-1) / np.maximum(n_cells, 1)[..., None]
        shares = np.log1p(n_cells) / np.log1p(max(n_cells.max(), 1))
        layer[..., 3] = np.where(n_cells > 0, _FAINTEST + (1 - _FAINTEST) * shares, 0)
        return layer.repeat(square, axis=0).repeat(square, axis=1)[:height, :width]

    def _bars(self, limits: Limits, size: tuple[int, int], cells: np.ndarray, colours: np.ndarray) -> np.ndarray:
        """Bars, in bands of the colours of their cells."""
        width, height = size
        layer = np.zeros((height, width, 4))
        columns = limits.left + (np.arange(width) + 0.5) / width * (limits.right - limits.left)
        edges = self._edges()
        bars = np.searchsorted(edges, columns, side="right") - 1
        inside = (bars >= 0) & (bars < _BARS)
        heights = limits.top - (np.arange(height) + 0.5) / height * (limits.top - limits.bottom)
        bottom = np.zeros(_BARS)
        packed = colours[cells].astype(int) @ _PACK
        for colour in np.unique(packed):
            top = bottom + np.histogram(self.positions[cells[packed == colour], 0], edges)[0]
            drawn = (heights[:, None] >= bottom[bars % _BARS]) & (heights[:, None] < top[bars % _BARS]) & inside
            layer[drawn] = (*(colour // _PACK % 256), 1)
            bottom = top
        return layer

    def _histogram(self, cells: np.ndarray) -> np.ndarray:
        return np.histogram(self.positions[cells, 0], self._edges())[0]

    def _edges(self) -> np.ndarray:
        values = self.positions[self.shown, 0]
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        return np.linspace(low, high, _BARS + 1) if high > low else np.linspace(low - 0.5, high + 0.5, _BARS + 1)


def _ends(values: np.ndarray) -> tuple[float, float]:
    """The ends of an axis that shows all values, with a margin."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _over(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """Lay one drawing over another; the opacities run from 0 to 1."""
    above, below = top[..., 3:], bottom[..., 3:] * (1 - top[..., 3:])
    together = above + below
    colours = (top[..., :3] * above + bottom[..., :3] * below) / np.where(together > 0, together, 1)
    return np.concatenate([colours, together], axis=-1)
