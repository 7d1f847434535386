"""The images in a notebook, linked with the maps."""

import numpy as np

from latentmap.display import region
from latentmap.display.colours import coded_colours
from latentmap.display.label_plane import CoveredCells, LabelPlane
from latentmap.jupyter.image_messages import ImageDrawing
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage, pyramid
from latentmap.jupyter.map_controller import SHADES
from latentmap.session import ColourGroups, ColourScale, Session
from latentmap.session.selection import Mode
from latentmap.table import KEY, CellTable


class LinkedImages:
    """Shows the selection and the colours of the map in the images, and lets the user select cells there.

    The layers in the keys of `cells` are the names of the pictures.
    """

    def __init__(self, pane: ImagePane, session: Session, cells: CellTable) -> None:
        self.pane, self._session = pane, session
        index = cells.features.index
        numbers = session.cell_index.add(index)
        layers, frames, labels = (index.get_level_values(part).to_numpy() for part in KEY)
        for picture in pane.pictures:
            own = layers == picture.name
            pane.set_numbers(picture.name, frames[own], labels[own], numbers[own])
        session.selection.changed.connect(self._show_selection, max_args=0)
        session.playhead.changed.connect(self._show_frame)
        pane.observe(self._frame_chosen, "_view")
        pane.clicked.connect(self._pick)
        pane.drawn.connect(self._choose_within)

    def paint(self, colouring: ColourScale | ColourGroups, numbers: np.ndarray) -> None:
        """Colour the cells as on the map, given their numbers; cells that are not on the map get no colour."""
        colours = np.zeros((len(self._session.cell_index), 4), dtype=np.uint8)
        colours[numbers] = coded_colours(colouring, SHADES).in_bytes()[:]
        self.pane.colours = colours

    def close(self) -> None:
        """Stop following the session, and close the pane."""
        self._session.selection.changed.disconnect(self._show_selection)
        self._session.playhead.changed.disconnect(self._show_frame)
        self.pane.unobserve(self._frame_chosen, "_view")
        self.pane.close()

    def _show_frame(self, frame: int) -> None:
        """Show this frame of the picture in view, if it has it."""
        self.pane.show_frame(frame)

    def _frame_chosen(self, _: object) -> None:
        """Take the frame that the user has gone to."""
        view = self.pane.view
        if next(one for one in self.pane.pictures if one.name == view.name).has_frames:
            self._session.playhead.frame = view.frame

    def _show_selection(self) -> None:
        self.pane.selected = self._session.selection.numbers

    def _pick(self, number: int | None, mode: Mode) -> None:
        if number is not None or mode == "replace":
            self._session.selection.select([] if number is None else [number], mode, how="click in the image")

    def _choose_within(self, loop: ImageDrawing) -> None:
        picture = next(one for one in self.pane.pictures if one.name == loop.name)
        self._session.selection.select(self._within(picture, loop), loop.mode, how=f"{loop.tool} in the image")

    def _within(self, picture: LabelledImage, loop: ImageDrawing) -> np.ndarray:
        """Return the numbers of the cells with enough pixels inside, by the same rule as in napari."""
        if picture.labels is None:
            return np.empty(0, dtype=np.int64)
        drawn, pixels = region.drawn_region(loop.tool, loop.corners, loop.radius), pyramid(picture.labels)[0]
        index = [*([loop.frame] if picture.has_frames else []), *([loop.z] if picture.is_3d else []), 0, 0]
        stencil = drawn.pixel_mask(lambda corners: corners, picture.size)
        plane = LabelPlane(pixels, (pixels.ndim - 2, pixels.ndim - 1), np.array(index))
        labels = plane.labels(stencil, drawn.least_share)
        frames = np.full(len(labels), loop.frame if picture.has_frames else 0, dtype=np.int64)
        numbers = self._session.cell_index.numbers_of(CoveredCells(frames, labels).keys(picture.name))
        return numbers[numbers >= 0]
