"""An image pane as it is now, for a page that has no kernel to ask for tiles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from latentmap.jupyter.embedded import packed
from latentmap.jupyter.image_pane import LABELS, ImagePane
from latentmap.jupyter.tiles import as_bytes
from latentmap.session.wording import readable

MOST = 2048
"""A picture is kept at the highest resolution that has no more pixels than this along its longer side; all of its
frames and planes are kept if together they have no more pixels than a square of this side."""

_TRAITS = ("tool", "height", "opacity", "highlight", "_pictures", "_looks", "_view", "_colours")


@dataclass(frozen=True)
class Still:
    """What a page needs to show an image pane.

    Attributes
    ----------
    state : dict
        The traits that the pane's script reads. Levels, frames, planes and channels count what is kept.
    tiles : dict of str to dict
        Each tile by its picture, source, level, frame, plane, row and column, joined by commas.
    about : list of str
        What of the pictures is kept, in sentences.
    """

    state: dict[str, Any]
    tiles: dict[str, dict[str, Any]]
    about: list[str]

    @classmethod
    def of(cls, pane: ImagePane) -> "Still":
        """Keep the pictures of a pane: the channels that are switched on, and the frame and plane in view."""
        state = pane.get_state(_TRAITS)
        view = state["_view"]
        kept = [
            _Kept(number, picture, looks, view)
            for number, (picture, looks) in enumerate(zip(state["_pictures"], state["_looks"], strict=True))
        ]
        here = kept[view["picture"]]
        places = {"frame": here.frames.index(view["frame"]), "plane": here.planes.index(view["plane"])}
        pictures = {"_pictures": [one.picture for one in kept], "_looks": [one.looks for one in kept]}
        return cls(
            state | pictures | {"_view": view | places},
            {key: tile for one in kept for key, tile in one.tiles(pane)},
            [sentence for one in kept for sentence in one.about],
        )


class _Kept:
    """What is kept of a picture."""

    def __init__(
        self, number: int, picture: Mapping[str, Any], looks: list[dict[str, Any]], view: Mapping[str, Any]
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
        # Bytes and colours are kept as they are; of anything else, only what can be seen.
        self._spans = {
            source: looks[source]["limits"]
            for source in self._sources
            if picture["channels"][source]["kind"] not in ("uint8", "rgb")
        }
        self.looks = [self._look(source, looks[source]) for source in self._sources]

    @property
    def factor(self) -> float:
        """How many pixels make one of those kept, along each axis."""
        return float(self._all["factors"][self._first])

    @property
    def picture(self) -> dict[str, Any]:
        """What the pane's script needs to know of it."""
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
        """What is kept, in sentences."""
        name = self._all["name"]
        if self.factor > 1:
            (rows, columns), (all_rows, all_columns) = self._size(self.factor), self._size(1)
            yield (
                f'"{name}" is here with {rows} × {columns} of its {all_rows} × {all_columns} pixels, 1/'
                f"{readable(self.factor)} of its resolution."
            )
        if not self._is_whole:
            for part, only in (("frame", self.frames[0]), ("plane", self.planes[0])):
                if (n := self._all[f"{part}s"]) is not None:
                    yield f'Of the {n} {part}s of "{name}", counted from 0, {part} {only} is here.'
        if self._spans:
            yield f'The brightness of "{name}" is here in 256 steps, between the limits that were set.'

    def tiles(self, pane: ImagePane) -> Iterator[tuple[str, dict[str, Any]]]:
        """Cut it.

        Yields
        ------
        (str, dict)
            The tile's key, and the tile.
        """
        sources = [*enumerate(self._sources), *([(LABELS, LABELS)] if self._all["labels"] else [])]
        places = product(sources, enumerate(self.frames), enumerate(self.planes), self._grid())
        for (source, from_source), (frame, from_frame), (plane, from_plane), (level, row, column) in places:
            tile = {"picture": self._number, "source": from_source, "level": level + self._first}
            pixels = pane.cut(tile | {"frame": from_frame, "plane": from_plane, "row": row, "column": column})
            if from_source in self._spans:
                low, high = self._spans[from_source]
                pixels = as_bytes(pixels, (low, high))
            key = ",".join(map(str, (self._number, source, level, frame, plane, row, column)))
            yield key, {"shape": pixels.shape, **packed(pixels)}

    def _grid(self) -> list[tuple[int, int, int]]:
        """The level, row and column of all tiles."""
        return [
            (level, row, column)
            for level, factor in enumerate(self._all["factors"][self._first :])
            for row, column in product(*(range(ceil(length / self._all["side"])) for length in self._size(factor)))
        ]

    def _size(self, factor: float) -> tuple[int, int]:
        rows, columns = (ceil(length / factor) for length in self._all["size"])
        return rows, columns

    def _look(self, source: int, look: dict[str, Any]) -> dict[str, Any]:
        return look | {"range": look["limits"]} if source in self._spans else look
