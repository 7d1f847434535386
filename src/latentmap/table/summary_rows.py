"""Rows below the cells that sum them up."""

import pandas as pd
from pandas.api.types import is_numeric_dtype

from latentmap.table.wording import listed

_SUMMARY = ["Mean", "SD", "Min", "Max"]


def without_summary(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the rows that ImageJ's *Summarize* puts below the cells.

    Examples
    --------
    >>> rows = pd.DataFrame({"Label": ["a.tif", "Mean", "SD", "Min", "Max"], "Area": [7.0, 7, 0, 7, 7]})
    >>> len(without_summary(rows)[0])
    1
    """
    for name, column in rows.items():
        if not is_numeric_dtype(column) and column.tail(len(_SUMMARY)).tolist() == _SUMMARY:
            said = f'The last {len(_SUMMARY)} rows left out, as they sum up the others: "{name}" is {listed(_SUMMARY)}.'
            return rows.iloc[: -len(_SUMMARY)], [said]
    return rows, []
