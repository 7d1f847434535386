"""Comparisons of cells, made by clicking: this cell is more like that one than like the other."""

from collections.abc import Iterable, Sequence

import numpy as np
from psygnal import Signal

from latentmap.session.selection import Selection

Triplet = tuple[int, int, int]
"""The numbers of three cells: the first is more like the second than the third."""
HOW = "comparison"
"""How the selection records cells picked for a comparison."""


class ClickedComparisons:
    """Triplets of cells, each made by three clicks in the image or on the map.

    While it is on, each cell that is selected alone is picked: first the cell to compare, then the one that it is more
    like, then the one that it is less like. The cells picked so far stay selected.

    Examples
    --------
    >>> from latentmap.session.cell_index import CellIndex
    >>> cell_index = CellIndex()
    >>> one, alike, other = cell_index.add([("cells", 0, 3), ("cells", 0, 7), ("cells", 0, 9)])
    >>> selection = Selection(cell_index)
    >>> comparing = ClickedComparisons(selection)
    >>> comparing.on = True
    >>> for number in (one, alike, other):
    ...     selection.select([number])
    >>> [tuple(map(int, triplet)) for triplet in comparing.triplets]
    [(0, 1, 2)]
    """

    changed = Signal()
    """Emitted when a cell is picked, a triplet is made or taken back, or comparing is switched on or off."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._is_on = False
        self._picked: tuple[int, ...] = ()
        self._triplets: tuple[Triplet, ...] = ()
        selection.chosen.connect(self._chosen)

    @property
    def on(self) -> bool:
        """Whether clicks on cells make comparisons."""
        return self._is_on

    @on.setter
    def on(self, on: bool) -> None:
        if on != self._is_on:
            self._is_on, self._picked = on, ()
            if on:
                self._selection.select((), how=HOW)
            self.changed.emit()

    @property
    def picked(self) -> tuple[int, ...]:
        """The cells picked for the next triplet: none, one or two."""
        return self._picked

    @property
    def triplets(self) -> tuple[Triplet, ...]:
        """The comparisons made so far."""
        return self._triplets

    def undo(self) -> None:
        """Take back the cells picked or, if there are none, the last triplet."""
        if not self._picked:
            self._triplets = self._triplets[:-1]
        self._pick(())

    def clear(self) -> None:
        """Forget all triplets, and the cells picked."""
        self._triplets = ()
        self._pick(())

    def discard_cells(self, numbers: np.ndarray) -> None:
        """Unpick cells that were dropped."""
        self._picked = tuple(cell for cell in self._picked if cell not in numbers)
        self.changed.emit()

    def restore(self, triplets: Iterable[Sequence[int] | np.ndarray]) -> None:
        """Replace all triplets.

        Parameters
        ----------
        triplets : iterable of three int
            The numbers of three cells each.
        """
        self._triplets = tuple((int(one), int(alike), int(other)) for one, alike, other in triplets)
        self._picked = ()
        self.changed.emit()

    def _chosen(self, numbers: np.ndarray, mode: str, how: str) -> None:
        # Not the selection made by `_pick` itself.
        if not self._is_on or how == HOW or mode not in ("replace", "add") or len(numbers) != 1:
            return
        cell = int(numbers[0])
        self._pick((*self._picked, cell) if cell not in self._picked else self._picked)

    def _pick(self, picked: tuple[int, ...]) -> None:
        if len(picked) == 3:
            one, alike, other = picked
            self._triplets, picked = (*self._triplets, (one, alike, other)), ()
        self._picked = picked
        if self._is_on:
            self._selection.select(np.array(picked, dtype=np.int64), how=HOW)
        self.changed.emit()
