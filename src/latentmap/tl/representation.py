"""The numbers of an AnnData that a map is made of, as scanpy chooses them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from latentmap.memory import free_memory
from latentmap.model.data_warnings import warn_user
from latentmap.table.files.anndata_layers import named_layers
from latentmap.table.files.anndata_matrices import dense, in_memory
from latentmap.table.wording import counted, listed

if TYPE_CHECKING:
    from anndata import AnnData

# scanpy's settings.N_PCS: with more variables than this, it takes principal components.
_MANY_VARIABLES = 50


class Representation(NamedTuple):
    """The numbers that a map is made of.

    Attributes
    ----------
    values : ndarray of float, shape (n_obs, n_columns)
    use_rep, layer : str or None
        Where they are: a key of ``obsm`` or "X", or a key of ``layers``.
    n_pcs : int or None
        How many of the first columns they are; None for all.
    sentence : str
        All of it in words.
    """

    values: np.ndarray
    use_rep: str | None
    layer: str | None
    n_pcs: int | None
    sentence: str


def representation(
    adata: "AnnData", use_rep: str | None = None, layer: str | None = None, n_pcs: int | None = None
) -> Representation:
    """Choose the numbers that a map is made of.

    Parameters
    ----------
    adata : anndata.AnnData
    use_rep : str, optional
        A key of ``obsm``, or "X". By default as in scanpy: ``X_pca`` if there are more than 50 variables, else ``X``.
    layer : str, optional
        A key of ``layers``, in place of `use_rep`.
    n_pcs : int, optional
        How many of the first columns of the representation to take; 0 for ``X`` itself.

    Raises
    ------
    ValueError
        If there is no such representation, or it is too large to be made dense.
    """
    if use_rep is not None and layer is not None:
        raise ValueError(f'use_rep="{use_rep}" and layer="{layer}" both say what the map is made of: give one of them.')
    if layer is not None:
        _check_in(named_layers(adata), layer, "layers")
        return Representation(
            _dense(adata.layers[layer], f'layers["{layer}"]'),
            None,
            layer,
            None,
            f'The map is made of layers["{layer}"].',
        )
    if use_rep is None and n_pcs != 0 and adata.n_vars > _MANY_VARIABLES:
        if "X_pca" not in adata.obsm:
            raise ValueError(
                f'The AnnData has {adata.n_vars} variables and no obsm["X_pca"]: call scanpy.pp.pca(adata) first, or '
                'give use_rep="X" for a map of all variables.'
            )
        use_rep = "X_pca"
    if use_rep is None or (use_rep == "X" and "X" not in adata.obsm):
        if adata.X is None:
            raise ValueError("The AnnData has no X: give use_rep, a key of its obsm.")
        sentence = f"The map is made of X, {counted(adata.n_vars, 'variable')}."
        return Representation(_dense(adata.X, "X"), "X", None, None, sentence)
    _check_in(adata.obsm, use_rep, "obsm")
    values = _dense(adata.obsm[use_rep], f'obsm["{use_rep}"]')
    if n_pcs and n_pcs > values.shape[1]:
        raise ValueError(f'n_pcs is {n_pcs}, but obsm["{use_rep}"] has {counted(values.shape[1], "column")}: lower it.')
    values = values[:, : n_pcs or None]
    sentence = f'The map is made of obsm["{use_rep}"], {counted(values.shape[1], "column")}.'
    return Representation(np.ascontiguousarray(values), use_rep, None, n_pcs or None, sentence)


def _check_in(held: Mapping[str, Any], key: str, where: str) -> None:
    if key not in held:
        raise ValueError(f'{where} has no "{key}". It has {listed(list(held)) or "nothing"}.')


def _dense(stored: Any, where: str) -> np.ndarray:
    """What is stored as an array; a sparse matrix is made dense only if it fits, and a warning says so."""
    stored = in_memory(stored)
    if issparse(stored):
        size = stored.shape[0] * stored.shape[1] * 8
        if size > free_memory() // 2:
            raise ValueError(
                f"{where} is sparse, and would take {size / 2**30:.1f} GiB when made dense: too much for this machine. "
                'Make the map of principal components: scanpy.pp.pca(adata), then use_rep="X_pca".'
            )
        warn_user(
            f"{where} is sparse and was made dense for the map, {size / 2**20:.0f} MiB; adata itself keeps it sparse."
        )
    values = dense(stored)
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{where} does not hold numbers.")
    if values.ndim != 2:
        raise ValueError(f"{where} has {values.ndim} axes: a table of cells has two.")
    return np.ascontiguousarray(values, dtype=float)
