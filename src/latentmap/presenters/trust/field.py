"""The faint field on a map: how likely one cell is elsewhere on it."""

from typing import NamedTuple

import numpy as np

from latentmap.display.unit_square import points_in_square, unit_square
from latentmap.session import Result, Run, Session
from latentmap.session.map_comparison import FIELD_MARGIN


class FieldPicture(NamedTuple):
    """The field as it lies in the square of a map.

    Attributes
    ----------
    odds : ndarray of float, shape (n_rows, n_columns)
        From 0 to 1, the uppermost row first; beyond the cells, they fall to 0 at the edge of the picture.
    first : ndarray of float, shape (2,)
        The row and the column, in the square of the map from -1/2 to 1/2, of the middle of the first pixel.
    step : ndarray of float, shape (2,)
        The height and the width of a pixel.
    """

    odds: np.ndarray
    first: np.ndarray
    step: np.ndarray

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The upper left corner of the picture and the lower right one, as rows and columns."""
        return self.first - self.step / 2, self.first + (np.array(self.odds.shape) - 0.5) * self.step


def field_box(result: Result) -> np.ndarray | None:
    """Return the part of a map that a field covers, shape (2, 2): its lowest and highest coordinates, as drawn.

    Cells so far out that they are drawn at the edge are left out. None of a map with other than two dimensions.
    """
    if result.embedding.shape[1] != 2:
        return None
    inside = result.drawn[~unit_square(result.drawn, result.variances, (0, 1)).beyond]
    return np.array([inside.min(axis=0), inside.max(axis=0)])


def field_picture(session: Session, run: Run) -> FieldPicture | None:
    """Return the field to be drawn on the map of a run, turned and laid out like its points; None for none."""
    field, settings = session.cell_field.of(run), session.display_settings
    if field is None or run.result is None:
        return None
    axes, shows_all = settings.axes_of(2), settings.show_all
    corners = np.array([[field.x[0], field.y[0]], [field.x[-1], field.y[-1]]])
    ends = points_in_square(run.result.drawn, axes, corners, shows_all=shows_all)
    # Rows run downwards, against the axis that points up.
    odds = _faded(field.odds if axes == (0, 1) else field.odds.T)[::-1]
    low, high = ends.min(axis=0), ends.max(axis=0)
    return FieldPicture(odds, low, (high - low) / (np.array(odds.shape) - 1))


def _faded(odds: np.ndarray) -> np.ndarray:
    """Let a field end softly beyond the cells, so that its edge is not taken for a border on the map."""
    at = np.linspace(0, 1, len(odds))
    share = np.clip(np.minimum(at, 1 - at) * (1 + 2 * FIELD_MARGIN) / FIELD_MARGIN, 0, 1)
    return np.asarray(odds * np.outer(share, share))
