"""The cells that the user has selected."""

from collections.abc import Iterable, Iterator, Set

from psygnal import Signal

from latentmap.table import Key


class Selection(Set[Key]):
    """A set of cells' keys that tells every view when it changes.

    Parameters
    ----------
    keys : iterable of (layer, frame, label), optional
        The cells selected at first.

    Examples
    --------
    >>> selection = Selection([("cells", 0, 3), ("cells", 0, 7)])
    >>> _ = selection.changed.connect(lambda added, removed: print("+", set(added), "-", set(removed)))
    >>> selection.replace([("cells", 0, 7), ("cells", 0, 1000)])
    + {('cells', 0, 1000)} - {('cells', 0, 3)}
    >>> selection.replace([("cells", 0, 1000), ("cells", 0, 7)])
    """

    # psygnal's EventedSet tells a listener that changes the set in turn of keys both added and removed.
    changed = Signal(frozenset, frozenset, reemission="queued")
    """Emitted once a change as ``(added, removed)``. When a listener changes the selection in turn, its change is told
    after all listeners have heard of the first one."""

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self._keys = frozenset(keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"Selection({sorted(self._keys)})"

    def replace(self, keys: Iterable[Key]) -> None:
        """Select these cells and no others.

        Parameters
        ----------
        keys : iterable of (layer, frame, label)
            The cells. If they are the ones selected already, nothing happens.
        """
        before, self._keys = self._keys, frozenset(keys)
        if before != self._keys:
            self.changed.emit(self._keys - before, before - self._keys)

    def clear(self) -> None:
        """Select no cell."""
        self.replace(())
