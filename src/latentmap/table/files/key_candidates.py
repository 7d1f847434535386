"""Which columns of a table could hold the cells' numbers, and how well they fit the cells in an image."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from latentmap.table.cells import KEY
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.reading import read_anndata, read_rows
from latentmap.table.whole_numbers import whole_numbers
from latentmap.table.wording import counted

# Words that programs use for the number of a cell.
_USUAL = re.compile(r"label|object|cell|nucle|instance|number|index|id", re.IGNORECASE)


class KeyColumn(NamedTuple):
    """A column that could hold the cells' numbers.

    Attributes
    ----------
    name : str
    n_rows : int
        Rows of the table.
    n_matched : int
        Rows whose cell is in the image.
    n_rowless : int
        Cells in the image without a row.
    """

    name: str
    n_rows: int
    n_matched: int
    n_rowless: int

    @property
    def sentence(self) -> str:
        """How well it fits, in words.

        Examples
        --------
        >>> KeyColumn("CellID", 3, 2, 1).sentence
        '2 of 3 rows have their cell in the image; 1 cell in the image has no row.'
        """
        have = "has" if self.n_rowless == 1 else "have"
        rows = f"{self.n_matched} of {self.n_rows} rows have their cell in the image"
        return f"{rows}; {counted(self.n_rowless, 'cell')} in the image {have} no row."


def rows_of(path: Path) -> pd.DataFrame:
    """Read a table as it is, whether or not its rows name their cells.

    Parameters
    ----------
    path : pathlib.Path
        As for :func:`~latentmap.table.read_table`; only ``obs`` of an AnnData is returned.

    Raises
    ------
    ValueError
        If it cannot be read.
    """
    rows = read_anndata(path).obs if is_anndata(path) else read_rows(path, {})[0]
    return rows.rename(columns=str)


def key_choices(rows: pd.DataFrame, present: pd.MultiIndex, *, layer: str) -> tuple[list[KeyColumn], list[str]]:
    """Find the columns that could hold the cells' numbers.

    Parameters
    ----------
    rows : pandas.DataFrame
        The columns ``layer`` and ``frame``, if any, hold the layer and frame of each row.
    present : pandas.MultiIndex of (layer, frame, label)
        The cells in the image.
    layer : str
        The layer of rows that do not name one.

    Returns
    -------
    choices : list of KeyColumn
        Columns with a different whole number in each row, some of which are numbers of cells in the image. The best
        match comes first; among equal matches, a column with a usual name.
    repeated : list of str
        Columns of whole numbers that fit, but in which two rows share a number.

    Examples
    --------
    >>> from latentmap.table.image_keys import keys_in_image
    >>> rows = pd.DataFrame({"Row": [1, 2, 3], "CellID": [3, 7, 1000], "Area": [7, 7, 3], "Type": ["A", "A", "B"]})
    >>> choices, repeated = key_choices(rows, keys_in_image(np.array([3, 7, 1000]), layer="nuclei"), layer="nuclei")
    >>> [choice.name for choice in choices], repeated
    (['CellID', 'Row'], ['Area'])
    """
    layers = rows["layer"].astype(str) if "layer" in rows else np.full(len(rows), layer, dtype=object)
    frames = _all_whole(rows["frame"], layer) if "frame" in rows else np.zeros(len(rows), dtype=np.int64)
    choices: list[KeyColumn] = []
    repeated: list[str] = []
    for name in rows.columns.difference(list(KEY[:2]), sort=False):
        labels = _all_whole(rows[name], layer)
        if labels is None or frames is None:
            continue
        keys = pd.MultiIndex.from_arrays([layers, frames, labels], names=KEY)
        if not (n_matched := int(keys.isin(present).sum())):
            continue
        if keys.has_duplicates:
            repeated.append(name)
        else:
            choices.append(KeyColumn(name, len(rows), n_matched, int((~present.isin(keys)).sum())))
    return sorted(choices, key=lambda one: (-one.n_matched, _USUAL.search(one.name) is None)), repeated


def _all_whole(column: pd.Series, layer: str) -> np.ndarray | None:
    """The whole numbers of a column; None unless every row has one."""
    try:
        return whole_numbers(column, layer)
    except ValueError:
        return None
