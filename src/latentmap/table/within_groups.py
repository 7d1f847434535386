"""Scaling within each image or plate: cells are compared with those that were stained and seen together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline

from latentmap.table.identifiers import is_identifier
from latentmap.table.key_parts import n_distinct
from latentmap.table.transformers import SelectedFeatures
from latentmap.table.wording import counted

# The parts of a key that say in which image a cell is; a frame is one of a layer.
_IMAGE = ("layer", "frame")
# Larger whole numbers than that, floats do not tell apart.
_EXACT = 2**53
# A column with fewer cells to a group on average names cells, not groups.
_FEWEST = 2


def group_columns(cells: pd.DataFrame) -> list[str]:
    """Find the columns that divide cells into groups within which features can be scaled.

    Parameters
    ----------
    cells : DataFrame, shape (n_cells, n_columns)
        The index holds the keys (layer, frame, label).

    Returns
    -------
    list of str
        "layer" and "frame" where there are several; then columns of words, and of whole numbers called like those of
        plates, wells or images.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_product([["a", "b"], [0], [1, 2]], names=["layer", "frame", "label"])
    >>> group_columns(pd.DataFrame({"area": [4, 5, 6, 7], "plate": [1, 1, 2, 2], "name": list("wxyz")}, keys))
    ['layer', 'plate']
    """
    found = [name for name in _IMAGE if n_distinct(cells.index, name) > 1]
    for name, column in cells.items():
        is_whole = is_integer_dtype(column) and is_identifier(str(name))
        if str(name) in _IMAGE or not (is_whole or is_bool_dtype(column) or not is_numeric_dtype(column)):
            continue
        if 1 < _n_values(column) <= len(column) / _FEWEST:
            found.append(str(name))
    return found


def _n_values(column: pd.Series) -> int:
    """How many values a column has; 0 if it holds lists or other objects that cannot be told apart."""
    try:
        return int(column.nunique())
    except TypeError:
        return 0


def groups_of(rows: Any, by: str) -> np.ndarray:
    """Return the group of each row, as words.

    Parameters
    ----------
    rows : DataFrame, shape (n_rows, n_columns)
    by : str
        "layer", "frame" (of each layer), or a column.

    Returns
    -------
    ndarray of object, shape (n_rows,)
        Rows without a value are a group of their own, called "".

    Raises
    ------
    ValueError
        If the rows do not say which group they belong to.

    Examples
    --------
    >>> groups_of(pd.DataFrame({"plate": [1, 2, None]}), "plate").tolist()
    ['1', '2', '']
    """
    if isinstance(rows, pd.DataFrame):
        levels = [str(level) for level in rows.index.names]
        if by not in rows and by in levels:
            # A frame has the same number in every layer.
            parts = [rows.index.get_level_values(part) for part in levels[: levels.index(by) + 1]]
            named = parts[0].astype(str)
            for part in parts[1:]:
                named = named + " " + part.astype(str)
            return np.asarray(named, dtype=object)
        if by in rows:
            codes, values = pd.factorize(rows[by])
            # pandas writes days as dates, without midnight.
            words = map(_word, values, pd.Series(values).astype(str))
            return np.array([*words, ""], dtype=object)[codes]
    raise ValueError(
        f'The features of this map are scaled within each "{by}", but the table does not say which "{by}" a cell '
        "belongs to: add that column."
    )


def _word(value: Any, written: str) -> str:
    """A value as a word, as it is written: but gaps turn whole numbers into floats, and plate 1.0 is plate 1."""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) < _EXACT
    return str(int(value)) if is_whole else written


class WithinGroups(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Prepares features, and scales them within each group of cells.

    New cells of a group that it was fitted to are scaled by that group's own numbers. Those of another group, such as a
    new image, are scaled among themselves: they are compared with their own image, as the first cells were.

    Parameters
    ----------
    by : str
        What groups the cells: "layer", "frame" or a column of the table.
    steps : Pipeline
        What comes before the scaling; its first step is called "features".
    scaler : transformer
        The scaling, such as ``StandardScaler()``. It is fitted to each group.

    Raises
    ------
    ValueError
        In ``fit`` and ``transform``, if the table does not say which group a cell belongs to.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from latentmap.table.transformers import Features
    >>> rows = pd.DataFrame({"plate": ["A", "A", "B", "B"], "DNA": [1.0, 3.0, 100.0, 300.0]})
    >>> within = WithinGroups("plate", Pipeline([("features", Features(("DNA",)))]), StandardScaler()).fit(rows)
    >>> within.transform(rows).ravel().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    >>> within.transform(pd.DataFrame({"plate": ["A", "C", "C"], "DNA": [5.0, 10.0, 20.0]})).ravel().tolist()
    [3.0, -1.0, 1.0]
    """

    def __init__(self, by: str, steps: Pipeline, scaler: BaseEstimator) -> None:
        self.by = by
        self.steps = steps
        self.scaler = scaler

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Fit the steps to all cells, and the scaling to those of each group; y is ignored."""
        self.steps_ = clone(self.steps)
        values, groups = self.steps_.fit_transform(X), groups_of(X, self.by)
        self.scalers_ = {name: clone(self.scaler).fit(values[groups == name]) for name in pd.unique(groups)}
        self.n_features_in_ = values.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """Return the scaled numbers, shape (n, n_features)."""
        values, groups = np.asarray(self.steps_.transform(X)), groups_of(X, self.by)
        scaled = np.empty_like(values)
        for name in pd.unique(groups):
            own = groups == name
            scaler = self.scalers_.get(name) or clone(self.scaler).fit(values[own])
            scaled[own] = scaler.transform(values[own])
        return scaled

    def notes(self, X: pd.DataFrame) -> list[str]:
        """Say which cells are of groups that it was not fitted to, and are scaled among themselves."""
        sizes = pd.Series(groups_of(X, self.by)).value_counts()
        new = sizes[~sizes.index.isin(list(self.scalers_))]
        if not len(new):
            return []
        of = f"{counted(len(new), self.by)} that the map lacks"
        notes = [f"{counted(int(new.sum()), 'cell')} of {of}: scaled among themselves."]
        if n_alone := int((new == 1).sum()):
            alone = "1 cell is" if n_alone == 1 else f"{n_alone} cells are each"
            its = "its place says" if n_alone == 1 else "their places say"
            notes.append(f"{alone} alone in such a {self.by}, and so average in every feature: {its} nothing.")
        return notes

    def inspect(self, X: Any) -> SelectedFeatures:
        """Return the features, and which rows must be left out, as `Features` does."""
        groups_of(X, self.by)
        found: SelectedFeatures = self.steps_["features"].inspect(X)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features."""
        names: np.ndarray = self.steps["features"].get_feature_names_out()
        return names


def are_same_within(values: np.ndarray, known: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return which features are the same for all cells of every group.

    Parameters
    ----------
    values : ndarray of float64, shape (n_cells, n_features)
    known : ndarray of bool, shape (n_cells, n_features)
        Which of them count.
    groups : ndarray of object, shape (n_cells,)

    Returns
    -------
    ndarray of bool, shape (n_features,)
    """
    by_group = pd.DataFrame(np.where(known, values, np.nan)).groupby(groups)
    spread = (by_group.max() - by_group.min()).to_numpy()
    same: np.ndarray = ~np.any(spread > 0, axis=0)
    return same
