"""Gates: regions of one or two features, in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from skimage.measure import points_in_poly

from latentmap.session.wording import three_digits

Scaling = Literal["linear", "log", "arcsinh"]
"""How the values of a feature are spread along an axis."""

Kind = Literal["rectangle", "polygon", "threshold", "quadrant"]
"""The shape of a gate. A rectangle of one feature is a range of its values."""

Side = Literal["above", "below", "both"]
"""Which cells a threshold puts into a class."""

Corners = tuple[tuple[float, ...], ...]
"""Points, each with a value of every gated feature, in the feature's own units."""

# For each kind, how many features, corners and regions it has; None for any number.
_SIZES: Mapping[str, tuple[tuple[int, ...], int | None, int]] = {
    "rectangle": ((1, 2), 2, 1),
    "polygon": ((2,), None, 1),
    "threshold": ((1,), 1, 2),
    "quadrant": ((2,), 1, 4),
}


@dataclass(frozen=True)
class Axis:
    """A feature along an axis.

    Attributes
    ----------
    feature : str
        The name of the feature.
    scaling : {"linear", "log", "arcsinh"}
        How its values are spread; ``arcsinh(value / cofactor)`` also takes zero and negative values.
    cofactor : float
        Of arcsinh: values well below it are spread evenly, values well above it by their logarithm.

    Examples
    --------
    >>> Axis("CD4", "log").positions(np.array([-1.0, 10.0, 1000.0]))
    array([nan,  1.,  3.])
    >>> Axis("CD4", "arcsinh", 5).values(Axis("CD4", "arcsinh", 5).positions(np.array([-20.0, 0.0]))).round(6).tolist()
    [-20.0, 0.0]
    """

    feature: str
    scaling: Scaling = "linear"
    cofactor: float = 5.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.cofactor) and self.cofactor > 0):
            raise ValueError(f"The cofactor of arcsinh is {self.cofactor:g}: choose a number above 0.")

    @property
    def text(self) -> str:
        """The feature and how it is scaled, in words."""
        how = {"linear": "", "log": " (log)", "arcsinh": f" (arcsinh, cofactor {three_digits(self.cofactor)})"}
        return f"{self.feature}{how[self.scaling]}"

    def positions(self, values: np.ndarray) -> np.ndarray:
        """Return the positions of values along the axis; NaN for values that it cannot show."""
        values = np.where(np.isfinite(values), values, np.nan)
        if self.scaling == "linear":
            return values
        if self.scaling == "arcsinh":
            return np.arcsinh(values / self.cofactor)
        return np.log10(np.where(values > 0, values, np.nan))

    def values(self, positions: np.ndarray) -> np.ndarray:
        """Return the values at positions along the axis."""
        positions = np.asarray(positions, dtype=float)
        if self.scaling == "linear":
            return positions
        values: np.ndarray = self.cofactor * np.sinh(positions) if self.scaling == "arcsinh" else 10**positions
        return values

    def of(self, features: pd.DataFrame) -> np.ndarray:
        """Return the values of the feature, shape (n_cells,); NaN where a cell has none.

        Raises
        ------
        ValueError
            If the cells do not have the feature.
        """
        if self.feature not in features:
            raise ValueError(f'The cells have no feature "{self.feature}": measure it, or load a table that has it.')
        values = features[self.feature].to_numpy(dtype=float, na_value=np.nan)
        return np.where(np.isfinite(values), values, np.nan)


@dataclass(frozen=True)
class Gate:
    """A region of one or two features, or several that a line or a cross separates; each gives a class of cells.

    Attributes
    ----------
    kind : {"rectangle", "polygon", "threshold", "quadrant"}
        A threshold has two regions, at or above it and below it; a quadrant has four, ``++``, ``+-``, ``-+`` and
        ``--``, where ``+`` is at or above its centre.
    axes : tuple of Axis
        The gated features. The sides of a polygon are straight along these axes.
    corners : tuple of tuple of float
        The opposite corners of a rectangle, lowest values first; the corners of a polygon; the value of a threshold;
        the centre of a quadrant. All are in the features' own units.
    names : tuple of str
        The class of each region; "" for a region that gives no class.
    own : mapping of str to tuple of tuple of float
        The corners in those layers that have corners of their own.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_tuples([("a", 0, 1), ("a", 0, 2), ("b", 0, 1)], names=["layer", "frame", "label"])
    >>> cells = pd.DataFrame({"CD4": [1.0, 9.0, 6.0]}, keys)
    >>> gate = Gate("threshold", (Axis("CD4"),), ((5.0,),), ("CD4+", "CD4-"), {"b": ((7.0,),)})
    >>> gate.class_names(cells).tolist()
    ['CD4-', 'CD4+', 'CD4-']
    """

    kind: Kind
    axes: tuple[Axis, ...]
    corners: Corners
    names: tuple[str, ...]
    own: Mapping[str, Corners] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n_axes, n_corners, n_regions = _SIZES[self.kind]
        if len(self.axes) not in n_axes or len(self.names) != n_regions:
            raise ValueError(f"A {self.kind} has another number of features or classes.")
        for corners in (self.corners, *self.own.values()):
            right = len(corners) == n_corners if n_corners else len(corners) > 2
            if not right or any(len(corner) != len(self.axes) for corner in corners):
                raise ValueError(f"A {self.kind} has another number of corners.")
            if not np.isfinite(corners).all():
                raise ValueError("A gate has a corner that is no number.")

    def corners_in(self, layer: str | None) -> Corners:
        """Return the corners in a layer; None stands for the layers without corners of their own."""
        return self.corners if layer is None else self.own.get(layer, self.corners)

    def with_corners(self, corners: Corners, layer: str | None = None) -> "Gate":
        """Return the gate with other corners in one layer, or in all that have none of their own."""
        if layer is None:
            return replace(self, corners=corners)
        return replace(self, own={**self.own, layer: corners})

    def without_own(self, layer: str) -> "Gate":
        """Return the gate with the same corners in a layer as elsewhere."""
        return replace(self, own={name: corners for name, corners in self.own.items() if name != layer})

    def has_values(self, features: pd.DataFrame) -> np.ndarray:
        """Return which cells have a number in every gated feature, shape (n_cells,); no other cell is in a region."""
        has_values: np.ndarray = ~np.isnan(np.array([axis.of(features) for axis in self.axes])).any(axis=0)
        return has_values

    def regions(self, features: pd.DataFrame) -> np.ndarray:
        """Return the index of each cell's region.

        Parameters
        ----------
        features : pandas.DataFrame
            One row per cell, with the keys (layer, frame, label) as index.

        Returns
        -------
        ndarray of int, shape (n_cells,)
            Indices into :attr:`names`; -1 for cells in no region.

        Raises
        ------
        ValueError
            If the cells do not have a gated feature.
        """
        values = np.column_stack([axis.of(features) for axis in self.axes])
        if not self.own:
            return self._regions_of(values, np.array(self.corners))
        layers = features.index.get_level_values("layer")
        regions = np.full(len(features), -1)
        common = ~layers.isin(list(self.own))
        for rows, corners in [(common, self.corners), *((layers == name, own) for name, own in self.own.items())]:
            regions[rows] = self._regions_of(values[rows], np.array(corners))
        return regions

    def class_names(self, features: pd.DataFrame) -> np.ndarray:
        """Return the name of each cell's class by this gate, shape (n_cells,); "" for none."""
        names: np.ndarray = np.array([*self.names, ""], dtype=object)[self.regions(features)]
        return names

    def text(self, region: int = 0) -> str:
        """Return where a region lies, in words.

        Examples
        --------
        >>> Gate("rectangle", (Axis("area"), Axis("CD4", "log")), ((10.0, 0.5), (80.0, 3.0)), ("T",)).text()
        'rectangle: area from 10 to 80, CD4 (log) from 0.5 to 3'
        """
        parts = [self._place(self.corners, region)]
        parts += [f'in "{layer}" {self._place(corners, region)}' for layer, corners in self.own.items()]
        return f"{self.kind}: {'; '.join(parts)}"

    def _place(self, corners: Corners, region: int) -> str:
        points = [[three_digits(value) for value in corner] for corner in corners]
        if self.kind == "polygon":
            around = ", ".join(f"({', '.join(point)})" for point in points)
            return f"{' and '.join(axis.text for axis in self.axes)} within {around}"
        if self.kind == "rectangle":
            ends = zip(self.axes, *points, strict=True)
            return ", ".join(f"{axis.text} from {low} to {high}" for axis, low, high in ends)
        below = [bool(region & bit) for bit in ((2, 1) if len(self.axes) == 2 else (1,))]
        sides = zip(self.axes, points[0], below, strict=True)
        return ", ".join(f"{axis.text} {'below' if low else 'at least'} {value}" for axis, value, low in sides)

    def _regions_of(self, values: np.ndarray, corners: np.ndarray) -> np.ndarray:
        has_values = ~np.isnan(values).any(axis=1)
        if self.kind == "threshold":
            return np.where(has_values, values[:, 0] < corners[0, 0], -1)
        if self.kind == "quadrant":
            return np.where(has_values, (values < corners[0]) @ np.array([2, 1]), -1)
        if self.kind == "rectangle":
            return np.where(((values >= corners[0]) & (values <= corners[1])).all(axis=1), 0, -1)
        inside = np.zeros(len(values), dtype=bool)
        points, around = self._positions(values), self._positions(corners)
        near = ((points >= around.min(axis=0)) & (points <= around.max(axis=0))).all(axis=1)
        inside[near] = points_in_poly(points[near], around)
        return np.where(inside, 0, -1)

    def _positions(self, values: np.ndarray) -> np.ndarray:
        return np.column_stack([axis.positions(column) for axis, column in zip(self.axes, values.T, strict=True)])


def gate_names(kind: Kind, axes: Sequence[Axis], name: str = "", side: Side = "above") -> tuple[str, ...]:
    """Return names for the classes of a gate.

    Parameters
    ----------
    kind : {"rectangle", "polygon", "threshold", "quadrant"}
        The shape of the gate.
    axes : sequence of Axis
        The gated features.
    name : str
        The user's name for the class. A quadrant takes none; a threshold is named after its feature if this is empty.
    side : {"above", "below", "both"}
        Which cells a threshold puts into a class; of both, those above get `name`.

    Examples
    --------
    >>> gate_names("quadrant", [Axis("CD4"), Axis("CD8")])
    ('CD4+ CD8+', 'CD4+ CD8-', 'CD4- CD8+', 'CD4- CD8-')
    >>> gate_names("threshold", [Axis("CD4")]), gate_names("threshold", [Axis("CD4")], "T", "both")
    (('CD4+', ''), ('T', 'CD4-'))
    """
    name = name.strip()
    if kind == "quadrant":
        across, up = (axis.feature for axis in axes)
        return tuple(f"{across}{x} {up}{y}" for x in "+-" for y in "+-")
    if kind == "threshold":
        above, below = (f"{axes[0].feature}{sign}" for sign in "+-")
        if side == "below":
            return "", name or below
        return name or above, below if side == "both" else ""
    return (name,)
