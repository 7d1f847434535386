"""Pictures of the selected cells, side by side."""

from collections.abc import Callable
from functools import partial
from typing import Any

import anywidget
import numpy as np
import traitlets

from latentmap.display.cell_order import ABOUT, ORDERS, cell_variances, ordered_cells, selection_headline
from latentmap.jupyter.assets import asset
from latentmap.session import Session
from latentmap.table import Key

# The largest side of a picture, in pixels, whatever the browser asks for.
_LARGEST = 256


class Gallery(anywidget.AnyWidget):
    """Pictures of the selected cells; a click moves the images to the cell.

    Only visible pictures are made, a few for each request of the browser, so a selection of any size costs the same.

    Parameters
    ----------
    session : Session
    picture : callable
        Takes a cell's key and a size; returns its picture, an ndarray of uint8 of shape (size, size, 3), or None if it
        has none.
    go_to : callable
        Takes the key of the cell that the user has clicked.
    """

    _esm = asset("gallery.js")
    _css = asset("gallery.css")

    count = traitlets.Int().tag(sync=True)
    """How many cells are selected."""
    headline = traitlets.Unicode().tag(sync=True)
    version = traitlets.Int().tag(sync=True)
    """Counts how often the cells or their pictures have changed."""
    order = traitlets.Enum(ORDERS, ORDERS[0]).tag(sync=True)
    _orders = traitlets.List(list(ORDERS)).tag(sync=True)
    _about = traitlets.Unicode(ABOUT).tag(sync=True)

    def __init__(
        self, session: Session, picture: Callable[[Key, int], np.ndarray | None], go_to: Callable[[Key], None]
    ) -> None:
        super().__init__()
        self._session, self._picture, self._go_to = session, picture, go_to
        self._numbers: np.ndarray | None = None
        session.selection.changed.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        self.observe(lambda _: self.refresh(), "order")
        self.on_msg(self._hear)
        self.refresh()

    def refresh(self) -> None:
        """Show the selected cells, and make their pictures again."""
        self._numbers = None
        with self.hold_sync():
            self.count = len(self._session.selection)
            self.headline = selection_headline(self.count)
            self.version += 1

    def close(self) -> None:
        """Stop following the session."""
        self._session.selection.changed.disconnect(self.refresh)
        self._session.runs.changed.disconnect(self.refresh)
        self.on_msg(self._hear, remove=True)
        super().close()

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        if content["version"] == self.version:
            {"wanted": self._answer, "clicked": self._clicked}[content["kind"]](content)

    def _key(self, index: int) -> Key:
        # Sorted only when pictures are needed, so that a lasso does not wait for it.
        if self._numbers is None:
            self._numbers = ordered_cells(self._session.selection, self.order, partial(cell_variances, self._session))
        return self._session.cell_index.key(self._numbers[index])

    def _answer(self, content: dict[str, Any]) -> None:
        size = min(int(content["size"]), _LARGEST)
        keys = [self._key(index) for index in content["places"]]
        pictures = [self._picture(key, size) for key in keys]
        answer = {
            "version": self.version,
            "places": content["places"],
            "size": size,
            "keys": keys,
            "seen": [picture is not None for picture in pictures],
        }
        self.send(answer, buffers=[b"".join(picture.tobytes() for picture in pictures if picture is not None)])

    def _clicked(self, content: dict[str, Any]) -> None:
        self._go_to(self._key(content["place"]))
