"""Where the maps stand in the world of the images."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from napari.components import ViewerModel
from napari.layers import Layer

from latentmap.display.map_place import Box, Square, place_map
from latentmap.napari_layers.source import OWNED_KEY


@dataclass(frozen=True, eq=False)
class BesideImages:
    """A square beside all images, for the first map.

    Attributes
    ----------
    square : Square
    units : sequence or None
        The units of the world's axes.
    what : str
        What the cells come from: the name of their layer, or how many layers there are.
    """

    square: Square = field(default_factory=lambda: Square(np.zeros(2), 1.0))
    units: Sequence[object] | None = None
    what: str = "cells"

    @classmethod
    def of(cls, layers: Sequence[Layer], viewer: ViewerModel) -> "BesideImages":
        """Find a square as large as these layers of cells, or as there is room for, beside all that is no map."""
        extents = [layer.extent.world[:, -2:] for layer in layers]
        others = [layer for layer in viewer.layers if layer.metadata.get(OWNED_KEY) != "map"]
        everything = [*extents, *(layer.extent.world[:, -2:] for layer in others)]
        top, bottom = min(extent[0, 0] for extent in extents), max(extent[1, 0] for extent in extents)
        left, right = min(extent[0, 1] for extent in extents), max(extent[1, 1] for extent in everything)
        height, width = bottom - top or 1.0, right - left or 1.0
        box = Box(float(top), float(left), float(top + height), float(left + width))
        square = place_map(box, viewer.canvas.size)
        if square.centre[0] > box.bottom:
            # Below everything, not only below these layers.
            lowest = max(extent[1, 0] for extent in everything)
            square = Square(square.centre + np.array([lowest - box.bottom, 0]), square.side)
        return cls(square, layers[0].units, layers[0].name if len(layers) == 1 else f"{len(layers)} layers")
