"""Maps in view that were made of other values than their cells have now."""

from collections.abc import Iterable

from latentmap.session import Run
from latentmap.table import CellTable
from latentmap.table.same_rows import differ


def older_maps(runs: Iterable[Run], cells: CellTable) -> str:
    """Say which maps were made of other values than cells have now: their points may be other cells.

    Cells are known by their numbers in the labels, which other cells get when these are segmented anew.

    Parameters
    ----------
    runs : iterable of Run
        The maps in view.
    cells : CellTable
        The cells as they are now.

    Returns
    -------
    str
        A sentence for each map, or nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import MappingProxyType
    >>> rows = pd.DataFrame({"label": [3, 7], "area": [40.0, 52.0]})
    >>> run = Run("1", CellTable.read(rows, layer="nuclei"), MappingProxyType({"features": ("area",)}))
    >>> print(older_maps([run], CellTable.read(rows.assign(area=[40.0, 61.0]), layer="nuclei")))
    Features of 1 of 2 cells have other values than those that the map "1" was made of: its points may be other cells. \
Embed makes a map of what there is now.
    >>> older_maps([run], run.table)
    ''
    """
    return " ".join(filter(None, (_older(run, cells) for run in runs if not run.made_elsewhere)))


def _older(run: Run, cells: CellTable) -> str:
    if run.table.features is cells.features:
        return ""
    names = [name for name in run.parameters["features"] if name in run.table.features]
    is_other = differ(cells.features, run.table.features[names])
    if not is_other.any():
        return ""
    return (
        f"Features of {is_other.sum()} of {len(is_other)} cells have other values than those that the map "
        f'"{run.name}" was made of: its points may be other cells. Embed makes a map of what there is now.'
    )
