"""What the user has drawn: which points and which pixels lie within."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.spatial import cKDTree
from skimage.draw import line, polygon
from skimage.measure import points_in_poly

ToPixels = Callable[[np.ndarray], np.ndarray]
"""From the places of the drawing, shape (n, 2), to rows and columns of pixels."""


class Stencil(NamedTuple):
    """The pixels that a region covers.

    Attributes
    ----------
    window : tuple of two slices
        Rows and columns that hold all of them.
    covered : ndarray of bool
        Which pixels of the window they are.
    """

    window: tuple[slice, slice]
    covered: np.ndarray


class Region(ABC):
    """A part of the canvas.

    Attributes
    ----------
    least_share : float
        The share of a cell's pixels that must lie within for the cell to count as within.
    """

    least_share: float

    @abstractmethod
    def holds(self, points: np.ndarray) -> np.ndarray:
        """Say which points lie within.

        Parameters
        ----------
        points : ndarray of float, shape (n, 2)

        Returns
        -------
        ndarray of bool, shape (n,)
        """

    @abstractmethod
    def stencil(self, to_pixels: ToPixels, shape: tuple[int, int]) -> Stencil:
        """Say which pixels lie within.

        Parameters
        ----------
        to_pixels : callable
            From places, shape (n, 2), to rows and columns.
        shape : (int, int)
            Of the plane of pixels.

        Returns
        -------
        Stencil
        """


class Loop(Region):
    """What is inside a closed line.

    Parameters
    ----------
    corners : ndarray of float, shape (m, 2)
        The last one is joined to the first.

    Examples
    --------
    >>> square = Loop(np.array([[0, 0], [0, 4], [4, 4], [4, 0]]))
    >>> square.holds(np.array([[1, 1], [1, 5]])).tolist()
    [True, False]
    >>> square.stencil(lambda places: places / 2, (9, 9)).covered.sum()
    np.int64(9)
    """

    least_share = 0.5

    def __init__(self, corners: np.ndarray) -> None:
        self._corners = np.asarray(corners, dtype=float)

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Say which points lie within."""
        within = np.all((points >= self._corners.min(axis=0)) & (points <= self._corners.max(axis=0)), axis=1)
        within[within] = points_in_poly(points[within], self._corners)
        return within

    def stencil(self, to_pixels: ToPixels, shape: tuple[int, int]) -> Stencil:
        """Say which pixels have their middle within."""
        corners = to_pixels(self._corners)
        window, low = _window(corners, shape, margin=1)
        covered = np.zeros([side.stop - side.start for side in window], dtype=bool)
        rows, columns = (corners - low).T
        covered[polygon(rows, columns, covered.shape)] = True
        return Stencil(window, covered)


class Stroke(Region):
    """What a round brush has passed over.

    Parameters
    ----------
    path : ndarray of float, shape (m, 2)
        Where its middle went.
    radius : float
        In the path's unit.

    Examples
    --------
    >>> Stroke(np.array([[0, 0], [0, 9]]), 2).holds(np.array([[1, 5], [3, 5]])).tolist()
    [True, False]
    """

    least_share = 0.0

    def __init__(self, path: np.ndarray, radius: float) -> None:
        self._path, self._radius = np.asarray(path, dtype=float), radius

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Say which points lie within."""
        # The path in steps that are short against the radius, so that the distance to it is that to its nearest step.
        lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(self._path, axis=0), axis=1))])
        steps = np.linspace(0, lengths[-1], max(2, int(np.ceil(16 * lengths[-1] / self._radius))))
        fine = np.column_stack([np.interp(steps, lengths, axis) for axis in self._path.T])
        distances, _ = cKDTree(fine).query(points, distance_upper_bound=1.01 * self._radius)
        return distances <= self._radius

    def stencil(self, to_pixels: ToPixels, shape: tuple[int, int]) -> Stencil:
        """Say which pixels lie within."""
        path = to_pixels(self._path)
        across = to_pixels(self._path[:1] + self._radius * np.eye(2)) - path[:1]
        pixel_sizes = self._radius / np.maximum(np.abs(across).max(axis=0), 1e-9)
        window, low = _window(path, shape, margin=int(np.ceil(np.abs(across).max())) + 1)
        size = [side.stop - side.start for side in window]
        off_path = np.ones(size, dtype=bool)
        places = np.round(path - low).astype(int)
        for start, end in pairwise([*places, places[-1]]):
            rows, columns = line(*start, *end)
            seen = (rows >= 0) & (rows < size[0]) & (columns >= 0) & (columns < size[1])
            off_path[rows[seen], columns[seen]] = False
        if off_path.all():
            return Stencil(window, ~off_path)
        return Stencil(window, distance_transform_edt(off_path, sampling=pixel_sizes) <= self._radius)


def _window(places: np.ndarray, shape: tuple[int, int], margin: int) -> tuple[tuple[slice, slice], np.ndarray]:
    """Rows and columns of pixels that hold all these places, and where they begin."""
    low = np.clip(np.floor(places.min(axis=0)).astype(int) - margin, 0, shape)
    high = np.clip(np.ceil(places.max(axis=0)).astype(int) + margin + 1, low, shape)
    return (slice(int(low[0]), int(high[0])), slice(int(low[1]), int(high[1]))), low
