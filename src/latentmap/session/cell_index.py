"""The cells of a session, each under a number that never changes."""

from collections import deque
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pandas as pd

from latentmap.table import KEY, Key


class CellIndex:
    """Numbers cells in the order in which the session meets them.

    Selections and classes are sets of these numbers, and a view asks once for the numbers of its rows. So a million
    cells are selected in milliseconds, whatever their order, layer or frame in a view.

    Examples
    --------
    >>> cell_index = CellIndex()
    >>> cell_index.add([("nuclei", 0, 3), ("nuclei", 0, 1000)])
    array([0, 1])
    >>> cell_index.add([("nuclei", 1, 3), ("nuclei", 0, 3)])
    array([2, 0])
    >>> cell_index.numbers_of([("nuclei", 0, 4)])
    array([-1])
    >>> cell_index.keys([2]).tolist()
    [('nuclei', 1, 3)]
    """

    def __init__(self) -> None:
        self._keys = as_keys(())
        # Views ask again and again for the cells of a map, and for those that its landmarks stand for; pandas compares
        # a million keys in a tenth of a second.
        self._added: deque[tuple[pd.MultiIndex, np.ndarray]] = deque(maxlen=2)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, keys: Iterable[Key]) -> np.ndarray:
        """Return the cells' numbers; new cells get one.

        Parameters
        ----------
        keys : iterable of (layer, frame, label), or pandas.MultiIndex of these
            The cells' keys.

        Returns
        -------
        ndarray of int64, shape (n_keys,)
            The numbers, in the order of `keys`.
        """
        for known, numbers in self._added:
            if keys is known:
                return numbers.copy()
        given, keys = keys, as_keys(keys)
        numbers = self._keys.get_indexer(keys)
        if (numbers < 0).any():
            self._keys = self._keys.append(keys[numbers < 0].unique())
            numbers = self._keys.get_indexer(keys)
        numbers = numbers.astype(np.int64)
        if isinstance(given, pd.MultiIndex):  # which cannot change, as a list can
            self._added.append((given, numbers.copy()))
        return numbers

    def numbers_of(self, keys: Iterable[Key]) -> np.ndarray:
        """Return the numbers of known cells.

        Parameters
        ----------
        keys : iterable of (layer, frame, label), or pandas.MultiIndex of these
            The cells' keys.

        Returns
        -------
        ndarray of int64, shape (n_keys,)
            The numbers, in the order of `keys`; -1 for cells that the session does not know.
        """
        return self._keys.get_indexer(as_keys(keys)).astype(np.int64)

    def mask_of(self, numbers: np.ndarray) -> np.ndarray:
        """Return a mask of some of the cells.

        Parameters
        ----------
        numbers : ndarray of int
            The cells; -1 stands for none.

        Returns
        -------
        ndarray of bool, shape (n_cells + 1,)
            The extra last entry, which index -1 points to, is always False.

        Examples
        --------
        >>> cell_index = CellIndex()
        >>> cells = cell_index.add([("nuclei", 0, 3), ("nuclei", 0, 7)])
        >>> cell_index.mask_of(cells[1:])[[0, 1, -1]]
        array([False,  True, False])
        """
        marked = np.zeros(len(self) + 1, dtype=bool)
        marked[numbers] = True
        marked[-1] = False
        return marked

    def key(self, number: int) -> Key:
        """Return a cell's key, in Python's own types.

        Parameters
        ----------
        number : int
            The cell's number.

        Returns
        -------
        (layer, frame, label)
            A str and two int.

        Examples
        --------
        >>> cell_index = CellIndex()
        >>> cell_index.key(cell_index.add([("nuclei", 0, 3)])[0])
        ('nuclei', 0, 3)
        """
        layer, frame, label = cast(Key, self._keys[number])
        return str(layer), int(frame), int(label)

    def keys(self, numbers: Iterable[int]) -> pd.MultiIndex:
        """Return the keys of cells.

        Parameters
        ----------
        numbers : iterable of int
            The cells' numbers.

        Returns
        -------
        pandas.MultiIndex of (layer, frame, label)
            The keys, in the order of `numbers`.
        """
        return self._keys[np.asarray(numbers, dtype=np.int64)]


def as_keys(keys: Iterable[Key]) -> pd.MultiIndex:
    """Return keys as a pandas index, of the same types however few they are.

    Parameters
    ----------
    keys : iterable of (layer, frame, label), or pandas.MultiIndex of these

    Raises
    ------
    ValueError
        If one of them is not a key.

    Examples
    --------
    >>> as_keys([("nuclei", 0, 3)]).names
    FrozenList(['layer', 'frame', 'label'])
    """
    if isinstance(keys, pd.MultiIndex):
        return keys.set_names(KEY)
    keys = list(keys)
    try:
        layers, frames, labels = zip(*keys, strict=True) if keys else ((), (), ())
        numbers = [_whole(part) for part in (frames, labels)]
    except (TypeError, ValueError, OverflowError):
        wrong = next((key for key in keys if not _is_key(key)), keys)
        raise ValueError(
            f"{wrong!r:.60} is not a cell: give a list of cells, each by its layer, frame and label, such as "
            '("cells", 0, 7).'
        ) from None
    return pd.MultiIndex.from_arrays([np.array(layers, dtype=object), *numbers], names=KEY)


def _whole(part: tuple[Any, ...]) -> np.ndarray:
    """Frames or labels, which may be of any type of numbers."""
    numbers = np.array(part, dtype=np.int64)
    if not np.array_equal(numbers, part):
        raise ValueError("a label is no whole number")
    return numbers


def _is_key(key: Any) -> bool:
    if isinstance(key, str) or not hasattr(key, "__len__") or len(key) != len(KEY):
        return False
    return all(isinstance(part, int | np.integer) for part in list(key)[1:])
