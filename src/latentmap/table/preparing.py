"""From features in their own units to numbers that a map can be made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer
from sklearn.preprocessing import RobustScaler, StandardScaler

from latentmap.table.cells import CellTable, listed

Transform = Literal["none", "log1p", "arcsinh", "rank"]
Scaling = Literal["standard", "robust", "none"]
Missing = Literal["leave out", "median", "similar cells"]

_SIMILAR = 5


@dataclass(frozen=True)
class Preparation:
    """What is done to the features before the map is made.

    Attributes
    ----------
    transform : {"none", "log1p", "arcsinh", "rank"}
        What is done to every value. "log1p" is log(1 + x), for counts; "arcsinh" is arcsinh(x / cofactor), for
        intensities of cytometers; "rank" is the rank from 0 to 1.
    cofactor : float
        Of "arcsinh", in the features' unit.
    scaling : {"standard", "robust", "none"}
        "standard" gives every feature mean 0 and variance 1, "robust" median 0 and the quartiles a distance of 1, so
        that no unit outweighs another.
    missing : {"leave out", "median", "similar cells"}
        What becomes of cells without a number in some feature: they are left out, or get the median of all cells, or
        the mean of the five most similar ones.
    n_pca : int
        How many principal components the map is made of; 0 for the features themselves.
    """

    transform: Transform = "none"
    cofactor: float = 5.0
    scaling: Scaling = "standard"
    missing: Missing = "leave out"
    n_pca: int = 0


class Prepared(NamedTuple):
    """What a map is made of.

    Attributes
    ----------
    cells : CellTable
        The cells, with all their features and with notes on what was done.
    values : ndarray of float64, shape (n_cells, n_features or n_pca)
    """

    cells: CellTable
    values: np.ndarray


def prepare(table: CellTable, names: Sequence[str], how: Preparation = Preparation()) -> Prepared:
    """Choose cells and features, and bring the features to a common scale.

    Parameters
    ----------
    table : CellTable
    names : sequence of str
        The features that shall shape the map.
    how : Preparation

    Returns
    -------
    Prepared

    Raises
    ------
    ValueError
        If no feature or no cell is left, or the features do not allow the transform; the sentence says what to change.

    Examples
    --------
    >>> rows = pd.DataFrame({"label": [1, 2, 3], "DNA": [0.0, np.nan, 9.0], "area": [4.0, 5.0, 6.0]})
    >>> cells, values = prepare(CellTable.read(rows, layer="cells"), ["DNA", "area"], Preparation(missing="median"))
    >>> cells.notes
    ('1 of 3 cells got the median: no number in DNA (1).',)
    >>> values.shape
    (3, 2)
    """
    names = list(names)
    cells, numbers = _complete(table, names) if how.missing == "leave out" else _filled(table, names, how.missing)
    values = _transformed(numbers.to_numpy(dtype=float), names, how)
    if how.scaling != "none":
        values = (StandardScaler() if how.scaling == "standard" else RobustScaler()).fit_transform(values)
    if how.n_pca:
        if how.n_pca > min(values.shape):
            raise ValueError(
                f"{how.n_pca} principal components are more than there are "
                f"{'features' if values.shape[1] < len(values) else 'cells'} ({min(values.shape)}): choose fewer."
            )
        values = PCA(how.n_pca, random_state=0).fit_transform(values)
    return Prepared(cells, values)


def _complete(table: CellTable, names: list[str]) -> tuple[CellTable, pd.DataFrame]:
    cells = table.choose(names)
    return cells, _numbers(cells, names)


def _filled(table: CellTable, names: list[str], missing: Missing) -> tuple[CellTable, pd.DataFrame]:
    """Give the map numbers where the table has none; what the table says of the cells stays as it is."""
    table.check(names)
    known = _numbers(table, names).where(np.isfinite)
    gaps = known.isna()
    if not gaps.any(axis=None):
        return _complete(table, names)
    if empty := [name for name in names if gaps[name].all()]:
        raise ValueError(f"No cell has a number in {listed(empty)}: untick it.")
    if missing == "median":
        what, numbers = "the median", known.fillna(known.median())
    else:
        # So that no unit outweighs another in what is similar.
        what, scale = f"the mean of the {_SIMILAR} most similar cells", known.std().replace(0, 1)
        numbers = (
            pd.DataFrame(KNNImputer(n_neighbors=_SIMILAR).fit_transform(known / scale), known.index, names) * scale
        )
    notes = CellTable(numbers, table.notes).choose(names).notes
    why = ", ".join(f"{name} ({count})" for name, count in gaps.sum().items() if count)
    note = f"{int(gaps.any(axis=1).sum())} of {len(known)} cells got {what}: no number in {why}."
    return CellTable(table.features, (*notes, note)), numbers


def _numbers(table: CellTable, names: list[str]) -> pd.DataFrame:
    """The features as numbers, always in the same order in memory: the last bits of their sums depend on it."""
    chosen = table.features[names]
    return pd.DataFrame(np.ascontiguousarray(chosen.astype(float)), chosen.index, names)


def _transformed(values: np.ndarray, names: list[str], how: Preparation) -> np.ndarray:
    if how.transform == "log1p":
        if low := [
            f"{name} ({least:.4g})" for name, least in zip(names, values.min(axis=0), strict=True) if least <= -1
        ]:
            raise ValueError(
                f"log(1 + x) needs values above -1, but the least of some features is not: {', '.join(low)}. Choose "
                '"arcsinh", "rank" or "none", or untick these.'
            )
        return np.log1p(values)
    if how.transform == "arcsinh":
        if not how.cofactor > 0:
            raise ValueError(f"The cofactor of arcsinh is {how.cofactor:g}; it must be above 0.")
        return np.arcsinh(values / how.cofactor)
    if how.transform == "rank":
        return (rankdata(values, axis=0) - 0.5) / len(values)
    return values
