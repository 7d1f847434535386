"""Selecting more cells like those selected, by their features or in the tissue."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np

from latentmap.display.actions import Action
from latentmap.images.crops import Crops
from latentmap.session import BackgroundJob, Result, Schedule, Session
from latentmap.session.job import as_single_step
from latentmap.session.more_cells import most_alike, nearest_in_tissue
from latentmap.session.wording import counted

MORE: Mapping[str, Action] = MappingProxyType(
    {
        "count": Action("More cells", "How many cells to add to the selection; 0 for as many as are selected."),
        "alike": Action(
            "Most alike",
            "Add the cells on this map that are most like any of those selected, by the features of the map.",
        ),
        "near": Action(
            "Nearest", "Add the cells on this map that lie nearest to any of those selected, in the same image."
        ),
    }
)
"""The labels and tooltips, by name."""

_HOW = {"alike": "most like the selection by the features of the map", "near": "nearest to the selection in the image"}


class MoreCellsView(Protocol):
    """A number field and two buttons."""

    def show_more(self, *, can: bool) -> None:
        """Enable the buttons if there is a selection on a map."""


class MoreCellsPresenter:
    """Adds cells to the selection, as one step of its history.

    Parameters
    ----------
    session : Session
    view : MoreCellsView
    schedule : callable
        Schedules a function in the front end's thread.
    tell : callable
        Shows the user a sentence.

    Attributes
    ----------
    crops_of : callable
        Returns the labels of the layer with a name, as `Crops`, or None if they are not open.
    """

    def __init__(self, session: Session, view: MoreCellsView, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self._session, self._view, self._tell = session, view, tell
        self._job = BackgroundJob(schedule)
        self.crops_of: Callable[[str], Crops | None] = lambda _: None
        session.selection.changed.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)

    @property
    def running(self) -> bool:
        """Whether cells are being looked for."""
        return self._job.running

    def refresh(self) -> None:
        """Show whether there are selected cells on the current map."""
        current = self._session.runs.current
        has_some = current is not None and current.numbers is not None and len(self._session.selection) > 0
        self._view.show_more(can=has_some)

    def find(self, way: str, count: int) -> None:
        """Add so many cells to the selection, or as many as are selected for 0; `way` is "alike" or "near"."""
        current, selected = self._session.runs.current, self._session.selection.numbers
        if current is None or current.result is None or current.numbers is None:
            return
        numbers, result = current.numbers, current.result
        is_chosen = self._session.selection.is_selected(numbers)
        if not is_chosen.any():
            self._tell("None of the selected cells is on this map: select some of its cells.")
            return
        is_open = ~self._session.dropped.is_dropped(numbers)
        n_more = count or int(is_chosen.sum())
        layers = map(str, result.cells.features.index[is_chosen].unique("layer"))
        crops = {layer: found for layer in layers if (found := self.crops_of(layer)) is not None}
        self._job.start(
            as_single_step(_found, way, result, crops, is_chosen, is_open, n_more),
            yielded=lambda _: None,
            returned=lambda rows: self._add(way, numbers[rows], selected, n_more),
            failed=self._failed,
        )

    def stop(self) -> None:
        """Stop looking, and release the labels."""
        self._job.drop()
        self.crops_of = lambda _: None

    def _add(self, way: str, found: np.ndarray, selected: np.ndarray, n_more: int) -> None:
        if not np.array_equal(selected, self._session.selection.numbers):
            self._tell("The selection has changed meanwhile, so nothing was added: press again.")
        elif not len(found):
            self._tell("There are no more cells to add: all are selected, dropped, or of other images.")
        else:
            self._session.selection.select(found, "add", how=f"{counted(len(found), 'cell')} {_HOW[way]}")
            fewer = "" if len(found) == n_more else f" Only these are left; {n_more} were asked for."
            self._tell(f"{counted(len(found), 'cell')} added: {_HOW[way]}.{fewer} Undo takes them out again.")

    def _failed(self, error: Exception) -> None:
        self._tell(str(error))
        if not isinstance(error, ValueError):
            raise error


def _found(
    way: str, result: Result, crops: Mapping[str, Crops], is_chosen: np.ndarray, is_open: np.ndarray, n_more: int
) -> np.ndarray:
    if way == "alike":
        return most_alike(result, is_chosen, is_open, n_more)
    return nearest_in_tissue(result, crops, is_chosen, is_open, n_more)
