"""Cells that are regions of pixels."""

from dataclasses import replace
from typing import Any

import numpy as np
from napari.layers import Image, Labels
from napari.utils.colormaps import Colormap

from latentmap.display.plane import Cells, Plane
from latentmap.display.region import Region
from latentmap.napari_layers.highlight import highlight_color
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.lit_labels import LitLabels
from latentmap.napari_layers.pairs import MEASURED
from latentmap.napari_layers.source import OWN, PLACED, Source, View
from latentmap.table import CellTable
from latentmap.table.measuring_notes import seen_in
from latentmap.table.numbering import LARGEST


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
            # napari would take labels with three or four columns for a colour image.
            rgb=False,
            name=f"selected {layer.name}",
            colormap=_spotlight(),
            contrast_limits=(0, 1),
            interpolation2d="nearest",
            visible=False,
            metadata={OWN: "selection"},
            **{name: getattr(layer, name) for name in PLACED},
        )

    def open(self) -> None:
        """Follow the layer: its place, its name, its pixels."""
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
        """Return the layer's cells and their features, with a note on the images that they were measured in."""
        cells = CellTable.read(self.layer.features, layer=self.name)
        images = self.layer.metadata.get(MEASURED)
        return replace(cells, notes=(*cells.notes, seen_in(self.name, images))) if images else cells

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
        # A number too large for a key belongs to no cell.
        return (self.frame(event.position), int(label)) if label and label <= LARGEST else None

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
        plane = Plane(data, axes, slice_)
        if self.has_frames and 0 in axes:
            return plane.by_line(axes.index(0), stencil, region.least_share)
        labels = plane.labels(stencil, region.least_share)
        return Cells(np.full(len(labels), slice_[0] if self.has_frames else 0, dtype=np.int64), labels)

    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Say whether any pixel of a cell lies in the slice in view, as all cells do if the whole layer is in view."""
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
        """Light up the layer's current labels."""
        self.light.visible = False
        self._make_lit()
        self.light.data = self._lit if self.layer.multiscale else self._lit[0]
        self._light_up()

    def _look_again(self) -> None:
        """Update the light as the user paints."""
        if self.light.visible:
            self.light.refresh(thumbnail=False, highlight=False, extent=False)


def _spotlight() -> Colormap:
    """Dims what is not selected; what is selected gets the colour that napari rings selected points with."""
    red, green, blue, _ = highlight_color()
    return Colormap([[0, 0, 0, 0.6], [red, green, blue, 0.75]], name="spotlight")
