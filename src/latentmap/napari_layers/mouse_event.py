"""The mouse events of napari."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np


class MouseEvent(Protocol):
    """What this package uses of napari's mouse events.

    Attributes
    ----------
    type : str
        "mouse_press", "mouse_move" or "mouse_release".
    button : int
        1 for the left button, 2 for the right one.
    modifiers : iterable
        The keys held: their names, or objects with an attribute ``name``.
    pos : ndarray of float, shape (2,)
        Pixels from the left and the top of the canvas.
    position : sequence of float
        World coordinates, one for each axis of the viewer.
    view_direction : ndarray of float, shape (n_axes,), or None
        The direction of view in world coordinates; None in 2-D.
    dims_displayed : list of int
        The displayed axes.
    """

    type: str
    button: int
    modifiers: Iterable[object]
    pos: np.ndarray
    position: Sequence[float]
    view_direction: np.ndarray | None
    dims_displayed: list[int]
