"""From arrays to what Qt draws."""

import numpy as np
from qtpy.QtCore import Qt
from qtpy.QtGui import QImage, QPixmap


def pixmap(picture: np.ndarray | None, size: int, ratio: float = 1.0) -> QPixmap:
    """Return a picture as Qt draws it.

    Parameters
    ----------
    picture : ndarray of uint8, shape (n_rows, n_columns, 3), or None
        None gives an empty one: the place stays free.
    size : int
        The side of what is drawn, in pixels of the window.
    ratio : float
        Pixels of the screen for each of the window.
    """
    if picture is None:
        drawn = QPixmap(size, size)
        drawn.fill(Qt.GlobalColor.transparent)
        return drawn
    picture = np.ascontiguousarray(picture)
    n_rows, n_columns, _ = picture.shape
    # The pixmap has a copy of its own.
    drawn = QPixmap.fromImage(QImage(picture.data, n_columns, n_rows, 3 * n_columns, QImage.Format.Format_RGB888))
    drawn.setDevicePixelRatio(ratio)
    return drawn
