"""The gates of a session, and the classes that they give."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.session.cell_index import CellIndex
from latentmap.session.classes import Classes
from latentmap.session.gate import Gate
from latentmap.session.selection import SelectionStep

# The region of cells that were not there when a gate was last looked at.
_UNSEEN = -2


class Gates:
    """Gates, each of which gives classes of cells.

    A cell belongs to one class only: where gates overlap, to that of the gate made last. A cell that leaves a gate goes
    to another gate that it lies in, or to no class.

    Parameters
    ----------
    classes : Classes
        The user's classes.
    cell_index : CellIndex
        The numbers of the session's cells.

    Examples
    --------
    >>> from latentmap.session.gate import Axis
    >>> cell_index = CellIndex()
    >>> numbers = cell_index.add([("cells", 0, label) for label in range(1, 5)])
    >>> cells = pd.DataFrame({"area": [10.0, 20.0, 30.0, np.nan]}, cell_index.keys(numbers))
    >>> classes = Classes(cell_index)
    >>> gates = Gates(classes, cell_index)
    >>> small = Gate("rectangle", (Axis("area"),), ((0.0,), (25.0,)), ("small",))
    >>> gates.add(small, cells)
    >>> classes.members("small")
    array([0, 1])
    >>> gates.replace(small, small.with_corners(((15.0,), (35.0,))), cells)
    >>> classes.members("small")
    array([1, 2])
    """

    changed = Signal()
    """Emitted when a gate is added, changed or removed."""

    def __init__(self, classes: Classes, cell_index: CellIndex) -> None:
        self._classes, self._cell_index = classes, cell_index
        self._gates: list[Gate] = []
        # The region of each cell as a gate was last looked at; None for gates that were restored.
        self._seen: list[pd.Series | None] = []
        self._followed: pd.DataFrame | None = None
        classes.renamed.connect(self._rename)
        classes.deleted.connect(self._leave)

    def __len__(self) -> int:
        return len(self._gates)

    def __iter__(self) -> Iterator[Gate]:
        return iter(tuple(self._gates))

    def __getitem__(self, index: int) -> Gate:
        return self._gates[index]

    def index(self, gate: Gate) -> int:
        """Return the position of a gate.

        Raises
        ------
        ValueError
            If it is not among the gates.
        """
        return self._gates.index(gate)

    def add(self, gate: Gate, features: pd.DataFrame) -> None:
        """Add a gate, and put the cells in it into its classes.

        Parameters
        ----------
        gate : Gate
            The gate.
        features : pandas.DataFrame
            The cells, one row each, with the keys (layer, frame, label) as index.

        Raises
        ------
        ValueError
            If it gives no class, there is the same gate already, or the cells do not have a gated feature.
        """
        if not any(name.strip() for name in gate.names):
            raise ValueError("Give the class of the gate a name.")
        self._check_new(gate)
        self._assign(None, gate, features)
        self._gates.append(gate)
        self._seen.append(_regions(gate, features))
        self.changed.emit()

    def replace(self, old: Gate, new: Gate, features: pd.DataFrame) -> None:
        """Change a gate: the cells that it no longer holds leave its classes, and those that it now holds join them.

        Raises
        ------
        ValueError
            If there is no such gate, the new one is another that there is, or the cells do not have a gated feature.
        """
        index = self.index(old)
        if new != old:
            self._check_new(new)
            self.follow(features)
            self._assign(old, new, features)
            self._gates[index], self._seen[index] = new, _regions(new, features)
            self.changed.emit()

    def remove(self, gate: Gate, features: pd.DataFrame) -> None:
        """Remove a gate: its cells leave its classes, and classes without cells are deleted.

        Raises
        ------
        ValueError
            If there is no such gate.
        """
        index = self.index(gate)
        self.follow(features)
        if self._has_features(gate, features):
            self._assign(gate, None, features)
        del self._gates[index], self._seen[index]
        for name in gate.names:
            if name in self._classes.names and not len(self._classes.members(name)):
                self._classes.delete(name)
        self.changed.emit()

    def restore(self, gates: Iterable[Gate]) -> None:
        """Replace all gates; the classes stay as they are."""
        self._gates = list(gates)
        self._seen, self._followed = [None] * len(self._gates), None
        self.changed.emit()

    def follow(self, features: pd.DataFrame) -> int:
        """Take up other values of features: by these, cells leave the classes of gates and join them.

        Parameters
        ----------
        features : pandas.DataFrame
            As for `add`. Cells that were not there before stay out of a gate until it is changed.

        Returns
        -------
        int
            How many cells have changed class. Those that were put elsewhere by hand stay there.
        """
        if features is self._followed:
            return 0
        self._followed = features
        numbers = self._cell_index.add(features.index)
        classes = self._classes.names_of(numbers)
        is_moved, is_given = np.zeros_like(numbers, dtype=bool), classes == ""
        now = np.full(len(features), "", dtype=object)
        for at, (gate, seen) in enumerate(zip(self._gates, self._seen, strict=True)):
            if not self._has_features(gate, features):
                continue
            regions, names = _regions(gate, features), np.array([*gate.names, ""], dtype=object)
            self._seen[at] = regions
            if seen is not None:
                then = seen.reindex(features.index, fill_value=_UNSEEN).to_numpy()
                is_moved |= (then != regions) & (then != _UNSEEN)
                is_given |= (classes != "") & (names[np.maximum(then, -1)] == classes)
            inside = names[regions]
            now = np.where(inside != "", inside, now)
        changed = is_moved & is_given & (now != classes)
        if changed.any():
            with self._classes.changed.blocked():
                self._classes.unassign(numbers[changed & (now == "")])
                for gate in self._gates:
                    self._put(gate, now[changed], numbers[changed], is_new=False)
            self._classes.changed.emit()
        return int(changed.sum())

    def _check_new(self, gate: Gate) -> None:
        if gate in self._gates:
            raise ValueError("There is this gate already: move it, or draw another one.")

    def _assign(self, old: Gate | None, new: Gate | None, features: pd.DataFrame) -> None:
        numbers, none = self._cell_index.add(features.index), np.full(len(features), "", dtype=object)
        after = none if new is None else new.class_names(features)
        before = none if old is None else old.class_names(features)
        left = (before != "") & (before != after) & (self._classes.names_of(numbers) == before)
        with self._classes.changed.blocked():
            self._classes.unassign(numbers[left])
            for gate in self._gates:
                if left.any() and gate != old and self._has_features(gate, features):
                    self._put(gate, gate.class_names(_gated(gate, features)[left]), numbers[left], is_new=False)
            if new is not None:
                self._put(new, np.where(self._in_later(old, features), "", after), numbers, is_new=True)
        self._classes.changed.emit()

    def _in_later(self, gate: Gate | None, features: pd.DataFrame) -> np.ndarray:
        """Which cells are in a gate that was made after this one; None stands for a new one."""
        inside = np.zeros(len(features), dtype=bool)
        for later in self._gates[self.index(gate) + 1 :] if gate is not None else []:
            if self._has_features(later, features):
                inside |= later.class_names(features) != ""
        return inside

    def _put(self, gate: Gate, names: np.ndarray, numbers: np.ndarray, *, is_new: bool) -> None:
        """Put cells into the classes of a gate; the story of a class is that of a gate that is new or was changed."""
        for region, name in enumerate(gate.names):
            if name:
                chosen = numbers[names == name]
                if name in self._classes.names and not (is_new and len(chosen)):
                    story = self._classes[name].story
                else:
                    story = (SelectionStep("replace", f"gate, {gate.text(region)}", len(chosen), len(chosen)),)
                self._classes.assign(name, chosen, story)

    @staticmethod
    def _has_features(gate: Gate, features: pd.DataFrame) -> bool:
        return all(axis.feature in features for axis in gate.axes)

    def _rename(self, old: str, new: str) -> None:
        self._name(old, new)

    def _leave(self, name: str) -> None:
        self._name(name, "")

    def _name(self, old: str, new: str) -> None:
        """Give a class another name in all gates; gates without classes are gone."""
        renamed = [replace(gate, names=tuple(new if name == old else name for name in gate.names)) for gate in self]
        if renamed != self._gates:
            self._seen = [seen for seen, gate in zip(self._seen, renamed, strict=True) if any(gate.names)]
            self._gates = [gate for gate in renamed if any(gate.names)]
            self.changed.emit()


def _gated(gate: Gate, features: pd.DataFrame) -> pd.DataFrame:
    return features[[axis.feature for axis in gate.axes]]


def _regions(gate: Gate, features: pd.DataFrame) -> pd.Series:
    return pd.Series(gate.regions(features).astype(np.int8), features.index)
