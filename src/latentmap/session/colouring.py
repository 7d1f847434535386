"""What the points' colours mean: a number on a scale, or a group."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from latentmap.session.classes import Classes
from latentmap.session.palette import NO_COLOURS, GroupColours, group_colours
from latentmap.session.random_order import enough_of
from latentmap.table.key_parts import n_distinct

Kind = Literal["variance", "lost neighbours", "stability", "class", "layer", "frame", "feature"]
# The percentiles at the ends of the scale, so that a single cell cannot stretch it.
_ROBUST = (2, 98)
# Whole numbers with at most so many values count as groups.
_MOST_GROUPS = 12


class ColourBy(NamedTuple):
    """What to colour by.

    Attributes
    ----------
    kind : {"variance", "lost neighbours", "stability", "class", "layer", "frame", "feature"}
        The kind of quantity.
    name : str
        The name of the feature, if it is one.
    """

    kind: Kind
    name: str = ""


VARIANCE = ColourBy("variance")
"""How uncertain the model is of each cell's position."""

LOST = ColourBy("lost neighbours")
"""The share of each cell's neighbours that the map has lost."""

STABILITY = ColourBy("stability")
"""The share of each cell's neighbours on the map that stay on other maps."""

LOST_TITLE = "share of neighbours lost"
"""What a scale of lost neighbours is called."""

STABILITY_TITLE = "share of neighbours on the map that stay"
"""What a scale of stability is called."""


@dataclass(frozen=True, eq=False)
class ColourScale:
    """Colours along a scale.

    Attributes
    ----------
    title : str
        What the colours show.
    shares : ndarray of float, shape (n_cells,)
        Each cell's position on the scale, from 0 at the low end to 1 at the high end; NaN where there is no number.
    low, high : float
        The values at the ends.
    logarithmic : bool
        Whether the scale is logarithmic.
    clipped : int
        How many of the cells drawn lie beyond the ends.
    """

    title: str
    shares: np.ndarray
    low: float
    high: float
    logarithmic: bool = False
    clipped: int = 0


@dataclass(frozen=True, eq=False)
class ColourGroups:
    """Colours of groups.

    Attributes
    ----------
    title : str
        What the groups are.
    indices : ndarray of int, shape (n_cells,)
        The index of each cell's group; -1 for none.
    names, colours : tuple of str
        The names of the groups, and their colours as ``#rrggbb``.
    """

    title: str
    indices: np.ndarray
    names: tuple[str, ...]
    colours: tuple[str, ...]


def colour_choices(features: pd.DataFrame, *, stability: bool = False) -> list[ColourBy]:
    """List what a map of these cells can be coloured by.

    Parameters
    ----------
    features : pandas.DataFrame
        One row per cell, with the keys (layer, frame, label) as index.
    stability : bool
        Whether it is known how stable the neighbourhoods on the map are.

    Returns
    -------
    list of ColourBy
        Variance, lost neighbours, stability if it is known, and class; layer and frame, if there are several; then all
        features.

    Examples
    --------
    >>> from latentmap.session.cell_index import as_keys
    >>> table = pd.DataFrame({"area": [4.0, 5.0]}, index=as_keys([("a", 0, 1), ("b", 0, 1)]))
    >>> [by.name or by.kind for by in colour_choices(table)]
    ['variance', 'lost neighbours', 'class', 'layer', 'area']
    """
    several: list[Kind] = [kind for kind in ("layer", "frame") if n_distinct(features.index, kind) > 1]
    known: list[Kind] = ["stability"] if stability else []
    kinds: list[Kind] = ["variance", "lost neighbours", *known, "class", *several]
    return [*map(ColourBy, kinds), *(ColourBy("feature", str(name)) for name in features.columns)]


def cell_colours(
    by: ColourBy,
    features: pd.DataFrame,
    variances: np.ndarray,
    classes: Classes,
    numbers: np.ndarray,
    own: GroupColours = NO_COLOURS,
    lost: np.ndarray | None = None,
    stability: np.ndarray | None = None,
    shown: np.ndarray | None = None,
) -> ColourScale | ColourGroups:
    """Determine the cells' colours.

    Parameters
    ----------
    by : ColourBy
        What to colour by.
    features : pandas.DataFrame, shape (n_cells, n_columns)
        One row per cell, with the keys (layer, frame, label) as index.
    variances : ndarray of float, shape (n_cells,)
        The variances of the cells' coordinates.
    classes : Classes
        The user's classes.
    numbers : ndarray of int, shape (n_cells,)
        The cells' numbers in the session.
    own : mapping of str to str
        Colours that groups have already, by name.
    lost : ndarray of float, shape (n_cells,), optional
        The share of each cell's neighbours that the map has lost; where it is not known, the variance is shown.
    stability : ndarray of float, shape (n_cells,), optional
        The share of each cell's neighbours on the map that stay when it is made again; likewise.
    shown : ndarray of bool, shape (n_cells,), optional
        Whose values the ends of a scale are: the cells that are not dropped; by default all.

    Returns
    -------
    ColourScale or ColourGroups
        Groups for classes, layers, words, booleans and few whole numbers; otherwise a scale with robust ends.

    Examples
    --------
    >>> from latentmap.session.cell_index import CellIndex
    >>> cell_index = CellIndex()
    >>> numbers = cell_index.add([("cells", 0, label) for label in range(1, 5)])
    >>> table = pd.DataFrame({"type": ["B", "T", "B", None]}, index=cell_index.keys(numbers))
    >>> found = cell_colours(ColourBy("feature", "type"), table, np.ones(4), Classes(cell_index), numbers)
    >>> found.names, found.indices.tolist()
    (('B', 'T'), [0, 1, 0, -1])
    """
    if by == LOST and lost is not None:
        # From 0 to 1 on all maps, so that they can be compared.
        return ColourScale(LOST_TITLE, lost, 0.0, 1.0)
    if by == STABILITY and stability is not None:
        return ColourScale(STABILITY_TITLE, stability, 0.0, 1.0)
    if by in (VARIANCE, LOST, STABILITY):
        return by_variance(variances, shown)
    if by.kind == "class":
        return ColourGroups("class", classes.indices_of(numbers), classes.names, tuple(one.colour for one in classes))
    column = features[by.name] if by.kind == "feature" else features.index.get_level_values(by.kind).to_series()
    title = by.name or by.kind
    if by.kind == "frame" or not _is_nominal(column):
        return _scale(title, column.to_numpy(dtype=float, na_value=np.nan), shown)
    indices, names = value_groups(column)
    return ColourGroups(title, indices, names, group_colours(names, own))


def group_names_of(by: ColourBy, features: pd.DataFrame) -> tuple[str, ...]:
    """Return the names of the groups that cells are coloured by; none for classes, and where there is a scale.

    Parameters
    ----------
    by : ColourBy
        What the cells are coloured by.
    features : pandas.DataFrame
        One row per cell, with the keys (layer, frame, label) as index.

    Examples
    --------
    >>> from latentmap.session.cell_index import as_keys
    >>> table = pd.DataFrame({"type": ["T", "B"], "area": [1.5, 2.5]}, index=as_keys([("a", 0, 1), ("a", 0, 2)]))
    >>> [group_names_of(ColourBy("feature", name), table) for name in ("type", "area", "none")]
    [('B', 'T'), (), ()]
    """
    if by.kind == "layer":
        return value_groups(features.index.get_level_values("layer").to_series())[1]
    if by.kind != "feature" or by.name not in features or not _is_nominal(features[by.name]):
        return ()
    return value_groups(features[by.name])[1]


def by_variance(variances: np.ndarray, shown: np.ndarray | None = None) -> ColourScale:
    """Determine colours or sizes by how uncertain the cells' coordinates are.

    Parameters
    ----------
    variances : ndarray of float, shape (n_cells,)
        The variances of the cells' coordinates.
    shown : ndarray of bool, shape (n_cells,), optional
        As for `cell_colours`.

    Returns
    -------
    ColourScale
        Logarithmic.
    """
    return _scale("variance (σ²)", variances, shown, logarithmic=True)


def cell_sizes(
    variances: np.ndarray, sized_by_variance: bool, represented: np.ndarray | None = None
) -> np.ndarray | None:
    """Determine how large cells are drawn.

    Parameters
    ----------
    variances : ndarray of float, shape (n_cells,)
        The variances of the cells' coordinates.
    sized_by_variance : bool
        Whether more uncertain cells are drawn larger.
    represented : ndarray of int, shape (n_cells,), or None
        How many cells each stands for, on a map of landmarks; these are drawn larger that stand for more.

    Returns
    -------
    ndarray of float, shape (n_cells,), or None
        From 0 to 1; None if all cells have the same size, for instance because the method gives no variances.
    """
    if represented is not None:
        # The area is what the eye compares.
        lengths = np.sqrt(represented) - np.sqrt(represented.min())
        return lengths / lengths.max() if lengths.any() else None
    return by_variance(variances).shares if sized_by_variance and np.isfinite(variances).any() else None


def value_groups(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the index of each cell's value in a column, -1 for none, and the values as words.

    A number and the same as a word, such as 1 and "1", are one value.
    """
    indices, values = pd.factorize(column, sort=True)
    words = [str(value) for value in values]
    if len(names := tuple(dict.fromkeys(words))) < len(words):
        # One more entry: the one that -1 points to.
        indices = np.array([*map(names.index, words), -1])[indices]
    return indices, names


def _is_nominal(column: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return True
    return pd.api.types.is_integer_dtype(column) and column.nunique() <= _MOST_GROUPS


def _scale(title: str, values: np.ndarray, shown: np.ndarray | None, logarithmic: bool = False) -> ColourScale:
    is_known = np.isfinite(values)
    numbers = values if is_known.all() else np.where(is_known, values, np.nan)
    if logarithmic:
        numbers = np.log10(np.maximum(numbers, np.finfo(float).tiny))
    counts = is_known if shown is None else is_known & shown
    known = numbers if counts.all() else numbers[counts]
    if not len(known):
        return ColourScale(title, np.full(len(numbers), np.nan), np.nan, np.nan, logarithmic)
    low, high = np.percentile(enough_of(known), _ROBUST)
    clipped = int(np.count_nonzero((known < low) | (known > high)))
    if low == high:
        low, high = known.min(), known.max()
        clipped = 0
    shares = (numbers - low) / ((high - low) or 1)
    np.clip(shares, 0, 1, out=shares)
    low, high = (float(10**end if logarithmic else end) for end in (low, high))
    return ColourScale(title, shares, low, high, logarithmic, clipped)
