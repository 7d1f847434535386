"""The colours of the map on the cells in the images."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from latentmap.display.colour_codes import colour_codes
from latentmap.display.colours import rgba
from latentmap.display.label_plane import CoveredCells
from latentmap.napari_layers.source import CellColours, Source
from latentmap.napari_plugin.scene.colours import SHADES
from latentmap.napari_plugin.scene.maps import Maps
from latentmap.presenters.colours import map_colours
from latentmap.presenters.image_colours import images_coloured
from latentmap.session import Session
from latentmap.table import KEY

# A scale has so many colours in an image: codes of one byte, half of which are for selected cells, stand for no more.
_SHADES = SHADES[np.linspace(0, len(SHADES) - 1, 120).round().astype(int)]


class ImageColours:
    """Gives the cells in the linked layers the colours that they have on the first map.

    During a run the colours stay as they are: they change with each iteration, and images take longer to draw than
    points.

    Parameters
    ----------
    session : Session
    maps : Maps
    sources : sequence of Source
        The linked layers; the list may change.
    """

    def __init__(self, session: Session, maps: Maps, sources: Sequence[Source]) -> None:
        self._session, self._maps, self._sources = session, maps, sources
        maps.painter.painted.connect(self.paint)

    def close(self) -> None:
        """Stop following the maps."""
        self._maps.painter.painted.disconnect(self.paint)

    def paint(self) -> None:
        """Colour the cells as on the map, or take their colours away."""
        if self._session.runs.running:
            return
        colours = self._colours() if images_coloured(self._session) and len(self._maps) else {}
        for source in self._sources:
            source.paint(colours.get(source.name))

    def _colours(self) -> dict[str, CellColours]:
        """The colours of the cells of each layer, by its name in their keys."""
        shown = self._maps.shown[0]
        meant = map_colours(self._session, shown.cells, shown.cell_numbers, shown.variances)
        there = ~self._session.dropped.is_dropped(shown.cell_numbers)
        codes, palette = colour_codes(rgba(meant, _SHADES)[there])
        index = shown.cells.features.index[there]
        layers, names = pd.factorize(index.get_level_values("layer"))
        frames, labels = (index.get_level_values(part).to_numpy() for part in KEY[1:])
        own = {str(name): layers == code for code, name in enumerate(names)}
        return {
            name: CellColours(CoveredCells(frames[rows], labels[rows]), codes[rows], palette)
            for name, rows in own.items()
        }
