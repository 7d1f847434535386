"""Proposing k, s, l or d by how well maps place cells that they were not made of."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from latentmap.methods import METHODS
from latentmap.quality import Choice, iter_choose
from latentmap.session.parameters import Parameters
from latentmap.session.trust import Steps, steps_of
from latentmap.table import CellTable
from latentmap.table.preparing import prepare

CANDIDATES = {
    "n_neighbors": (5, 10, 15, 20, 30, 50),
    "n_steps": (1, 2, 3),
    "n_levels": (0, 1, 2),
    "n_components": (2, 3),
}
"""The values that are tried, beside the present one."""

MOST_CELLS = 5000
"""Of more cells, so many are drawn: each candidate takes several fits."""

_FOLDS, _HELD_OUT = 4, 300


@dataclass(frozen=True, eq=False)
class Proposal:
    """What the candidates for one parameter score.

    Attributes
    ----------
    name : str
        The parameter.
    now : object
        Its present value, which is among the candidates unless it is a word.
    choice : Choice
    n_cells, n_drawn : int
        How many cells there are, and how many were drawn.
    """

    name: str
    now: Any
    choice: Choice
    n_cells: int
    n_drawn: int


def proposable(parameters: Parameters) -> list[str]:
    """List the parameters of a method that can be proposed; none where it cannot place cells that were held out."""
    method = METHODS[parameters.method]
    if not method.places_new_cells or method.learns_from != "features":
        return []
    return [name for name in CANDIDATES if name in method.defaults]


def iter_proposal(table: CellTable, parameters: Parameters, name: str) -> Generator[Steps, bool | None, Proposal]:
    """Score the candidates for a parameter, step by step.

    Parameters
    ----------
    table : CellTable
    parameters : Parameters
        All others are as they are here.
    name : str
        One of `proposable`.

    Yields
    ------
    Steps

    Returns
    -------
    Proposal

    Raises
    ------
    ValueError
        If the table or the parameters allow no map.
    """
    yield Steps("Preparing the cells")
    values = prepare(table, parameters.features, parameters.preparation).values
    n_cells = len(values)
    if n_cells > MOST_CELLS:
        values = values[np.sort(np.random.default_rng(0).choice(n_cells, MOST_CELLS, replace=False))]
    estimator = parameters.fitted_to(len(values))[0].estimator()
    if getattr(estimator, "connect", "bridge") == "largest":
        estimator.set_params(connect="bridge")
    now = estimator.get_params(deep=False)[name]
    asked = list(CANDIDATES[name])
    if name == "n_neighbors":
        # A third of the cells that are not held out.
        asked = [k for k in asked if k <= (len(values) - min(_HELD_OUT, len(values) // _FOLDS)) // 3]
    if isinstance(now, int) and now not in asked:
        asked = sorted([*asked, now])
    steps = iter_choose(values, {name: asked}, estimator=estimator, n_folds=_FOLDS, held_out=_HELD_OUT)
    choice = yield from steps_of("Maps of cells with others held out", steps)
    return Proposal(name, now, choice, n_cells, len(values))
