"""Regions drawn by the user: which points and which pixels lie inside."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

ToPixels = Callable[[np.ndarray], np.ndarray]
"""Converts coordinates in the drawing, shape (n, 2), to rows and columns of pixels."""


Tool = Literal["move", "lasso", "polygon", "rectangle", "brush"]
"""What a drag does. A click picks a cell with every tool but the polygon, for which it sets a corner."""


class PixelMask(NamedTuple):
    """The pixels that a region covers.

    Attributes
    ----------
    window : tuple of two slices
        The rows and columns of a rectangle that contains all of them.
    covered : ndarray of bool, shape (n_rows, n_columns)
        Which pixels of this rectangle are covered.
    """

    window: tuple[slice, slice]
    covered: np.ndarray


class Region(ABC):
    """A part of the canvas.

    Attributes
    ----------
    least_share : float
        The share of a cell's pixels that must lie inside for the cell to count as inside.
    """

    least_share: float

    @abstractmethod
    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return which of these points, shape (n, 2), lie inside."""

    @abstractmethod
    def pixel_mask(self, to_pixels: ToPixels, shape: tuple[int, int]) -> PixelMask:
        """Return which pixels of a plane of this shape lie inside."""


class Lasso(Region):
    """The inside of a closed line, which may cross itself.

    Parameters
    ----------
    corners : ndarray of float, shape (n_corners, 2)
        The last corner is joined to the first. Fewer than three enclose nothing.

    Examples
    --------
    >>> square = Lasso(np.array([[-1, -1], [-1, 5], [5, 5], [5, -1]]))
    >>> square.contains(np.array([[1, 1], [1, 6]])).tolist()
    [True, False]
    >>> square.pixel_mask(lambda positions: positions / 2 - 0.1, (9, 9)).covered.sum()
    np.int64(9)
    """

    least_share = 0.5

    def __init__(self, corners: np.ndarray) -> None:
        self._corners = np.asarray(corners, dtype=float).reshape(-1, 2)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return which of these points, shape (n, 2), lie inside."""
        order = np.argsort(points[:, 0])
        rows, columns = points[order].T
        turns = np.zeros(len(points), dtype=np.int16)
        edges = _edges(self._corners)
        first, last = (np.searchsorted(rows, ends) for ends in (edges.low, edges.high))
        # Edges are half-open, so that a line through a corner is crossed once. Each is compared only with the points
        # whose rows it spans.
        for edge in np.flatnonzero(first < last).tolist():
            spanned = slice(first[edge], last[edge])
            turns[spanned] += edges.sense[edge] * (edges.column(edge, rows[spanned]) <= columns[spanned])
        within = np.empty(len(points), dtype=bool)
        within[order] = turns != 0
        return within

    def pixel_mask(self, to_pixels: ToPixels, shape: tuple[int, int]) -> PixelMask:
        """Return which pixels have their centre inside."""
        corners = to_pixels(self._corners)
        window, low = _window(corners, shape, margin=1)
        height, width = (side.stop - side.start for side in window)
        edges = _edges(corners - low)
        first, last = (np.clip(np.ceil(ends), 0, height).astype(int) for ends in (edges.low, edges.high))
        lengths = last - first
        crossed = np.repeat(np.arange(len(lengths)), lengths)
        rows = np.arange(lengths.sum()) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
        columns = np.clip(np.ceil(edges.column(crossed, rows)), 0, width).astype(int)
        # The winding number of the line around a pixel is the sum over the edges to its left.
        turns = np.zeros((height, width + 1), dtype=np.int16)
        np.add.at(turns, (rows, columns), edges.sense[crossed])
        return PixelMask(window, np.cumsum(turns[:, :width], axis=1, dtype=np.int16) != 0)


class BrushStroke(Region):
    """The trace of a round brush.

    Parameters
    ----------
    path : ndarray of float, shape (n_points, 2)
        The path of its centre.
    radius : float
        Its radius, in the unit of the path.

    Examples
    --------
    >>> BrushStroke(np.array([[0, 0], [0, 9]]), 2).contains(np.array([[1, 5], [3, 5]])).tolist()
    [True, False]
    """

    least_share = 0.0

    def __init__(self, path: np.ndarray, radius: float) -> None:
        self._path, self._radius = np.asarray(path, dtype=float).reshape(-1, 2), radius

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return which of these points, shape (n, 2), lie inside."""
        distances, _ = cKDTree(self._steps()).query(points, distance_upper_bound=1.01 * self._radius)
        is_within: np.ndarray = distances <= self._radius
        return is_within

    def pixel_mask(self, to_pixels: ToPixels, shape: tuple[int, int]) -> PixelMask:
        """Return which pixels have their centre inside, or are crossed by the centre of the brush."""
        path, origin = to_pixels(self._path), to_pixels(np.zeros((1, 2)))
        turned = to_pixels(np.eye(2)) - origin
        reach = self._radius * np.linalg.norm(turned, axis=0)
        window, low = _window(path, shape, margin=int(np.ceil(reach.max())) + 1)
        covered = np.zeros([side.stop - side.start for side in window], dtype=bool)
        for start, end in pairwise([*path, path[-1]]):
            first = np.floor(np.minimum(start, end) - reach - low).astype(int).clip(0)
            last = np.ceil(np.maximum(start, end) + reach - low).astype(int).clip(-1) + 1
            covered[first[0] : last[0], first[1] : last[1]] = True
        covered[covered] = self.contains((np.argwhere(covered) + low - origin) @ np.linalg.inv(turned))
        # The pixels may be so large, or the brush so fine, that it passes between their centres.
        passed = np.round(to_pixels(self._steps())).astype(int) - low
        passed = passed[np.all((passed >= 0) & (passed < covered.shape), axis=1)]
        covered[tuple(passed.T)] = True
        return PixelMask(window, covered)

    def _steps(self) -> np.ndarray:
        """Return points along the path, so close together that the nearest one is as far away as the path."""
        lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(self._path, axis=0), axis=1))])
        steps = np.linspace(0, lengths[-1], max(2, int(np.ceil(16 * lengths[-1] / self._radius))))
        steps = np.union1d(steps, lengths)
        return np.column_stack([np.interp(steps, lengths, axis) for axis in self._path.T])


def drawn_region(tool: str, path: np.ndarray, radius: float = 0.0) -> Region:
    """Return what the user has drawn with a tool.

    Parameters
    ----------
    tool : {"lasso", "polygon", "rectangle", "brush"}
        The tool that drew it.
    path : ndarray of float, shape (n, 2)
        The corners, or the path of the brush.
    radius : float
        The radius of the brush, in the unit of the path.

    Examples
    --------
    >>> path = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
    >>> drawn_region("brush", path, 2.0).contains(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [True, False]
    >>> drawn_region("polygon", path).contains(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [True, True]
    """
    return BrushStroke(path, radius) if tool == "brush" else Lasso(path)


class ProjectedRegion(Region):
    """Everything that appears inside a region drawn on a three-dimensional view, at any depth.

    Parameters
    ----------
    drawn : Region
        The region in pixels of the canvas, column before row.
    project : callable
        Converts coordinates, shape (n, 3), to pixels of the canvas, shape (n, 2).

    Examples
    --------
    >>> square = Lasso(np.array([[0, 0], [0, 4], [4, 4], [4, 0]]))
    >>> ProjectedRegion(square, lambda positions: positions[:, 1:]).contains(np.array([[9, 1, 1], [1, 1, 9]])).tolist()
    [True, False]
    """

    def __init__(self, drawn: Region, project: Callable[[np.ndarray], np.ndarray]) -> None:
        self._drawn, self._project, self.least_share = drawn, project, drawn.least_share

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return which of these points, shape (n, 2 or 3), appear inside the drawn region."""
        return self._drawn.contains(self._project(np.pad(points, ((0, 0), (3 - points.shape[1], 0)))))

    def pixel_mask(self, to_pixels: ToPixels, shape: tuple[int, int]) -> PixelMask:
        """Cover no pixel, because a three-dimensional view does not show a plane of pixels."""
        return PixelMask((slice(0, 0), slice(0, 0)), np.zeros((0, 0), dtype=bool))


class _Edges(NamedTuple):
    """The sides of a polygon: rows from `low` up to, but not including, `high`."""

    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    slope: np.ndarray
    sense: np.ndarray

    def column(self, edge: np.ndarray | int, rows: np.ndarray) -> np.ndarray:
        """Return the columns where edges cross rows."""
        columns: np.ndarray = self.start[edge, 1] + (rows - self.start[edge, 0]) * self.slope[edge]
        return columns


def _edges(corners: np.ndarray) -> _Edges:
    way = np.roll(corners, -1, axis=0) - corners
    level = way[:, 0] == 0
    slope = way[:, 1] / np.where(level, 1, way[:, 0])
    ends = corners[:, 0], np.roll(corners[:, 0], -1)
    return _Edges(np.minimum(*ends), np.maximum(*ends), corners, slope, np.sign(way[:, 0]).astype(np.int16))


def _window(positions: np.ndarray, shape: tuple[int, int], margin: int) -> tuple[tuple[slice, slice], np.ndarray]:
    """Return the rows and columns of pixels that contain these points, and the first of each."""
    if not len(positions):
        return (slice(0, 0), slice(0, 0)), np.zeros(2, dtype=int)
    low = np.clip(np.floor(positions.min(axis=0)).astype(int) - margin, 0, shape)
    high = np.clip(np.ceil(positions.max(axis=0)).astype(int) + margin + 1, low, shape)
    return (slice(int(low[0]), int(high[0])), slice(int(low[1]), int(high[1]))), low
