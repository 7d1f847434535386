"""Which columns of a table from elsewhere hold the cells' keys."""

from collections.abc import Mapping

import pandas as pd

LABELS = ("label", "cell_id", "instance_id")
"""What the column of a cell's number in the labels image is called, best name first."""


def key_columns(rows: pd.DataFrame, given: Mapping[str, str]) -> dict[str, str]:
    """Return which columns hold parts of the key.

    Parameters
    ----------
    rows : pandas.DataFrame
    given : mapping of str to str
        What is known already: ``{"label": "CellID"}``.

    Returns
    -------
    dict of str to str
        As `CellTable.read` takes it. Only names that mean nothing else are taken for the label's.

    Examples
    --------
    >>> key_columns(pd.DataFrame({"cell_id": [3, 7], "area": [4.0, 9.0]}), {})
    {'label': 'cell_id'}
    """
    label = next((name for name in LABELS if name in rows), None)
    return {**({"label": label} if label else {}), **given}
