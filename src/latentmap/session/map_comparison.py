"""Which cells have other neighbours on another map, and where else on a map a cell could lie."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from latentmap.model.lvm import LVM
from latentmap.quality import Field, OtherPlaces, changed_neighbors, compare_maps
from latentmap.quality.map_changes import iter_seed_changes
from latentmap.quality.other_places import iter_likelihood_field, iter_other_places
from latentmap.session.placing import fitted_pipeline
from latentmap.session.result import Result
from latentmap.session.run import Run
from latentmap.session.true_neighbors import N_TRUE, measured_rows
from latentmap.session.trust import Steps, chance_estimator, steps_of, why_not_again

# Maps that say what a change means; each takes as long as the map.
_N_SEEDS = 3

FIELD_MARGIN = 0.1
"""How far a field goes beyond the cells, as a share of the sides of their box."""


@dataclass(frozen=True, eq=False)
class MapComparison:
    """How the neighbours of cells differ between two maps.

    Attributes
    ----------
    rows : ndarray of int, shape (n_shared,)
        The rows of the first map whose cells are on both.
    changed : ndarray of float, shape (n_shared,)
        The share of a cell's nearest on one map, among the shared cells, that are not its nearest on the other.
    is_changed : ndarray of bool, shape (n_shared,), or None
        Whether that is more than another seed changes, at a false discovery rate of 5 %; None if it was not asked.
    by_seed : float or None
        The share of neighbours on the first map that another seed changes, on average.
    """

    rows: np.ndarray
    changed: np.ndarray
    is_changed: np.ndarray | None = None
    by_seed: float | None = None


def iter_comparison(
    result: Result, other: Result, with_seeds: bool = False
) -> Generator[Steps, bool | None, MapComparison]:
    """Compare two maps cell by cell, step by step; cells are matched by key.

    Parameters
    ----------
    result, other : Result
        The maps. Either may be made elsewhere.
    with_seeds : bool
        Whether changes are held against those between the first map and three like it with other seeds, each of which
        takes as long as the map.

    Yields
    ------
    Steps

    Returns
    -------
    MapComparison

    Raises
    ------
    ValueError
        If the maps share too few cells, or the first cannot be made again.
    """
    yield Steps("Comparing neighbours")
    places = other.cells.features.index.get_indexer(result.cells.features.index)
    rows = np.flatnonzero(places >= 0)
    if len(rows) <= N_TRUE:
        raise ValueError(
            f"The two maps share {len(rows)} cells, too few to compare: cells are matched by layer, frame and label."
        )
    pair = result.embedding[rows], other.embedding[places[rows]]
    if not with_seeds:
        return MapComparison(rows, changed_neighbors(*pair, N_TRUE))
    if why := why_not_again(result):
        raise ValueError(why)
    _, values = measured_rows(result)
    estimator = chance_estimator(result)
    asked = estimator.get_params(deep=False)
    if "random_state" not in asked:
        raise ValueError("This method has no seed: it makes the same map each time, and any change is one.")
    seeds = [seed for seed in range(1, _N_SEEDS + 2) if seed != asked["random_state"]][:_N_SEEDS]
    steps = iter_seed_changes(estimator, values, N_TRUE, seeds=seeds, Y=result.embedding, rows=rows)
    changes = yield from steps_of("Making maps with other seeds", steps)
    found = compare_maps(*pair, changes, N_TRUE)
    return MapComparison(rows, found.changed, found.is_changed, float(changes.mean()))


def why_no_places(result: Result) -> str:
    """Say why it cannot be asked where else a cell of a map could lie; empty if it can."""
    if result.made_elsewhere or result.method != "lvm":
        return "Only the latent variable model says where else a cell could lie."
    return ""


def iter_places(
    run: Run, row: int, box: np.ndarray | None = None
) -> Generator[Steps, bool | None, tuple[OtherPlaces, Field | None]]:
    """Find where else on a map a cell could lie, as the steps of a job.

    Parameters
    ----------
    run : Run
        Its map was made by the latent variable model.
    row : int
        The row of the cell.
    box : ndarray, shape (2, 2), optional
        The lowest and the highest coordinates, as drawn, of the part of the map that a field is wanted of.

    Yields
    ------
    Steps

    Returns
    -------
    places : OtherPlaces
    field : Field or None
        Along the axes of the map as it is drawn; None if the map has other than two dimensions.

    Raises
    ------
    ValueError
        If the model cannot be asked.
    """
    if why := why_no_places(run.finished()):
        raise ValueError(why)
    asking = "Asking the model where else the cell could lie"
    yield Steps(asking)
    fitted = fitted_pipeline(run)["map"]
    if not isinstance(fitted, LVM):
        raise ValueError(why_no_places(run.finished()))
    places = yield from steps_of(asking, iter_other_places(fitted, row))
    if fitted.n_components != 2:
        return places, None
    steps = iter_likelihood_field(fitted, row, margin=FIELD_MARGIN, turn=run.turn, box=box)
    return places, (yield from steps_of("Computing the field", steps))
