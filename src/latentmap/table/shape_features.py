"""The shape of cells, in pixels or in a physical unit."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType

import numpy as np
from scipy.spatial import ConvexHull
from skimage.measure import marching_cubes, mesh_surface_area

from latentmap.table.cell_pixels import CellPixels
from latentmap.table.flat_shapes import box_sizes, centroids, hull_sizes, perimeters, spreads

_POWERS = MappingProxyType(
    {
        2: {
            "area": 2,
            "perimeter": 1,
            "eccentricity": 0,
            "solidity": 0,
            "extent": 0,
            "axis_major_length": 1,
            "axis_minor_length": 1,
            "centroid-0": 1,
            "centroid-1": 1,
        },
        3: {
            "area": 3,
            "extent": 0,
            "equivalent_diameter_area": 1,
            "axis_major_length": 1,
            "axis_minor_length": 1,
            "solidity": 0,
            "surface_area": 2,
            "centroid-0": 1,
            "centroid-1": 1,
            "centroid-2": 1,
        },
    }
)
"""For each number of axes: scikit-image's names of the features, and the power of length of each."""

_WORDS = MappingProxyType({"area": "volume", "equivalent_diameter_area": "equivalent_diameter"})
"""Names that replace scikit-image's in three dimensions when a unit follows."""

# The work of one step: pairs of a row of voxels and a side of the hull; the side of a box whose surface is measured.
_ROWS_AND_SIDES = 4_000_000
_BOX = 32
# A voxel on a side of the hull counts as inside, as in scikit-image.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class ShapeFeatures:
    """The features of shape that are measured, and their names.

    Attributes
    ----------
    spacing : tuple of float, length 2 or 3
        The distance between neighbouring pixels along each axis.
    unit : str
        The unit of `spacing`. If given, it is part of the names, as in ``area_um2`` and ``volume_um3``.
    columns : tuple of str
        The names of the features.
    notes : tuple of str
        Which features cannot be measured with this spacing.

    Examples
    --------
    >>> ShapeFeatures((0.5, 0.5), "um").columns[:3]
    ('area_um2', 'perimeter_um', 'eccentricity')
    >>> ShapeFeatures((2.0, 0.5, 0.5), "um").columns[0]
    'volume_um3'
    """

    spacing: tuple[float, ...]
    unit: str = ""
    columns: tuple[str, ...] = field(init=False)
    notes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self._column(name) for name in self._names))
        note = (
            "The perimeter is not measured: scikit-image needs square pixels for it, and these are "
            f"{' by '.join(f'{side:g}' for side in self.spacing)}."
        )
        known = len(self._names) == len(_POWERS[len(self.spacing)])
        object.__setattr__(self, "notes", () if known else (note,))

    @classmethod
    def read(cls, spacing: Sequence[float] | None, unit: str, *, n_axes: int) -> "ShapeFeatures":
        """Check the spacing.

        Parameters
        ----------
        spacing : sequence of float, or None
            One number for each axis in space; None for pixels.
        unit : str
        n_axes : int
            The number of axes in space, 2 or 3.

        Raises
        ------
        ValueError
            If there is not one positive number for each axis.
        """
        sides = np.ones(n_axes) if spacing is None else np.asarray(spacing, dtype=float)
        if sides.shape != (n_axes,) or not np.all(np.isfinite(sides) & (sides > 0)):
            raise ValueError(
                f"The spacing of the pixels is {spacing}: it must be {n_axes} numbers above 0, one for each axis."
            )
        # Scales that were computed or read from text rarely agree to the last digit.
        if np.allclose(sides, sides[0], rtol=1e-6, atol=0):
            sides[:] = sides[0]
        return cls(tuple(sides.tolist()), unit)

    def measure(self, pixels: CellPixels) -> Generator[None, None, np.ndarray]:
        """Measure cells step by step; no step takes more than some tenths of a second, however large a cell is.

        Parameters
        ----------
        pixels : CellPixels
            The pixels of the cells.

        Returns
        -------
        ndarray of float64, shape (n_cells, n_columns)
        """
        n_pixels, spread = pixels.sizes, spreads(pixels, self.spacing)
        found = {
            "area": n_pixels * float(np.prod(self.spacing)),
            "extent": n_pixels / box_sizes(pixels),
            **{f"centroid-{axis}": mean for axis, mean in enumerate(centroids(pixels, self.spacing).T)},
        }
        yield
        if len(self.spacing) == 2:
            small, large = spread.T
            found["axis_major_length"], found["axis_minor_length"] = 4 * np.sqrt(large), 4 * np.sqrt(small)
            found["eccentricity"] = np.sqrt(1 - np.divide(small, large, out=np.ones_like(small), where=large > 0))
            found["solidity"] = n_pixels / hull_sizes(pixels)
            yield
            found["perimeter"] = perimeters(pixels) * self.spacing[0]
        else:
            found["axis_major_length"], found["axis_minor_length"] = np.sqrt(20 * spread[:, [-1, 0]].T)
            found["equivalent_diameter_area"] = np.cbrt(6 * found["area"] / np.pi)
            found["solidity"], found["surface_area"] = yield from self._solid(pixels)
        return np.stack([found[name] for name in self._names], axis=1)

    def _solid(self, pixels: CellPixels) -> Generator[None, None, np.ndarray]:
        """The solidity and the area of the surface of three-dimensional cells, cell by cell."""
        found = []
        for voxels in np.split(np.stack(pixels.positions, axis=1), pixels.starts[1:]):
            voxels = voxels - voxels.min(axis=0)
            solidity = yield from _solidity(voxels)
            mask = np.zeros(voxels.max(axis=0) + 1, dtype=bool)
            mask[tuple(voxels.T)] = True
            found.append((solidity, (yield from _surface_area(mask, self.spacing))))
        return np.array(found).T

    @property
    def _names(self) -> list[str]:
        isotropic = len(set(self.spacing)) == 1
        return [name for name in _POWERS[len(self.spacing)] if isotropic or name != "perimeter"]

    def _column(self, name: str) -> str:
        power = _POWERS[len(self.spacing)][name]
        if not self.unit:
            return name
        word = _WORDS.get(name, name) if len(self.spacing) == 3 else name
        return word + (f"_{self.unit}{power if power > 1 else ''}" if power else "")


def _solidity(voxels: np.ndarray) -> Generator[None, None, float]:
    """Divide the voxels by those in their convex hull; scikit-image finds no hull of cells that lie in one plane."""
    corners = _row_ends(voxels)
    n = len(voxels)
    if np.linalg.matrix_rank(corners - corners[0]) < 3:
        # With each voxel divided into eight, there is a hull.
        corners, n = np.concatenate([2 * corners + step for step in product((0, 1), repeat=3)]), 8 * n
        corners = corners[np.lexsort(corners.T[::-1])]
    return n / (yield from _n_in_hull(corners))


def _row_ends(voxels: np.ndarray) -> np.ndarray:
    """The first and last voxel of each row along the last axis, which have the same hull as all voxels."""
    starts = np.append(True, (np.diff(voxels[:, :-1], axis=0) != 0).any(axis=1))
    ends: np.ndarray = voxels[starts | np.append(starts[1:], True)]
    return ends


def _n_in_hull(voxels: np.ndarray) -> Generator[None, None, int]:
    """Count the voxels in the convex hull of voxels, row by row of their box.

    The count is that of `skimage.morphology.convex_hull_image`, which compares each voxel with each side and takes
    minutes for a single cell of 100 x 100 x 100.
    """
    low, high = voxels.min(axis=0), voxels.max(axis=0)
    voxels = voxels - low
    planes = []
    for plane in np.split(voxels, np.flatnonzero(np.diff(voxels[:, 0])) + 1):
        planes.append((yield from _corners_of_plane(plane)))
    diamond = np.concatenate([np.eye(3), -np.eye(3)]) / 2
    hull = ConvexHull((np.concatenate(planes)[:, None] + diamond).reshape(-1, 3))
    sides = np.unique(hull.equations, axis=0)
    yield
    rows = np.stack(np.meshgrid(*(np.arange(n + 1) for n in (high - low)[:2]), indexing="ij"), axis=-1).reshape(-1, 2)
    n_rows, count = max(1, _ROWS_AND_SIDES // len(sides)), 0
    for start in range(0, len(rows), n_rows):
        count += _n_in_rows(rows[start : start + n_rows], sides)
        yield
    return count


def _corners_of_plane(voxels: np.ndarray) -> Generator[None, None, np.ndarray]:
    """The voxels of a plane that can be corners of a hull."""
    if len(voxels) < 50:
        return voxels
    diamond = np.concatenate([np.eye(2), -np.eye(2)]) / 2
    hull = ConvexHull((voxels[:, None, 1:] + diamond).reshape(-1, 2))
    yield
    corners: np.ndarray = voxels[np.unique(hull.vertices // len(diamond))]
    return corners


def _n_in_rows(rows: np.ndarray, sides: np.ndarray) -> int:
    """Count the voxels of rows along the last axis that lie within all sides of a hull."""
    room = _TOLERANCE - sides[:, 3] - rows @ sides[:, :2].T
    slope = sides[:, 2]
    up, down = slope > _TOLERANCE, slope < -_TOLERANCE
    last = np.min(room[:, up] / slope[up], axis=1)
    first = np.max(room[:, down] / slope[down], axis=1)
    is_within = (room[:, ~(up | down)] > 0).all(axis=1)
    counts = np.floor(last) - np.ceil(first) + 1
    return int(counts[is_within & (counts > 0)].sum())


def _surface_area(mask: np.ndarray, spacing: tuple[float, ...]) -> Generator[None, None, float]:
    """The area of a cell's surface, box by box, because most of a large bounding box is empty."""
    whole = np.pad(mask, 1)
    area = 0.0
    for at in _boxes(whole):
        part = whole[at]
        if part.any() and not part.all():
            corners, faces, *_ = marching_cubes(part.astype(np.float32), 0.5, spacing=spacing)
            area += mesh_surface_area(corners, faces)
        yield
    return area


def _boxes(whole: np.ndarray) -> Iterator[tuple[slice, ...]]:
    """Boxes that overlap by one layer of voxels, because marching cubes lie between voxels."""
    starts = [range(0, length - 1, _BOX) for length in whole.shape]
    return (tuple(slice(start, start + _BOX + 1) for start in corner) for corner in product(*starts))
