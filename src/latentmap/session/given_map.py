"""Maps that were made elsewhere, beside ours: their cells, and how faithful they are to the features chosen here."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from latentmap.session.embedding import RunProgress, map_quality
from latentmap.session.parameters import Parameters
from latentmap.session.result import MOST_MEASURED, Result
from latentmap.session.true_neighbors import with_neighbors
from latentmap.session.wording import counted
from latentmap.table import CellTable, Preparation
from latentmap.table.preparing import prepare
from latentmap.table.wording import listed

_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class GivenMap:
    """The coordinates of cells on a map that another program has made.

    Attributes
    ----------
    name : str
        What the map is called.
    origin : str
        Where the coordinates come from, for the user.
    positions : pandas.DataFrame, shape (n_cells, n_components)
        By the cells' keys (layer, frame, label).
    """

    name: str
    origin: str
    positions: pd.DataFrame

    @classmethod
    def of(cls, table: CellTable, columns: Sequence[str], name: str = "", where: str = "the table") -> "GivenMap":
        """Take a map from the columns of a table.

        Parameters
        ----------
        table : CellTable
            Need not be the one that the session's maps are made of: cells are matched by key.
        columns : sequence of str
            One for each axis of the map, at least two.
        name : str
            By default the columns' names.
        where : str
            What the table is called.

        Raises
        ------
        ValueError
            If there is no such column, it is given twice, or it does not hold numbers.

        Examples
        --------
        >>> rows = pd.DataFrame({"label": [1, 2], "UMAP1": [0.0, 1.0], "UMAP2": [2.0, 3.0]})
        >>> given = GivenMap.of(CellTable.read(rows, layer="cells"), ["UMAP1", "UMAP2"], "UMAP")
        >>> given.name, given.origin
        ('UMAP (from the table)', 'the columns "UMAP1" and "UMAP2" of the table')
        """
        columns = list(columns)
        if absent := [column for column in columns if column not in table.features]:
            raise ValueError(f"There is no column {listed(absent)} in {where}: choose two columns that hold a map.")
        if len(columns) < 2 or len(set(columns)) < len(columns):
            raise ValueError("A map takes two columns or more, and no column twice: choose one for each axis.")
        if words := [column for column in columns if column not in table.numeric]:
            raise ValueError(f"Not numbers: {listed(words)} of {where}. Choose columns that hold a map.")
        ends = [f'"{column}"' for column in columns]
        those = " and ".join(ends) if len(ends) < _MOST_NAMED else f"{ends[0]} to {ends[-1]}"
        said = name or " and ".join(columns[:2])
        return cls(f"{said} (from {where})", f"the columns {those} of {where}", table.features[columns])

    @classmethod
    def of_array(cls, cells: CellTable, positions: npt.ArrayLike, name: str = "") -> "GivenMap":
        """Take a map from an array.

        Parameters
        ----------
        cells : CellTable
        positions : array-like, shape (n_cells, n_components)
            One row for each of the cells, in their order; at least two columns. A cell without a position has NaN.
        name : str
            By default "Map".

        Raises
        ------
        ValueError
            If there is not one row for each cell, there are fewer than two columns, or it does not hold numbers.

        Examples
        --------
        >>> cells = CellTable.read(pd.DataFrame({"label": [1, 2], "area": [3.0, 4.0]}), layer="cells")
        >>> GivenMap.of_array(cells, [[0.0, 1.0], [2.0, 3.0]]).positions.shape
        (2, 2)
        """
        try:
            values = np.asarray(positions, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError("A map takes numbers, and this array holds something else.") from error
        n_cells = len(cells.features)
        if values.ndim != 2 or len(values) != n_cells or values.shape[1] < 2:
            shape = " x ".join(map(str, values.shape))
            raise ValueError(
                f"A map takes one row for each of the {counted(n_cells, 'cell')} of the table and two columns or more, "
                f"and this array has the shape {shape}."
            )
        frame = pd.DataFrame(values, index=cells.features.index)
        return cls(f"{name or 'Map'} (from an array)", "the array", frame)

    def parameters(self, chosen: Parameters) -> Parameters:
        """Return the features that the map is compared with; no other parameter of it is known."""
        known = {part.name: getattr(chosen, part.name) for part in fields(Preparation)}
        has_metric = "metric" in chosen.estimator().get_params(deep=False)
        metric = chosen.metric if has_metric else "euclidean"
        return Parameters(features=chosen.features, metric=metric, n_components=self.positions.shape[1], **known)


def iter_given(
    table: CellTable, parameters: Parameters, given: GivenMap
) -> Generator[RunProgress, bool | None, Result | None]:
    """Find the cells of a table on a map made elsewhere, and measure how faithful it is.

    Parameters
    ----------
    table : CellTable
        The cells. Those without a position are left out, and a note counts them.
    parameters : Parameters
        As `GivenMap.parameters` returns them.
    given : GivenMap

    Yields
    ------
    RunProgress
        Before the map is measured.

    Returns
    -------
    Result or None
        None if the run was stopped.

    Raises
    ------
    ValueError
        If none of the cells has a position, or all have the same.
    """
    cells, positions = _matched(table, given)
    if (yield RunProgress("quality", 0, 1, cells)):
        return None
    quality, remarks = _measured(cells, positions, parameters)
    result = Result(
        cells=cells,
        embedding=positions,
        variances=np.full(len(positions), np.nan),
        parameters=MappingProxyType(asdict(parameters)),
        quality=MappingProxyType(quality),
        n_iter=0,
        n_levels=None,
        objective=np.empty(0),
        objective_iterations=np.empty(0, dtype=np.int64),
        remarks=remarks,
        made_elsewhere=given.origin,
    )
    try:
        return with_neighbors(result)
    except ValueError:  # as the remarks say, or there are too few cells
        return result


def _matched(table: CellTable, given: GivenMap) -> tuple[CellTable, np.ndarray]:
    """The cells that have a position, and their positions, matched by key."""
    rows = given.positions.index.get_indexer(table.features.index)
    known = given.positions.to_numpy(dtype=float, na_value=np.nan)
    positions = np.where((rows >= 0)[:, None], known[rows], np.nan)
    has_position = np.flatnonzero(np.isfinite(positions).all(axis=1))
    n, n_in = len(rows), len(has_position)
    if not n_in:
        raise ValueError(
            f"None of {counted(n, 'cell')} has a position in {given.origin}: cells are matched by layer, frame and "
            "label, so these must be the same there."
        )
    positions = positions[has_position]
    if (positions == positions[0]).all():
        raise ValueError(f"All cells have the same position in {given.origin}: choose columns that hold a map.")
    notes = []
    if n_in < n:
        notes.append(f"{n - n_in} of {counted(n, 'cell')} left out: no position in {given.origin}.")
    if n_strange := len(known) - int((rows >= 0).sum()):
        is_ = "is" if n_strange == 1 else "are"
        notes.append(f"{counted(n_strange, 'position')} of {given.origin} {is_} of no cell here.")
    cells = replace(table, features=table.features.iloc[has_position], notes=(*table.notes, *notes))
    return cells, positions


def _measured(
    cells: CellTable, positions: np.ndarray, parameters: Parameters
) -> tuple[dict[str, float], tuple[str, ...]]:
    """How faithful the map is to the features chosen, and what must be said of that."""
    try:
        prepared = prepare(CellTable(cells.features), parameters.features, parameters.preparation)
    except ValueError as error:
        return {}, (f"Recall and trustworthiness were not measured: {error}",)
    kept = cells.features.index.isin(prepared.cells.features.index)
    quality = map_quality(prepared.values, positions[kept], parameters.metric)
    if not quality:
        return {}, ("Recall and trustworthiness were not measured: there are too few cells.",)
    against = f"Measured against the {counted(len(parameters.features), 'feature')} chosen here"
    if len(prepared.values) > MOST_MEASURED:
        against += f", on {MOST_MEASURED} cells drawn at random"
    n_out = int((~kept).sum())
    return quality, (f"{against}, without {counted(n_out, 'cell')} that lack one." if n_out else f"{against}.",)
