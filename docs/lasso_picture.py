"""Make the moving picture of the README in a real napari: ``python docs/lasso_picture.py``.

Without a screen: ``QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1600x1200x24" python docs/lasso_picture.py``. It needs
the tests' libraries.
"""

import sys
from pathlib import Path

import napari
import numpy as np
from PIL import Image
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QDockWidget

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "napari_plugin"))

from hand import Hand  # noqa: E402

from latentmap.napari_plugin.demo import open_tissue, wait_until  # noqa: E402
from latentmap.napari_plugin.panel.panel import MapPanel  # noqa: E402

PICTURE = ROOT / "docs" / "images" / "lasso.gif"
_WINDOW, _WIDTH, _COLOURS = (1400, 640), 1000, 128
_CELLS = 30
_CORNERS, _CORNERS_A_FRAME = 32, 3
_QUICK, _SLOW = 90, 1800


class Mouse:
    """What the hand needs of pytest-qt."""

    mouseMove = staticmethod(QTest.mouseMove)
    mousePress = staticmethod(QTest.mousePress)
    mouseRelease = staticmethod(QTest.mouseRelease)
    mouseClick = staticmethod(QTest.mouseClick)
    wait = staticmethod(QTest.qWait)


class Film:
    """Frames of a window, each with the milliseconds that it stays."""

    def __init__(self, viewer: napari.Viewer) -> None:
        self._viewer = viewer
        self.frames: list[Image.Image] = []
        self.waits: list[int] = []

    def take(self, wait: int) -> None:
        """Take a frame."""
        QTest.qWait(60)
        pixels = self._viewer.screenshot(canvas_only=False, flash=False)[..., :3]
        picture = Image.fromarray(pixels)
        height = round(picture.height * _WIDTH / picture.width)
        self.frames.append(picture.resize((_WIDTH, height), Image.Resampling.LANCZOS))
        self.waits.append(wait)

    def save(self, path: Path) -> None:
        """Save the frames in the colours of the first and the last one, in which cells are lit."""
        first, last = self.frames[0], self.frames[-1]
        both = Image.new("RGB", (first.width, 2 * first.height))
        both.paste(first)
        both.paste(last, (0, first.height))
        palette = both.quantize(_COLOURS)
        first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames)
        first.save(path, save_all=True, append_images=others, duration=self.waits, loop=0, optimize=True)
        print(f"{path.name}: {len(self.frames)} frames, {path.stat().st_size // 1000} kB")


def main() -> None:
    """Embed the tissue, and go round three clumps of the map with the lasso."""
    viewer = napari.Viewer(title="latentmap")
    panel = open_tissue(viewer)
    viewer.window.resize(*_WINDOW)
    for dock in viewer.window._qt_window.findChildren(QDockWidget):
        if dock.objectName() in {"layer list", "layer controls"}:
            dock.hide()
    panel.embed()
    wait_until(lambda: not panel.running)
    viewer.reset_view()
    QTest.qWait(1000)
    hand, film = Hand(Mouse, viewer), Film(viewer)
    hand.press_button(panel.tools.buttons["lasso"])
    film.take(_SLOW // 2)
    for loop in loops(panel):
        go_round(hand, film, loop)
    film.save(PICTURE)
    viewer.close()


def loops(panel: MapPanel) -> list[np.ndarray]:
    """Return closed lines in the world around clumps of the map, each far from the others."""
    layer = panel.scene.maps.shown[0].points
    places = np.array([layer.data_to_world(place)[-2:] for place in layer.data])
    centres = [int(np.argmin(panel.result.variances))]
    for _ in range(2):
        centres.append(int(np.argmax(np.min(distances(places, places[centres]), axis=1))))
    found = []
    for centre in centres:
        near = places[np.argsort(np.linalg.norm(places - places[centre], axis=1))[:_CELLS]]
        middle, reach = near.mean(axis=0), np.ptp(near, axis=0) / 2 * 1.15
        angles = np.linspace(0, 2 * np.pi, _CORNERS)
        found.append(middle + 1.1 * reach * np.column_stack([np.sin(angles), np.cos(angles)]))
    return found


def distances(places: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return how far each place is from each of the others."""
    return np.linalg.norm(places[:, None] - others[None], axis=2)


def go_round(hand: Hand, film: Film, loop: np.ndarray) -> None:
    """Draw a lasso, a frame every few corners, and look at the cells that light up."""
    corners = [hand.pixel(corner) for corner in loop]
    hand.hover(corners[0])
    hand.press(corners[0])
    for number, corner in enumerate(corners[1:], start=1):
        hand.move(corner)
        if number % _CORNERS_A_FRAME == 0:
            film.take(_QUICK)
    hand.release(corners[-1])
    QTest.qWait(800)
    film.take(_SLOW)


if __name__ == "__main__":
    main()
