"""Which cell is meant: every cell that the session has met, under a number that it keeps."""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pandas as pd

from latentmap.table import KEY, Key


class Register:
    """Numbers cells in the order in which the session meets them.

    Selections and classes are sets of these numbers, and a view asks once for those of its rows. So a million cells are
    selected in milliseconds, whatever order, layer or frame a view has them in.

    Examples
    --------
    >>> register = Register()
    >>> register.enter([("nuclei", 0, 3), ("nuclei", 0, 1000)])
    array([0, 1])
    >>> register.enter([("nuclei", 1, 3), ("nuclei", 0, 3)])
    array([2, 0])
    >>> register.find([("nuclei", 0, 4)])
    array([-1])
    >>> register.keys([2]).tolist()
    [('nuclei', 1, 3)]
    """

    def __init__(self) -> None:
        self._keys = as_keys(())

    def __len__(self) -> int:
        return len(self._keys)

    def enter(self, keys: Iterable[Key]) -> np.ndarray:
        """Return the cells' numbers; those that are new get one.

        Parameters
        ----------
        keys : iterable of (layer, frame, label), or pandas.MultiIndex of these

        Returns
        -------
        ndarray of int64
            In the order of `keys`.
        """
        keys = as_keys(keys)
        numbers = self._keys.get_indexer(keys)
        if (numbers < 0).any():
            self._keys = self._keys.append(keys[numbers < 0].unique())
            numbers = self._keys.get_indexer(keys)
        return numbers.astype(np.int64)

    def find(self, keys: Iterable[Key]) -> np.ndarray:
        """Return the cells' numbers, and -1 for those that the session has not met.

        Parameters
        ----------
        keys : iterable of (layer, frame, label), or pandas.MultiIndex of these

        Returns
        -------
        ndarray of int64
        """
        return self._keys.get_indexer(as_keys(keys)).astype(np.int64)

    def mask(self, numbers: np.ndarray) -> np.ndarray:
        """Mark some of the cells.

        Parameters
        ----------
        numbers : ndarray of int
            The cells to mark; -1 marks none.

        Returns
        -------
        ndarray of bool, shape (n_cells + 1,)
            The last place is what -1, the number of no cell, leads to, and is never marked.

        Examples
        --------
        >>> register = Register()
        >>> cells = register.enter([("nuclei", 0, 3), ("nuclei", 0, 7)])
        >>> register.mask(cells[1:])[[0, 1, -1]]
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

        Returns
        -------
        (layer, frame, label)

        Examples
        --------
        >>> register = Register()
        >>> register.key(register.enter([("nuclei", 0, 3)])[0])
        ('nuclei', 0, 3)
        """
        layer, frame, label = cast(Key, self._keys[number])
        return str(layer), int(frame), int(label)

    def keys(self, numbers: Iterable[int]) -> pd.MultiIndex:
        """Return the keys of numbered cells.

        Parameters
        ----------
        numbers : iterable of int

        Returns
        -------
        pandas.MultiIndex of (layer, frame, label)
        """
        return self._keys[np.asarray(numbers, dtype=np.int64)]


def as_keys(keys: Iterable[Key]) -> pd.MultiIndex:
    """Return keys as pandas wants them, of the same types however few they are.

    Parameters
    ----------
    keys : iterable of (layer, frame, label), or pandas.MultiIndex of these

    Raises
    ------
    ValueError
        If one of them names no cell.

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
        numbers = [np.array(part, dtype=np.int64) for part in (frames, labels)]
    except (TypeError, ValueError):
        wrong = next((key for key in keys if not _is_key(key)), keys)
        raise ValueError(
            f'{wrong!r:.60} names no cell: give a list of cells, each by its layer, frame and label, such as ("cells", '
            "0, 7)."
        ) from None
    return pd.MultiIndex.from_arrays([np.array(layers, dtype=object), *numbers], names=KEY)


def _is_key(key: Any) -> bool:
    if isinstance(key, str) or not hasattr(key, "__len__") or len(key) != len(KEY):
        return False
    return all(isinstance(part, int | np.integer) for part in list(key)[1:])
