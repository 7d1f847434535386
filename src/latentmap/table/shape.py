"""The shape of cells, in pixels or in a physical unit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from skimage.measure import marching_cubes, mesh_surface_area
from skimage.morphology import convex_hull_image

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
        },
        3: {
            "area": 3,
            "extent": 0,
            "equivalent_diameter_area": 1,
            "axis_major_length": 1,
            "axis_minor_length": 1,
            "solidity": 0,
            "surface_area": 2,
        },
    }
)
"""By the number of axes: each feature in scikit-image's words, and the power of length that it is measured in."""

_WORDS = MappingProxyType({"area": "volume", "equivalent_diameter_area": "equivalent_diameter"})
"""What scikit-image's words are in three dimensions once a unit stands behind them."""


@dataclass(frozen=True)
class Shape:
    """Which features of shape are measured, and what they are called.

    Attributes
    ----------
    spacing : tuple of float, length 2 or 3
        The distance of neighbouring pixels along each axis.
    unit : str
        The unit of `spacing`. If it is given, names carry it, as in ``area_um2`` and ``volume_um3``.
    columns : tuple of str
        The names of the features.
    notes : tuple of str
        Which features cannot be measured with this spacing.

    Examples
    --------
    >>> Shape((0.5, 0.5), "um").columns[:3]
    ('area_um2', 'perimeter_um', 'eccentricity')
    >>> Shape((2.0, 0.5, 0.5), "um").columns[0]
    'volume_um3'
    """

    spacing: tuple[float, ...]
    unit: str = ""
    columns: tuple[str, ...] = field(init=False)
    notes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self._column(name) for name in self._features))
        note = (
            "The perimeter is not measured: scikit-image knows it only for pixels as high as wide, and these are "
            f"{' by '.join(f'{side:g}' for side in self.spacing)}."
        )
        known = len(self._features) == len(_POWERS[len(self.spacing)])
        object.__setattr__(self, "notes", () if known else (note,))

    @classmethod
    def read(cls, spacing: Sequence[float] | None, unit: str, *, n_axes: int) -> "Shape":
        """Check the spacing.

        Parameters
        ----------
        spacing : sequence of float, or None
            One number for each axis in space; None for pixels.
        unit : str
        n_axes : int
            The number of axes in space, 2 or 3.

        Returns
        -------
        Shape

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
        # A scale that was divided or read from text is seldom the same to the last digit.
        if np.allclose(sides, sides[0], rtol=1e-6, atol=0):
            sides[:] = sides[0]
        return cls(tuple(sides.tolist()), unit)

    def of(self, regions: Sequence[Any]) -> np.ndarray:
        """Measure cells.

        Parameters
        ----------
        regions : sequence of skimage.measure.RegionProperties
            Of an image with this spacing.

        Returns
        -------
        ndarray of float64, shape (n_cells, n_columns)
        """
        own, names = _OWN if len(self.spacing) == 3 else {}, self._features
        return np.array(
            [
                [own[name](region.image, self.spacing) if name in own else getattr(region, name) for name in names]
                for region in regions
            ],
            dtype=float,
        )

    @property
    def _features(self) -> list[str]:
        isotropic = len(set(self.spacing)) == 1
        return [name for name in _POWERS[len(self.spacing)] if isotropic or name != "perimeter"]

    def _column(self, name: str) -> str:
        power = _POWERS[len(self.spacing)][name]
        if not self.unit:
            return name
        word = _WORDS.get(name, name) if len(self.spacing) == 3 else name
        return word + (f"_{self.unit}{power if power > 1 else ''}" if power else "")


def _solidity(mask: np.ndarray, spacing: tuple[float, ...]) -> float:
    """Volume by the volume of the convex hull; scikit-image finds no hull of cells that lie in one plane."""
    voxels = np.argwhere(mask)
    if np.linalg.matrix_rank(voxels - voxels[0]) < 3:
        # Eight voxels for each: then there is a hull.
        for axis in range(3):
            mask = mask.repeat(2, axis)
    return mask.sum() / convex_hull_image(mask).sum()


def _surface_area(mask: np.ndarray, spacing: tuple[float, ...]) -> float:
    corners, faces, *_ = marching_cubes(np.pad(mask, 1).astype(np.float32), 0.5, spacing=spacing)
    return mesh_surface_area(corners, faces)


_OWN: dict[str, Callable[[np.ndarray, tuple[float, ...]], float]] = {
    "solidity": _solidity,
    "surface_area": _surface_area,
}
"""In three dimensions, what is not taken from regionprops."""
