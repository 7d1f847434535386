"""One run: a map, finished or being made, and what is known of it."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from latentmap.session.alignment import Alignment, turned
from latentmap.session.embedding import RunProgress
from latentmap.session.result import Result
from latentmap.session.warm_start import WarmStart, are_same_keys
from latentmap.table import CellTable

# The share of its steps in which the map passes over from the interim one to its own.
_SETTLED = 0.5

Status = Literal["running", "done", "stopped", "failed"]


@dataclass(eq=False)
class Run:
    """A map, finished or being made.

    Attributes
    ----------
    name : str
        The name shown to the user, who may change it.
    table : CellTable
        The cells that it was started with.
    parameters : mapping
        The parameters when it was started, by name.
    status : {"running", "done", "stopped", "failed"}
        "stopped" if the user ended it; it may still have a result.
    progress : RunProgress or None
        Its latest progress.
    result : Result or None
        The map, once the run has ended.
    numbers : ndarray of int, shape (n_cells,), or None
        The numbers of the result's cells in the session.
    error : Exception or None
        Why it failed.
    number : int
        Its number in the order in which runs were started; a live run has that of the one it replaces.
    origin : str or None
        The name of the map that it continued from; None if it started afresh.
    is_live : bool
        Whether the next live run replaces it; see :class:`~latentmap.session.Live`.
    start : WarmStart or None
        The map to continue from, if possible; None once the run has ended.
    replaced_run : Run or None
        The live run that it will replace; None once the run has ended.
    made_elsewhere : str
        Where the coordinates come from if another program has made the map; else empty.
    alignment : Alignment or None
        Turns the map so far to lie like the one shown before; None once the run has ended.
    interim : RunProgress or None
        The interim map, which goes on along the graph of an earlier map until the run has a map of its own; see
        :mod:`~latentmap.session.interim`. None once the run has ended.
    interim_differences : tuple of str
        In which parameters the interim map is still like the earlier one.
    level : int
        0 if it makes a map of all its cells; from 1 that of their landmarks of this level alone.
    opened_from : str
        The name of the map that its cells were opened from as a group; "" for none.
    parent : Run or None
        That map, or the one before it in the path if it was deleted.
    is_superseded : bool
        Whether it was dropped because another run was started in its place.
    """

    name: str
    table: CellTable
    parameters: MappingProxyType[str, Any]
    status: Status = "running"
    progress: RunProgress | None = None
    result: Result | None = None
    numbers: np.ndarray | None = None
    error: Exception | None = None
    number: int = 0
    origin: str | None = None
    is_live: bool = False
    start: WarmStart | None = None
    replaced_run: "Run | None" = None
    made_elsewhere: str = ""
    alignment: Alignment | None = None
    interim: RunProgress | None = None
    interim_differences: tuple[str, ...] = ()
    is_superseded: bool = False
    level: int = 0
    opened_from: str = ""
    parent: "Run | None" = None

    def finished(self) -> Result:
        """Return the result.

        Returns
        -------
        Result
            The map.

        Raises
        ------
        ValueError
            If there is no map yet.
        """
        if self.result is None:
            raise ValueError(f'"{self.name}" has no map yet.')
        return self.result

    @property
    def turn(self) -> np.ndarray | None:
        """How the map is turned where it is drawn, shape (2, 2): the finished one, or the one of this moment."""
        if self.result is not None:
            return self.result.turn
        return self._turn_of(self._latest)

    @property
    def drawn(self) -> np.ndarray:
        """The coordinates of the map, finished or of this moment, as they are drawn; shape (n_cells, n_components)."""
        if self.result is not None:
            return self.result.drawn
        if (latest := self._latest) is None:
            raise ValueError(f'"{self.name}" has no map yet.')
        own, before, share = self._drawn_as(latest), self.interim, latest.iteration / (_SETTLED * latest.max_iter)
        if before is None or latest is before or share >= 1:
            return own
        if not are_same_keys(before.cells.features.index, latest.cells.features.index):
            return own
        return _between(self._drawn_as(before), own, share)

    @property
    def has_own_map(self) -> bool:
        """Whether it has a map of its own, finished or so far."""
        return self.result is not None or (self.progress is not None and self.progress.state is not None)

    @property
    def moving(self) -> RunProgress | None:
        """What is drawn of it while it is under way: its map so far or, before there is one, the interim map."""
        latest = self._latest
        return latest if latest is not None and latest.stage in ("embedding", "interim") else None

    @property
    def shown(self) -> WarmStart | None:
        """Its cells' coordinates as they are drawn at this moment, if they are."""
        if self.result is not None:
            return WarmStart(self.name, self.result.cells.features.index, self.result.drawn, self.result.variances)
        if (latest := self._latest) is None or latest.state is None:
            return None
        return WarmStart(self.name, latest.cells.features.index, self.drawn, latest.state.variances)

    @property
    def _latest(self) -> RunProgress | None:
        """The latest progress with a map, its own or the interim one."""
        return self.progress if self.has_own_map else self.interim

    def _turn_of(self, progress: RunProgress | None) -> np.ndarray | None:
        if self.alignment is None or progress is None or progress.state is None:
            return None
        return self.alignment.turn(progress.cells.features.index, progress.state.embedding)

    def _drawn_as(self, progress: RunProgress) -> np.ndarray:
        if progress.state is None:
            raise ValueError(f'"{self.name}" has no map yet.')
        return turned(progress.state.embedding, self._turn_of(progress))

    @property
    def has_warm_start(self) -> bool:
        """Whether it continues from an earlier map; before it has begun, whether it was asked to."""
        return self.start is not None if self.progress is None else self.progress.has_warm_start

    @property
    def warm_start(self) -> WarmStart | None:
        """Its cells' coordinates: on the map, on the map so far, or on the map that it is to continue from."""
        if self.result is not None:
            return WarmStart(self.name, self.result.cells.features.index, self.result.embedding, self.result.variances)
        if self.progress is not None and (state := self.progress.state) is not None:
            return WarmStart(self.name, self.progress.cells.features.index, state.embedding, state.variances)
        return self.start


def _between(before: np.ndarray, own: np.ndarray, share: float) -> np.ndarray:
    """Return positions on the way from one map to another, of the size of the latter."""
    centre, off = own.mean(axis=0), before - before.mean(axis=0)
    growth = own.std() / max(float(off.std()), np.finfo(float).tiny)
    return np.asarray((1 - share) * (centre + growth * off) + share * own)
