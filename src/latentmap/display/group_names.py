"""Names of groups on a map: where each belongs, and where it is written so that none covers another."""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import label

from latentmap.session import ColourGroups, ColourScale

MOST_NAMES = 30
"""The most names on a map; of more groups, the largest are named."""

# The share of the cells at either end of an axis that does not count when a group is divided into boxes, in percent.
_STRAY = 2
_CELLS_PER_BOX = 4
_MOST_BOXES = 32
# Boxes with less than this share of the cells of the fullest do not join two pieces.
_BRIDGE = 0.05
# How far a name may stand from its place: multiples of its width and height, the nearest first.
_SHIFTS = np.array([(0, 0), (0, -1), (0, 1), (0.6, 0), (-0.6, 0), (0.6, -1), (-0.6, -1), (0.6, 1), (-0.6, 1)])


class GroupName(NamedTuple):
    """The name of a group, and where it belongs.

    Attributes
    ----------
    name : str
    position : ndarray of float, shape (n_axes,)
        The position of a cell amid the group's largest piece.
    """

    name: str
    position: np.ndarray


def group_names(
    colouring: ColourScale | ColourGroups, positions: np.ndarray, shown: np.ndarray
) -> tuple[GroupName, ...]:
    """Return the names for a map, those of the largest groups first; none if the colours show no groups.

    Parameters
    ----------
    colouring : ColourScale or ColourGroups
        What the colours of the map mean.
    positions : ndarray of float, shape (n_cells, n_axes)
    shown : ndarray of bool, shape (n_cells,)
        Which cells are drawn.

    Examples
    --------
    >>> groups = ColourGroups("class", np.array([0, 0, 0, 1]), ("B", "T"), ("#ff0000", "#0000ff"))
    >>> positions = np.array([[0.0, 0], [1, 0], [9, 9], [5, 5]])
    >>> [(one.name, one.position.tolist()) for one in group_names(groups, positions, np.ones(4, dtype=bool))]
    [('B', [1.0, 0.0]), ('T', [5.0, 5.0])]
    """
    if not isinstance(colouring, ColourGroups):
        return ()
    indices = np.where(shown, colouring.indices, -1)
    sizes = np.bincount(indices + 1, minlength=len(colouring.names) + 1)[1:]
    largest = [group for group in np.argsort(-sizes, kind="stable") if sizes[group] and colouring.names[group].strip()]
    return tuple(
        GroupName(colouring.names[group], _middle(positions[indices == group])) for group in largest[:MOST_NAMES]
    )


def lay_out_names(points: np.ndarray, sizes: np.ndarray, canvas: tuple[float, float]) -> np.ndarray:
    """Move names so that they do not overlap; those without room are left out, the last ones first.

    The scripts of the notebook do the same (``js/src/map_pane/names.js``).

    Parameters
    ----------
    points : ndarray of float, shape (n, 2)
        Where the names belong, in pixels.
    sizes : ndarray of float, shape (n, 2)
        The widths and heights of the names.
    canvas : (float, float)
        The width and height of the canvas.

    Returns
    -------
    ndarray of float, shape (n, 2)
        The middle of each name; NaN if it is not shown, because its place is not in view or it has no room.

    Examples
    --------
    >>> lay_out_names(np.array([[50.0, 50], [52, 50], [900, 50]]), np.full((3, 2), (20.0, 10.0)), (100, 100)).tolist()
    [[50.0, 50.0], [52.0, 40.0], [nan, nan]]
    """
    placed = np.full(points.shape, np.nan)
    for index, (point, size) in enumerate(zip(points, sizes, strict=True)):
        if not (np.all(point >= 0) and np.all(point <= canvas)):
            continue
        before = np.flatnonzero(~np.isnan(placed[:index, 0]))
        for middle in point + _SHIFTS * size:
            inside = np.all(middle >= size / 2) and np.all(middle <= np.array(canvas) - size / 2)
            room = np.abs(placed[before] - middle) >= (sizes[before] + size) / 2
            if inside and room.any(axis=1).all():
                placed[index] = middle
                break
    return placed


def _middle(points: np.ndarray) -> np.ndarray:
    """The point nearest to the median of the largest piece."""
    piece = _largest_piece(points)
    nearest: np.ndarray = piece[np.argmin(np.sum((piece - np.median(piece, axis=0)) ** 2, axis=1))]
    return nearest


def _largest_piece(points: np.ndarray) -> np.ndarray:
    n, n_axes = points.shape
    n_boxes = min(int((n / _CELLS_PER_BOX) ** (1 / n_axes)), _MOST_BOXES)
    if n_boxes < 2:
        return points
    low, high = np.percentile(points, [_STRAY, 100 - _STRAY], axis=0)
    extent = max(float((high - low).max()), np.finfo(float).tiny)
    boxes = np.clip(((points - low) / extent * n_boxes).astype(int), 0, n_boxes - 1)
    flat = np.ravel_multi_index(tuple(boxes.T), (n_boxes,) * n_axes)
    counts = np.bincount(flat, minlength=n_boxes**n_axes)
    full = (counts > _BRIDGE * counts.max()).reshape((n_boxes,) * n_axes)
    pieces = label(full, np.ones((3,) * n_axes))[0].ravel()
    of_point = pieces[flat]
    largest = np.bincount(of_point)
    largest[0] = 0
    members: np.ndarray = points[of_point == largest.argmax()]
    return members
