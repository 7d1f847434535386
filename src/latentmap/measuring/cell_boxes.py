"""The first look at a large image: where each cell lies, found block by block."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latentmap.images.boxes import boxes_of_plane, merged


class BlockCensus(NamedTuple):
    """What one block tells.

    Attributes
    ----------
    boxes : ndarray of int64, shape (n_cells, 2 + 2 * n_axes)
        The label of each cell, its number of pixels in this block, and the first pixel along each axis and the first
        one beyond it, counted in the frame.
    in_rows : ndarray of int64, shape ([n_planes, ]n_rows)
        How many pixels of cells each row of the block has.
    digest : str
        Of the labels.
    """

    boxes: np.ndarray
    in_rows: np.ndarray
    digest: str


def take_census(labels: np.ndarray, low: tuple[int, ...]) -> BlockCensus:
    """Find the cells of a block whose first pixel is `low`.

    Examples
    --------
    >>> take_census(np.array([[0, 7, 7], [9, 0, 7]]), (10, 20)).boxes.tolist()
    [[7, 3, 10, 21, 12, 23], [9, 1, 11, 20, 12, 21]]
    """
    found = [boxes_of_plane(pixels) for pixels in labels.reshape(-1, *labels.shape[-2:])]
    if labels.ndim == 3:
        # A plane is one pixel thick.
        found = [np.insert(one, (2, 4), (plane, plane + 1), axis=1) for plane, one in enumerate(found)]
    boxes = merged(np.concatenate(found))
    boxes[:, 2:] += np.tile(low, 2)
    digest = hashlib.blake2b(np.ascontiguousarray(labels).data, digest_size=16).hexdigest()
    return BlockCensus(boxes, np.count_nonzero(labels > 0, axis=-1), digest)


@dataclass(frozen=True, eq=False)
class CellBoxes:
    """Where each cell of a frame lies, by label.

    Attributes
    ----------
    labels, sizes : ndarray of int64, shape (n_cells,)
        Ascending labels, and the number of pixels of each.
    low, high : ndarray of int64, shape (n_cells, n_axes)
        The first pixel along each axis, and the first one beyond it.
    n_below : int
        How many numbers are below 0, which are no cells.
    """

    labels: np.ndarray
    sizes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_below: int

    @classmethod
    def merge(cls, boxes: Sequence[np.ndarray]) -> "CellBoxes":
        """Put the boxes of a frame's blocks together: a cell that a border of blocks cuts is in several of them.

        Examples
        --------
        >>> one, other = np.array([[7, 3, 0, 1, 2, 4]]), np.array([[7, 2, 0, 4, 1, 6], [8, 1, 0, 6, 1, 7]])
        >>> whole = CellBoxes.merge([one, other])
        >>> whole.labels.tolist(), whole.low.tolist(), whole.high.tolist()
        ([7, 8], [[0, 1], [0, 6]], [[2, 6], [1, 7]])
        """
        whole = merged(np.concatenate(boxes))
        n_below = int(np.searchsorted(whole[:, 0], 0))
        labels, sizes, *ends = whole[n_below:].T
        low, high = (np.stack(half, axis=1) for half in (ends[: len(ends) // 2], ends[len(ends) // 2 :]))
        return cls(labels, sizes, low, high, n_below)
