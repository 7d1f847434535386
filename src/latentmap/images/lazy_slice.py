"""An array at one index of an axis, without reading it: a channel of an image on the disk."""

from typing import Any

import numpy as np

from latentmap.images.lazy_reading import LazyView, read_part


class Slice(LazyView):
    """An array at one index of one of its axes; only the parts that are used are read.

    Examples
    --------
    >>> green = Slice(np.arange(24).reshape(3, 4, 2), axis=0, index=1)
    >>> green.shape, green[0].tolist(), green[..., 1].tolist()
    ((4, 2), [8, 9], [9, 11, 13, 15])
    """

    def __init__(self, array: Any, axis: int, index: int) -> None:
        self.array, self.axis, self.index = array, axis % len(array.shape), index
        self.shape = self._without(array.shape)
        self.dtype = array.dtype

    @property
    def chunks(self) -> Any:
        """The chunks of the array along the other axes; None if it has none."""
        chunks = chunks_of(self.array)
        return None if chunks is None else self._without(chunks)

    def __getitem__(self, index: Any) -> np.ndarray:
        parts = list(index) if isinstance(index, tuple) else [index]
        if any(part is Ellipsis for part in parts):
            at = next(at for at, part in enumerate(parts) if part is Ellipsis)
            parts[at : at + 1] = [slice(None)] * (self.ndim - len(parts) + 1)
        parts += [slice(None)] * (self.ndim - len(parts))
        return read_part(self.array, (*parts[: self.axis], self.index, *parts[self.axis :]))

    def _without(self, along: Any) -> tuple[Any, ...]:
        return (*along[: self.axis], *along[self.axis + 1 :])


def is_lazy(array: Any) -> bool:
    """Return whether an array is read from the disk, or computed, in chunks: dask's and zarr's are.

    Examples
    --------
    >>> is_lazy(np.zeros((2, 2)))
    False
    """
    return chunks_of(array) is not None


def chunks_of(array: Any) -> tuple[int, ...] | None:
    """Return the sides of what an array reads at a time, None for an array in memory.

    Of a zarr array with shards these are the shards, of a dask array its largest chunks.
    """
    chunks = getattr(array, "shards", None) or getattr(array, "chunks", None)
    return None if chunks is None else tuple(max(side) if isinstance(side, tuple) else int(side) for side in chunks)


def channel_at(array: Any, axis: int, index: int) -> Any:
    """Return an array at one index of one of its axes: a view of one in memory or of dask, else a `Slice`."""
    if isinstance(array, np.ndarray) or hasattr(array, "__dask_graph__"):
        axis %= array.ndim
        return array[(*[slice(None)] * axis, index)]
    return Slice(array, axis, index)
