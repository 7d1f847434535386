"""The shape of cells, in pixels or in a physical unit."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from latentmap.measuring import solid_shapes
from latentmap.measuring.cell_pixels import CellPixels
from latentmap.measuring.flat_shapes import box_sizes, centroids, hull_sizes, perimeters, spreads

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
            If there is not one positive number for each axis, or a unit without them.
        """
        if unit and spacing is None:
            raise ValueError(f'The unit "{unit}" is given without the spacing of the pixels: give both, or neither.')
        sides = np.ones(n_axes) if spacing is None else np.array(spacing, dtype=float)
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
            in_hull, of_cell = yield from solid_shapes.hull_sizes(pixels)
            found["solidity"] = of_cell / in_hull
            found["surface_area"] = yield from solid_shapes.surface_areas(pixels, self.spacing)
        return np.stack([found[name] for name in self._names], axis=1)

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
