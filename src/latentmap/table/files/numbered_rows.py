"""The cells of an AnnData without an image: they are numbered in the order of the rows."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from latentmap.table.cells import CellTable
from latentmap.table.files.anndata_io import MAP, arrays_of, from_anndata
from latentmap.table.files.anndata_layers import named_layers
from latentmap.table.files.anndata_matrices import matrix_of
from latentmap.table.plain_tables import unused_name_column

if TYPE_CHECKING:
    from anndata import AnnData

NUMBERED = 'The table has no column "label": the cells are numbered from 1, in the order of the rows.'
"""What is told of such cells."""


def numbered_cells(adata: "AnnData", *, layer: str, use_rep: str = "") -> CellTable:
    """Read the cells of an AnnData whose rows do not say which label they are, and number them.

    Parameters
    ----------
    adata : anndata.AnnData
    layer : str
        The layer in the keys of the cells.
    use_rep : str
        As for :func:`~latentmap.table.from_anndata`.

    Returns
    -------
    CellTable
        A note says that they are numbered.

    Examples
    --------
    >>> import anndata
    >>> numbered_cells(anndata.AnnData(np.ones((2, 1))), layer="cells").keys
    [('cells', 0, 1), ('cells', 0, 2)]
    """
    names = adata.obs_names.to_numpy(dtype=object)
    numbered = numbered_obs(adata)
    numbered = numbered.assign(**{unused_name_column(numbered): names}).reset_index(drop=True).rename(str)
    table = from_anndata(with_obs(adata, numbered, use_rep), layer=layer, use_rep=use_rep)
    return replace(table, notes=(*table.notes, NUMBERED))


def with_obs(adata: "AnnData", obs: pd.DataFrame, use_rep: str = "") -> "AnnData":
    """Return an AnnData with other columns in ``obs``, and all else that is read of it; the matrices are not copied."""
    return type(adata)(
        X=matrix_of(adata),
        obs=obs,
        var=adata.var,
        uns={**adata.uns},
        obsm={**arrays_of(adata, use_rep), **({MAP: adata.obsm[MAP]} if MAP in adata.obsm else {})},
        layers=named_layers(adata),
    )


def numbered_obs(adata: "AnnData") -> pd.DataFrame:
    """Return ``obs`` with the numbers that `numbered_cells` gives the rows, as labels."""
    numbered: pd.DataFrame = adata.obs.assign(label=np.arange(1, adata.n_obs + 1))
    return numbered
