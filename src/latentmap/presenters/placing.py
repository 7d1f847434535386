"""Placing other cells on a finished map."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pandas as pd

from latentmap.display.actions import Action
from latentmap.presenters.saving import failure
from latentmap.session import BackgroundJob, Run, Schedule, Session, place
from latentmap.session.job import as_single_step
from latentmap.session.wording import counted
from latentmap.table import CellTable, atomic_file

PLACE: Mapping[str, Action] = MappingProxyType(
    {
        "title": Action("Place other cells", "Show where cells of another table belong on the current map."),
        "cells": Action(
            "Other cells",
            "Cells that have the features of the map, measured in the same way, for example those of another image.",
        ),
        "place": Action("Place on this map", "Show where these cells belong on the map, which stays as it is."),
    }
)
"""The labels and tooltips, by name."""

Show = Callable[[Run, CellTable], bool]
"""Draws cells that were placed on the map of a run, and says whether they are seen; raises ValueError if that is not
possible any more."""


class PlaceView(Protocol):
    """A choice of cells, and a button."""

    def show_place(self, *, has_map: bool, can_place: bool) -> None:
        """Show the section if there is a map, and enable the button if the cells chosen can be placed."""


class PlacePresenter:
    """Places cells on the current map, in a thread; the map does not change.

    Parameters
    ----------
    session : Session
    view : PlaceView
    schedule : callable
        Schedules a function in the front end's thread.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(self, session: Session, view: PlaceView, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self._session, self._view, self._tell = session, view, tell
        self._job = BackgroundJob(schedule)
        for signal in (session.runs.changed, session.runs.started, session.runs.ended):
            signal.connect(self.refresh, max_args=0)

    @property
    def running(self) -> bool:
        """Whether cells are being placed."""
        return self._job.running

    def refresh(self) -> None:
        """Show what can be done now."""
        runs = self._session.runs
        has_map = runs.current is not None
        self._view.show_place(has_map=has_map, can_place=has_map and not runs.running and not self.running)

    def place(self, name: str, read: Callable[[], CellTable], show: Show) -> None:
        """Place cells.

        Parameters
        ----------
        name : str
            What the user calls them.
        read : callable
            Returns the cells; called in a thread.
        show : callable
            See `Show`.
        """
        if (current := self._session.runs.current) is None or self.running:
            return
        self._tell(f'Placing the cells of "{name}" …')
        self._job.start(
            as_single_step(lambda: place(current, read())),
            yielded=lambda _: None,
            returned=partial(self._placed, current, name, show),
            failed=partial(self._failed, name),
        )
        self.refresh()

    def stop(self) -> None:
        """Stop placing cells."""
        self._job.drop()

    def _placed(self, run: Run, name: str, show: Show, placed: CellTable) -> None:
        self.refresh()
        try:
            colour = ", in magenta" if show(run, placed) else ""
        except ValueError as error:
            self._tell(str(error))
            return
        said = f'{counted(len(placed.features), "cell")} of "{name}" placed on "{run.name}"{colour}.'
        self._tell(" ".join([said, *placed.notes]))

    def _failed(self, name: str, error: Exception) -> None:
        self.refresh()
        self._tell(failure(name, error))
        if not isinstance(error, ValueError | OSError):
            raise error


def save_placed(rows: pd.DataFrame | None, path: Path) -> str:
    """Write the keys and coordinates of cells that were placed on a map as CSV, and say where they are.

    Raises
    ------
    ValueError
        If no cells have been placed.
    OSError
        If the folder is missing, not writable or full.
    """
    if rows is None:
        raise ValueError(f"No cells have been placed yet: open {PLACE['title'].label}, and choose some.")
    with atomic_file(path) as unfinished:
        rows.to_csv(unfinished, index=False)
    return f"Saved {counted(len(rows), 'cell')} in {path}."
