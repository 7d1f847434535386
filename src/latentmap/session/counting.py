"""How many cells of each group there are, image by image."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from latentmap.session.classes import Classes
from latentmap.session.colouring import ColourBy, value_groups
from latentmap.session.palette import NO_COLOURS, GroupColours, group_colours
from latentmap.table import KEY
from latentmap.table.key_parts import n_distinct
from latentmap.table.wording import listed

MOST_GROUPS = 60
"""The most values that a column of groups may have."""

NONE = "none"
"""Stands for cells in no class, and for missing values."""

_GREY = "#737373"


@dataclass(frozen=True, eq=False)
class Counts:
    """How many cells of each group there are in each part of the cells, such as an image.

    Attributes
    ----------
    of : str
        What is counted: "class", or a column.
    by : tuple of str
        What divides the cells: "layer", which is the image, "frame", or columns.
    parts : tuple of tuple of str
        The parts: a value of each in `by`.
    groups : tuple of str
        The groups counted; "none" comes last, if there is such a cell, or "(none)" if a group is called "none".
    colours : tuple of str
        Their colours, as ``#rrggbb``.
    cells : ndarray of int, shape (n_parts, n_groups)
        The number of cells.
    """

    of: str
    by: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    groups: tuple[str, ...]
    colours: tuple[str, ...]
    cells: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """The share of the cells of each part that is in each group, shape (n_parts, n_groups)."""
        shares: np.ndarray = self.cells / self.cells.sum(axis=1, keepdims=True)
        return shares

    def table(self) -> pd.DataFrame:
        """Return a row for each part and group.

        Returns
        -------
        pandas.DataFrame
            The columns in `by`, the group under the name in `of`, ``cells``, and ``share`` of the part. A column whose
            name is taken has another word in brackets behind it.
        """
        counts = {"cells": self.cells.ravel(), "share": self.shares.ravel()}
        columns: dict[str, Sequence[str] | np.ndarray] = {}
        for at, name in enumerate(self.by):
            values = np.repeat([part[at] for part in self.parts], len(self.groups))
            columns[free_name(name, (*counts, *columns), "{} (column)")] = values
        counted = free_name(self.of, (*counts, *columns), "{} (counted)")
        return pd.DataFrame({**columns, counted: list(self.groups) * len(self.parts), **counts})


def group_choices(features: pd.DataFrame) -> list[ColourBy]:
    """List what can be counted, and what cells can be divided by.

    Parameters
    ----------
    features : pandas.DataFrame
        One row per cell, with the keys (layer, frame, label) as index.

    Returns
    -------
    list of ColourBy
        The class, the layer, the frame if there are several, and the columns of words or of few whole numbers.

    Examples
    --------
    >>> from latentmap.session.cell_index import as_keys
    >>> keys = as_keys([("a", 0, 1), ("b", 0, 1)])
    >>> table = pd.DataFrame({"area": [4.5, 5.0], "treated": ["no", "yes"], "passage": [3, 4]}, index=keys)
    >>> [by.name or by.kind for by in group_choices(table)]
    ['class', 'layer', 'treated', 'passage']
    """
    frame = [ColourBy("frame")] if 1 < n_distinct(features.index, "frame") <= MOST_GROUPS else []
    columns = [ColourBy("feature", str(name)) for name in features if _has_groups(features[name])]
    return [ColourBy("class"), ColourBy("layer"), *frame, *columns]


def count_cells(
    features: pd.DataFrame,
    classes: Classes,
    numbers: np.ndarray,
    of: ColourBy,
    by: Sequence[ColourBy],
    own: GroupColours = NO_COLOURS,
) -> Counts:
    """Count the cells of each group in each part of the cells.

    Parameters
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)
        One row per cell, with the keys (layer, frame, label) as index.
    classes : Classes
        The user's classes.
    numbers : ndarray of int, shape (n_cells,)
        The cells' numbers in the session.
    of : ColourBy
        What is counted, one of :func:`group_choices`.
    by : sequence of ColourBy
        What divides the cells into parts; parts without a cell are left out.
    own : mapping of str to str
        Colours that groups have already, by name.

    Raises
    ------
    ValueError
        If there is no cell, or a column is missing or has too many values.

    Examples
    --------
    >>> from latentmap.session.cell_index import CellIndex
    >>> cell_index = CellIndex()
    >>> numbers = cell_index.add([("a", 0, 1), ("a", 0, 2), ("b", 0, 1)])
    >>> table, classes = pd.DataFrame(index=cell_index.keys(numbers)), Classes(cell_index)
    >>> classes.assign("B cells", numbers[:1])
    >>> count_cells(table, classes, numbers, ColourBy("class"), [ColourBy("layer")]).table()
      layer    class  cells  share
    0     a  B cells      1    0.5
    1     a     none      1    0.5
    2     b  B cells      0    0.0
    3     b     none      1    1.0
    """
    if not len(features):
        raise ValueError("There is no cell to count.")
    indices, groups = groups_of(of, features, classes, numbers)
    colours = tuple(one.colour for one in classes) if of.kind == "class" else group_colours(groups, own)
    if (indices < 0).any():
        indices, colours = np.where(indices < 0, len(groups), indices), (*colours, _GREY)
        groups = (*groups, free_name(NONE, groups))
    divided = [groups_of(one, features, classes, numbers) for one in by]
    # Of each part the index of its value in each division, in the order of the values; -1, for none, comes last.
    codes = np.column_stack([np.where(each < 0, len(names), each) for each, names in divided])
    parts, of_cell = np.unique(codes, axis=0, return_inverse=True)
    cells = np.bincount(len(groups) * of_cell.ravel() + indices, minlength=len(parts) * len(groups))
    named = [(*names, free_name(NONE, names)) for _, names in divided]
    words = [tuple(names[at] for at, names in zip(part, named, strict=True)) for part in parts]
    titles = tuple(one.name or one.kind for one in by)
    return Counts(of.name or of.kind, titles, tuple(words), groups, colours, cells.reshape(len(parts), -1))


def groups_of(
    by: ColourBy, features: pd.DataFrame, classes: Classes, numbers: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the index of each cell's group, -1 for none, and the names of the groups; as for `count_cells`."""
    if by.kind == "class":
        return classes.indices_of(numbers), classes.names
    if by.kind == "feature" and by.name not in features:
        choices = [one.name or one.kind for one in group_choices(features)]
        raise ValueError(f'The cells have no column "{by.name}". There are groups in {listed(choices)}.')
    column = features[by.name] if by.kind == "feature" else features.index.get_level_values(by.kind).to_series()
    indices, names = value_groups(column)
    if by.kind == "feature" and len(names) > MOST_GROUPS:
        raise ValueError(
            f'"{by.name}" has {len(names)} different values, but at most {MOST_GROUPS} can be counted: choose a '
            "column of words or of few whole numbers."
        )
    return indices, names


def free_name(name: str, taken: Collection[str], otherwise: str = "({})") -> str:
    """Return a name or, where it is taken, another one that is made of it.

    Examples
    --------
    >>> free_name("none", ("drug", "control")), free_name("none", ("drug", "none"))
    ('none', '(none)')
    """
    while name in taken:
        name = otherwise.format(name)
    return name


def _has_groups(column: pd.Series) -> bool:
    if pd.api.types.is_float_dtype(column) or column.name in KEY:
        return False
    if pd.api.types.is_integer_dtype(column) and column.max() - column.min() >= MOST_GROUPS:
        return False  # without looking at each of thousands of columns of counts
    return bool(1 <= column.nunique() <= MOST_GROUPS)
