"""The layers of an AnnData."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anndata import AnnData


def named_layers(adata: "AnnData") -> dict[str, Any]:
    """Return the layers of an AnnData by name, without ``X``, which anndata 0.13 has among them under None.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> list(named_layers(anndata.AnnData(np.ones((2, 1)), layers={"counts": np.ones((2, 1))})))
    ['counts']
    """
    return {str(name): adata.layers[name] for name in adata.layers if name is not None}
