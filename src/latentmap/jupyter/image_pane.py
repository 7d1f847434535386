"""The images of a notebook: cells in their colours, to look at and to pick from."""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import traitlets
from anywidget import AnyWidget
from psygnal import Signal

from latentmap.jupyter.assets import asset
from latentmap.jupyter.picture import Picture, pyramid
from latentmap.jupyter.tiles import SIDE, Place, Tiles
from latentmap.session.selection import Mode
from latentmap.table.crops import Channel

Tool = Literal["move", "lasso", "rectangle"]
"""What a drag does. A click picks a cell whatever the tool."""

# Labels compress three to twelve times in a few milliseconds, which pays off with a remote kernel; images,
# mostly noise, do not.
_COMPRESSION = 1
LABELS = -1
"""What stands for the labels where channels are numbered."""


class Loop(NamedTuple):
    """What the user has drawn on a picture.

    Attributes
    ----------
    name : str
        The picture's.
    frame, z : int
        What was in view; 0 where there are none.
    corners : ndarray of float, shape (n, 2)
        Rows and columns of the highest resolution, whole numbers in the middle of pixels; the last corner is joined to
        the first.
    tool : {"lasso", "rectangle"}
    mode : {"replace", "add", "subtract", "intersect"}
        What is to become of the cells selected already.
    """

    name: str
    frame: int
    z: int
    corners: np.ndarray
    tool: str
    mode: Mode


class View(NamedTuple):
    """What is to be seen.

    Attributes
    ----------
    name : str
        The picture's.
    frame, z : int
        0 where there are none.
    row, column : float
        The pixel in the middle, of the highest resolution.
    zoom : float or None
        How large a pixel is on the screen; None if all of the picture is in view.
    """

    name: str
    frame: int
    z: int
    row: float
    column: float
    zoom: float | None


@dataclass
class _Shown:
    """A picture of the pane. Its version counts how often its cells were renumbered."""

    picture: Picture
    tiles: Tiles
    version: int = 0


class ImagePane(AnyWidget):
    """Shows pictures in a notebook, one at a time, with their cells in colour.

    The browser gets as much of the pictures as is in view, once; then a selection or other colours are some bytes for
    each cell. A drag moves the picture, or draws a loop; the wheel zooms, a double click shows all of it; a click picks
    a cell. With Shift held, what is picked joins the selection; with Control, Command or Alt it leaves it; with Shift
    and one of these it is all that may stay. Escape gives a loop up.

    Parameters
    ----------
    pictures : Picture or sequence of Picture
        Under different names.
    **traits
        As below.

    Attributes
    ----------
    tool : {"move", "lasso", "rectangle"}
        What a drag does.
    height : int
        The height of the images, in pixels of the screen.
    opacity : float
        How strongly the cells' colours cover the image, from 0 to 1. Their outlines are always seen.
    highlight : str
        What selected cells are filled with, as ``#rrggbb``.

    Examples
    --------
    >>> labels = np.zeros((40, 60), dtype=int)
    >>> labels[10:20, 10:30] = 1000
    >>> pane = ImagePane(Picture("cells", labels))
    >>> pane.know("cells", frames=[0], labels=[1000], numbers=[0])
    >>> pane.colours = np.array([[255, 0, 0, 255]], dtype=np.uint8)
    >>> pane.selected = [0]
    >>> _ = pane.clicked.connect(lambda number, mode: print("picked", number, mode))
    >>> pane.clicked.emit(0, "add")
    picked 0 add
    >>> pane.close()
    """

    clicked = Signal(object, str)
    """Emitted as ``(number, mode)`` when a cell is picked; the number is None if no known cell is there."""

    drawn = Signal(Loop)
    """Emitted with a `Loop` when the user has drawn one."""

    hovered = Signal(object)
    """Emitted with the number of the cell that comes under the mouse; None if no known cell is there."""

    _esm = asset("image_pane.js")
    _css = asset("image_pane.css")

    tool = traitlets.Enum(("move", "lasso", "rectangle"), "move").tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    opacity = traitlets.Float(0.4).tag(sync=True)
    highlight = traitlets.Unicode("#ffdd33").tag(sync=True)
    _pictures: traitlets.List[Any] = traitlets.List().tag(sync=True)
    _looks: traitlets.List[Any] = traitlets.List().tag(sync=True)
    _view = traitlets.Dict().tag(sync=True)
    _colours = traitlets.Bytes(b"").tag(sync=True)
    _selected = traitlets.Bytes(b"").tag(sync=True)

    def __init__(self, pictures: Picture | Sequence[Picture], **traits: Any) -> None:
        pictures = [pictures] if isinstance(pictures, Picture) else list(pictures)
        names = [picture.name for picture in pictures]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"The names of the pictures are {names}: there should be one at least, and no two alike.")
        self._shown = [_Shown(picture, Tiles(picture)) for picture in pictures]
        first = {"picture": 0, "frame": 0, "plane": pictures[0].n_planes // 2, "row": 0.0, "column": 0.0, "zoom": None}
        super().__init__(
            _pictures=[_described(one) for one in self._shown],
            _looks=[_looks(picture) for picture in pictures],
            _view=first,
            **traits,
        )
        self.on_msg(self._hear)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that can be looked at, with the contrast, colours and channels that the user has set."""
        return tuple(_as_seen(one.picture, looks) for one, looks in zip(self._shown, self._looks, strict=True))

    @property
    def view(self) -> View:
        """What is in view."""
        seen = self._view
        name = self._shown[seen["picture"]].picture.name
        return View(name, seen["frame"], seen["plane"], seen["row"], seen["column"], seen["zoom"])

    @property
    def colours(self) -> np.ndarray:
        """What each number is shown in: red, green, blue and opacity, as uint8, shape (n_numbers, 4).

        Cells whose numbers are beyond these have a grey outline, as have cells without a number.
        """
        return np.frombuffer(self._colours, dtype=np.uint8).reshape(-1, 4)

    @colours.setter
    def colours(self, colours: np.ndarray) -> None:
        colours = np.asarray(colours)
        if colours.dtype != np.uint8 or colours.ndim != 2 or colours.shape[1] != 4:
            raise ValueError(
                f"The colours are of the type {colours.dtype} and the shape {colours.shape}: red, green, blue and "
                "opacity from 0 to 255 are needed, of type uint8, one row for each number."
            )
        self._colours = colours.tobytes()

    @property
    def selected(self) -> np.ndarray:
        """The numbers of the cells that stand out, ascending; if there are any, all others are dimmed."""
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
            The picture's.

        Returns
        -------
        tuple of Channel
            With images of the highest resolution.
        """
        picture = self.pictures[self._place(name)]
        return tuple(
            channel._replace(image=pyramid(channel.image)[0])
            for title, channel in picture.channels.items()
            if title not in picture.hidden
        )

    def know(self, name: str, frames: Any, labels: Any, numbers: Any) -> None:
        """Replace the cells known in a picture.

        Parameters
        ----------
        name : str
            The picture's.
        frames, labels, numbers : array-like of int, shape (n_cells,)
            Which cell has which number; one below 0 is none.
        """
        shown = self._shown[self._place(name)]
        shown.tiles.know(frames, labels, numbers)
        shown.version += 1
        # The browser's tiles hold the old numbers.
        self._pictures = [_described(one) for one in self._shown]

    def go_to(self, name: str, frame: int, z: int, row: float, column: float, zoom: float | None = None) -> None:
        """Show a place.

        Parameters
        ----------
        name : str
            The picture's.
        frame, z : int
            0 where there are none.
        row, column : float
            What comes to the middle, in pixels of the highest resolution.
        zoom : float, optional
            How large a pixel is to be on the screen; by default as large as it is.
        """
        place = self._place(name)
        picture = self._shown[place].picture
        if not (0 <= frame < picture.n_frames and 0 <= z < picture.n_planes):
            raise ValueError(
                f'The picture "{name}" has {picture.n_frames} frames and {picture.n_planes} planes, counted from 0: '
                f"there is no frame {frame} with a plane {z}."
            )
        self._view = {
            "picture": place,
            "frame": int(frame),
            "plane": int(z),
            "row": float(row),
            "column": float(column),
            "zoom": self._view["zoom"] if zoom is None else float(zoom),
        }

    def cut(self, tile: Mapping[str, int]) -> np.ndarray:
        """Return a tile that the browser asks for.

        Parameters
        ----------
        tile : mapping of str to int
            Its ``picture`` and ``source`` (a channel's place, or -1 for the labels), and the fields of
            `~latentmap.jupyter.tiles.Place`.

        Returns
        -------
        ndarray of uint8, uint16, uint32 or float32, shape (n_rows, n_columns) or (n_rows, n_columns, 3)
        """
        shown = self._shown[tile["picture"]]
        place = Place(*(tile[part] for part in Place._fields))
        if tile["source"] == LABELS:
            return shown.tiles.labels(place)
        return shown.tiles.channel(list(shown.picture.channels)[tile["source"]], place)

    def close(self) -> None:
        """Remove the pane from the notebook; the browser frees what it holds."""
        self.on_msg(self._hear, remove=True)
        super().close()

    def _place(self, name: str) -> int:
        names = [one.picture.name for one in self._shown]
        if name not in names:
            raise ValueError(f'There is no picture "{name}" here, only {", ".join(names)}.')
        return names.index(name)

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Answer one message of the browser, which asks for one tile at most: the kernel works in between."""
        self._answers[content["type"]](self, content)

    def _send_tile(self, content: dict[str, Any]) -> None:
        answer = {"type": "tile", "tile": content["tile"]}
        try:
            pixels = self.cut(content["tile"])
        except Exception as error:
            # Lazy arrays may raise anything; the browser should say so, not wait for ever.
            self.send({**answer, "error": f"A part of the image could not be read: {error}"})
            return
        is_packed = content["tile"]["source"] == LABELS
        data = pixels.tobytes()
        buffers = [zlib.compress(data, _COMPRESSION) if is_packed else data]
        self.send({**answer, "shape": pixels.shape, "packed": is_packed}, buffers=buffers)

    def _pick(self, content: dict[str, Any]) -> None:
        self.clicked.emit(content["number"], content["mode"])

    def _draw(self, content: dict[str, Any]) -> None:
        name = self._shown[content["picture"]].picture.name
        corners = np.array(content["corners"], dtype=float).reshape(-1, 2)
        self.drawn.emit(Loop(name, content["frame"], content["plane"], corners, content["tool"], content["mode"]))

    def _hover(self, content: dict[str, Any]) -> None:
        self.hovered.emit(content["number"])

    _answers: ClassVar[dict[str, Callable[["ImagePane", dict[str, Any]], None]]] = {
        "tile": _send_tile,
        "click": _pick,
        "drawn": _draw,
        "hover": _hover,
    }


def _described(shown: _Shown) -> dict[str, Any]:
    """What the browser needs to know of a picture."""
    picture, tiles = shown.picture, shown.tiles
    return {
        "name": picture.name,
        "frames": picture.n_frames if picture.has_frames else None,
        "planes": picture.n_planes if picture.is_3d else None,
        "size": picture.size,
        "pixel": picture.scale[-1] if picture.scale else None,
        "unit": picture.unit,
        "labels": picture.labels is not None,
        "version": shown.version,
        "side": SIDE,
        "factors": tiles.factors,
        "channels": [
            {"name": name, "kind": "rgb" if channel.colour is None else tiles.kind(name)}
            for name, channel in picture.channels.items()
        ],
    }


def _looks(picture: Picture) -> list[dict[str, Any]]:
    """How the channels of a picture are shown at first; the user may change it in the browser."""
    return [
        {
            "visible": name not in picture.hidden,
            "colour": channel.colour,
            "limits": [float(limit) for limit in channel.limits],
            "range": _range(channel),
        }
        for name, channel in picture.channels.items()
    ]


def _as_seen(picture: Picture, looks: list[dict[str, Any]]) -> Picture:
    """A picture that looks at first as this one does now."""
    known = dict(zip(picture.channels, looks, strict=True))
    channels = {
        name: Channel(
            channel.image,
            (known[name]["limits"][0], known[name]["limits"][1]),
            None if channel.colour is None else tuple(known[name]["colour"]),
        )
        for name, channel in picture.channels.items()
    }
    hidden = frozenset(name for name, look in known.items() if not look["visible"])
    return replace(picture, channels=channels, hidden=hidden)


def _range(channel: Channel) -> list[float]:
    """The range of the limits: wider than they are now, but not up to the brightest dead pixel."""
    low, high = channel.limits
    dtype = pyramid(channel.image)[0].dtype
    is_whole = np.issubdtype(dtype, np.integer)
    lowest, highest = (np.iinfo(dtype).min, np.iinfo(dtype).max) if is_whole else (-np.inf, np.inf)
    return [float(max(low - (high - low) / 2, lowest)), float(min(high + 2 * (high - low), highest))]
