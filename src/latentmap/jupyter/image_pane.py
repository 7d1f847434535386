"""Images in a notebook, with coloured cells that can be picked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np
import traitlets
from anywidget import AnyWidget
from numpy.typing import ArrayLike
from psygnal import Signal

from latentmap.display.region import Tool
from latentmap.images.crops import Channel
from latentmap.jupyter.assets import asset
from latentmap.jupyter.channel_looks import ChannelLook, initial_looks, with_looks
from latentmap.jupyter.image_messages import ImageDrawing, answer_tile, read_drawing
from latentmap.jupyter.labelled_image import LabelledImage, pyramid
from latentmap.jupyter.shown_picture import ShownPicture
from latentmap.jupyter.tiles import Tiles
from latentmap.session.wording import counted

_WHOLE = {"picture": 0, "frame": 0, "plane": 0, "row": 0.0, "column": 0.0, "zoom": None}


class View(NamedTuple):
    """The part of a picture that is in view.

    Attributes
    ----------
    name : str
        The name of the picture.
    frame, z : int
        The frame and plane; 0 if there is only one.
    row, column : float
        The pixel in the centre of the view, in the highest resolution.
    zoom : float or None
        The size of a pixel on the screen, in CSS pixels; None if the whole picture is in view.
    """

    name: str
    frame: int
    z: int
    row: float
    column: float
    zoom: float | None


class ImagePane(AnyWidget):
    """Shows pictures in a notebook, one at a time, with coloured cells.

    The browser receives each part of the pictures once, when it comes into view; a new selection or new colours then
    cost a few bytes per cell. Dragging draws a lasso or rectangle, or moves the picture, as it always does with the
    middle mouse button or with the space bar held. The wheel zooms, a double click shows the whole picture, and a click
    picks a cell. Shift adds what is picked to the selection; Control, Command or Alt removes it; Shift with one of
    these keeps only the selected cells that are picked. Escape cancels drawing.

    Parameters
    ----------
    pictures : LabelledImage or sequence of LabelledImage
        One or more pictures with different names.
    **traits
        Initial values of the attributes below.

    Attributes
    ----------
    tool : {"move", "lasso", "polygon", "rectangle", "brush"}
        What dragging does. A click picks a cell with any tool but the polygon, for which it sets a corner.
    height : int
        The height of the images, in CSS pixels; 0 for all the height of the place where the pane stands.
    opacity : float
        How strongly the colours of the cells cover the image, from 0 to 1. Their outlines are always visible.
    highlight : str
        The colour that fills selected cells, as ``#rrggbb``.

    Raises
    ------
    ValueError
        If there is no picture, or two have the same name.

    Examples
    --------
    >>> labels = np.zeros((40, 60), dtype=int)
    >>> labels[10:20, 10:30] = 1000
    >>> pane = ImagePane(LabelledImage("cells", labels))
    >>> pane.set_numbers("cells", frames=[0], labels=[1000], numbers=[0])
    >>> pane.colours = np.array([[255, 0, 0, 255]], dtype=np.uint8)
    >>> pane.selected = [0]
    >>> _ = pane.clicked.connect(lambda number, mode: print("picked", number, mode))
    >>> pane.clicked.emit(0, "add")
    picked 0 add
    >>> pane.close()
    """

    clicked = Signal(object, str)
    """Emitted as ``(number, mode)`` when the user clicks a cell; the number is None if no known cell is there."""

    drawn = Signal(ImageDrawing)
    """Emitted with an `ImageDrawing` when the user has drawn something."""

    hovered = Signal(object)
    """Emitted with the number of the cell under the mouse whenever that changes; None if no known cell is there."""

    _esm = asset("image_pane.js")
    _css = asset("tool_buttons.css") + asset("image_pane.css")

    tool = traitlets.Enum(get_args(Tool), "lasso").tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    opacity = traitlets.Float(0.4).tag(sync=True)
    highlight = traitlets.Unicode("#ffdd33").tag(sync=True)
    _pictures: traitlets.List[Any] = traitlets.List().tag(sync=True)
    _looks: traitlets.List[list[ChannelLook]] = traitlets.List().tag(sync=True)
    _view = traitlets.Dict().tag(sync=True)
    _colours = traitlets.Bytes(b"").tag(sync=True)
    _selected = traitlets.Bytes(b"").tag(sync=True)

    def __init__(self, pictures: LabelledImage | Sequence[LabelledImage], **traits: Any) -> None:
        pictures = [pictures] if isinstance(pictures, LabelledImage) else list(pictures)
        names = [picture.name for picture in pictures]
        if not names or len(set(names)) < len(names):
            raise ValueError(
                f"The names of the pictures are {names}: there must be at least one, and no two may be the same."
            )
        self._shown = [ShownPicture(picture, Tiles(picture)) for picture in pictures]
        first = {**_WHOLE, "plane": pictures[0].n_planes // 2}
        super().__init__(
            _pictures=[one.described() for one in self._shown],
            _looks=[initial_looks(picture) for picture in pictures],
            _view=first,
            **traits,
        )
        self.on_msg(self._hear)

    @property
    def pictures(self) -> tuple[LabelledImage, ...]:
        """The pictures, with the contrast, colours and visible channels that the user has set."""
        return tuple(with_looks(one.picture, looks) for one, looks in zip(self._shown, self._looks, strict=True))

    @property
    def view(self) -> View:
        """The part of a picture that is in view."""
        seen = self._view
        name = self._shown[seen["picture"]].picture.name
        return View(name, seen["frame"], seen["plane"], seen["row"], seen["column"], seen["zoom"])

    @property
    def colours(self) -> np.ndarray:
        """The colour of each cell, by number: red, green, blue and opacity, as uint8 of shape (n_cells, 4).

        Cells with larger numbers, and cells without a number, have a grey outline.
        """
        return np.frombuffer(self._colours, dtype=np.uint8).reshape(-1, 4)

    @colours.setter
    def colours(self, colours: np.ndarray) -> None:
        colours = np.asarray(colours)
        if colours.dtype != np.uint8 or colours.ndim != 2 or colours.shape[1] != 4:
            raise ValueError(
                f"The colours have the type {colours.dtype} and the shape {colours.shape}: give one row of red, green, "
                "blue and opacity per number, from 0 to 255, of type uint8."
            )
        self._colours = colours.tobytes()

    @property
    def selected(self) -> np.ndarray:
        """The numbers of the highlighted cells, in ascending order; if there are any, all others are dimmed."""
        return np.flatnonzero(np.unpackbits(np.frombuffer(self._selected, dtype=np.uint8)))

    @selected.setter
    def selected(self, numbers: Iterable[int]) -> None:
        numbers = np.asarray(numbers, dtype=np.int64)
        marked = np.zeros(numbers.max(initial=-1) + 1, dtype=bool)
        marked[numbers] = True
        self._selected = np.packbits(marked).tobytes()

    def channels(self, name: str) -> tuple[Channel, ...]:
        """Return the visible channels of a picture, with the contrast and the colours that the user has set.

        Parameters
        ----------
        name : str
            The name of the picture.

        Returns
        -------
        tuple of Channel
            Each with its image at the highest resolution.

        Raises
        ------
        ValueError
            If there is no such picture.
        """
        picture = self.pictures[self._index(name)]
        return tuple(
            channel._replace(image=pyramid(channel.image)[0])
            for title, channel in picture.channels.items()
            if title not in picture.hidden
        )

    def pixels_of(self, name: str) -> int:
        """Return a number that is another one whenever the pixels of a picture may have changed."""
        return self._shown[self._index(name)].pixels

    def set_numbers(self, name: str, frames: ArrayLike, labels: ArrayLike, numbers: ArrayLike) -> None:
        """Set the numbers of the cells in a picture, in place of all earlier ones.

        Parameters
        ----------
        name : str
            The name of the picture.
        frames, labels, numbers : array-like of int, shape (n_cells,)
            The frame, label and number of each cell; a number below 0 means that the cell has none.

        Raises
        ------
        ValueError
            If there is no such picture.
        """
        shown = self._shown[self._index(name)]
        shown.tiles.set_numbers(frames, labels, numbers)
        shown.version += 1
        # The new version makes the browser drop its tiles, which hold the old numbers.
        self._pictures = [one.described() for one in self._shown]

    def replace(self, picture: LabelledImage, title: str = "", *, with_pixels: bool = True) -> None:
        """Show a picture in another state, in place of the one with its name. Its cells keep their numbers.

        Parameters
        ----------
        picture : LabelledImage
            The picture, with channels, contrast and colours as it is shown from now on.
        title : str
            What it is called in the list of pictures; by default its name.
        with_pixels : bool
            Whether its pixels may have changed, perhaps in the same arrays.

        Raises
        ------
        ValueError
            If there is no picture of this name.
        """
        index = self._index(picture.name)
        self._shown[index] = shown = self._shown[index].replaced_by(picture, title, with_pixels=with_pixels)
        looks, described = list(self._looks), shown.described()
        looks[index] = initial_looks(picture)
        has_moved = any(described[part] != self._pictures[index][part] for part in ("frames", "planes", "size"))
        with self.hold_sync():
            self._looks = looks
            self._pictures = [one.described() for one in self._shown]
            if has_moved and self._view["picture"] == index:
                self._view = {**_WHOLE, "picture": index, "plane": picture.n_planes // 2}

    def go_to(self, name: str, frame: int, z: int, row: float, column: float, zoom: float | None = None) -> None:
        """Show part of a picture.

        Parameters
        ----------
        name : str
            The name of the picture.
        frame, z : int
            The frame and plane; 0 if there is only one.
        row, column : float
            The centre of the view, in pixels of the highest resolution.
        zoom : float, optional
            The size of a pixel on the screen, in CSS pixels; by default it does not change.

        Raises
        ------
        ValueError
            If there is no such picture, frame or plane.
        """
        index = self._index(name)
        picture = self._shown[index].picture
        if not (0 <= frame < picture.n_frames and 0 <= z < picture.n_planes):
            raise ValueError(
                f'The picture "{name}" has {counted(picture.n_frames, "frame")} and '
                f"{counted(picture.n_planes, 'plane')}, counted from 0: there is no plane {z} in a frame {frame}."
            )
        self._view = {
            "picture": index,
            "frame": int(frame),
            "plane": int(z),
            "row": float(row),
            "column": float(column),
            "zoom": self._view["zoom"] if zoom is None else float(zoom),
        }

    def show_frame(self, frame: int) -> None:
        """Show another frame of the picture in view; nothing changes if it has no such frame."""
        picture = self._shown[self._view["picture"]].picture
        if picture.has_frames and 0 <= frame < picture.n_frames and frame != self._view["frame"]:
            self._view = {**self._view, "frame": int(frame)}

    def crop(self, tile: Mapping[str, int]) -> np.ndarray:
        """Return a tile that the browser requests.

        Parameters
        ----------
        tile : mapping of str to int
            The index of the ``picture``, and the rest as :meth:`ShownPicture.crop` takes it.

        Returns
        -------
        ndarray of uint8, uint16, uint32 or float32, shape (n_rows, n_columns) or (n_rows, n_columns, 3)
            The last axis, if there are three, holds red, green and blue.
        """
        return self._shown[tile["picture"]].crop(tile)

    def close(self) -> None:
        """Remove the pane from the notebook, and free its memory in the browser."""
        self.on_msg(self._hear, remove=True)
        super().close()

    def _index(self, name: str) -> int:
        names = [one.picture.name for one in self._shown]
        if name not in names:
            raise ValueError(f'There is no picture "{name}", only {", ".join(names)}.')
        return names.index(name)

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Answer one message of the browser, for at most one tile, so that the kernel can do other work in between."""
        self._answers[content["type"]](self, content)

    def _send_tile(self, content: dict[str, Any]) -> None:
        answer, buffers = answer_tile(self.crop, content["tile"])
        self.send(answer, buffers=buffers)

    def _pick(self, content: dict[str, Any]) -> None:
        self.clicked.emit(content["number"], content["mode"])

    def _draw(self, content: dict[str, Any]) -> None:
        self.drawn.emit(read_drawing(self._shown[content["picture"]].picture.name, content))

    def _hover(self, content: dict[str, Any]) -> None:
        self.hovered.emit(content["number"])

    _answers: ClassVar[dict[str, Callable[["ImagePane", dict[str, Any]], None]]] = {
        "tile": _send_tile,
        "click": _pick,
        "drawn": _draw,
        "hover": _hover,
    }
