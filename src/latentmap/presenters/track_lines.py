"""Which lines are drawn on a map: tracks, and true neighbours; and which cells stand out in the frame shown."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.session import Result, Run, Session
from latentmap.table import CellTable
from latentmap.table.tracks import Tracks, find_tracks

_NONE = np.empty((0, 2), dtype=np.int64)
# Maps whose tracks are remembered.
_REMEMBERED = 6


class DrawnTracks(NamedTuple):
    """The tracks on a map.

    Attributes
    ----------
    links : ndarray of int, shape (n_links, 2)
        The rows of the cells that a line joins, the earlier one first.
    path : ndarray of int, shape (n_steps, 2)
        The same for the track of the cell under the mouse, and for its true neighbours, which stand out.
    frames : ndarray of int, shape (n_cells,)
        The frame of each cell; empty if the cells are not followed in time.
    now : int or None
        The frame whose cells stand out; None if all look alike.
    """

    links: np.ndarray = _NONE
    path: np.ndarray = _NONE
    frames: np.ndarray = np.empty(0, dtype=np.int64)
    now: int | None = None

    @property
    def is_now(self) -> np.ndarray:
        """Which cells stand out, shape (n_cells,); none if all look alike."""
        found: np.ndarray = self.frames == self.now if self.now is not None else np.zeros(len(self.frames), dtype=bool)
        return found


NO_TRACKS = DrawnTracks()


class TrackLines:
    """The tracks of the cells on the maps of a session, without dropped cells.

    Parameters
    ----------
    session : Session
    """

    changed = Signal()
    """Emitted when other tracks are to be drawn, or another frame stands out."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pointed: int | None = None
        self._known: list[tuple[pd.DataFrame, np.ndarray, Tracks | None]] = []
        session.display_settings.events.tracks.connect(self._tell, max_args=0)
        session.display_settings.events.neighbor_lines.connect(self._tell, max_args=0)
        session.selection.changed.connect(self._tell, max_args=0)
        session.dropped.changed.connect(self._tell, max_args=0)
        session.playhead.changed.connect(self._moved, max_args=0)

    def point_at(self, number: int | None) -> None:
        """Let the track of this cell stand out; None for no cell."""
        if number != self._pointed:
            self._pointed = number
            self.changed.emit()

    def tracks_of(self, cells: CellTable, numbers: np.ndarray) -> Tracks | None:
        """Return the tracks of these cells, in their rows; None if they are not followed in time.

        Parameters
        ----------
        cells : CellTable
        numbers : ndarray of int, shape (n_cells,)
            Their numbers in the session.
        """
        there = np.flatnonzero(~self._session.dropped.is_dropped(numbers))
        for features, rows, tracks in self._known:
            if features is cells.features and np.array_equal(rows, there):
                return tracks
        # A copy of a million rows would block the window.
        left = cells.features if len(there) == len(numbers) else cells.features.iloc[there]
        tracks = _in_rows(find_tracks(left), there, len(numbers))
        self._known = [(cells.features, there, tracks), *self._known][:_REMEMBERED]
        return tracks

    def of(self, cells: CellTable, numbers: np.ndarray, result: Result | None = None) -> DrawnTracks:
        """Return the lines on a map: tracks and, where its result is given, true neighbours; others as `tracks_of`."""
        drawn, near = self._tracks(cells, numbers), self._to_neighbors(numbers, result)
        return drawn._replace(path=np.concatenate([drawn.path, near])) if len(near) else drawn

    def _to_neighbors(self, numbers: np.ndarray, result: Result | None) -> np.ndarray:
        """Lines from the cell under the mouse to its true neighbours, without dropped ones."""
        if not self._session.display_settings.neighbor_lines or self._pointed is None:
            return _NONE
        if result is None or result.neighbors is None:
            return _NONE
        row = np.flatnonzero(numbers == self._pointed)
        near = result.neighbors[row].ravel()
        near = near[near >= 0]
        near = near[~self._session.dropped.is_dropped(numbers[near])]
        return np.column_stack([np.repeat(row, len(near)), near]).astype(np.int64) if len(near) else _NONE

    def _tracks(self, cells: CellTable, numbers: np.ndarray) -> DrawnTracks:
        tracks = self.tracks_of(cells, numbers)
        if tracks is None:
            return NO_TRACKS
        shown = self._session.display_settings.tracks
        links = tracks.links if shown == "all" else _NONE
        if shown == "selected" and (rows := np.flatnonzero(self._session.selection.is_selected(numbers))).size:
            links = tracks.paths_of(rows)
        pointed = np.empty(0, dtype=np.int64) if self._pointed is None else np.flatnonzero(numbers == self._pointed)
        path = tracks.paths_of(pointed) if len(pointed) else _NONE
        now = None if shown == "none" else self._session.playhead.frame
        return DrawnTracks(links, path, tracks.frames, now)

    def of_run(self, run: Run) -> DrawnTracks:
        """Return what is drawn of the tracks on the map of a run; none before it has a map."""
        if run.result is None or run.numbers is None:
            return NO_TRACKS
        return self.of(run.result.cells, run.numbers, run.result)

    def close(self) -> None:
        """Stop following the session."""
        session = self._session
        session.display_settings.events.tracks.disconnect(self._tell)
        session.display_settings.events.neighbor_lines.disconnect(self._tell)
        session.selection.changed.disconnect(self._tell)
        session.dropped.changed.disconnect(self._tell)
        session.playhead.changed.disconnect(self._moved)
        self._known = []

    def _moved(self) -> None:
        if self._session.display_settings.tracks != "none":
            self.changed.emit()

    def _tell(self) -> None:
        self.changed.emit()


def _in_rows(tracks: Tracks | None, rows: np.ndarray, n_rows: int) -> Tracks | None:
    """Tracks found among some rows of a table, in the rows of all."""
    if tracks is None or len(rows) == n_rows:
        return tracks
    of_cell, frames = np.full(n_rows, -1), np.full(n_rows, -1)
    of_cell[rows], frames[rows] = tracks.of_cell, tracks.frames
    return Tracks(of_cell, frames, rows[tracks.links], tracks.parents, tracks.column, tracks.n_unclear)
