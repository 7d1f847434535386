"""How far a map can be believed: true neighbours, the share of them that is lost, and what chance would give."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from latentmap.generators import retold
from latentmap.methods import METHODS
from latentmap.quality import GroupContacts, group_contacts
from latentmap.quality.noise_null import iter_neighborhood_test
from latentmap.quality.progress import share_done
from latentmap.quality.stability import iter_neighbor_stability
from latentmap.session.clustering import cluster
from latentmap.session.parameters import Parameters
from latentmap.session.result import MapCheck, MapStability, Result
from latentmap.session.run import Run
from latentmap.session.runs import Runs
from latentmap.session.true_neighbors import N_TRUE, measured_rows, with_neighbors
from latentmap.session.wording import counted

T = TypeVar("T")

SEEDS = (0, 1, 2, 3, 4)
"""The seeds of the maps that say how stable neighbourhoods are; each takes as long as the map."""


class Steps(NamedTuple):
    """How far something has come that takes as long as some fits.

    Attributes
    ----------
    what : str
        What is being done, in words.
    share : float or None
        How much is done, from 0 to 1; None where nobody knows.
    """

    what: str
    share: float | None = None


def steps_of(what: str, measure: Generator[Any, Any, T]) -> Generator[Steps, bool | None, T]:
    """Return what a measure of :mod:`latentmap.quality` returns, and yield how far it has come."""
    return (yield from retold(measure, lambda progress: Steps(what, share_done(progress))))


def why_not_tested(result: Result) -> str:
    """Say why a map cannot be held against chance; empty if it can."""
    if result.made_elsewhere:
        return (
            "This map was made elsewhere. The test maps noise by the same method, which is not "
            "here; lost neighbours and groups are looked at all the same."
        )
    if METHODS[result.method].learns_from != "features":
        return (
            f"{METHODS[result.method].title} learned from {METHODS[result.method].learns_from}, which noise does "
            "not have, so there is nothing to compare this map with."
        )
    return ""


def why_not_again(result: Result) -> str:
    """Say why a map cannot be made again with other seeds; empty if it can."""
    if result.made_elsewhere:
        return "This map was made elsewhere, so no map like it can be made here with another seed."
    if (known := METHODS[result.method].learns_from) != "features":
        return f"{METHODS[result.method].title} learned from {known}, which maps with other seeds would lack."
    return ""


def iter_check(result: Result) -> Generator[Steps, bool | None, Result]:
    """Test which cells of a map are sure, step by step.

    Parameters
    ----------
    result : Result

    Yields
    ------
    Steps

    Returns
    -------
    Result
        The map with its check, and with its true neighbours.

    Raises
    ------
    ValueError
        If there are too few cells, or the map cannot be tested.
    """
    if why := why_not_tested(result):
        raise ValueError(why)
    yield Steps("Looking for the true neighbours")
    result = with_neighbors(result)
    _, values = measured_rows(result)
    estimator = chance_estimator(result)
    found = yield from steps_of(
        "Mapping noise",
        iter_neighborhood_test(
            values,
            result.embedding,
            estimator,
            neighbors=None if result.neighbors is None else result.neighbors.astype(np.int64),
            metric=str(getattr(estimator, "metric", "euclidean")),
        ),
    )
    check = MapCheck(
        np.asarray(found.p_values, dtype=float),
        np.asarray(found.is_sure, dtype=bool),
        float(np.median(found.agreement)),
        float(np.median(found.null)),
        float(found.false_rate),
    )
    return replace(result, check=check)


def iter_stability(result: Result, leaves_out: bool = False) -> Generator[Steps, bool | None, Result]:
    """Make maps like a given one with other seeds, and count which neighbours stay, step by step.

    Parameters
    ----------
    result : Result
    leaves_out : bool
        Whether each of the maps leaves out another fifth of the cells.

    Yields
    ------
    Steps

    Returns
    -------
    Result
        The map with its stability.

    Raises
    ------
    ValueError
        If there are too few cells, or the map cannot be made again or is the same for every seed.
    """
    if why := why_not_again(result):
        raise ValueError(why)
    making = "Making maps with other seeds"
    yield Steps(making)
    _, values = measured_rows(result)
    n = len(values)
    n_shared = n - 2 * -(-n // len(SEEDS)) if leaves_out else n
    if n_shared <= N_TRUE:
        raise ValueError(
            f"A map of {counted(n, 'cell')} has too few to count the {N_TRUE} nearest of each"
            + (" while a fifth of the cells is left out." if leaves_out else ".")
        )
    estimator = chance_estimator(result)
    if "random_state" not in estimator.get_params(deep=False):
        raise ValueError("This method has no seed: it makes the same map each time, so that every neighbour stays.")
    steps = iter_neighbor_stability(estimator, values, N_TRUE, seeds=SEEDS, leave_out=leaves_out)
    kept = yield from steps_of(making, steps)
    if (kept == 1).all():
        raise ValueError(
            "With these settings, so few cells have the same map for every seed, which says nothing about them: let "
            "each map leave out a fifth of the cells."
        )
    return replace(result, stability=MapStability(kept, len(SEEDS), leaves_out))


def iter_contacts(
    result: Result, groups: np.ndarray | None, dropped: np.ndarray | None = None
) -> Generator[Steps, bool | None, tuple[Result, GroupContacts]]:
    """Find groups that a map tears apart or falsely joins, step by step.

    Parameters
    ----------
    result : Result
    groups : ndarray of str, shape (n_cells,), or None
        The name of each cell's group, "" for none; None for clusters of the map.
    dropped : ndarray of bool, shape (n_cells,), optional
        Cells that are in no group, whatever their name.

    Yields
    ------
    Steps

    Returns
    -------
    result : Result
        The map with its true neighbours.
    contacts : GroupContacts
        Its `cells` are rows of the map. Cells in no group are in no pair.

    Raises
    ------
    ValueError
        If there are too few cells, or no group.
    """
    yield Steps("Looking for the true neighbours")
    result = with_neighbors(result)
    why = "No cell is in a group: make classes, or look between clusters of the map."
    if groups is None:
        why = "No clusters are found on this map. Make classes, and look between these."
        yield Steps("Looking for clusters of the map")
        groups = np.array(["", *(f"cluster {index + 1}" for index in range(len(result.embedding)))], dtype=object)[
            cluster(result.embedding) + 1
        ]
    if dropped is not None:
        groups = np.where(dropped, "", groups)
    if not (groups != "").any():
        raise ValueError(why)
    yield Steps("Comparing groups")
    near = np.asarray(result.neighbors)
    rows = np.flatnonzero(near[:, 0] >= 0)
    place = np.full(len(near), -1)
    place[rows] = np.arange(len(rows))
    found = group_contacts(place[near[rows]], result.embedding[rows], groups[rows].astype(str))
    named = np.flatnonzero(((found.pairs["a"] != "") & (found.pairs["b"] != "")).to_numpy())
    pairs = found.pairs.iloc[named].reset_index(drop=True)
    return result, GroupContacts(pairs, [rows[found.cells[pair]] for pair in named], found.false_rate)


def keep(runs: Runs, run: Run, before: Result, found: Result) -> bool:
    """Keep with a map what was found out about it, unless its run has another map by now.

    Parameters
    ----------
    runs : Runs
        Tells its listeners.
    run : Run
    before, found : Result
        Its map when the search began, and with what was found. Whatever else was found meanwhile stays.

    Returns
    -------
    bool
        Whether it was kept.
    """
    known = run.result
    if known is None or run not in runs or known.embedding is not before.embedding:
        return False
    run.result = replace(
        known,
        neighbors=found.neighbors if known.neighbors is None else known.neighbors,
        lost_neighbors=found.lost_neighbors if known.lost_neighbors is None else known.lost_neighbors,
        check=known.check if found.check is None else found.check,
        stability=known.stability if found.stability is None else found.stability,
    )
    runs.checked.emit(run)
    return True


def chance_estimator(result: Result) -> Any:
    """Return the method of a map, not yet fitted, for a map of other rows or with another seed."""
    estimator = Parameters(**result.parameters).estimator()
    # A map that leaves rows out cannot be held against one that does not.
    if getattr(estimator, "connect", "bridge") == "largest":
        estimator.set_params(connect="bridge")
    return estimator
