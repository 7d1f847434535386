"""Where else on a map a cell could lie."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import softmax

from latentmap.model.lvm import LVM
from latentmap.quality.progress import Progress, finished
from latentmap.quality.validation import whole_number

# Maxima that are nearer to each other than this share of the standard deviation of the map are one place.
_ONE_PLACE = 0.3
# The most starts of an ascent: the likeliest of the positions of the similar cells.
_MOST_STARTS = 8
_MOST_STEPS = 50
# Of the differences that stand for slopes, in widths of the map.
_STEP = 1e-5
# Lines of a grid between two signs of life.
_LINES = 4


class OtherPlaces(NamedTuple):
    """The places at which a cell could lie.

    Attributes
    ----------
    positions : ndarray of shape (m, d)
        Maxima of the likelihood, the likeliest first.
    odds : ndarray of shape (m,)
        The odds of each, which sum to 1: the likelihood for each unit of weight of the cell's similar pairs.
    """

    positions: np.ndarray
    odds: np.ndarray


class Field(NamedTuple):
    """The log-likelihood of a cell on a grid over a map in two dimensions.

    Attributes
    ----------
    x, y : ndarray of shape (size,)
        The lines of the grid, along the axes of the map as it is turned.
    log_likelihood : ndarray of shape (size, size)
        At ``(x[j], y[i])``, its maximum 0.
    weight : float
        The weight of the cell's similar pairs.
    """

    x: np.ndarray
    y: np.ndarray
    log_likelihood: np.ndarray
    weight: float

    @property
    def odds(self) -> np.ndarray:
        """The odds of each point against the likeliest of the grid, from 0 to 1, as `OtherPlaces` counts them."""
        return np.asarray(np.exp(self.log_likelihood / self.weight))


def other_places(lvm: LVM, row: int, *, callback: Callable[[Progress], Any] | None = None) -> OtherPlaces:
    """Find the places on a finished map at which one cell could lie, with their odds.

    All other cells stay where they are. The likelihood of this one has a maximum amid each group of cells that are
    similar to it; a cell whose neighbours are torn apart on the map has several.

    Parameters
    ----------
    lvm : LVM
        Fitted.
    row : int
        The row of the cell.
    callback : callable, optional
        ``callback(progress)`` is called after each ascent. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    OtherPlaces
        All maxima that an ascent from the cell's position, or from one of its similar cells, reaches.

    Raises
    ------
    ValueError
        If the map has no such row.
    Stopped
        If the callback asks for it.

    Notes
    -----
    The sum of Saul (6) counts each of some thirty similar pairs as evidence of its own, though neighbours of one cell
    are neighbours of each other, and its ratios are far too sure: nine neighbours here against six there become odds of
    a million to one. Therefore the log-likelihood is divided by the weight of the cell's similar pairs, so that a cell
    is one observation. `docs/trust.md` measures how often second places are right. Maxima closer than 0.3 standard
    deviations of the map are one place.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> from latentmap.quality import other_places
    >>> lvm = LVM().fit(load_iris().data)
    >>> other_places(lvm, 0).odds.round(2).tolist()[0]
    1.0
    """
    return finished(iter_other_places(lvm, row), callback)


def iter_other_places(lvm: LVM, row: int) -> Generator[Progress, None, OtherPlaces]:
    """Find the places of one cell step by step, as :func:`other_places` does.

    Yields
    ------
    Progress
        After each ascent; closing the generator ends it.

    Returns
    -------
    OtherPlaces
    """
    likelihood = lvm.cell_likelihood(row)
    width = float(np.nanstd(lvm.embedding_, axis=0).max()) or 1.0
    starts = likelihood.neighbors[np.argsort(-likelihood(likelihood.neighbors), kind="stable")]
    starts = np.concatenate([likelihood.position[None], _apart(starts, _ONE_PLACE * width)[: _MOST_STARTS - 1]])
    ends = []
    for number, start in enumerate(starts):
        yield Progress("places", number, len(starts))
        ends.append(_climbed(likelihood, start, width))
    order = np.argsort(-likelihood(np.array(ends)), kind="stable")
    positions = _apart(np.array(ends)[order], _ONE_PLACE * width)
    return OtherPlaces(positions, softmax(likelihood(positions) / likelihood.weight))


def likelihood_field(
    lvm: LVM,
    row: int,
    size: int = 64,
    margin: float = 0.05,
    *,
    turn: ArrayLike | None = None,
    box: ArrayLike | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> Field:
    """Return the log-likelihood of one cell on a grid over a finished map, all other cells held where they are.

    Parameters
    ----------
    lvm : LVM
        Fitted, in two dimensions.
    row : int
        The row of the cell.
    size : int
        Lines of the grid along each axis.
    margin : float
        How far the grid goes beyond the map, as a share of its sides.
    turn : array-like of shape (2, 2), optional
        A rotation, perhaps with a reflection: the grid lies along the axes of ``embedding_ @ turn``.
    box : array-like of shape (2, 2), optional
        The lowest and the highest coordinates, along these axes, of the part of the map that the grid covers; by
        default the whole map.
    callback : callable, optional
        ``callback(progress)`` is called after each few lines. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    Field

    Raises
    ------
    ValueError
        If the map has no such row, or other than two dimensions.
    Stopped
        If the callback asks for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> from latentmap.quality import likelihood_field
    >>> field = likelihood_field(LVM(max_iter=50).fit(load_iris().data), 0, size=20)
    >>> field.log_likelihood.shape, float(field.odds.max())
    ((20, 20), 1.0)
    """
    return finished(iter_likelihood_field(lvm, row, size, margin, turn=turn, box=box), callback)


def iter_likelihood_field(
    lvm: LVM,
    row: int,
    size: int = 64,
    margin: float = 0.05,
    *,
    turn: ArrayLike | None = None,
    box: ArrayLike | None = None,
) -> Generator[Progress, None, Field]:
    """Compute the field of one cell step by step, as :func:`likelihood_field` does.

    Yields
    ------
    Progress
        Before each few lines of the grid; closing the generator ends it.

    Returns
    -------
    Field
    """
    if lvm.n_components != 2:
        raise ValueError(f"A field needs a map in two dimensions, but this one has {lvm.n_components}.")
    size, likelihood = whole_number(size, "size"), lvm.cell_likelihood(row)
    axes = np.eye(2) if turn is None else np.asarray(turn, float)
    drawn = lvm.embedding_ @ axes
    low, high = (np.nanmin(drawn, axis=0), np.nanmax(drawn, axis=0)) if box is None else np.asarray(box, float)
    low, high = low - margin * (high - low), high + margin * (high - low)
    x, y = np.linspace(low, high, size).T
    points = np.stack(np.meshgrid(x, y), axis=-1) @ axes.T
    values = []
    for first in range(0, size, _LINES):
        yield Progress("likelihood over the map", first, size)
        values.append(likelihood(points[first : first + _LINES].reshape(-1, 2)))
    on_grid = np.concatenate(values).reshape(size, size)
    return Field(x, y, on_grid - on_grid.max(), likelihood.weight)


def _climbed(likelihood: Callable[[np.ndarray], np.ndarray], start: np.ndarray, width: float) -> np.ndarray:
    """Return the maximum that an ascent from a start reaches."""
    steps = np.concatenate([np.zeros((1, len(start))), _STEP * np.eye(len(start)), -_STEP * np.eye(len(start))])

    def descent(at: np.ndarray) -> tuple[float, np.ndarray]:
        here, *around = likelihood(width * (at + steps))
        ahead, behind = np.array(around).reshape(2, -1)
        return -float(here), (behind - ahead) / (2 * _STEP)

    found = minimize(descent, start / width, jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS})
    return np.asarray(width * found.x)


def _apart(points: np.ndarray, distance: float) -> np.ndarray:
    """Return those points that are not close to an earlier one."""
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > distance for other in kept):
            kept.append(point)
    return np.array(kept)
