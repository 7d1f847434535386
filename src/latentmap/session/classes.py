"""The user's classes of cells."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from psygnal import Signal

from latentmap.session.cell_index import CellIndex
from latentmap.session.palette import next_colour
from latentmap.session.selection import SelectionStep

CLASS_COLUMN = "class"
"""The column that saved tables have the classes in, unless it is taken."""
_NONE = -1


@dataclass(frozen=True)
class CellClass:
    """A class of cells.

    Attributes
    ----------
    name : str
        The user's name for it.
    colour : str
        As ``#rrggbb``.
    story : tuple of SelectionStep
        How the cells assigned last were selected.
    """

    name: str
    colour: str
    story: tuple[SelectionStep, ...] = ()


class Classes:
    """Named, coloured classes. A cell belongs to one of them or to none.

    Parameters
    ----------
    cell_index : CellIndex
        The numbers of the session's cells.

    Examples
    --------
    >>> cell_index = CellIndex()
    >>> cells = cell_index.add([("cells", 0, label) for label in range(4)])
    >>> classes = Classes(cell_index)
    >>> classes.assign("B cells", cells[:3])
    >>> classes.assign("dividing", cells[2:])
    >>> classes.members("B cells"), classes.members("dividing")
    (array([0, 1]), array([2, 3]))
    >>> classes.names_of(cells).tolist()
    ['B cells', 'B cells', 'dividing', 'dividing']
    """

    changed = Signal()
    """Emitted when a class, a name, a colour or the members of a class change."""

    renamed = Signal(str, str)
    """Emitted with the old and the new name of a class, before `changed`."""

    deleted = Signal(str)
    """Emitted with the name of a class that was deleted, before `changed`."""

    def __init__(self, cell_index: CellIndex) -> None:
        self._cell_index = cell_index
        self._classes: list[CellClass] = []
        self._of_cell = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._classes)

    def __iter__(self) -> Iterator[CellClass]:
        return iter(tuple(self._classes))

    def __getitem__(self, name: str) -> CellClass:
        return self._classes[self._index(name)]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order in which the classes were created."""
        return tuple(one.name for one in self._classes)

    def assign(self, name: str, numbers: Iterable[int], story: Sequence[SelectionStep] = ()) -> None:
        """Move cells into a class, which is created if it does not exist.

        Parameters
        ----------
        name : str
            The name of the class.
        numbers : iterable of int
            The cells.
        story : sequence of SelectionStep
            How they were selected.

        Raises
        ------
        ValueError
            If the name is empty.
        """
        name = _proper(name)
        if name not in self.names:
            self._classes.append(CellClass(name, next_colour([one.colour for one in self._classes])))
        index = self._index(name)
        self._classes[index] = replace(self._classes[index], story=tuple(story))
        self._write(numbers, index)
        self.changed.emit()

    def unassign(self, numbers: Iterable[int]) -> None:
        """Take cells out of their classes.

        Parameters
        ----------
        numbers : iterable of int
            The cells.
        """
        self._write(numbers, _NONE)
        self.changed.emit()

    def rename(self, old: str, new: str) -> None:
        """Rename a class.

        Parameters
        ----------
        old, new : str
            Its name so far, and its new name.

        Raises
        ------
        ValueError
            If there is no class of the old name, or the new name is empty or taken.
        """
        index, new = self._index(old), _proper(new)
        if new in self.names and new != old:
            raise ValueError(f'There is a class "{new}" already: choose another name.')
        self._classes[index] = replace(self._classes[index], name=new)
        self.renamed.emit(old, new)
        self.changed.emit()

    def recolour(self, name: str, colour: str) -> None:
        """Give a class another colour.

        Parameters
        ----------
        name : str
            The name of the class.
        colour : str
            As ``#rrggbb``.

        Raises
        ------
        ValueError
            If there is no such class.
        """
        index = self._index(name)
        self._classes[index] = replace(self._classes[index], colour=colour)
        self.changed.emit()

    def delete(self, name: str) -> None:
        """Delete a class; its cells then belong to none.

        Parameters
        ----------
        name : str
            The name of the class.

        Raises
        ------
        ValueError
            If there is no such class.
        """
        index = self._index(name)
        del self._classes[index]
        self._of_cell[self._of_cell == index] = _NONE
        self._of_cell[self._of_cell > index] -= 1
        self.deleted.emit(name)
        self.changed.emit()

    def restore(self, classes: Sequence[CellClass], numbers: np.ndarray, indices: np.ndarray) -> None:
        """Replace all classes.

        Parameters
        ----------
        classes : sequence of CellClass
            The new classes, with different names.
        numbers : ndarray of int, shape (n,)
            Cells; all others belong to no class.
        indices : ndarray of int, shape (n,)
            The index of each cell's class, -1 for none.
        """
        self._classes = list(classes)
        self._of_cell = np.full(len(self._cell_index), _NONE, dtype=np.int32)
        self._of_cell[numbers] = indices
        self.changed.emit()

    def members(self, name: str) -> np.ndarray:
        """Return the cells of a class.

        Parameters
        ----------
        name : str
            The name of the class.

        Returns
        -------
        ndarray of int64, shape (n_members,)
            The cells' numbers, ascending.

        Raises
        ------
        ValueError
            If there is no such class.
        """
        return np.flatnonzero(self._of_cell == self._index(name))

    def indices_of(self, numbers: np.ndarray) -> np.ndarray:
        """Return the class of each cell as an index.

        Parameters
        ----------
        numbers : ndarray of int, shape (n,)
            The cells; -1 for rows that are not cells.

        Returns
        -------
        ndarray of int, shape (n,)
            Indices into :attr:`names`, -1 for no class.
        """
        # One more entry than there are cells: the one that -1 points to.
        padded = np.full(len(self._cell_index) + 1, _NONE, dtype=np.int32)
        padded[: len(self._of_cell)] = self._of_cell
        indices: np.ndarray = padded[numbers]
        return indices

    def names_of(self, numbers: np.ndarray) -> np.ndarray:
        """Return the name of each cell's class.

        Parameters
        ----------
        numbers : ndarray of int, shape (n,)
            The cells; -1 for rows that are not cells.

        Returns
        -------
        ndarray of object, shape (n,)
            Names, "" for no class.
        """
        names: np.ndarray = np.array([*self.names, ""], dtype=object)[self.indices_of(numbers)]
        return names

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f'There is no class "{name}".')
        return self.names.index(name)

    def _write(self, numbers: Iterable[int], index: int) -> None:
        missing = len(self._cell_index) - len(self._of_cell)
        self._of_cell = np.append(self._of_cell, np.full(missing, _NONE, dtype=np.int32))
        self._of_cell[np.asarray(numbers, dtype=np.int64)] = index


def _proper(name: str) -> str:
    if not (name := name.strip()):
        raise ValueError("A class needs a name.")
    return name
