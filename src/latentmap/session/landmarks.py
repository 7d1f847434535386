"""Maps of landmarks alone: an outline of all cells, each standing for the cells nearest it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from latentmap.methods import METHODS
from latentmap.model.coarse import n_landmarks
from latentmap.model.inputs import Inputs
from latentmap.session.result import Result
from latentmap.session.wording import counted
from latentmap.table import CellTable

REPRESENTED = "cells_represented"
"""The column of a map of landmarks that says how many cells each stands for."""

FEWEST = 10
"""An outline or a group of fewer shows nothing."""


def check_landmarks(method: str, n_cells: int) -> None:
    """Raise an error that says why there is no map of landmarks, if there is none.

    Parameters
    ----------
    method : str
        The name of the method.
    n_cells : int
        How many cells there are.

    Raises
    ------
    ValueError
        If the method has no landmarks, or the cells are too few.
    """
    if not METHODS[method].has_landmarks:
        able = next(one.title for one in METHODS.values() if one.has_landmarks)
        raise ValueError(
            f"{METHODS[method].title} has no landmarks to make an outline of: choose the method {able}, or press Embed."
        )
    if n_landmarks(n_cells) < FEWEST:
        raise ValueError(
            f"{counted(n_cells, 'cell')} would have only {n_landmarks(n_cells)} landmarks, too few for an outline: "
            "press Embed for a map of all of them."
        )


def only_landmarks(
    table: CellTable, cells: CellTable, inputs: Inputs, estimator: Any, level: int
) -> tuple[CellTable, np.ndarray]:
    """Return the landmarks of a table, and the landmark of each of its cells.

    Parameters
    ----------
    table : CellTable
        All cells.
    cells : CellTable
        Those that can be on the map.
    inputs : Inputs
        Their rows.
    estimator : LVM
        Chooses the landmarks.
    level : int
        As for :meth:`latentmap.LVM.find_landmarks`.

    Returns
    -------
    landmarks : CellTable
        With a column that says how many cells each stands for.
    members : ndarray of int32, shape (n_cells,)
        For each cell of `table` the row of its landmark, -1 if it cannot be on the map.
    """
    found, keys = estimator.find_landmarks(inputs, level), table.features.index
    rows = np.flatnonzero(keys.isin(cells.features.index))
    members = np.full(len(keys), -1, dtype=np.int32)
    members[rows] = found.assignment
    is_landmark = np.zeros(len(keys), dtype=bool)
    is_landmark[rows[found.rows]] = True
    note = f"{counted(len(found.rows), 'landmark')} of {counted(len(rows), 'cell')}: each stands for those nearest it."
    kept = replace(table, notes=cells.notes).select(is_landmark, note)
    counts = pd.DataFrame({REPRESENTED: found.represented}, index=kept.features.index)
    return kept.with_features(counts), members


def on_map(members: np.ndarray, landmarks: CellTable, result: Result) -> np.ndarray:
    """Return the row of each cell's landmark on a map that may lack some of the landmarks.

    Parameters
    ----------
    members, landmarks
        As returned by `only_landmarks`.
    result : Result
        The map.
    """
    rows = result.cells.features.index.get_indexer(landmarks.features.index)
    return np.asarray(np.append(rows, -1)[members], dtype=np.int32)


def represented(cells: CellTable, level: int) -> np.ndarray | None:
    """Return how many cells each point of a map stands for, shape (n_cells,); None if each stands for itself.

    Parameters
    ----------
    cells : CellTable
        The cells on the map.
    level : int
        That of the run.
    """
    return cells.features[REPRESENTED].to_numpy() if level and REPRESENTED in cells.features else None
