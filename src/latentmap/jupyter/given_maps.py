"""Maps made elsewhere, from whatever `Explorer.add_map` is given."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable
from latentmap.table.files.numbered_rows import NUMBERED
from latentmap.table.found_maps import FoundMap, found_maps, map_name
from latentmap.table.image_keys import assign_to_layer
from latentmap.table.wording import listed


def chosen_map(
    cells: CellTable, columns: str | Sequence[str] | np.ndarray, data: Any, name: str, keys: Mapping[str, str]
) -> GivenMap:
    """Return the map that is meant; the arguments are those of `Explorer.add_map`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": [1, 2], "X_umap_1": [0.0, 1.0], "X_umap_2": [2.0, 3.0]})
    >>> chosen_map(CellTable.read(rows, layer="cells"), "UMAP", None, "", {}).name
    'UMAP (from the table)'
    """
    if isinstance(columns, np.ndarray) and columns.dtype.kind not in "OSU":
        if data is not None:
            raise ValueError("Both an array and a table are given: give the map's positions in one of them.")
        return GivenMap.of_array(cells, columns, name)
    if not isinstance(columns, Sequence | np.ndarray | pd.Index):
        raise ValueError(f"columns is {columns!r}: give the name of a map, names of columns, or an array of positions.")
    if data is not None and NUMBERED in cells.notes:
        raise ValueError(
            "The rows of the widget were numbered, so the labels of other data do not say which they are: give the "
            'positions as an array with a row for each of them, or run explore() on a table with a column "label".'
        )
    table, where = (cells, "the table") if data is None else _read(cells, data, keys)
    if not isinstance(columns, str) and len(columns):
        return GivenMap.of(table, list(map(str, columns)), name, where)
    found = found_maps(table.features)
    meant = [one for one in found if not columns or _is_called(one, str(columns))]
    if len(meant) != 1:
        there = f"there are {listed([one.name for one in found])}" if found else "no columns look like one"
        asked = f'There is no map "{columns}" in {where}' if columns and not meant else f"Which map of {where}"
        raise ValueError(f'{asked}: {there}. Name its columns, such as add_map(["UMAP1", "UMAP2"]).')
    return GivenMap.of(table, meant[0].columns, name or meant[0].name, where)


def _is_called(found: FoundMap, name: str) -> bool:
    return name == found.name or found.columns[0].startswith(f"{name}_") or map_name(name) == found.name


def _read(cells: CellTable, data: Any, keys: Mapping[str, str]) -> tuple[CellTable, str]:
    layers = cells.features.index.unique("layer")
    table = read_cells(data, layer=str(layers[0]) if len(layers) == 1 else "no layer", columns=keys, has_labels=True)
    if len(layers) == 1:
        table = assign_to_layer(table, str(layers[0])) or table
    return table, Path(data).name if isinstance(data, str | os.PathLike) else "the data"
