"""What a page says of each cell when the mouse is over it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from latentmap.jupyter.embedded import packed
from latentmap.session import Run, Session
from latentmap.table import CellTable

# How many features are shown beside the mouse: there is no room for more.
_MOST = 8


def cards(session: Session, runs: Sequence[Run], cells: CellTable) -> dict[str, Any]:
    """Return the keys of all cells of a session, and a few values of each, for the script of a page.

    Parameters
    ----------
    session : Session
    runs : sequence of Run
        Their features come first, and their variances.
    cells : CellTable
        Knows the cells that are on no map.

    Returns
    -------
    dict
        ``n``, how many there are, and by their numbers ``layers``, ``frames``, ``labels`` and ``columns`` of values.
    """
    numbers = np.arange(len(session.register))
    keys = session.register.keys(numbers)
    maps = [(run.name, run.result) for run in runs if run.result is not None]
    columns = []
    for name, result in ((name, result) for name, result in maps if result.has_variances):
        about = f"variance (σ²), {name}" if len(maps) > 1 else "variance (σ²)"
        variances = pd.Series(result.variances, result.cells.features.index).reindex(keys)
        columns.append(_column(about, variances, "not on the map"))
    if len(session.classes):
        names = pd.Series(session.classes.names_of(numbers)).replace("", None)
        columns.append(_column("class", names, "in no class"))
    known = pd.concat([*(result.cells.features for _, result in maps), cells.features])
    known = known[~known.index.duplicated()].reindex(keys)
    shaping = (name for _, result in maps for name in result.parameters["features"])
    coloured = session.look.colour_by.name
    chosen = [name for name in dict.fromkeys([coloured, *shaping]) if name in known]
    return {
        "n": len(keys),
        "layers": _column("layer", keys.get_level_values("layer").to_series()),
        "frames": packed(keys.get_level_values("frame").to_numpy(np.int64)),
        "labels": packed(keys.get_level_values("label").to_numpy(np.int64)),
        "columns": [*columns, *(_column(name, values) for name, values in known[chosen[:_MOST]].items())],
    }


def _column(name: Any, values: pd.Series, absent: str = "no value") -> dict[str, Any]:
    """Numbers, or words; `absent` is said of cells without any."""
    told = {"name": str(name), "absent": absent}
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return told | {"values": packed(values.to_numpy(dtype=np.float32, na_value=np.nan))}
    codes, words = pd.factorize(values, sort=False)
    return told | {"words": [str(word) for word in words], "codes": packed(codes.astype(np.int32))}
