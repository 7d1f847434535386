"""A snapshot of an image pane, for a page that has no kernel to request tiles from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from latentmap.jupyter.base64_arrays import as_base64
from latentmap.jupyter.channel_looks import ChannelLook
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.shown_picture import LABELS
from latentmap.jupyter.tiles import as_bytes
from latentmap.session.wording import three_digits

MOST = 2048
"""The most pixels along the longer side of a picture in the page, which gets the highest resolution that fits; all
frames and planes are kept if together they have no more pixels than a square with this side."""

_TRAITS = ("tool", "height", "opacity", "highlight", "_pictures", "_looks", "_view", "_colours")


@dataclass(frozen=True)
class StaticImagePane:
    """What a page needs to show an image pane.

    Attributes
    ----------
    state : dict
        The traits that the script of the pane reads. Levels, frames, planes and channels are numbered as kept.
    tiles : dict of str to dict
        The tiles. The keys are picture, source, level, frame, plane, row and column, joined by commas.
    about : list of str
        Sentences on how much of the pictures is kept.
    """

    state: dict[str, Any]
    tiles: dict[str, dict[str, Any]]
    about: list[str]

    @classmethod
    def of(cls, pane: ImagePane) -> "StaticImagePane":
        """Keep the visible channels of a pane's pictures, and of large pictures only the frame and plane in view."""
        state = pane.get_state(_TRAITS)
        view = state["_view"]
        kept = [
            _Kept(number, picture, looks, view)
            for number, (picture, looks) in enumerate(zip(state["_pictures"], state["_looks"], strict=True))
        ]
        here = kept[view["picture"]]
        position = {"frame": here.frames.index(view["frame"]), "plane": here.planes.index(view["plane"])}
        pictures = {"_pictures": [one.picture for one in kept], "_looks": [one.looks for one in kept]}
        return cls(
            state | pictures | {"_view": view | position},
            {key: tile for one in kept for key, tile in one.tiles(pane)},
            [sentence for one in kept for sentence in one.about],
        )


class _Kept:
    """The part of a picture that is kept."""

    def __init__(
        self, number: int, picture: Mapping[str, Any], looks: list[ChannelLook], view: Mapping[str, Any]
    ) -> None:
        self._number, self._all = number, picture
        self._first = next(at for at, factor in enumerate(picture["factors"]) if max(self._size(factor)) <= MOST)
        lengths = [picture["frames"] or 1, picture["planes"] or 1]
        self._is_whole = np.prod([*lengths, *self._size(self.factor)]) <= MOST**2
        self.frames, self.planes = (
            list(range(length)) if self._is_whole else [min(view[part], length - 1)]
            for part, length in zip(("frame", "plane"), lengths, strict=True)
        )
        self._sources = [source for source, look in enumerate(looks) if look["visible"]]
        # Bytes and colours are kept as they are; everything else is reduced to bytes between the contrast limits.
        self._spans = {
            source: looks[source]["limits"]
            for source in self._sources
            if picture["channels"][source]["kind"] not in ("uint8", "rgb")
        }
        self.looks = [self._look(source, looks[source]) for source in self._sources]

    @property
    def factor(self) -> float:
        """How many pixels of the picture make one pixel that is kept, along each axis."""
        return float(self._all["factors"][self._first])

    @property
    def picture(self) -> dict[str, Any]:
        """What the script of the pane needs to know about the picture."""
        channels = [self._all["channels"][source] for source in self._sources]
        return {
            **self._all,
            "frames": self._all["frames"] if self._is_whole else None,
            "planes": self._all["planes"] if self._is_whole else None,
            "version": 0,
            "factors": self._all["factors"][self._first :],
            "channels": [
                channel | ({"kind": "uint8", "span": self._spans[source]} if source in self._spans else {})
                for source, channel in zip(self._sources, channels, strict=True)
            ],
        }

    @property
    def about(self) -> Iterator[str]:
        """Sentences on how much of the picture is kept."""
        name = self._all["name"]
        if self.factor > 1:
            (rows, columns), (all_rows, all_columns) = self._size(self.factor), self._size(1)
            yield (
                f'"{name}" is shown with {rows} × {columns} of its {all_rows} × {all_columns} pixels, at 1/'
                f"{three_digits(self.factor)} of its resolution."
            )
        if not self._is_whole:
            for part, only in (("frame", self.frames[0]), ("plane", self.planes[0])):
                if (n := self._all[f"{part}s"]) is not None:
                    yield f'Of the {n} {part}s of "{name}", counted from 0, only {part} {only} is shown.'
        if self._spans:
            yield f'The brightness of "{name}" is shown in 256 steps between the contrast limits.'

    def tiles(self, pane: ImagePane) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the key and the contents of each tile."""
        sources = [*enumerate(self._sources), *([(LABELS, LABELS)] if self._all["labels"] else [])]
        addresses = product(sources, enumerate(self.frames), enumerate(self.planes), self._grid())
        for (source, from_source), (frame, from_frame), (plane, from_plane), (level, row, column) in addresses:
            tile = {"picture": self._number, "source": from_source, "level": level + self._first}
            pixels = pane.crop(tile | {"frame": from_frame, "plane": from_plane, "row": row, "column": column})
            if from_source in self._spans:
                low, high = self._spans[from_source]
                pixels = as_bytes(pixels, (low, high))
            key = ",".join(map(str, (self._number, source, level, frame, plane, row, column)))
            yield key, {"shape": pixels.shape, **as_base64(pixels)}

    def _grid(self) -> list[tuple[int, int, int]]:
        """Return the level, row and column of all tiles."""
        return [
            (level, row, column)
            for level, factor in enumerate(self._all["factors"][self._first :])
            for row, column in product(*(range(ceil(length / self._all["side"])) for length in self._size(factor)))
        ]

    def _size(self, factor: float) -> tuple[int, int]:
        rows, columns = (ceil(length / factor) for length in self._all["size"])
        return rows, columns

    def _look(self, source: int, look: ChannelLook) -> ChannelLook:
        return {**look, "range": look["limits"]} if source in self._spans else look
