"""A finished map of cells: where they lie, how it was made, and how faithful it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from latentmap.session.alignment import turned
from latentmap.table import CellTable

VARIANCE_COLUMN = "variance"
"""The column that holds the variances of the coordinates, which say how uncertain they are."""

LOST_COLUMN, SURE_COLUMN, STABILITY_COLUMN = "lost_neighbors", "is_sure", "neighbor_stability"
"""The columns that hold the share of each cell's neighbours that the map has lost, which cells are sure, and the share
of each cell's neighbours on the map that stay when it is made again."""

FOUND_COLUMNS = (VARIANCE_COLUMN, LOST_COLUMN, SURE_COLUMN, STABILITY_COLUMN)
"""The columns of a map beside its coordinates."""

MOST_MEASURED = 1000
"""On how many cells recall and trustworthiness are measured at most, drawn at random where a map has more."""


@dataclass(frozen=True, eq=False)
class MapCheck:
    """Which cells of a map are sure, and which doubtful; see :func:`latentmap.quality.neighborhood_test`.

    Attributes
    ----------
    p_values : ndarray of float64, shape (n_cells,)
        How many shuffled rows agree as well with their map, as a share.
    is_sure : ndarray of bool, shape (n_cells,)
        All other cells are doubtful.
    agreement, null : float
        The median agreement of table and map, of this map and of one of the table with shuffled columns; 1 at best.
    false_rate : float
        The share of the sure cells that may be so by chance.
    """

    p_values: np.ndarray
    is_sure: np.ndarray
    agreement: float
    null: float
    false_rate: float


@dataclass(frozen=True, eq=False)
class MapStability:
    """How stable the neighbourhoods on a map are; see :func:`latentmap.quality.neighbor_stability`.

    Attributes
    ----------
    kept : ndarray of float64, shape (n_cells,)
        The share of a cell's neighbours on the map that stay when the map is made again, from 0 to 1.
    n_maps : int
        How many maps were made for it.
    leaves_out : bool
        Whether each of them left out some of the cells, beside having another seed.
    """

    kept: np.ndarray
    n_maps: int
    leaves_out: bool


@dataclass(frozen=True, eq=False)
class GroupStart:
    """Where the map of a group of cells began, so that it can be made again.

    Attributes
    ----------
    map : str
        The name of the map that the group was opened from.
    n_cells : int
        How many cells that map has, or stands for.
    positions : ndarray of float64, shape (n_cells, n_components + 1)
        Each cell's coordinates at the start, and their variance: NaN if that map gives none.
    """

    map: str
    n_cells: int
    positions: np.ndarray

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns that keep it in a saved table: ``start_1`` to ``start_d``, and ``start_variance``."""
        return dict(zip(start_columns(self.positions.shape[1] - 1), self.positions.T, strict=True))


def start_columns(n_components: int) -> list[str]:
    """Name the columns of a saved table that say where the map of a group began.

    Examples
    --------
    >>> start_columns(2)
    ['start_1', 'start_2', 'start_variance']
    """
    return [*(f"start_{axis}" for axis in range(1, n_components + 1)), "start_variance"]


@dataclass(frozen=True, eq=False)
class Result:
    """A map of cells, and how it was made.

    Attributes
    ----------
    cells : CellTable
        The cells on the map, with all their features, and the notes on those left out.
    embedding : ndarray of float64, shape (n_cells, n_components)
        Each cell's coordinates on the map.
    variances : ndarray of float64, shape (n_cells,)
        How uncertain the coordinates are, in squared units of the map (Saul's sigma squared); NaN if the method does
        not say.
    parameters : mapping
        The parameters used, by name. With few cells, k is the number of other cells.
    quality : mapping
        How faithful the map is, by the measure's name, from 0 to 1: "recall" of the ten nearest neighbours and
        "trustworthiness", of 1000 cells drawn at random where there are more. Empty if the run was stopped or has too
        few cells.
    n_iter : int
        Iterations done.
    n_levels : int or None
        Levels (l) of coarse-graining used; None where the method has none.
    objective : ndarray of float64
        The course of what the method raises or lowers; of the latent variable model the log-likelihood, Saul (6).
    objective_iterations : ndarray of int
        The iterations of its entries.
    supervision : ndarray or None
        The supervision: comparisons of rows, shape (n_comparisons, 3), or a class per cell, shape (n_cells,).
    remarks : tuple of str
        Sentences on the supervision, the warnings of the method, and what it found out about its map.
    stopped : bool
        Whether the user ended the run before the method did.
    estimator : sklearn.pipeline.Pipeline or None
        The fitted preparation and method; see :meth:`~latentmap.table.Preparation.pipeline`. Its ``transform`` takes a
        DataFrame with the features in their own units, and places new cells if the method can. None if the map comes
        from a file; `fitted` then computes it.
    made_elsewhere : str
        Where the coordinates come from if another program has made the map, such as columns of the table; else empty.
        Then `parameters` say only what its quality was measured against.
    turn : ndarray or None, shape (2, 2)
        The rotation, perhaps with a reflection, by which the map is drawn: ``embedding @ turn``. None for none.
    lost_neighbors : ndarray of float64, shape (n_cells,), or None
        The share of each cell's nearest neighbours, by the features, that are not among its nearest on the map: of 15,
        or of k if that is smaller. NaN for cells that lack a feature. None if the run was stopped or has too few cells.
    neighbors : ndarray of int32, shape (n_cells, 15 or k), or None
        These neighbours, as rows; -1 for cells that lack a feature. None where `lost_neighbors` is, and from files.
    check : MapCheck or None
        Which cells are sure, once that was tested.
    stability : MapStability or None
        How stable the neighbourhoods are, once maps were made for it.
    members : ndarray of int32, shape (n_cells of the run's table,), or None
        Of a map of landmarks: the row of the landmark of each cell that the run was started with, -1 for none.
    start : GroupStart or None
        Where it began, if it is the map of a group opened from another map.
    """

    cells: CellTable
    embedding: np.ndarray
    variances: np.ndarray
    parameters: MappingProxyType[str, Any]
    quality: Mapping[str, float]
    n_iter: int
    n_levels: int | None
    objective: np.ndarray
    objective_iterations: np.ndarray
    supervision: np.ndarray | None = None
    remarks: tuple[str, ...] = ()
    stopped: bool = False
    estimator: Pipeline | None = None
    made_elsewhere: str = ""
    turn: np.ndarray | None = None
    lost_neighbors: np.ndarray | None = None
    neighbors: np.ndarray | None = None
    check: MapCheck | None = None
    stability: MapStability | None = None
    members: np.ndarray | None = None
    start: GroupStart | None = None

    @property
    def drawn(self) -> np.ndarray:
        """The coordinates as they are drawn, shape (n_cells, n_components)."""
        return turned(self.embedding, self.turn)

    @property
    def method(self) -> str:
        """The method's name in :func:`~latentmap.methods.available`."""
        return str(self.parameters["method"])

    @property
    def has_variances(self) -> bool:
        """Whether the method says how uncertain the coordinates are."""
        return bool(np.isfinite(self.variances).any())

    @property
    def has_distinct_variances(self) -> bool:
        """Whether the variances differ from cell to cell; tied ones do not."""
        is_known = np.isfinite(self.variances)
        known = self.variances if is_known.all() else self.variances[is_known]
        return bool(len(known) and known.min() < known.max())

    @property
    def features(self) -> pd.DataFrame:
        """The cells' features, followed by the columns of the map, under the cells' keys."""
        return self.cells.features.assign(**self.columns)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns of the map, so far as they are known: coordinates, and what `FOUND_COLUMNS` names."""
        known = map_columns(self.embedding, self.variances)
        if self.lost_neighbors is not None:
            known[LOST_COLUMN] = self.lost_neighbors
        if self.check is not None:
            known[SURE_COLUMN] = self.check.is_sure
        if self.stability is not None:
            known[STABILITY_COLUMN] = self.stability.kept
        return known

    def rows(self) -> pd.DataFrame:
        """Return the table to save.

        Returns
        -------
        pandas.DataFrame, shape (n_cells, n_columns)
            Key, features, coordinates ``map_1`` to ``map_d``, ``variance`` if the method gives one, ``lost_neighbors``
            and, if they were asked for, ``is_sure`` and ``neighbor_stability``.
        """
        return self.features.reset_index()


def map_columns(embedding: np.ndarray, variances: np.ndarray) -> dict[str, np.ndarray]:
    """Name the columns of a map: ``map_1`` to ``map_d``, and ``variance`` if there are variances.

    Parameters
    ----------
    embedding : ndarray, shape (n_cells, n_components)
    variances : ndarray, shape (n_cells,)
        All NaN where the method gives none.

    Returns
    -------
    dict of str to ndarray, shape (n_cells,) each

    Examples
    --------
    >>> import numpy as np
    >>> list(map_columns(np.zeros((4, 2)), np.ones(4)))
    ['map_1', 'map_2', 'variance']
    """
    coordinates = {f"map_{axis}": column for axis, column in enumerate(embedding.T, start=1)}
    return coordinates | ({VARIANCE_COLUMN: variances} if np.isfinite(variances).any() else {})
