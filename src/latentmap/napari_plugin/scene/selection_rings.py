"""Rings around the selected points of a map."""

from typing import Any

import numpy as np
from napari.layers import Points

from latentmap.napari_layers.highlight import ring_colour

# How much larger than its point a ring is: as a share, and at least and at most in screen pixels; and how thick.
_RING, _LEAST_RING, _MOST_RING, _RING_WIDTH = 0.45, 1.5, 3.0, 1.8
# What is drawn above the faces of others in place of a ring: hardly anything, so that cells that touch stay apart; and
# how thick, in screen pixels, which leaves the outer part of the ring as it is.
_RIM, _RIM_WIDTH = np.array([0.0, 0, 0, 0.15]), 1.2
# How thick the rim of a hollow point is in screen pixels, from the edge of the point inwards: napari marks selected
# points there.
_HOLLOW_WIDTH = 1.5
# Rings of points whose size shows something are larger by this factor.
_LARGER = 1.5


class SelectionRings:
    """Draws selected points again, each with a ring, in a layer above the map.

    They are a layer of their own, because napari would recolour the borders of all the points.

    Parameters
    ----------
    name : str
        The name of the layer.
    n_axes : int
        The number of axes drawn.
    size : float
        The diameter of the points in world units.
    theme : str
        The theme of the viewer, in which rings stand out from the background.
    options : dict
        What the layer has in common with that of the map.

    Attributes
    ----------
    layer : napari.layers.Points
        The caller adds it to the viewer.
    colour : ndarray of float, shape (4,)
        RGBA of the rings.
    """

    def __init__(self, name: str, n_axes: int, size: float, theme: str, options: dict[str, Any]) -> None:
        self.colour = ring_colour(theme)
        self.layer = Points(
            ndim=n_axes,
            name=name,
            size=size,
            border_color=self.colour,
            # In 3-D, the point must not hide a part of its ring.
            blending="translucent_no_depth",
            **options,
        )

    def dress(self, theme: str) -> None:
        """Let the rings stand out from the background in a theme, from the next `show` on."""
        self.colour = ring_colour(theme)

    def show(
        self,
        positions: np.ndarray,
        faces: np.ndarray,
        sizes: np.ndarray,
        hollow: np.ndarray,
        *,
        pixels: float,
        largest: float,
        relative: np.ndarray | None,
    ) -> None:
        """Draw rings around these points, and no others.

        Parameters
        ----------
        positions : ndarray of float, shape (n_points, n_axes)
            World coordinates.
        faces : ndarray of float, shape (n_points, 4)
            RGBA from 0 to 1.
        sizes : ndarray of float, shape (n_points,)
            Diameters of the points in world units.
        hollow : ndarray of bool, shape (n_points,)
            Which have a rim in the colour of their face, and no face.
        pixels, largest : float
            The mean and the greatest diameter of the map's points on the screen.
        relative : ndarray of float, shape (n_points,), or None
            The diameters on the screen as shares of the mean; None if all are the same.
        """
        layer, n_points = self.layer, len(positions)
        if n_points or len(layer.data):
            layer.selected_data = set()
            layer.data = np.tile(positions, (2, 1))
        if not n_points:
            return
        larger = float(np.clip(_RING * pixels, _LEAST_RING, _MOST_RING))
        of_points = np.full(n_points, pixels) if relative is None else pixels * relative
        of_rings = of_points + larger if relative is None else _LARGER * of_points
        # Rings below, faint rims above, so that rings hide no face where points lie close together. Of three axes,
        # nearer points need their rings to stand out from those behind.
        above, width = (_RIM, _RIM_WIDTH) if layer.ndim == 2 else (self.colour, _RING_WIDTH)
        diameters = np.tile(of_rings, (2, 1))
        widths = np.repeat([[_RING_WIDTH], [width]], n_points, axis=1)
        colours = np.repeat(np.array([self.colour, above])[:, None], n_points, axis=1)
        # A hollow point has its rim there, within its ring.
        diameters[1, hollow] -= 2 * _RING_WIDTH
        widths[1, hollow] = (diameters[1] - of_points)[hollow] / 2 + _HOLLOW_WIDTH
        colours[1, hollow] = faces[hollow]
        layer.face_color = np.tile(np.where(hollow[:, None], 0.0, faces), (2, 1))
        layer.size = (_LARGER * sizes * diameters / of_rings).ravel()
        layer.canvas_size_limits = 0.0, largest + larger
        layer.border_width = (widths / diameters).ravel()
        layer.border_color = colours.reshape(-1, 4)
