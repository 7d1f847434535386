"""What is special about some cells: the features that set them apart from the others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import copysign

import numpy as np
import pandas as pd

from latentmap.session.wording import counted, three_digits
from latentmap.table.found_maps import is_coordinate

# The interquartile range of a normal distribution, in standard deviations.
_QUARTILES_APART = 1.349
# How many words a profile tells apart; the rarer ones share a place.
_MOST_LEVELS = 10
# What lies beyond these percentiles is counted at the ends, lest one cell squeeze all the others into one bin.
_ROBUST = (1, 99)


@dataclass(frozen=True)
class FeatureDifference:
    """How some cells differ from the others in one feature.

    Attributes
    ----------
    name : str
        The feature's.
    effect : float
        From -1 to 1. For numbers Cliff's delta: of all pairs of a chosen cell and another one, the share in which the
        chosen one has the higher value, less the share in which it has the lower one. For words the share of the level
        among the chosen cells, less its share among the others; that is the same number, for having the level or not.
    inside, outside : float
        The median, or the share of the level, of the chosen cells and of the others.
    n_inside, n_outside : int
        How many cells have a value.
    level : str
        The word that is commoner among the chosen cells by the largest share; "" for numbers.
    spreads : float
        The difference of the medians in spreads of the other cells. A spread is the range of their middle half, divided
        by 1.349: a standard deviation, where values are normal. Where the middle half is one value, it is their
        standard deviation; infinite where all the others have the same value, and the chosen cells another one. 0 for
        words.
    equal : float
        Of all pairs of a chosen cell and another one, the share in which both have the same value; 0 for words.
    """

    name: str
    effect: float
    inside: float
    outside: float
    n_inside: int
    n_outside: int
    level: str = ""
    spreads: float = 0.0
    equal: float = 0.0

    @property
    def words(self) -> str:
        """How the chosen cells differ: "higher  +2.1" (spreads), or the level and its share."""
        if self.effect == 0:
            return "alike"
        if self.level:
            return f"{self.level}  {self.inside:.0%}"
        word = "higher" if self.effect > 0 else "lower"
        if np.isinf(self.spreads):
            return f"{word}  all others alike"
        return f"{word}  {self.spreads:+.1f}"

    @property
    def sentence(self) -> str:
        """All that is known, with numbers of cells."""
        chosen, others = counted(self.n_inside, "chosen cell"), counted(self.n_outside, "other cell")
        if self.level:
            return f'{self.name}: "{self.level}" in {self.inside:.1%} of {chosen}, in {self.outside:.1%} of {others}.'
        distance = "" if np.isinf(self.spreads) else f", {self.spreads:+.2g} spreads of the others apart"
        higher = (1 + self.effect - self.equal) / 2
        same = f", and the same in {self.equal:.0%}" if self.equal else ""
        return (
            f"{self.name}: median {three_digits(self.inside)} of {chosen}, {three_digits(self.outside)} of "
            f"{others}{distance}. "
            f"A chosen cell has the higher value in {abs(higher):.0%} of all pairs with another one{same}."
        )


def find_distinctive(features: pd.DataFrame, chosen: np.ndarray) -> list[FeatureDifference]:
    """Find the features that set some cells apart from the others.

    Parameters
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)
        One row a cell.
    chosen : ndarray of bool, shape (n_cells,)
        Which cells it is about.

    Returns
    -------
    list of FeatureDifference
        The largest effects first; of equal effects, as when no value is shared, the medians further apart. Values that
        are missing or infinite do not count. A feature that has no value in the chosen cells, or none in the others, is
        left out: there is nothing to compare. So the list is empty when no cell is chosen, or all are.

    Raises
    ------
    ValueError
        If `chosen` does not say yes or no of every cell.

    Examples
    --------
    >>> table = pd.DataFrame({"area": [4.0, 5.0, 6.0, 20.0, 22.0], "type": ["B", "B", "T", "T", "T"]})
    >>> for found in find_distinctive(table, np.array([False, False, False, True, True])):
    ...     print(found.name, found.words)
    area higher  +21.6
    type T  100%
    """
    return ranked_features(feature_differences(features, chosen))


def feature_differences(features: pd.DataFrame, chosen: np.ndarray) -> Iterator[FeatureDifference]:
    """Compare some cells with the others in one feature after another, as :func:`find_distinctive` does.

    Parameters
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)
    chosen : ndarray of bool, shape (n_cells,)

    Yields
    ------
    FeatureDifference
        Of each feature that can be compared, in the order of the columns; coordinates on a map are none.

    Raises
    ------
    ValueError
        If `chosen` does not say yes or no of every cell.
    """
    chosen = np.asarray(chosen)
    if chosen.dtype != bool or chosen.shape != (len(features),):
        raise ValueError(
            f"The table has {len(features)} cells: say yes or no of each, instead of {chosen.dtype} of shape "
            f"{chosen.shape}."
        )
    for name, column in features.items():
        if is_coordinate(str(name)):
            continue
        compare = _of_numbers if _is_number(column) else _of_words
        found = compare(str(name), column, chosen)
        if found is not None:
            yield found


def ranked_features(found: Iterable[FeatureDifference]) -> list[FeatureDifference]:
    """Return differences, the largest first.

    Parameters
    ----------
    found : iterable of FeatureDifference

    Returns
    -------
    list of FeatureDifference
    """
    return sorted(found, key=lambda one: (abs(one.effect), abs(one.spreads)), reverse=True)


def feature_profile(column: pd.Series, chosen: np.ndarray, n_bins: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Count how the values of some cells, and those of the others, are spread: two histograms over the same bins.

    Parameters
    ----------
    column : pandas.Series, shape (n_cells,)
        A feature.
    chosen : ndarray of bool, shape (n_cells,)
    n_bins : int
        For numbers. Words have a bin each, the most frequent first; the rarer ones share the last.

    Returns
    -------
    inside, outside : ndarray of float
        The share of the chosen cells, and of the others, in each bin. Extreme values are counted in the bins at the
        ends; missing ones are not.

    Examples
    --------
    >>> feature_profile(pd.Series(["B", "B", "T", "T"]), np.array([False, False, False, True]))
    (array([0., 1.]), array([0.66666667, 0.33333333]))
    """
    if not _is_number(column):
        indices, _ = pd.factorize(column)
        order = np.argsort(-np.bincount(indices[indices >= 0]), kind="stable")
        bins = np.minimum(np.argsort(order), _MOST_LEVELS - 1)
        sides = [bins[side[side >= 0]] for side in (indices[chosen], indices[~chosen])]
        return _shares(sides[0], int(bins.max(initial=-1)) + 1), _shares(sides[1], int(bins.max(initial=-1)) + 1)
    sides = [values[np.isfinite(values)] for values in _two_sides(column, chosen)]
    ends = [np.percentile(values, _ROBUST) for values in sides if len(values)]
    low, high = (min(end[0] for end in ends), max(end[1] for end in ends)) if ends else (0.0, 1.0)
    width = (high - low) or 1.0
    # Clipped before they become whole numbers, which are not as large.
    inside, outside = (np.clip(n_bins * (values - low) / width, 0, n_bins - 1).astype(int) for values in sides)
    return _shares(inside, n_bins), _shares(outside, n_bins)


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _two_sides(column: pd.Series, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values = column.to_numpy(dtype=float, na_value=np.nan)
    return values[chosen], values[~chosen]


def _of_numbers(name: str, column: pd.Series, chosen: np.ndarray) -> FeatureDifference | None:
    # Sorted ones are looked up in each other in an order that the processor's memory likes.
    inside, outside = (np.sort(values[np.isfinite(values)]) for values in _two_sides(column, chosen))
    if not len(inside) or not len(outside):
        return None
    few, many = sorted((inside, outside), key=len)
    below, upto = np.searchsorted(many, few, "left"), np.searchsorted(many, few, "right")
    n_pairs = len(few) * len(many)
    effect = (below.sum() + upto.sum()) / n_pairs - 1
    effect = float(effect if few is inside else -effect)
    first, median, third = np.percentile(outside, (25, 50, 75))
    spread = (third - first) / _QUARTILES_APART or outside.std()
    apart = float(np.median(inside) - median)
    # The standard deviation of equal numbers need not be 0 to the last digit.
    spreads = apart / spread if outside[0] < outside[-1] else copysign(np.inf, apart) if apart else 0.0
    return FeatureDifference(
        name,
        effect,
        float(np.median(inside)),
        float(median),
        len(inside),
        len(outside),
        spreads=float(spreads),
        equal=float((upto - below).sum() / n_pairs),
    )


def _of_words(name: str, column: pd.Series, chosen: np.ndarray) -> FeatureDifference | None:
    indices, levels = pd.factorize(column)
    inside, outside = (indices[side & (indices >= 0)] for side in (chosen, ~chosen))
    if not len(inside) or not len(outside):
        return None
    shares, other_shares = _shares(inside, len(levels)), _shares(outside, len(levels))
    place = int(np.argmax(shares - other_shares))
    share, other_share = float(shares[place]), float(other_shares[place])
    level = str(levels[place]) or "(empty)"
    return FeatureDifference(name, share - other_share, share, other_share, len(inside), len(outside), level)


def _shares(indices: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(indices, minlength=count) / max(1, len(indices))
