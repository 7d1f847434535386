"""Cells that are regions of pixels."""

from dataclasses import replace

import numpy as np
import pandas as pd
from napari.layers import Image, Labels
from napari.utils.colormaps import Colormap
from napari.utils.events import Event

from latentmap.display.colour_codes import SELECTED, lit_colours
from latentmap.display.label_plane import CoveredCells, LabelPlane
from latentmap.display.region import Region
from latentmap.images.boxes import FrameBoxes
from latentmap.measuring.measuring_notes import measured_in_note
from latentmap.napari_layers.highlight import highlight_color
from latentmap.napari_layers.highlighted_labels import HighlightedLabels
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.mouse_event import MouseEvent
from latentmap.napari_layers.pairs import MEASURED_KEY
from latentmap.napari_layers.source import COLOURS_KEY, OWNED_KEY, TRANSFORM_ATTRIBUTES, CellColours, Source, View
from latentmap.table import CellTable
from latentmap.table.matching import mismatch
from latentmap.table.whole_numbers import LARGEST

# What lies over all that is not selected, and how opaque the highlight and the colours of cells are.
_DIM = np.array([0, 0, 0, 0.6])
_LIT = np.array([1, 1, 1, 0.75])
_OPACITY = 0.75
# The share of the labels' own opacity that is left below the colours of cells.
_BELOW_COLOURS = 0.25


class LabelsSource(Source):
    """A labels layer: 2-D, 3-D, a time-lapse, multiscale or lazy.

    If the labels have at least three axes, and the layer's features have a column ``frame`` or the maps in view have
    its cells by frame, the first axis is time, and every frame has its own labels.
    """

    layer: Labels
    highlight: Image

    def __init__(self, layer: Labels, name: str) -> None:
        super().__init__(layer, name)
        self._highlighted: list[HighlightedLabels] = []
        self._last_read: tuple[str, pd.DataFrame, CellTable] | None = None
        self._apart: tuple[CellTable, str] | None = None
        self._boxes: FrameBoxes | None = None
        # Also of layers that are not linked yet; napari keeps no reference to the source for it.
        for event in (layer.events.data, layer.events.labels_update, layer.events.set_data):
            event.connect(self._forget_mismatch)
            event.connect(self._forget_boxes)
        self._colormap_of: tuple[CellColours | None, bool] = None, True
        self._make_images()
        self.highlight = Image(
            self._highlighted if layer.multiscale else self._highlighted[0],
            multiscale=layer.multiscale,
            # napari would take labels with three or four columns for an RGB image.
            rgb=False,
            name=f"selected {layer.name}",
            colormap=_spotlight(),
            contrast_limits=(0, 1),
            interpolation2d="nearest",
            # In 3-D, the labels must not hide it.
            blending="translucent_no_depth",
            visible=False,
            metadata={OWNED_KEY: "selection"},
            **{name: getattr(layer, name) for name in TRANSFORM_ATTRIBUTES},
        )

    def open(self) -> None:
        """Follow changes of the layer's position, name and pixels."""
        self._take_data()
        super().open()
        self.layer.events.data.connect(self._take_data)
        for event in (self.layer.events.labels_update, self.layer.events.set_data):
            event.connect(self._repaint)

    def close(self) -> None:
        """Stop following the layer."""
        super().close()
        self.layer.events.data.disconnect(self._take_data)
        for event in (self.layer.events.labels_update, self.layer.events.set_data):
            event.disconnect(self._repaint)

    @property
    def has_frames(self) -> bool:
        """Whether the first axis is time."""
        return self.layer.ndim > 2 and ("frame" in self.layer.features or self.has_frames_on_map)

    def table(self) -> CellTable:
        """Return the layer's cells and their features, with a note on the images in which they were measured."""
        cells = replace(self._read_rows(), colours=self.layer.metadata.get(COLOURS_KEY, {}))
        images = self.layer.metadata.get(MEASURED_KEY)
        return replace(cells, notes=(*cells.notes, measured_in_note(self.name, images))) if images else cells

    def mismatch(self, just_read: bool = False) -> str:
        """Say which rows have no cell in the labels, and which cells no row; "" if all agree.

        The pixels are read again only when napari tells of a change. Those that are not in memory are not read at all.

        Parameters
        ----------
        just_read : bool
            Whether the table was read a moment ago, so that it need not be compared with what it was.
        """
        labels = scales(self.layer)
        rows = self._last_read[2] if just_read and self._last_read is not None else self._read_rows()
        if not isinstance(labels[0], np.ndarray) or rows.features.empty:
            return ""
        if self._apart is None or self._apart[0] is not rows:
            said = mismatch(rows.features.index, labels, layer=self.name, has_frames=self.has_frames)
            self._apart = rows, said
        return self._apart[1]

    @property
    def boxes(self) -> FrameBoxes:
        """Where the cells lie."""
        if self._boxes is None or self._boxes.has_frames != self.has_frames:
            self._boxes = FrameBoxes(scales(self.layer)[0], self.has_frames)
        return self._boxes

    def _forget_mismatch(self) -> None:
        self._apart = None

    def _forget_boxes(self, event: Event) -> None:
        # Undo tells of nothing but this, and so does every move over a slide, which takes seconds to be looked through.
        if event.type != "set_data" or (self._boxes is not None and self._boxes.is_small):
            self._boxes = None

    def _read_rows(self) -> CellTable:
        """Read the layer's table, unless it is as it was: napari does not tell of a change in place."""
        rows, name = self.layer.features, self.name
        if self._last_read is None or self._last_read[0] != name or not self._last_read[1].equals(rows):
            self._last_read = name, rows.copy(), CellTable.read(rows, layer=name)
        return self._last_read[2]

    def _highlight_cells(self, *_: object) -> None:
        """Highlight the cells shown, and no others; if cells have colours, draw these."""
        any_shown = len(self._shown.labels) > 0
        drawn = any_shown or self._colours is not None
        if drawn:
            for lit in self._highlighted:
                lit.has_frames = self.has_frames
                lit.choose(*self._shown)
            self._set_colormap(any_shown)
        self._dim(_BELOW_COLOURS if self._colours is not None else 1.0)
        visible = drawn and self.layer.visible
        if visible and self.highlight.visible:
            self.highlight.refresh(extent=False)
        elif visible or self.highlight.visible:
            self.highlight.visible = visible

    def paint(self, colours: CellColours | None) -> None:
        """Colour the cells; None takes the colours away."""
        if self._colours is not None or colours is not None:
            self._colours = colours
            self._take_colours()
            self._highlight_cells()

    def _take_colours(self) -> None:
        for lit in self._highlighted:
            if self._colours is None:
                lit.uncolour()
            else:
                lit.colour(*self._colours.cells, self._colours.codes)

    def _set_colormap(self, any_shown: bool) -> None:
        """Draw 0 and 1 as background and highlight or, if cells have colours, codes as colours."""
        drawn, was_any = self._colormap_of
        if drawn is self._colours and was_any == any_shown:
            return
        self._colormap_of = self._colours, any_shown
        if self._colours is None:
            self.highlight.colormap, self.highlight.contrast_limits = _spotlight(), (0, 1)
            self.highlight.interpolation3d = "linear"
            return
        colours = lit_colours(self._colours.palette, any_shown, _OPACITY, _DIM)
        colours[SELECTED] = _LIT * highlight_color()  # selected, but without a colour
        controls = np.linspace(0, 1, len(colours) + 1)
        self.highlight.colormap = Colormap(colours, name="colours of cells", controls=controls, interpolation="zero")
        # So that each whole number lies in the middle of its colour.
        self.highlight.contrast_limits = (-0.5, 255.5)
        self.highlight.interpolation3d = "nearest"

    def at(self, event: MouseEvent, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the cell under the mouse."""
        if self.axes(view) is None:
            return None
        value = self.layer.get_value(
            event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
        )
        label = value[1] if isinstance(value, tuple) else value
        # A number too large for a key belongs to no cell.
        return (self.frame(event.position), int(label)) if label and label <= LARGEST else None

    def within(self, region: Region, view: View) -> CoveredCells:
        """Return the cells that lie within a region with enough of their pixels in the current slice."""
        axes = self.axes(view)
        if axes is None or len(axes) != 2:
            return CoveredCells.none()
        slice_, data = self._slice(view), scales(self.layer)[0]
        if any(not 0 <= slice_[axis] < data.shape[axis] for axis in range(data.ndim) if axis not in axes):
            return CoveredCells.none()
        stencil = region.pixel_mask(
            lambda positions: self.to_data(positions, view)[:, list(axes)], (data.shape[axes[0]], data.shape[axes[1]])
        )
        plane = LabelPlane(data, axes, slice_)
        if self.has_frames and 0 in axes:
            return plane.by_line(axes.index(0), stencil, region.least_share)
        labels = plane.labels(stencil, region.least_share)
        return CoveredCells(np.full(len(labels), slice_[0] if self.has_frames else 0, dtype=np.int64), labels)

    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Return whether any pixel of a cell is in the current slice; always true if the whole layer is displayed."""
        axes, data = self.axes(view), scales(self.layer)[0]
        if axes is None or len(axes) == data.ndim:
            return True
        index: list[slice | int] = [
            slice(None) if axis in axes else at for axis, at in enumerate(self._slice(view).tolist())
        ]
        if self.has_frames and 0 in axes:
            index[0] = frame
        elif frame != self.frame(view.point):
            return False
        beyond = any(
            not isinstance(at, slice) and not 0 <= at < size for at, size in zip(index, data.shape, strict=True)
        )
        return not beyond and bool(np.any(np.asarray(data[tuple(index)]) == label))

    def position(self, frame: int, label: int) -> np.ndarray | None:
        """Return the pixel of the cell nearest to its centroid, in world coordinates."""
        data = scales(self.layer)[0]
        if not label or not 0 <= frame < (data.shape[0] if self.has_frames else 1):
            return None
        plane = data[frame] if self.has_frames else data
        window, everywhere = self._window(frame, label), (slice(None),) * plane.ndim
        pixels = np.empty((0, plane.ndim))
        # Its box may be out of date: napari does not tell of every change of a slide.
        for place in [window, everywhere] if window is not None and plane.ndim == 2 else [everywhere]:
            if not len(pixels):
                pixels = np.argwhere(np.asarray(plane[place]) == label) + [side.start or 0 for side in place]
        if not len(pixels):
            return None
        middle = pixels[np.argmin(np.linalg.norm(pixels - pixels.mean(axis=0), axis=1))]
        return np.array(self.layer.data_to_world([frame, *middle] if self.has_frames else middle))

    def _window(self, frame: int, label: int) -> tuple[slice, slice] | None:
        """The rows and columns of a cell, if these are known, so that not all of a slide need be read."""
        boxes = self.boxes.of(frame) if self.boxes.is_known(frame) else None
        place = None if boxes is None else boxes.place(label)
        if boxes is None or place is None:
            return None
        (top, left), (bottom, right) = boxes.lows[place].tolist(), boxes.highs[place].tolist()
        return slice(top, bottom), slice(left, right)

    def _slice(self, view: View) -> np.ndarray:
        """The indices of the pixel at the viewer's current point."""
        pixel: np.ndarray = np.round(self.layer.world_to_data(view.point[-self.layer.ndim :])).astype(int)
        return pixel

    def _make_images(self) -> None:
        self._highlighted = [HighlightedLabels(data, self.has_frames) for data in scales(self.layer)]
        self._take_colours()

    def _take_data(self) -> None:
        """Take over new data of the layer."""
        self.highlight.visible = False
        self._make_images()
        self.highlight.data = self._highlighted if self.layer.multiscale else self._highlighted[0]
        self._highlight_cells()

    def _repaint(self) -> None:
        """Update the highlight while the user paints."""
        if self.highlight.visible:
            self.highlight.refresh(thumbnail=False, highlight=False, extent=False)


def _spotlight() -> Colormap:
    """A colour map that dims 0 and shows 1 in the user's highlight colour."""
    red, green, blue, _ = highlight_color()
    return Colormap([_DIM, [red, green, blue, _LIT[3]]], name="spotlight")
