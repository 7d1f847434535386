"""Arrays as pictures that Qt can draw."""

import numpy as np
from qtpy.QtCore import Qt
from qtpy.QtGui import QImage, QPixmap


def pixmap(picture: np.ndarray | None, size: int, ratio: float = 1.0) -> QPixmap:
    """Return a picture that Qt can draw.

    Parameters
    ----------
    picture : ndarray of uint8, shape (n_rows, n_columns, 3), or None
        None gives a transparent picture.
    size : int
        The side of a transparent picture, in window pixels.
    ratio : float
        Screen pixels per window pixel.
    """
    if picture is None:
        drawn = QPixmap(size, size)
        drawn.fill(Qt.GlobalColor.transparent)
        return drawn
    picture = np.ascontiguousarray(picture)
    n_rows, n_columns, _ = picture.shape
    # The pixmap copies the data, so the array may be freed.
    drawn = QPixmap.fromImage(QImage(picture.data, n_columns, n_rows, 3 * n_columns, QImage.Format.Format_RGB888))
    drawn.setDevicePixelRatio(ratio)
    return drawn
