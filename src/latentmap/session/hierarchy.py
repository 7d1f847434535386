"""The way into a map: groups of its cells that become maps of their own, and the path back."""

import numpy as np
import pandas as pd

from latentmap.session.cell_index import CellIndex
from latentmap.session.landmarks import FEWEST
from latentmap.session.run import Run
from latentmap.session.wording import counted
from latentmap.table.number_sets import distinct


def stood_for(run: Run, numbers: np.ndarray, cell_index: CellIndex) -> np.ndarray:
    """Return the numbers of points of a map and, if they are landmarks, of all cells that they stand for.

    Parameters
    ----------
    run : Run
        Of a run without a map, points stand for themselves.
    numbers : ndarray of int
        The numbers of cells that are points of its map.
    cell_index : CellIndex
    """
    members = None if run.result is None else run.result.members
    if members is None or run.numbers is None:
        return numbers
    chosen = np.append(cell_index.mask_of(numbers)[run.numbers], False)
    return distinct(numbers, cell_index.add(run.table.features.index)[chosen[members]])


def group(run: Run, selected: np.ndarray, cell_index: CellIndex) -> np.ndarray:
    """Return the numbers of the selected cells of a map; those of landmarks are followed by all that they stand for.

    Parameters
    ----------
    run : Run
        A run with a map.
    selected : ndarray of int
        The numbers of the cells selected, which need not be on this map.
    cell_index : CellIndex
    """
    if run.numbers is None:
        return np.empty(0, dtype=np.int64)
    members = run.finished().members
    if members is None:
        return distinct(run.numbers[cell_index.mask_of(selected)[run.numbers]])
    everyone = cell_index.add(run.table.features.index)
    is_selected = cell_index.mask_of(selected)
    is_in = (members >= 0) & (np.append(is_selected[run.numbers], False)[members] | is_selected[everyone])
    return distinct(everyone[is_in])


def cells_of(run: Run, cell_index: CellIndex) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the features and the numbers of the cells of a map; for one of landmarks, of the cells they stand for.

    Parameters
    ----------
    run : Run
        A run with a map.
    cell_index : CellIndex

    Returns
    -------
    features : pandas.DataFrame, shape (n_rows, n_columns)
        One row per cell, under its key.
    numbers : ndarray of int, shape (n_rows,)
        -1 for a cell that no landmark stands for.
    """
    result = run.finished()
    if result.members is None:
        return result.cells.features, cell_index.add(result.cells.features.index)
    numbers = cell_index.add(run.table.features.index)
    return run.table.features, np.where(result.members < 0, -1, numbers)


def path(run: Run) -> tuple[Run, ...]:
    """Return the maps that lead to a map, the one of all cells first, and the map itself."""
    leading = () if run.parent is None else path(run.parent)
    return (*leading, run)


def n_stood_for(run: Run) -> int:
    """Return how many cells a map has or, if it is one of landmarks, stands for."""
    result = run.finished()
    return len(result.embedding) if result.members is None else int((result.members >= 0).sum())


def check_group(run: Run | None, numbers: np.ndarray) -> Run:
    """Return the map that a group is opened from; raise an error that says what to do first if there is none.

    Parameters
    ----------
    run : Run or None
        The current run.
    numbers : ndarray of int
        The numbers of the group's cells, as `group` returns them.

    Raises
    ------
    ValueError
        If there is no map, or the group has too few cells, or is all of the map.
    """
    if run is None or run.result is None:
        raise ValueError("There is no map to open a group of: press Embed or Outline first.")
    if not len(numbers):
        raise ValueError("None of the selected cells is on this map: draw around some of its points first.")
    if len(numbers) < FEWEST:
        raise ValueError(
            f"{counted(len(numbers), 'cell')} would make no map: select at least {FEWEST}, or landmarks of as many."
        )
    if len(numbers) == len(run.result.embedding) and run.result.members is None:
        raise ValueError("All cells of this map are selected: select some of them to open these alone.")
    return run


def check_way_back(run: Run | None) -> Run:
    """Return the map that the cells of a map were opened from; raise an error that says why there is none.

    Raises
    ------
    ValueError
        If this map was not opened from another, or that one was deleted.
    """
    if run is None or not run.opened_from:
        raise ValueError("This map was not opened from another one.")
    if run.parent is None:
        raise ValueError(f'The map "{run.opened_from}", from which this group was opened, was deleted.')
    return run.parent
