"""Reading parts of arrays that lie on the disk, of which a chunk may be damaged."""

from abc import ABC, abstractmethod
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from latentmap.table.text_numbers import Unreadable


class LazyView(ABC):
    """An array that reads another one, or a part of it, as it is used; it has `array`, `shape` and `dtype`."""

    array: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def store_path(self) -> Any:
        """Where zarr keeps the array; None for others."""
        return getattr(self.array, "store_path", None)

    def __len__(self) -> int:
        return int(self.shape[0])

    @abstractmethod
    def __getitem__(self, index: Any) -> np.ndarray: ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[...], dtype=dtype)


def read_part(array: Any, index: Any = None) -> np.ndarray:
    """Read a part of an array, or all of it.

    Parameters
    ----------
    array : array-like
        In memory, or of zarr, dask and the like.
    index : int or tuple of int and slice, optional

    Raises
    ------
    Unreadable
        If it cannot be read, because the file is damaged there.
    OSError
        If the system cannot read the file.
    IndexError
        If it does not reach as far as the index.

    Examples
    --------
    >>> read_part(np.arange(6).reshape(2, 3), (slice(1, 2), slice(0, 2))).tolist()
    [[3, 4]]
    """
    try:
        return np.asarray(array if index is None else array[index])
    # By an IndexError, Python ends a loop over an array.
    except (MemoryError, OSError, IndexError, Unreadable):
        raise
    # The codecs of a damaged chunk may raise anything.
    except Exception as error:
        raise Unreadable(_sentence(array, index, error)) from error


def _sentence(array: Any, index: Any, error: Exception) -> str:
    """What cannot be read, and what to do if it is a file: the array knows its path."""
    path = getattr(array, "store_path", None)
    if path is None:
        return f"An image cannot be read{_place(array, index)}: {error}."
    name = "/".join(PurePosixPath(str(path)).parts[-2:])
    return (
        f'"{name}" cannot be read{_place(array, index)} ({error}): the file is damaged there. Copy it again from where '
        "it comes, or write it anew."
    )


def _place(array: Any, index: Any) -> str:
    """The pixels that were asked for, in a sentence; nothing if all were."""
    if index is None:
        return ""
    sides = zip(index if isinstance(index, tuple) else (index,), array.shape, strict=False)
    said = [f"{one.start or 0} to {one.stop or n}" if isinstance(one, slice) else str(one) for one, n in sides]
    return f" at pixels {', '.join(said)}"
