"""The shape of flat cells, of all at once; the numbers are those of scikit-image's `regionprops`."""

from collections.abc import Sequence

import numpy as np

from latentmap.measuring.cell_pixels import CellPixels

_SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def spreads(pixels: CellPixels, spacing: tuple[float, ...]) -> np.ndarray:
    """Return the variances of each cell's pixels along its own axes.

    Parameters
    ----------
    pixels : CellPixels
    spacing : tuple of float
        The distance between neighbouring pixels along each axis.

    Returns
    -------
    ndarray of float64, shape (n_cells, n_axes)
        The smallest first.
    """
    # From each cell's first pixel, so that the sums are of small whole numbers.
    away = np.stack([axis - axis[pixels.starts][pixels.cells] for axis in pixels.positions], axis=1).astype(float)
    n, n_axes = pixels.sizes[:, None, None], away.shape[1]
    sums = pixels.sums(away)
    squares = pixels.sums((away[:, :, None] * away[:, None, :]).reshape(-1, n_axes**2)).reshape(-1, n_axes, n_axes)
    covariances = (n * squares - sums[:, :, None] * sums[:, None, :]) / n**2
    found: np.ndarray = np.linalg.eigvalsh(covariances * np.outer(spacing, spacing)).clip(0)
    return found


def centroids(pixels: CellPixels, spacing: tuple[float, ...]) -> np.ndarray:
    """Return the mean position of each cell's pixels in the whole frame, shape (n_cells, n_axes)."""
    sums = np.stack([pixels.sums(axis) for axis in pixels.positions], axis=1)
    if pixels.origin is not None:
        # In whole numbers, so that a window gives the bits of the whole frame.
        sums += pixels.sizes[:, None] * np.array(pixels.origin)
    means: np.ndarray = sums / pixels.sizes[:, None] * spacing
    return means


def box_sizes(pixels: CellPixels) -> np.ndarray:
    """Return the number of pixels of each cell's bounding box, shape (n_cells,)."""
    sides = [
        np.maximum.reduceat(axis, pixels.starts) - np.minimum.reduceat(axis, pixels.starts) + 1
        for axis in pixels.positions
    ]
    sizes: np.ndarray = np.prod(sides, axis=0)
    return sizes


def perimeters(pixels: CellPixels) -> np.ndarray:
    """Return each cell's perimeter in pixels, shape (n_cells,), as `skimage.measure.perimeter` finds it.

    A pixel of the border counts by how many of its neighbours are of the border, too: 1 where the border goes straight
    on, the square root of 2 where it goes aslant, and the mean of both where it turns from one to the other.
    """
    everyone = np.arange(len(pixels.flat))
    is_inside = np.logical_and.reduce([pixels.neighbours(*step, everyone)[1] for step in _SIDES])
    border = np.flatnonzero(~is_inside)
    of_border = np.sort(pixels.flat[border])

    def n_of_border(steps: Sequence[tuple[int, int]]) -> np.ndarray:
        count = np.zeros(len(border), dtype=int)
        for step in steps:
            there, is_own = pixels.neighbours(*step, border)
            place = np.searchsorted(of_border, there).clip(max=len(of_border) - 1)
            count += is_own & (of_border[place] == there)
        return count

    weights = np.zeros(50)
    weights[[5, 7, 15, 17, 25, 27]] = 1
    weights[[21, 33]] = np.sqrt(2)
    weights[[13, 23]] = (1 + np.sqrt(2)) / 2
    lengths = weights[1 + 2 * n_of_border(_SIDES) + 10 * n_of_border(_CORNERS)]
    return np.bincount(pixels.cells[border], lengths, minlength=len(pixels.starts))


def hull_sizes(pixels: CellPixels) -> np.ndarray:
    """Return the number of pixels in each cell's convex hull, shape (n_cells,).

    The hull is that of the middles of the pixels' sides, as of `skimage.morphology.convex_hull_image`. All is counted
    in half pixels, and so in whole numbers.
    """
    rows, columns = pixels.positions
    starts = np.flatnonzero(np.diff(pixels.cells, prepend=-1) | np.diff(rows, prepend=-1))
    ends = np.append(starts[1:], len(rows)) - 1
    cells, rows = pixels.cells[starts], rows[starts]
    first, last = rows[np.flatnonzero(np.diff(cells, prepend=-1))], rows[np.flatnonzero(np.diff(cells, append=-1))]
    heights = last - first + 1
    # Every row of every box, also those without a pixel of the cell.
    asked = np.repeat(np.arange(len(first)), heights)
    at = np.arange(len(asked)) - np.repeat(np.cumsum(heights) - heights - first, heights)
    left = _hull_ends(cells, rows, columns[starts], asked, at)
    right = -_hull_ends(cells, rows, -columns[ends], asked, at)
    return np.bincount(asked, np.maximum(right - left + 1, 0))


def _hull_ends(
    cells: np.ndarray, rows: np.ndarray, columns: np.ndarray, asked: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """First columns in the hull at rows `at` of the cells `asked`, given the first pixel of each row of each cell."""
    cells = np.tile(cells, 3)
    y = np.concatenate([2 * rows - 1, 2 * rows, 2 * rows + 1])
    x = np.concatenate([2 * columns, 2 * columns - 1, 2 * columns])
    order = np.lexsort((x, y, cells))
    cells, y, x = cells[order], y[order], x[order]
    kept = np.append(True, (np.diff(cells) != 0) | (np.diff(y) != 0))
    while True:
        cells, y, x = cells[kept], y[kept], x[kept]
        kept = np.ones(len(cells), dtype=bool)
        # What lies on or behind the line between its neighbours is no corner of the hull, so all such go at once.
        turn = (y[1:-1] - y[:-2]) * (x[2:] - x[:-2]) - (x[1:-1] - x[:-2]) * (y[2:] - y[:-2])
        kept[1:-1] = (cells[2:] != cells[:-2]) | (turn > 0)
        if kept.all():
            break
    span = 2 * int(y.max()) + 4
    place = np.searchsorted(cells * span + y, asked * span + 2 * at, side="right") - 1
    height = y[place + 1] - y[place]
    doubled = x[place] * height + (x[place + 1] - x[place]) * (2 * at - y[place])
    ends: np.ndarray = -(-doubled // (2 * height))
    return ends
