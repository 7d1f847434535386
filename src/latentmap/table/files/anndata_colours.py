"""The colours of groups in an AnnData, as scanpy keeps them: ``uns["leiden_colors"]`` for ``obs["leiden"]``."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from anndata import AnnData

_KEY = "{}_colors"
_NO_GROUP = "#737373"


def read_colours(adata: "AnnData") -> dict[str, dict[str, str]]:
    """Return the colours of the categories in each column, as ``#rrggbb`` by column and category.

    Examples
    --------
    >>> import anndata
    >>> obs = pd.DataFrame({"leiden": pd.Categorical(["1", "0"])}, index=["a", "b"])
    >>> read_colours(anndata.AnnData(obs=obs, uns={"leiden_colors": np.array(["#1f77b4", "#FF7F0EFF"])}))
    {'leiden': {'0': '#1f77b4', '1': '#ff7f0e'}}
    """
    found = {}
    for name, column in adata.obs.items():
        stored = adata.uns.get(_KEY.format(name))
        if stored is None or not isinstance(column.dtype, pd.CategoricalDtype):
            continue
        own = {
            str(category): str(colour)[:7].lower()
            for category, colour in zip(column.cat.categories, np.atleast_1d(stored), strict=False)
            if re.fullmatch("#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?", str(colour))
        }
        if own:
            found[str(name)] = own
    return found


def write_colours(adata: "AnnData", colours: Mapping[str, Mapping[str, str]]) -> None:
    """Write the colours of the groups in each column, in the order of its categories.

    Columns of words become categories when the file is written, in alphabetical order. Columns of which not all groups
    have a colour stay without, as scanpy would take the colours for those of other groups.
    """
    for name, own in colours.items():
        if name in adata.obs:
            groups = adata.obs[name].astype("category").cat.categories.map(str)
            if len(groups) and all(group in own or not group for group in groups):
                adata.uns[_KEY.format(name)] = np.array([own.get(group, _NO_GROUP) for group in groups], dtype=object)
