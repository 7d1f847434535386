"""Whether a run would make a map again that there is."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from latentmap.session.differences import run_differences
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.session.supervision import Supervision
from latentmap.table import CellTable


def is_repeated(
    result: Result, before: CellTable, table: CellTable, parameters: Parameters, asked: Supervision | None
) -> bool:
    """Return whether a run from the start would make this map again, bit for bit.

    Parameters
    ----------
    result : Result
        A map that was made from the start.
    before : CellTable
        The cells that it was made of, including those that were left out.
    table, parameters, asked
        The cells of the next run, its parameters, and its supervision.
    """
    wanted = asdict(parameters.fitted_to(len(result.embedding))[0])
    names = result.parameters["features"]
    if wanted["features"] != names or run_differences(wanted, result.parameters):
        return False
    groups = (parameters.preparation.groups_by, parameters.preparation.batches_by)
    columns = [*names, *(name for name in groups if name in before.features or name in table.features)]
    return _are_same_cells(before, table, columns) and _learns_the_same(result, asked)


def _are_same_cells(one: CellTable, other: CellTable, names: Sequence[str]) -> bool:
    """Whether two tables hold the same cells, with the same values of these features."""
    if one.features is other.features:
        return True
    names = list(names)
    if not one.features.index.equals(other.features.index) or not {*names} <= {*one.features} & {*other.features}:
        return False
    return one.features[names].equals(other.features[names])


def _learns_the_same(result: Result, asked: Supervision | None) -> bool:
    try:
        supervision = None if asked is None else asked.of(result.cells.features.index)[0]
    except ValueError:
        return False
    return np.array_equal(np.asarray(supervision), np.asarray(result.supervision))
