"""The frame shown on the maps, and napari's own slider of time: each follows the other."""

from collections.abc import Callable, Sequence

import numpy as np
from napari.components import ViewerModel

from latentmap.napari_layers.source import Source
from latentmap.session import Session


class FrameLink:
    """Keeps the playhead and the time axis of a viewer at the same frame.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
        The viewer with the images.
    session : Session
    sources : callable
        Returns the layers of cells.
    """

    def __init__(self, viewer: ViewerModel, session: Session, sources: Callable[[], Sequence[Source]]) -> None:
        self._viewer, self._playhead, self._sources = viewer, session.playhead, sources
        viewer.dims.events.current_step.connect(self.read)
        session.playhead.changed.connect(self._show)

    def read(self, *_: object) -> None:
        """Take the frame that the viewer shows."""
        if (source := self._timed()) is not None:
            self._playhead.frame = source.frame(self._viewer.dims.point)

    def close(self) -> None:
        """Let go of the viewer."""
        self._viewer.dims.events.current_step.disconnect(self.read)
        self._playhead.changed.disconnect(self._show)

    def _show(self, frame: int) -> None:
        """Move the viewer to a frame."""
        source = self._timed()
        if source is None or source.frame(self._viewer.dims.point) == frame:
            return
        dims, n_axes = self._viewer.dims, source.layer.ndim
        pixel = np.array(source.layer.world_to_data(np.asarray(dims.point)[-n_axes:]))
        pixel[0] = frame
        dims.set_point(dims.ndim - n_axes, float(source.layer.data_to_world(pixel)[0]))

    def _timed(self) -> Source | None:
        """The first layer whose time is not among the axes that are displayed."""
        dims = self._viewer.dims
        for source in self._sources():
            axis = dims.ndim - source.layer.ndim
            if source.has_frames and source.layer in self._viewer.layers and axis not in dims.displayed:
                return source
        return None
