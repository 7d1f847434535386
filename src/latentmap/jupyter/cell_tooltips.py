"""What the HTML export says about the cell under the mouse."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from latentmap.jupyter.base64_arrays import as_base64
from latentmap.session import Run, Session
from latentmap.table import CellTable

# How many features are shown next to the mouse: there is no room for more.
_MOST = 8


def cell_tooltips(session: Session, runs: Sequence[Run], cells: CellTable) -> dict[str, Any]:
    """Return the keys of all cells of a session, and a few values of each, for the script of the page.

    Parameters
    ----------
    session : Session
    runs : sequence of Run
        Their variances are shown, and the features that shaped their maps.
    cells : CellTable
        All cells, including those that are on none of the maps.

    Returns
    -------
    dict
        ``n``, the number of cells, and in the order of their numbers ``layers``, ``frames``, ``labels`` and
        ``columns`` of values.
    """
    numbers = np.arange(len(session.cell_index))
    keys = session.cell_index.keys(numbers)
    maps = [(run.name, run.result) for run in runs if run.result is not None]
    columns = []
    for name, result in ((name, result) for name, result in maps if result.has_variances):
        title = f"variance (σ²), {name}" if len(maps) > 1 else "variance (σ²)"
        variances = pd.Series(result.variances, result.cells.features.index).reindex(keys)
        columns.append(_column(title, variances, "not on the map"))
    if len(session.classes):
        names = pd.Series(session.classes.names_of(numbers)).replace("", None)
        columns.append(_column("class", names, "in no class"))
    known = pd.concat([*(result.cells.features for _, result in maps), cells.features])
    known = known[~known.index.duplicated()].reindex(keys)
    shaping = (name for _, result in maps for name in result.parameters["features"])
    coloured = session.display_settings.colour_by.name
    chosen = [name for name in dict.fromkeys([coloured, *shaping]) if name in known]
    return {
        "n": len(keys),
        "layers": _column("layer", keys.get_level_values("layer").to_series()),
        "frames": as_base64(keys.get_level_values("frame").to_numpy(np.int64)),
        "labels": as_base64(keys.get_level_values("label").to_numpy(np.int64)),
        "columns": [*columns, *(_column(name, values) for name, values in known[chosen[:_MOST]].items())],
    }


def _column(name: object, values: pd.Series, absent: str = "no value") -> dict[str, Any]:
    """Pack a column of numbers or words; `absent` is shown for cells without a value."""
    head = {"name": str(name), "absent": absent}
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return head | {"values": as_base64(_narrow(values.to_numpy(dtype=float, na_value=np.nan)))}
    codes, words = pd.factorize(values, sort=False)
    return head | {"words": [str(word) for word in words], "codes": as_base64(codes.astype(np.int32))}


def _narrow(numbers: np.ndarray) -> np.ndarray:
    """The numbers in half as many bytes, unless some are too large or too small for these."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = numbers.astype(np.float32)
    fits = np.array_equal(np.isfinite(narrow), np.isfinite(numbers)) and np.array_equal(narrow == 0, numbers == 0)
    return narrow if fits else numbers
