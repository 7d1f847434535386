"""The session in a notebook."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from latentmap.jupyter.explorer import Explorer
from latentmap.jupyter.inputs import cells_of

__all__ = ["Explorer", "explore"]


def explore(data: Any, *, layer: str = "cells", columns: Mapping[str, str] = MappingProxyType({})) -> Explorer:
    """Show a map of cells in a notebook, and tune it live.

    Parameters
    ----------
    data : DataFrame, ndarray, AnnData, SpatialData or path-like
        One row a cell. A column ``label`` says which cell of the labels image a row is; without one, rows are numbered.
    layer : str
        What the keys of cells call the image that they come from.
    columns : mapping of str to str
        Which column holds a part of the key, where it has another name: ``{"label": "CellID"}``.

    Returns
    -------
    Explorer
        The widget; the last line of a notebook's cell shows it.

    Raises
    ------
    ValueError
        If the data say not which cell a row is, or are none of these.
    RuntimeError
        Outside a notebook.
    """
    return Explorer(cells_of(data, layer=layer, columns=columns, has_labels=False))
