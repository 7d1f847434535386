"""The parts of cells' keys: of how many layers, frames and labels the cells are."""

from typing import cast

import numpy as np
import pandas as pd


def n_distinct(keys: pd.Index, part: str) -> int:
    """Return how many different values a part of the keys has.

    Parameters
    ----------
    keys : pandas.MultiIndex
        The keys (layer, frame, label) of cells.
    part : {"layer", "frame", "label"}

    Examples
    --------
    >>> keys = pd.MultiIndex.from_tuples([("a", 0, 1), ("b", 0, 1)], names=["layer", "frame", "label"])
    >>> n_distinct(keys, "layer"), n_distinct(keys, "frame")
    (2, 1)
    """
    keys = cast(pd.MultiIndex, keys)
    # Codes are small whole numbers. pandas would look at the values of each of a million cells.
    codes = np.asarray(keys.codes[keys.names.index(part)])
    if len(codes) and (codes == codes[0]).all():  # one layer, one frame; counting takes ten times as long
        return int(codes[0] >= 0)
    return int(np.count_nonzero(np.bincount(codes[codes >= 0])))
