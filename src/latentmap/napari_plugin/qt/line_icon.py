"""Icons drawn as lines, the same as in the notebook."""

from collections.abc import Mapping

from qtpy.QtCore import QByteArray, QRectF, Qt
from qtpy.QtGui import QIcon, QPainter, QPixmap
from qtpy.QtSvg import QSvgRenderer

PATHS: Mapping[str, str] = {
    "move": "M8 1.5v13M1.5 8h13M8 1.5 6 3.5M8 1.5l2 2M8 14.5l-2-2M8 14.5l2-2"
    "M1.5 8l2-2M1.5 8l2 2M14.5 8l-2-2M14.5 8l-2 2",
    "lasso": "M5 11.2C2.9 10.5 1.5 9 1.5 7.2 1.5 4.6 4.4 2.5 8 2.500s6.5 2.1 6.5 4.700S11.6 12 8 12c-.6 0-1.2-.1-1.8-.2"
    "M5.2 10.200a1.3 1.3 0 1 1-.2 2.600c-.9 0-1.4-.8-1.2-1.5.2-.7.8-1.1 1.4-1.100ZM4.5 12.600c.3.9.2 1.7-.5 2.4",
    "polygon": "M3.500 6 8 2.500l5.500 4-2 6.500H4.500ZM2.500 6h2M7 2.500h2M12.500 6.500h2M10.500 13h2M3.500 13h2",
    "rectangle": "M2 5V2.500h3M7 2.500h2M11 2.500h3V5M14 7v2M14 11v2.500h-3M9 13.500H7M5 13.500H2V11M2 9V7",
    "brush": "M14 2 7.500 8.500M6 8.500a2.300 2.300 0 0 1 2 2c0 2-2.500 3.500-6 3"
    " 1.500-.8 1.300-1.800 1.600-3A2.300 2.300 0 0 1 6 8.500Z",
    "fit": "M2 5.500V2h3.500M10.5 2H14v3.500M14 10.500V14h-3.500M5.5 14H2v-3.500M5 6.500h6v3H5z",
}
"""The lines of each icon, in a square of 16."""

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="{path}" fill="none" stroke="{colour}" '
    'stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"/></svg>'
)


def line_icon(name: str, colour: str, size: int) -> QIcon:
    """Return an icon of :data:`PATHS` in a colour such as ``"#ffffff"``, as many pixels wide and high."""
    renderer = QSvgRenderer(QByteArray(_SVG.format(path=PATHS[name], colour=colour).encode()))
    # Twice as many pixels, for screens that have them.
    pixmap = QPixmap(2 * size, 2 * size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, 2 * size, 2 * size))
    painter.end()
    pixmap.setDevicePixelRatio(2)
    return QIcon(pixmap)
