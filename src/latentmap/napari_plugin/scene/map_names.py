"""The names above maps that stand side by side."""

from collections.abc import Sequence

import numpy as np
from napari.components import ViewerModel
from napari.layers import Points

from latentmap.napari_layers.highlight import text_colour
from latentmap.napari_layers.layers import active_kept
from latentmap.napari_layers.source import OWNED_KEY


class MapNames:
    """Writes the name of its run above each map.

    Attributes
    ----------
    layer : napari.layers.Points or None
        The layer with the names; None if there are none.
    """

    def __init__(self) -> None:
        self.layer: Points | None = None

    def write(
        self,
        viewer: ViewerModel,
        names: Sequence[str],
        positions: np.ndarray,
        size: float,
        units: Sequence[object] | None,
    ) -> None:
        """Replace the names in a viewer.

        Parameters
        ----------
        viewer : napari.components.ViewerModel
        names : sequence of str
        positions : ndarray of float, shape (n_names, 2)
            World coordinates of the names.
        size : float
            The size of the invisible points that carry the names, in world units.
        units : sequence or None
            The units of the world's axes.
        """
        if self.layer is not None and self.layer in viewer.layers:
            if self.layer.features["name"].tolist() == list(names) and np.array_equal(self.layer.data, positions):
                return
            viewer.layers.remove(self.layer)
        self.layer = None
        if not names:
            return
        self.layer = Points(
            positions,
            features={"name": list(names)},
            text={"string": "{name}", "color": text_colour(viewer.theme), "size": 9},
            face_color="transparent",
            border_color="transparent",
            size=size,
            name="names of the maps",
            units=None if units is None else tuple(units)[-2:],
            metadata={OWNED_KEY: "map"},
        )
        with active_kept(viewer):
            viewer.add_layer(self.layer)

    def dress(self, theme: str) -> None:
        """Write the names in the colour that is read on a theme."""
        if self.layer is not None:
            self.layer.text.color = text_colour(theme)
