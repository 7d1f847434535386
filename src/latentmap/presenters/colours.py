"""What the points are coloured by, and what the colours of a map mean."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from latentmap.display.actions import PICK_GROUP, PICK_KEYS
from latentmap.display.colours import legend
from latentmap.presenters.shared_colours import shared_colours
from latentmap.session import (
    STABILITY,
    VARIANCE,
    ColourBy,
    ColourGroups,
    ColourScale,
    Run,
    Session,
    cell_colours,
    colour_choices,
)
from latentmap.session.selection import Mode
from latentmap.table import CellTable

_CLASS = ColourBy("class")


def map_colours(
    session: Session, cells: CellTable, numbers: np.ndarray, variances: np.ndarray
) -> ColourScale | ColourGroups:
    """Return what the colours of a map mean; it is coloured by variance if its cells lack the feature chosen.

    `numbers` are the numbers of the cells in the session, `variances` those of their positions, as the result has them:
    by these it is known which map is meant.
    """
    by, features = session.display_settings.colour_by, cells.features
    known = by if by in (VARIANCE, STABILITY) or by in colour_choices(features) else VARIANCE
    own = shared_colours(session, known)
    results = (run.result for run in session.runs)
    result = next((one for one in results if one is not None and one.variances is variances), None)
    lost = None if result is None else result.lost_neighbors
    stability = None if result is None or result.stability is None else result.stability.kept
    shown = ~session.dropped.is_dropped(numbers) if len(session.dropped) else None
    return cell_colours(known, features, variances, session.classes, numbers, own, lost, stability, shown)


def joint_legend(
    maps: Sequence[tuple[str, ColourScale | ColourGroups]],
) -> tuple[ColourScale | ColourGroups | None, list[str]]:
    """Return what the legend of maps side by side explains.

    Parameters
    ----------
    maps : sequence of (str, ColourScale or ColourGroups)
        The name of each map, and what its colours mean.

    Returns
    -------
    colouring : ColourScale, ColourGroups or None
        The groups of all maps, which have one colour on all of them, or the scale of the first map.
    others : list of str
        A line for each map that has another scale.
    """
    grouped = [meant for _, meant in maps if isinstance(meant, ColourGroups)]
    if not grouped:
        first: ColourScale | ColourGroups | None = maps[0][1] if maps else None
    else:
        colours = {name: colour for one in grouped for name, colour in zip(one.names, one.colours, strict=True)}
        first = ColourGroups(grouped[0].title, grouped[0].indices, tuple(colours), tuple(colours.values()))
    scales = [(name, meant) for name, meant in maps if isinstance(meant, ColourScale)]
    known, title = (_ends(first), first.title) if isinstance(first, ColourScale) else ("", "")
    others = [(name, meant.title, _ends(meant)) for name, meant in scales]
    return first, [
        f"{name}: {ends if its == title else f'{its}, {ends}'}"
        for name, its, ends in others
        if (its, ends) != (title, known)
    ]


def _ends(meant: ColourScale) -> str:
    return legend(replace(meant, clipped=0))[0]


def hollow_cells(session: Session, run: Run) -> np.ndarray | None:
    """Return which cells of a map are drawn hollow, shape (n_cells,): the doubtful ones; None for none."""
    check = None if run.result is None else run.result.check
    return ~check.is_sure if check is not None and session.display_settings.hollow_doubtful else None


class ColourView(Protocol):
    """A list of the quantities that points can be coloured by, and a check box for their size."""

    def offer(self, names: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these quantities, each under its name, and show which one is chosen."""

    def show_chosen(self, chosen: ColourBy) -> None:
        """Show which of the quantities is chosen."""

    def show_ticks(self, *, sized: bool, names: bool) -> None:
        """Show whether cells with uncertain positions are drawn larger, and whether names of groups are on the map."""


class ColourPresenter:
    """Offers the quantities that the cells on the current map can be coloured by.

    The first class colours the cells by class, unless the user has chosen the colours; without any class they are
    coloured as before.
    """

    def __init__(self, session: Session, view: ColourView, tell: Callable[[str], None] = lambda sentence: None) -> None:
        self._tell = tell
        self._session, self._view, self.display_settings = session, view, session.display_settings
        self._offered: list[ColourBy] = []
        self._is_showing = False
        self._has_classes, self._is_own_choice = len(session.classes) > 0, self.display_settings.colour_by != VARIANCE
        session.display_settings.events.connect(self.refresh, max_args=0)
        session.display_settings.events.colour_by.connect(self._colours_set, max_args=1)
        session.classes.changed.connect(self._classes_changed)
        session.runs.progressed.connect(self._progressed)
        session.runs.changed.connect(self._map_changed)
        session.runs.checked.connect(self._map_changed, max_args=0)

    def close(self) -> None:
        """Stop following the display settings; the session drops the presenter itself."""
        self.display_settings.events.disconnect(self.refresh)
        self.display_settings.events.colour_by.disconnect(self._colours_set)

    def refresh(self) -> None:
        """Show what is chosen, provided that the view offers it."""
        if self.display_settings.colour_by in self._offered:
            self._view.show_chosen(self.display_settings.colour_by)
        look = self.display_settings
        self._view.show_ticks(sized=look.sized_by_variance, names=look.names_on_map)

    def offer(self, offered: Sequence[ColourBy]) -> None:
        """Offer these quantities; if the one chosen is not among them, choose the variance."""
        chosen = self.display_settings.colour_by if self.display_settings.colour_by in offered else VARIANCE
        if self._offered != list(offered):
            self._offered, self._is_showing = list(offered), True
            try:
                self._view.offer([(by.name or by.kind, by) for by in offered], chosen)
            finally:
                self._is_showing = False
        self.display_settings.colour_by = chosen

    def choose(self, by: ColourBy) -> None:
        """Colour by this; ignored while other choices are being offered, because some views report what they show."""
        if not self._is_showing and by != self.display_settings.colour_by:
            self.display_settings.colour_by = by
            self._is_own_choice = True

    def size(self, sized: bool) -> None:
        """Draw cells with uncertain positions larger, or all cells alike."""
        self.display_settings.sized_by_variance = sized

    def name_groups(self, named: bool) -> None:
        """Write the names of groups on the maps, or do not."""
        self.display_settings.names_on_map = named

    @property
    def can_rename(self) -> bool:
        """Whether the groups of the legend are classes, which can be renamed."""
        return self.display_settings.colour_by.kind == "class"

    @property
    def group_help(self) -> str:
        """What the user can do with the groups of the legend."""
        if self.can_rename:
            return f"{PICK_GROUP} {PICK_KEYS} Double-click a class to rename it."
        by = self.display_settings.colour_by
        return f'{PICK_GROUP} {PICK_KEYS} The names are those in "{by.name or by.kind}": they cannot be changed here.'

    def rename_group(self, name: str, new: str) -> None:
        """Rename a class of the legend; if that is not possible, say why."""
        if not self.can_rename:
            return
        try:
            self._session.classes.rename(name, new)
        except ValueError as error:
            self._tell(str(error))

    def select_group(self, name: str, mode: Mode = "replace") -> None:
        """Select those cells on the current map that belong to a group of the legend, but none that is dropped."""
        run = self._session.runs.current
        if run is None or run.result is None or run.numbers is None:
            return
        groups = map_colours(self._session, run.result.cells, run.numbers, run.result.variances)
        if isinstance(groups, ColourGroups) and name in groups.names:
            is_member = (groups.indices == groups.names.index(name)) & ~self._session.dropped.is_dropped(run.numbers)
            members = run.numbers[is_member]
            self._session.selection.select(members, mode, how=f'{groups.title} "{name}"')
        else:
            self._tell(f'No cell of the current map is in "{name}": click the other map in the table of maps first.')

    def _colours_set(self, by: ColourBy) -> None:
        # A session that is opened, or a feature that is gone, sets the variance without the user's having chosen it.
        self._is_own_choice = by != VARIANCE

    def _classes_changed(self) -> None:
        before, self._has_classes = self._has_classes, len(self._session.classes) > 0
        if self._is_own_choice or before == self._has_classes:
            return
        expected, wanted = (VARIANCE, _CLASS) if self._has_classes else (_CLASS, VARIANCE)
        if self.display_settings.colour_by == expected:
            self.display_settings.colour_by = wanted
            self._is_own_choice = False

    def _progressed(self, run: Run) -> None:
        if run.progress is not None and run.progress.iteration == 0 and run.interim is None:
            self.offer(colour_choices(run.progress.cells.features))

    def _map_changed(self) -> None:
        current = self._session.runs.current
        if current is not None and current.result is not None and not self._session.runs.running:
            is_known = current.result.stability is not None
            self.offer(colour_choices(current.result.cells.features, stability=is_known))
