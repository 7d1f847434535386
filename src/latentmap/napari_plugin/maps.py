"""The maps in a viewer, each beside its image and linked to it."""

from collections.abc import Callable

import numpy as np
from napari.layers import Image, Labels, Layer
from napari.viewer import Viewer

from latentmap.napari_plugin.colours import rgba
from latentmap.napari_plugin.linking import Link
from latentmap.napari_plugin.map_layer import MapLayer
from latentmap.session import Groups, Scale, Session, by_variance, colouring
from latentmap.table import CellTable


class Maps:
    """Lays maps out in a viewer, and keeps them in step with the session.

    Parameters
    ----------
    viewer : napari.viewer.Viewer
    session : Session
        The selection, the classes and the look of the maps.
    explain : callable
        Takes what the colours mean.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        viewer: Viewer,
        session: Session,
        explain: Callable[[Scale | Groups], None],
        tell: Callable[[str], None],
    ) -> None:
        self._viewer, self._session, self._explain, self._tell = viewer, session, explain, tell
        self._links: list[Link] = []
        self._camera_left_at: tuple[object, float] | None = None
        session.classes.changed.connect(self._paint_all)
        session.look.events.connect(self._paint_all)

    def numbers(self) -> np.ndarray:
        """Return the numbers of the cells on any map, ascending.

        Returns
        -------
        ndarray of int
        """
        return np.unique(np.concatenate([np.empty(0, np.int64), *(link.numbers for link in self._links)]))

    @property
    def spotlights(self) -> list[Image]:
        """The layers that light up selected cells."""
        return [link.spotlight for link in self._links]

    def begin(self, labels: Labels, source: str, cells: CellTable) -> Link:
        """Begin a map beside everything there is, in place of the older map of these labels.

        Parameters
        ----------
        labels : napari.layers.Labels
            Where the cells come from.
        source : str
            What the keys call that layer.
        cells : CellTable
            The cells on the map.

        Returns
        -------
        Link
        """
        layers = self._viewer.layers
        old = next((link for link in self._links if link.labels is labels), None)
        if old is None:
            self._camera_left_at = None
        else:
            self._unlink(old)
            layers.remove(old.points)
        map_layer = MapLayer(labels, cells, left=layers.extent.world[1, -1])
        self._viewer.add_layer(map_layer.points)
        link = Link(self._viewer, labels, map_layer, source, self._session, self._tell)
        self._links.append(link)
        map_layer.points.mode = "select"
        self.fit_camera()
        return link

    def fit_camera(self) -> None:
        """Bring everything into view, unless the user has moved the camera since the last time for this map."""
        camera = self._viewer.camera
        if self._camera_left_at in (None, (camera.center, camera.zoom)):
            self._viewer.reset_view()
            self._camera_left_at = camera.center, camera.zoom

    def paint(self, link: Link) -> None:
        """Colour the points of a map as the user wants them, and explain the colours.

        Parameters
        ----------
        link : Link
            The map's.
        """
        look, features, variances = self._session.look, link.map_layer.cells.features, link.map_layer.variances
        shown = colouring(look.colour_by, features, variances, self._session.classes, link.cell_numbers)
        link.map_layer.paint(rgba(shown), by_variance(variances).shares if look.sized_by_variance else None)
        self._explain(shown)

    def forget(self, layer: Layer) -> None:
        """Let go of the maps that a layer was part of, and of their cells in the selection.

        Parameters
        ----------
        layer : napari.layers.Layer
            It is in the viewer no more.
        """
        for link in [link for link in self._links if layer in (link.labels, link.points, link.spotlight)]:
            self._unlink(link)
            self._session.selection.forget(link.numbers)

    def _paint_all(self) -> None:
        for link in self._links:
            self.paint(link)

    def _unlink(self, link: Link) -> None:
        self._links.remove(link)
        link.close()
