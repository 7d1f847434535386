"""The order in which pictures of cells are shown."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from latentmap.session import Selection, Session
from latentmap.session.wording import counted

Order = Literal["by label", "typical first", "uncertain first"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""The orders that the user may choose from."""
ABOUT = "Which cells come first. Typical cells are those with the most certain positions on the map."
"""The tooltip of the choice."""


def selection_headline(count: int) -> str:
    """Return the line above the pictures: how many cells are selected, or what to do."""
    return f"{counted(count, 'cell')} selected" if count else "Select cells to see their pictures here."


def ordered_cells(selection: Selection, order: Order, uncertain: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the numbers of the selected cells in a given order.

    Parameters
    ----------
    selection : Selection
    order : {"by label", "typical first", "uncertain first"}
        Ties are sorted by layer, frame and label.
    uncertain : callable
        Takes the numbers of cells and returns the variances of their positions; NaN, if unknown, comes last.

    Returns
    -------
    ndarray of int, shape (n_selected,)

    Examples
    --------
    >>> session = Session(lambda act: act())
    >>> session.selection.select(session.cell_index.add([("cells", 0, label) for label in (7, 3, 5)]))
    >>> [ordered_cells(session.selection, order, lambda numbers: -numbers).tolist() for order in ORDERS]
    [[1, 2, 0], [2, 1, 0], [0, 1, 2]]
    """
    numbers = selection.numbers[selection.keys.argsort()]
    if order == "by label":
        return numbers
    variances = np.asarray(uncertain(numbers), dtype=float)
    return numbers[np.argsort(variances if order == "typical first" else -variances, kind="stable")]


def cell_variances(session: Session, numbers: np.ndarray) -> np.ndarray:
    """Return the variances of cells on the current map; NaN for cells that are not on it.

    Parameters
    ----------
    session : Session
    numbers : ndarray of int, shape (n_cells,)

    Returns
    -------
    ndarray of float, shape (n_cells,)

    Examples
    --------
    >>> cell_variances(Session(lambda act: act()), np.array([0, 1]))
    array([nan, nan])
    """
    known = np.full(max(len(session.cell_index), int(numbers.max(initial=-1)) + 1), np.nan)
    current = session.runs.current
    if current is not None and current.result is not None and current.numbers is not None:
        known[current.numbers] = current.result.variances
    variances: np.ndarray = known[numbers]
    return variances
