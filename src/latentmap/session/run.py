"""One run: a map, finished or being made, and what is known of it."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from latentmap.session.alignment import Alignment, turned
from latentmap.session.embedding import Result, RunProgress
from latentmap.session.warm_start import WarmStart
from latentmap.table import CellTable

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
        if self.alignment is None or self.progress is None or (state := self.progress.state) is None:
            return None
        return self.alignment.turn(self.progress.cells.features.index, state.embedding)

    @property
    def drawn(self) -> np.ndarray:
        """The coordinates of the map, finished or of this moment, as they are drawn; shape (n_cells, n_components)."""
        if self.result is not None:
            return self.result.drawn
        if self.progress is None or self.progress.state is None:
            raise ValueError(f'"{self.name}" has no map yet.')
        return turned(self.progress.state.embedding, self.turn)

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
