"""One of the pictures that an image pane draws, in its state of the moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.tiles import SIDE, TileAddress, Tiles

LABELS = -1
"""The labels as the source of a tile; channels are numbered from 0."""


@dataclass
class ShownPicture:
    """A picture of an image pane, and the tiles that it is drawn from.

    Attributes
    ----------
    picture : LabelledImage
        The picture.
    tiles : Tiles
        Its tiles, with the numbers of its cells.
    version : int
        How often its cells were renumbered.
    pixels : int
        How often its images were replaced.
    title : str
        What it is called in the list of pictures; its name, if this is empty.
    """

    picture: LabelledImage
    tiles: Tiles
    version: int = 0
    pixels: int = 0
    title: str = ""

    def replaced_by(self, picture: LabelledImage, title: str, *, with_pixels: bool) -> "ShownPicture":
        """Return the picture in another state, whose cells keep their numbers.

        Parameters
        ----------
        picture : LabelledImage
            The picture from now on.
        title : str
            Its title from now on.
        with_pixels : bool
            Whether its pixels may have changed, perhaps in the same arrays.

        Returns
        -------
        ShownPicture
        """
        has_new_pixels = with_pixels or list(picture.channels) != list(self.picture.channels)
        return ShownPicture(picture, self.tiles.of(picture), self.version, self.pixels + has_new_pixels, title)

    def crop(self, tile: Mapping[str, int]) -> np.ndarray:
        """Return a tile that the browser requests.

        Parameters
        ----------
        tile : mapping of str to int
            The ``source`` (the index of a channel, or -1 for the labels), and the fields of
            `~latentmap.jupyter.tiles.TileAddress`.

        Returns
        -------
        ndarray of uint8, uint16, uint32 or float32, shape (n_rows, n_columns) or (n_rows, n_columns, 3)
            The last axis, if there are three, holds red, green and blue.
        """
        address = TileAddress(*(tile[part] for part in TileAddress._fields))
        if tile["source"] == LABELS:
            return self.tiles.labels(address)
        return self.tiles.channel(list(self.picture.channels)[tile["source"]], address)

    def described(self) -> dict[str, Any]:
        """Return what the browser needs to know about the picture."""
        picture, tiles = self.picture, self.tiles
        return {
            "name": self.title or picture.name,
            "frames": picture.n_frames if picture.has_frames else None,
            "planes": picture.n_planes if picture.is_3d else None,
            "size": picture.size,
            "pixel": picture.scale[-1] if picture.scale else None,
            "unit": picture.unit,
            "labels": picture.labels is not None,
            "version": self.version,
            "pixels": self.pixels,
            "side": SIDE,
            "factors": tiles.factors,
            "channels": [
                {"name": name, "kind": "rgb" if channel.colour is None else tiles.kind(name)}
                for name, channel in picture.channels.items()
            ],
        }
