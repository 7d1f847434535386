"""Pictures of cells, for which no front end waits."""

from collections.abc import Callable

import numpy as np
from psygnal import Signal

from latentmap.images.crops import Crops
from latentmap.session import BackgroundJob, Schedule
from latentmap.session.job import as_single_step
from latentmap.table import Key


class CellPictures:
    """Cuts cells out of their images.

    Where the cells of a large image are is found in a thread, when the first of them is asked for. Until then there are
    no pictures of them.

    Parameters
    ----------
    crops_of : callable
        Returns the labels of the layer with a name, or None if they are not open.
    schedule : callable
        Schedules a function in the front end's thread.
    """

    came = Signal()
    """Emitted when there are pictures of cells that there were none of before."""

    def __init__(self, crops_of: Callable[[str], Crops | None], schedule: Schedule) -> None:
        self._crops_of, self._job = crops_of, BackgroundJob(schedule)

    @property
    def looking(self) -> bool:
        """Whether the cells of an image are being looked for."""
        return self._job.running

    def __call__(self, key: Key, size: int = 64) -> np.ndarray | None:
        """Return a cell's picture.

        Parameters
        ----------
        key : (layer, frame, label)
        size : int
            The side of the picture, in pixels.

        Returns
        -------
        ndarray of uint8, shape (size, size, 3), or None
            None for cells that are not regions of pixels, whose layer is not open, or that are being looked for.
        """
        layer, frame, label = key
        crops = self._crops_of(layer)
        return crops.crop(frame, label, size) if crops is not None and self._knows(crops, frame) else None

    def centre(self, key: Key) -> tuple[int, float, float] | None:
        """Return the plane, the row and the column of the middle of a cell; None as for its picture."""
        layer, frame, label = key
        crops = self._crops_of(layer)
        return crops.centre(frame, label) if crops is not None and self._knows(crops, frame) else None

    def stop(self) -> None:
        """Look for no more cells."""
        self._job.drop()

    def _knows(self, crops: Crops, frame: int) -> bool:
        """Whether it is known where the cells of a frame are; if not, they are looked for, one frame at a time."""
        if crops.boxes.is_quick(frame):
            return True
        if not self._job.running:
            self._job.start(
                as_single_step(crops.boxes.of, frame),
                yielded=lambda _: None,
                returned=lambda _: self.came.emit(),
                failed=self._failed,
            )
        return False

    def _failed(self, error: Exception) -> None:
        raise error
