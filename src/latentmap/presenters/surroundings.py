"""Adding to the table which cells lie around each cell in its image."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import pandas as pd

from latentmap.presenters.counts import CLASS
from latentmap.session import BackgroundJob, ColourBy, Schedule, Session
from latentmap.session.counting import group_choices, groups_of
from latentmap.session.job import as_single_step
from latentmap.session.surroundings import NEAR, NEIGHBORS, Surroundings, surroundings
from latentmap.session.wording import counted, three_digits
from latentmap.table import CellTable
from latentmap.table.wording import listed

Added = Callable[[pd.DataFrame, Sequence[str]], None]
"""Takes new columns, under the keys of the cells, and the names of those to take out."""


class CellPlaces(NamedTuple):
    """Where the cells lie in their images.

    Attributes
    ----------
    finders : sequence of callable
        Each returns the centroids of some cells, under their keys, and may be called in any thread.
    unit : str
        The unit of the centroids.
    """

    finders: Sequence[Callable[[], pd.DataFrame]]
    unit: str = "pixels"

    def find(self) -> pd.DataFrame:
        """Return the centroids of all cells."""
        return pd.concat([finder() for finder in self.finders])


class SurroundingsView(Protocol):
    """A list of groups, a number field for the radius, a button, and a sentence."""

    def offer(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show the one chosen."""

    def show_surroundings(self, sentence: str, *, can_add: bool) -> None:
        """Show what was added or why nothing was, and whether the button can be pressed."""


class SurroundingsPresenter:
    """Adds the composition of each cell's surroundings to the table.

    Parameters
    ----------
    session : Session
    view : SurroundingsView
    schedule : callable
        Schedules a function in the thread of the front end.
    cells : callable
        Returns the table of cells, or None.
    places : callable
        Returns where the cells lie; raises ValueError with a sentence if that is not known.
    added : Added
        Takes the new columns, under the keys of the cells, to add them to the front end's own tables, and the names of
        those to take out.
    """

    def __init__(
        self,
        session: Session,
        view: SurroundingsView,
        schedule: Schedule,
        cells: Callable[[], CellTable | None],
        places: Callable[[], CellPlaces],
        added: Added,
    ) -> None:
        self._session, self._view, self._cells, self._places, self._added = session, view, cells, places, added
        self._job = BackgroundJob(schedule)
        self.of, self._sentence = CLASS, ""

    @property
    def running(self) -> bool:
        """Whether the surroundings are being looked at."""
        return self._job.running

    def refresh(self) -> None:
        """Offer what the cells of the table have."""
        cells = self._cells()
        choices = [("class", CLASS)]
        if cells is not None:
            choices = [(one.name or one.kind, one) for one in group_choices(cells.features) if one.kind != "layer"]
        self.of = self.of if self.of in [one for _, one in choices] else CLASS
        self._view.offer(choices, self.of)
        self._view.show_surroundings(self._sentence, can_add=cells is not None and not self.running)

    def add(self, of: ColourBy, radius: float) -> None:
        """Look around each cell in a thread, and add what is found; 0 is the usual radius."""
        self.of = of
        try:
            work = around(self._session, self._cells(), self._places(), of, radius)
        except ValueError as error:
            self._tell(str(error))
            return
        unit = self._places().unit
        self._job.start(
            as_single_step(work), yielded=lambda _: None, returned=partial(self._found, of, unit), failed=self._failed
        )
        self._tell("Looking around each cell …")

    def stop(self) -> None:
        """Stop looking."""
        self._job.drop()

    def _found(self, of: ColourBy, unit: str, found: Surroundings) -> None:
        kept = add_features(self._session, of, found.columns, self._added)
        self._tell(" ".join([added_sentence(found, unit), *kept]))

    def _failed(self, error: Exception) -> None:
        self._tell(str(error))
        if not isinstance(error, ValueError):
            raise error

    def _tell(self, sentence: str) -> None:
        self._sentence = sentence
        self._view.show_surroundings(sentence, can_add=self._cells() is not None and not self.running)


def around(
    session: Session, cells: CellTable | None, places: CellPlaces, of: ColourBy, radius: float
) -> Callable[[], Surroundings]:
    """Return a function that looks around each cell, which may be called in any thread; dropped cells do not count.

    Raises
    ------
    ValueError
        If there are no cells, or no classes, the column has too many values, or what is added would take the place of
        a measured column.
    """
    if cells is None:
        raise ValueError("There are no cells yet.")
    if of == CLASS and not len(session.classes):
        raise ValueError("There is no class yet: make classes, or choose a column of words.")
    names = [str(name) for name in cells.features]
    if NEIGHBORS in names and not any(name.startswith(NEAR) for name in names):
        raise ValueError(f'The table has a column "{NEIGHBORS}" of its own: rename it, and open the table again.')
    cells = session.dropped.without(cells)
    keys = cells.features.index
    indices, groups = groups_of(of, cells.features, session.classes, session.cell_index.add(keys))
    if NEIGHBORS not in names and (own := [f"{NEAR}{group}" for group in groups if f"{NEAR}{group}" in names]):
        raise ValueError(f"The table has {listed(own)} of its own: rename it, and open the table again.")

    def look() -> Surroundings:
        return surroundings(places.find().reindex(keys), indices, groups, radius)

    return look


def add_features(session: Session, of: ColourBy, columns: pd.DataFrame, added: Added) -> list[str]:
    """Add columns to the maps and, by `added`, to the front end's tables; none is ticked for the next map.

    Columns that were added before for groups which are no longer there, as a class was renamed, are taken out, but for
    those that a map was made of.

    Returns
    -------
    list of str
        Sentences on the columns taken out, and on the maps that were made of such columns before.
    """
    used = {name for run in session.runs for name in run.parameters["features"]}
    before, now = session.surroundings.get(of, ()), [str(name) for name in columns]
    elsewhere = {name for other, names in session.surroundings.items() if other != of for name in names}
    gone = [name for name in before if name not in {*now, *used, *elsewhere}]
    session.surroundings[of] = tuple(dict.fromkeys([*now, *(name for name in before if name in used)]))
    chosen = tuple(name for name in session.parameters.features if name not in gone)
    added(columns, gone)
    # Where all features are ticked, new ones would be, too; and cells with nobody around would be left out.
    session.parameters.features = chosen
    kept = session.add_features(columns, gone)
    keep, they = ("keeps", "it was") if len(kept) == 1 else ("keep", "they were")
    told = [f"Taken out, as there is no such group any more: {listed(gone)}."] if gone else []
    return [*told, *([f"{listed(kept)} {keep} the values that {they} made of."] if kept else [])]


def added_sentence(found: Surroundings, unit: str) -> str:
    """Say what was added to the table, and which cells have nobody around.

    Examples
    --------
    >>> columns = pd.DataFrame({"near B": [1.0, None], "near T": [0.0, None], "neighbours": [2, 0]})
    >>> added_sentence(Surroundings(columns, 34.5), "µm")[:72]
    'Added for 2 cells: "near B" to "near T", shares of the cells within 34.5'
    """
    names = [str(name) for name in found.columns if name != NEIGHBORS]
    which = f'"{names[0]}"' + (f' to "{names[-1]}"' if len(names) > 1 else "")
    said = (
        f"Added for {counted(len(found.columns), 'cell')}: {which}, shares of the cells within "
        f'{three_digits(found.radius)} {unit}, and "{NEIGHBORS}", their number. Tick them to make a map of them.'
    )
    if n := found.n_alone:
        has, its = ("has", "its") if n == 1 else ("have", "their")
        said += f" {counted(n, 'cell')} {has} no other cell that near: {its} shares are empty."
    if n := found.n_unplaced:
        said += f" Of {counted(n, 'cell')} it is not known where in the image: all of this is empty."
    return said
