"""The shape of cells in three dimensions, of many at once; the numbers are those of scikit-image."""

from collections.abc import Generator
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.spatial import ConvexHull, QhullError
from skimage.measure import marching_cubes, mesh_surface_area

from latentmap.measuring.cell_pixels import CellPixels

_DIAMOND = np.concatenate([np.eye(3, dtype=np.int64), -np.eye(3, dtype=np.int64)])
# The work of one step: pairs of a row of voxels and a side of a hull; voxels of boxes.
_ROWS_AND_SIDES, _VOXELS = 4_000_000, 4_000_000
# A voxel on a side of the hull counts as inside, as in scikit-image.
_TOLERANCE = 1e-10
# Of so many points a hull is first found without merging its sides, which rounding errors may move so far.
_FEW, _EXACT = 800, 1e-12


def surface_areas(pixels: CellPixels, spacing: tuple[float, ...]) -> Generator[None, None, np.ndarray]:
    """Measure the area of each cell's surface, as marching cubes find it, step by step.

    Parameters
    ----------
    pixels : CellPixels
    spacing : tuple of float, length 3

    Returns
    -------
    ndarray of float64, shape (n_cells,)
    """
    low, high = _boxes(pixels)
    sides = high - low + 1
    table, areas = _cube_areas(spacing), np.zeros(len(sides))
    # Cells of like height and width are stacked, with a layer of background between them.
    order = np.lexsort([sides[:, 1], sides[:, 2]])
    first = 0
    while first < len(order):
        stop = first + max(1, int(np.searchsorted(_stack_sizes(sides[order[first:]]), _VOXELS, side="right")))
        cells = order[first:stop]
        areas[cells] = yield from _areas_of(pixels, cells, low, sides, table)
        first = stop
    return areas


def hull_sizes(pixels: CellPixels) -> Generator[None, None, tuple[np.ndarray, np.ndarray]]:
    """Count the voxels in each cell's convex hull, step by step.

    The count is that of `skimage.morphology.convex_hull_image`, which compares each voxel with each side and takes
    minutes for a single cell of 100 x 100 x 100. It finds no hull of cells that lie in one plane; here, each of their
    voxels is divided into eight.

    Returns
    -------
    in_hull, of_cell : ndarray of int64, shape (n_cells,)
        The voxels in the hull and of the cell, in the same unit.
    """
    corners, of_cell = _corners(pixels)
    yield
    low, high = _boxes(pixels)
    boxes = (high - low + 1)[:, :2]
    is_flat = _are_flat(corners, of_cell)
    points, of_point = _middles(pixels, corners, of_cell)
    clouds = np.split(points - low[of_point], np.flatnonzero(np.diff(of_point)) + 1)
    for flat in np.flatnonzero(is_flat):
        clouds[flat] = _divided(corners[of_cell == flat] - low[flat])
    boxes[is_flat] *= 2
    yield
    counts = np.zeros(len(clouds), dtype=np.int64)
    for cell, (cloud, box) in enumerate(zip(clouds, boxes.tolist(), strict=True)):
        sides, rows = _sides(cloud), _rows(*box)
        step = max(1, _ROWS_AND_SIDES // len(sides))
        for first in range(0, rows.shape[1], step):
            counts[cell] += _n_within(sides, rows[:, first : first + step])
            yield
    return counts, pixels.sizes * np.where(is_flat, 8, 1)


def _boxes(pixels: CellPixels) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest index of each cell along each axis, shape (n_cells, 3) each."""
    low, high = (
        np.stack([end.reduceat(axis, pixels.starts) for axis in pixels.positions], axis=1)
        for end in (np.minimum, np.maximum)
    )
    return low, high


def _stack_sizes(sides: np.ndarray) -> np.ndarray:
    """The voxels of a stack of the first, the first two, ... cells."""
    height, width = (np.maximum.accumulate(sides[:, axis] + 2) for axis in (1, 2))
    sizes: np.ndarray = np.cumsum(sides[:, 0] + 1) * height * width
    return sizes


def _areas_of(
    pixels: CellPixels, cells: np.ndarray, low: np.ndarray, sides: np.ndarray, table: np.ndarray
) -> Generator[None, None, np.ndarray]:
    """The areas of some cells, which are stacked in one volume; a few layers at a time."""
    height, width = sides[cells, 1].max() + 2, sides[cells, 2].max() + 2
    tops = np.cumsum(sides[cells, 0] + 1) - sides[cells, 0]
    volume = np.zeros((int(tops[-1] + sides[cells[-1], 0]) + 1, height, width), dtype=bool)
    ends = pixels.starts + pixels.sizes
    rows = np.concatenate([np.arange(pixels.starts[cell], ends[cell]) for cell in cells])
    shift = np.stack([tops, np.ones_like(tops), np.ones_like(tops)], axis=1) - low[cells]
    shift = np.repeat(shift, pixels.sizes[cells], axis=0)
    volume[tuple(axis[rows] + shift[:, at] for at, axis in enumerate(pixels.positions))] = True
    by_layer = np.zeros(len(volume) - 1)
    step = max(1, _VOXELS // (height * width))
    for first in range(0, len(by_layer), step):
        part = volume[first : first + step + 1].view(np.uint8)
        halves = part[:, :, :-1] | (part[:, :, 1:] << 1)
        layers = halves[:, :-1] | (halves[:, 1:] << 2)
        cubes = layers[:-1] | (layers[1:] << 4)
        by_layer[first : first + step] = table[cubes].sum(axis=(1, 2))
        yield
    # The cubes of a cell begin in the layer of background before it.
    areas: np.ndarray = np.add.reduceat(by_layer, tops - 1)
    return areas


@lru_cache(8)
def _cube_areas(spacing: tuple[float, ...]) -> np.ndarray:
    """The area in a cube between eight voxels, by which of these belong to the cell: bit 0 the first, 4 the plane."""
    areas = np.zeros(256)
    for code in range(1, 255):
        cube = np.array([code >> bit & 1 for bit in range(8)], dtype=np.float32).reshape(2, 2, 2)
        corners, faces, *_ = marching_cubes(cube, 0.5, spacing=spacing)
        areas[code] = mesh_surface_area(corners, faces)
    return areas


def _corners(pixels: CellPixels) -> tuple[np.ndarray, np.ndarray]:
    """The voxels that can be corners of a cell's hull, and the cell of each.

    They are corners of the hulls of their cell's voxels in the three planes through them.
    """
    places, cells = np.stack(pixels.positions, axis=1), pixels.cells
    for plane, across, along in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
        if plane:
            order = np.lexsort([places[:, along], places[:, across], places[:, plane], cells])
            places, cells = places[order], cells[order]
        kept = _corners_in_planes(cells, places[:, plane], places[:, across], places[:, along])
        places, cells = places[kept], cells[kept]
    order = np.argsort(cells, kind="stable")
    return places[order], cells[order]


def _corners_in_planes(cells: np.ndarray, planes: np.ndarray, across: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The points that are corners of a hull in their cell's plane; the points are sorted by all four."""
    begins = np.append(True, (np.diff(cells) != 0) | (np.diff(planes) != 0))
    groups = np.cumsum(begins)
    first = np.flatnonzero(begins | np.append(True, np.diff(across) != 0))
    last = np.append(first[1:], len(cells)) - 1
    kept = np.zeros(len(cells), dtype=bool)
    kept[first[_chain(groups[first], across[first], along[first])]] = True
    kept[last[_chain(groups[last], across[last], -along[last])]] = True
    return kept


def _chain(groups: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The points of each group that are corners of its lower hull; the points are sorted by group and x."""
    left = np.arange(len(x))
    while True:
        g, a, b = groups[left], x[left], y[left]
        kept = np.ones(len(left), dtype=bool)
        # What lies on or above the line between its neighbours is no corner, so all such go at once.
        turn = (a[1:-1] - a[:-2]) * (b[2:] - b[:-2]) - (b[1:-1] - b[:-2]) * (a[2:] - a[:-2])
        kept[1:-1] = (g[2:] != g[:-2]) | (turn > 0)
        if kept.all():
            return left
        left = left[kept]


def _are_flat(corners: np.ndarray, of_cell: np.ndarray) -> np.ndarray:
    """Whether each cell's voxels lie in one plane, shape (n_cells,)."""
    starts = np.flatnonzero(np.diff(of_cell, prepend=-1))
    away = corners - corners[starts][of_cell]
    # In whole numbers, so that nothing is taken for flat that is not. Two directions not in line span the plane.
    last = np.append(starts[1:], len(corners)) - 1
    crossed = np.cross(away[last][of_cell], away)
    out = np.flatnonzero(crossed.any(axis=1))
    normals = np.zeros((len(starts), 3), dtype=np.int64)
    normals[of_cell[out]] = crossed[out]
    flat: np.ndarray = ~np.logical_or.reduceat((normals[of_cell] * away).sum(axis=1) != 0, starts)
    return flat


def _middles(pixels: CellPixels, corners: np.ndarray, of_cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middles of those faces of voxels that have no other voxel of the cell behind them, and the cell of each."""
    shape = np.array(pixels.numbered.shape)
    flat = pixels.numbered.reshape(-1)
    own = flat[np.ravel_multi_index(tuple(corners.T), pixels.numbered.shape)]
    points, cells = [], []
    for step in _DIAMOND:
        behind = corners + step
        there = np.ravel_multi_index(tuple(behind.clip(0, shape - 1).T), pixels.numbered.shape)
        is_open = (flat[there] != own) | ((behind < 0) | (behind >= shape)).any(axis=1)
        points.append(corners[is_open] + step / 2)
        cells.append(of_cell[is_open])
    order = np.argsort(np.concatenate(cells), kind="stable")
    return np.concatenate(points)[order], np.concatenate(cells)[order]


def _divided(corners: np.ndarray) -> np.ndarray:
    """The middles of the faces of voxels, each of which is divided into eight."""
    eighths = np.concatenate([2 * corners + step for step in product((0, 1), repeat=3)])
    points: np.ndarray = (eighths[:, None] + _DIAMOND / 2).reshape(-1, 3)
    return points


def _sides(cloud: np.ndarray) -> np.ndarray:
    """The planes through the sides of a hull; some may be there several times."""
    try:
        # Qhull takes as long again to merge what lies in one plane, which is not needed here. Of many points it takes
        # less than the check.
        if len(cloud) <= _FEW:
            sides: np.ndarray = ConvexHull(cloud, qhull_options="Q0").equations
            # Every plane holds three points of a closed surface, so that none is missing if no point lies beyond one.
            if (cloud @ sides[:, :3].T + sides[:, 3]).max() < _EXACT:
                return sides
    except QhullError:  # rounding errors came together
        pass
    sides = ConvexHull(cloud).equations
    return sides


@lru_cache(1024)
def _rows(n_planes: int, n_rows: int) -> np.ndarray:
    """The first two indices of each row of voxels in a box, and ones, shape (3, n_planes * n_rows)."""
    planes, rows = np.divmod(np.arange(float(n_planes * n_rows)), n_rows)
    return np.stack([planes, rows, np.ones_like(rows)])


def _n_within(sides: np.ndarray, rows: np.ndarray) -> int:
    """Count the voxels of rows along the last axis that lie within all sides of a hull."""
    slope, planes = sides[:, 2:3], np.column_stack([-sides[:, :2], _TOLERANCE - sides[:, 3]])
    up, down = slope[:, 0] > _TOLERANCE, slope[:, 0] < -_TOLERANCE
    # Where each row crosses the plane of each side.
    last = np.floor((planes[up] / slope[up] @ rows).min(axis=0))
    first = np.ceil((planes[down] / slope[down] @ rows).max(axis=0))
    is_within = (planes[~(up | down)] @ rows > 0).all(axis=0)
    counts = last - first + 1
    return int(counts[is_within & (counts > 0)].sum())
