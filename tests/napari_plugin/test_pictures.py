import numpy as np
from qtpy.QtCore import QPoint

from latentmap.napari_plugin.qt.pictures import pixmap


def test_every_pixel_has_its_place_and_colour(qapp):
    # A view into another array, as slices of images are.
    picture = np.arange(2 * 7 * 10 * 3, dtype=np.uint8).reshape(7, 20, 3)[:, ::2]
    drawn = pixmap(picture, 64, ratio=2)
    assert drawn.devicePixelRatio() == 2
    image = drawn.toImage()
    assert (image.width(), image.height()) == (10, 7)
    for row in range(7):
        for column in range(10):
            colour = image.pixelColor(QPoint(column, row))
            assert [colour.red(), colour.green(), colour.blue()] == picture[row, column].tolist()


def test_no_picture_leaves_its_place_free(qapp):
    drawn = pixmap(None, 64)
    assert (drawn.width(), drawn.height()) == (64, 64)
    assert drawn.toImage().pixelColor(QPoint(3, 3)).alpha() == 0
