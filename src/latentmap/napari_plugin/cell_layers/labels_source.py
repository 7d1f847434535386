"""Cells that are regions of pixels."""

from typing import Any

import numpy as np
from napari.layers import Image, Labels
from napari.utils.colormaps import Colormap

from latentmap.napari_plugin.cell_layers.highlight import highlight_color
from latentmap.napari_plugin.cell_layers.layers import scales
from latentmap.napari_plugin.cell_layers.lit_labels import LitLabels, runs
from latentmap.napari_plugin.cell_layers.region import Region, Stencil
from latentmap.napari_plugin.cell_layers.source import OWN, PLACED, Cells, Source, View
from latentmap.table import CellTable

# Labels beyond this are counted by sorting, not in a table of all.
_LARGEST_TABLE = 50_000_000
# Of planes with more pixels only the part around what is drawn is read, as far as the cells there reach.
_LARGEST_PLANE = 100_000_000


class LabelsSource(Source):
    """A labels layer: 2-D, 3-D, a film, multiscale or lazy.

    Where the layer's features have a column ``frame`` and the labels three axes or more, the first axis is time, and
    a label counts for one frame only.

    Parameters
    ----------
    layer : napari.layers.Labels
    name : str
        What the cells' keys call it.
    """

    layer: Labels

    def __init__(self, layer: Labels, name: str) -> None:
        super().__init__(layer, name)
        self._lit: list[LitLabels] = []
        self._make_lit()
        self.light = Image(
            self._lit if layer.multiscale else self._lit[0],
            multiscale=layer.multiscale,
            name=f"selected {layer.name}",
            colormap=_spotlight(),
            contrast_limits=(0, 1),
            interpolation2d="nearest",
            visible=False,
            metadata={OWN: "selection"},
            **{name: getattr(layer, name) for name in PLACED},
        )

    def open(self) -> None:
        """Follow the layer from now on: where it lies, what it is called, what its pixels are."""
        self._renew()
        super().open()
        self.layer.events.data.connect(self._renew)
        for event in (self.layer.events.labels_update, self.layer.events.set_data):
            event.connect(self._look_again)

    def close(self) -> None:
        """Leave the layer as it was."""
        super().close()
        self.layer.events.data.disconnect(self._renew)
        for event in (self.layer.events.labels_update, self.layer.events.set_data):
            event.disconnect(self._look_again)

    @property
    def has_frames(self) -> bool:
        """Whether the first axis is time."""
        return "frame" in self.layer.features and self.layer.ndim > 2

    def table(self) -> CellTable:
        """Return the layer's cells and their features."""
        return CellTable.read(self.layer.features, layer=self.name)

    def _light_up(self, *_: object) -> None:
        """Light up the cells shown, and no others."""
        any_shown = len(self._shown.labels) > 0
        if any_shown:
            for lit in self._lit:
                lit.has_frames = self.has_frames
                lit.choose(*self._shown)
        visible = any_shown and self.layer.visible
        if visible and self.light.visible:
            self.light.refresh(extent=False)
        elif visible or self.light.visible:
            self.light.visible = visible

    def at(self, event: Any, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the cell under the mouse."""
        if self.axes(view) is None:
            return None
        value = self.layer.get_value(
            event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
        )
        label = value[1] if isinstance(value, tuple) else value
        return (self.frame(event.position), int(label)) if label else None

    def within(self, region: Region, view: View) -> Cells:
        """Return the cells of which enough pixels of the slice in view lie within a region."""
        axes = self.axes(view)
        if axes is None or len(axes) != 2:
            return Cells.none()
        slice_, data = self._slice(view), scales(self.layer)[0]
        if any(not 0 <= slice_[axis] < data.shape[axis] for axis in range(data.ndim) if axis not in axes):
            return Cells.none()
        stencil = region.stencil(
            lambda places: self.to_data(places, view)[:, list(axes)], (data.shape[axes[0]], data.shape[axes[1]])
        )
        plane = _Plane(data, axes, slice_)
        if self.has_frames and 0 in axes:
            return plane.by_line(axes.index(0), stencil, region.least_share)
        labels = plane.labels(stencil, region.least_share)
        return Cells(np.full(len(labels), slice_[0] if self.has_frames else 0, dtype=np.int64), labels)

    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Say whether any pixel of a cell lies in the slice in view; of a layer wholly in view all cells do."""
        axes, data = self.axes(view), scales(self.layer)[0]
        if axes is None or len(axes) == data.ndim:
            return True
        index: list[Any] = [slice(None) if axis in axes else at for axis, at in enumerate(self._slice(view).tolist())]
        if self.has_frames and 0 in axes:
            index[0] = frame
        elif frame != self.frame(view.point):
            return False
        beyond = any(
            not isinstance(at, slice) and not 0 <= at < size for at, size in zip(index, data.shape, strict=True)
        )
        return not beyond and bool(np.any(np.asarray(data[tuple(index)]) == label))

    def place(self, frame: int, label: int) -> np.ndarray | None:
        """Return the pixel of the cell that is nearest to the middle of all of them."""
        data = scales(self.layer)[0]
        if not label or not 0 <= frame < (data.shape[0] if self.has_frames else 1):
            return None
        pixels = np.argwhere(np.asarray(data[frame] if self.has_frames else data) == label)
        if not len(pixels):
            return None
        middle = pixels[np.argmin(np.linalg.norm(pixels - pixels.mean(axis=0), axis=1))]
        return np.array(self.layer.data_to_world([frame, *middle] if self.has_frames else middle))

    def _slice(self, view: View) -> np.ndarray:
        """The pixel at the point in view."""
        return np.round(self.layer.world_to_data(view.point[-self.layer.ndim :])).astype(int)

    def _make_lit(self) -> None:
        self._lit = [LitLabels(data, self.has_frames) for data in scales(self.layer)]

    def _renew(self) -> None:
        """Light up the labels that the layer has now."""
        self.light.visible = False
        self._make_lit()
        self.light.data = self._lit if self.layer.multiscale else self._lit[0]
        self._light_up()

    def _look_again(self) -> None:
        """Have what is lit follow what is painted."""
        if self.light.visible:
            self.light.refresh(thumbnail=False, highlight=False, extent=False)


class _Plane:
    """The slice of labels in view, of which only the part needed is read."""

    def __init__(self, data: Any, axes: tuple[int, int], slice_: np.ndarray) -> None:
        self._data, self._axes, self._slice = data, axes, slice_
        self._shape = tuple(data.shape[axis] for axis in axes)

    def labels(self, stencil: Stencil, least_share: float) -> np.ndarray:
        """Return the labels of which this share of all pixels, or some pixel, is covered."""
        if not stencil.covered.any():
            return np.empty(0, dtype=np.int64)
        covered = self._read(stencil.window)[stencil.covered]
        return _enough(covered, self._around(covered, stencil.window) if least_share else covered, least_share)

    def by_line(self, time: int, stencil: Stencil, least_share: float) -> Cells:
        """Return the cells if each line of pixels is a frame of its own.

        Parameters
        ----------
        time : int
            Which axis of the plane the frames are along, 0 or 1.
        stencil, least_share
            As for `labels`.
        """
        frames = stencil.window[time]
        lines = [frames, slice(0, self._shape[1 - time])]
        pixels = np.moveaxis(self._read((lines[time], lines[1 - time])), time, 0)
        within = np.moveaxis(stencil.covered, time, 0)
        found = [
            _enough(line[stencil.window[1 - time]][covered], line, least_share)
            for line, covered in zip(pixels, within, strict=True)
        ]
        counts = [len(labels) for labels in found]
        return Cells(
            np.repeat(np.arange(frames.start, frames.stop), counts),
            np.concatenate([np.empty(0, dtype=np.int64), *found]),
        )

    def _around(self, covered: np.ndarray, window: tuple[slice, slice]) -> np.ndarray:
        """All pixels of the plane; of a very large one those around a window, as far as the cells in it reach."""
        if self._shape[0] * self._shape[1] <= _LARGEST_PLANE:
            return self._read((slice(None), slice(None)))
        labels, _ = _counted(covered)
        while True:
            pixels = self._read(window)
            grown = _grown(window[0], self._shape[0]), _grown(window[1], self._shape[1])
            cut = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
            if grown == window or not np.isin(labels, cut).any():
                return pixels
            window = grown

    def _read(self, window: tuple[slice, slice]) -> np.ndarray:
        index: list[Any] = self._slice.tolist()
        for axis, side in zip(self._axes, window, strict=True):
            index[axis] = side
        pixels = np.asarray(self._data[tuple(index)])
        return pixels if self._axes[0] < self._axes[1] else pixels.T


def _grown(side: slice, size: int) -> slice:
    """Three times as long, as far as there are pixels."""
    length = side.stop - side.start
    return slice(max(0, side.start - length), min(size, side.stop + length))


def _enough(covered: np.ndarray, everywhere: np.ndarray, least_share: float) -> np.ndarray:
    """Return the labels of which this share of all pixels, or some pixel, is covered."""
    inside, counts = _counted(covered)
    if not least_share or not len(inside):
        return inside
    labels, totals = _counted(everywhere)
    return inside[counts >= least_share * totals[np.searchsorted(labels, inside)]]


def _counted(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels there are, without the background, and how many pixels each has."""
    if pixels.dtype == np.uint64:  # numpy refuses to count these
        pixels = pixels.astype(np.int64)
    if pixels.min(initial=0) == 0 and pixels.max(initial=0) < min(_LARGEST_TABLE, 10 * pixels.size + 1000):
        counts = np.bincount(pixels.ravel())
        counts[:1] = 0
        labels = np.flatnonzero(counts)
        return labels, counts[labels]
    along, lengths = runs(pixels)
    labels, places = np.unique(along, return_inverse=True)
    counts = np.bincount(places, weights=lengths, minlength=len(labels)).astype(np.int64)
    return labels[labels != 0].astype(np.int64), counts[labels != 0]


def _spotlight() -> Colormap:
    """Dims what is not selected; what is takes the colour that napari rings selected points with."""
    red, green, blue, _ = highlight_color()
    return Colormap([[0, 0, 0, 0.6], [red, green, blue, 0.75]], name="spotlight")
