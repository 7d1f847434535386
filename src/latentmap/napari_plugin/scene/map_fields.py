"""The faint field on a map of a canvas: where else one cell could lie."""

from collections.abc import Callable, Sequence

import numpy as np
from napari.layers import Image
from napari.utils.colormaps import Colormap

from latentmap.display.field_shades import field_shades
from latentmap.napari_layers.highlight import is_on_dark
from latentmap.napari_layers.source import OWNED_KEY
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.presenters.trust.field import FieldPicture, field_picture
from latentmap.session import Run, Session

# Below the points and below the lines of tracks, which are half a layer below them.
_BELOW = -0.7


class MapFields:
    """Draws a field as an image below the points, which no list of layers shows.

    Parameters
    ----------
    canvas : Canvas
    session : Session
    maps : callable
        Returns the maps, each with its run.

    Attributes
    ----------
    image : napari.layers.Image or None
        What is drawn; None for nothing.
    """

    def __init__(self, canvas: Canvas, session: Session, maps: Callable[[], Sequence[tuple[Run, MapLayer]]]) -> None:
        self._canvas, self._session, self._maps = canvas, session, maps
        self.image: Image | None = None
        self._seen: tuple[object, ...] = ()
        session.cell_field.changed.connect(self.draw)

    def draw(self, *_: object) -> None:
        """Draw the field on the map that it belongs to, if that is in view."""
        pictures = [(shown, field_picture(self._session, run)) for run, shown in self._maps() if shown.points.visible]
        found = next(((shown, one) for shown, one in pictures if one is not None), None)
        if found is None or found[0].points not in self._canvas.viewer.layers:
            self._clear()
            return
        self._show(*found)

    def dress(self, theme: str) -> None:
        """Draw the field so that it stands out from the background in a theme."""
        if self.image is not None:
            self.image.colormap = _shades(theme)

    def move(self, canvas: Canvas) -> None:
        """Draw on another canvas from now on."""
        self._clear()
        self._canvas = canvas

    def close(self) -> None:
        """Remove the field from the canvas, and stop following the session."""
        self._session.cell_field.changed.disconnect(self.draw)
        self._clear()

    def _show(self, shown: MapLayer, picture: FieldPicture) -> None:
        centre, side = shown.square
        place = shown.points, *(centre + side * picture.first).tolist(), *(side * picture.step).tolist()
        seen = (*place, picture.odds.tobytes())
        if self.image is not None and self._seen == seen:
            return
        self._clear()
        self._seen = seen
        self.image = Image(
            picture.odds,
            name=f"field on {shown.points.name}",
            scale=side * picture.step,
            translate=centre + side * picture.first,
            colormap=_shades(self._canvas.viewer.theme),
            contrast_limits=(0, 1),
            interpolation2d="linear",
            blending="translucent_no_depth",
            units=shown.points.units,
            metadata={OWNED_KEY: "map"},
        )
        self._canvas.draw_above(self.image, shown.points, _BELOW)

    def _clear(self) -> None:
        image, self.image, self._seen = self.image, None, ()
        if image is not None:
            self._canvas.draw_no_more(image)


def _shades(theme: str) -> Colormap:
    return Colormap(np.asarray(field_shades(is_on_dark(theme))), name="latentmap field")
