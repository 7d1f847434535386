"""The outlines of gates on a plot, and what becomes of a gate whose outline is dragged."""

from dataclasses import dataclass, replace

import numpy as np
from skimage.measure import approximate_polygon

from latentmap.display.feature_plot import Limits
from latentmap.session import Axis, Gate
from latentmap.session.gate import Kind, Side, gate_names

# How far a drawn line may lie from the polygon that replaces it, as a share of the size of what was drawn.
_TOLERANCE = 0.015
# On axes other than its own, a side of a polygon is bent, and drawn by so many pieces.
_PIECES = 24
# The handles of a rectangle, each by which of the two corners gives its first and its second coordinate.
_HANDLES = ((0, 0), (1, 0), (1, 1), (0, 1))


@dataclass(frozen=True, eq=False)
class GateShape:
    """The outline of a gate.

    Attributes
    ----------
    paths : tuple of ndarray of float, shape (n_points, 2)
        Its lines, as positions along the axes of the plot.
    is_closed : bool
        Whether it is one line that encloses the cells.
    handles : ndarray of float, shape (n_handles, 2)
        The points by which its corners can be dragged.
    """

    paths: tuple[np.ndarray, ...]
    is_closed: bool
    handles: np.ndarray


def gate_shape(gate: Gate, layer: str | None, axes: tuple[Axis, ...], limits: Limits) -> GateShape | None:
    """Return the outline of a gate.

    Parameters
    ----------
    gate : Gate
        The gate.
    layer : str or None
        The layer whose corners are drawn; None for those of all layers without corners of their own.
    axes : tuple of Axis
        The axes of the plot.
    limits : Limits
        The part of the plot in view; lines without an end run across it.

    Returns
    -------
    GateShape or None
        None if the plot has other features.

    Examples
    --------
    >>> gate = Gate("threshold", (Axis("CD4"),), ((100.0,),), ("CD4+", ""))
    >>> gate_shape(gate, None, (Axis("CD4", "log"),), Limits(0, 4, 0, 10)).handles.tolist()
    [[2.0, 5.0]]
    """
    if [axis.feature for axis in gate.axes] != [axis.feature for axis in axes]:
        return None
    corners = np.array(gate.corners_in(layer))
    at = np.nan_to_num(_positions(axes, corners), nan=min(limits.left, limits.bottom) - 1e3)
    low, high = limits.bottom - (limits.top - limits.bottom), limits.top + (limits.top - limits.bottom)
    first, last = limits.left - (limits.right - limits.left), limits.right + (limits.right - limits.left)
    middle = (limits.bottom + limits.top) / 2
    if gate.kind == "threshold":
        x = at[0, 0]
        return GateShape((np.array([[x, low], [x, high]]),), False, np.array([[x, middle]]))
    if gate.kind == "quadrant":
        x, y = at[0]
        return GateShape((np.array([[x, low], [x, high]]), np.array([[first, y], [last, y]])), False, at)
    if gate.kind == "rectangle":
        heights = at[:, 1] if len(axes) == 2 else np.array([low, high])
        around = np.array([[at[x, 0], heights[y]] for x, y in _HANDLES])
        handles = around if len(axes) == 2 else np.array([[x, middle] for x in at[:, 0]])
        return GateShape((around,), True, handles)
    if gate.axes == axes:
        return GateShape((at,), True, at)
    return GateShape((_bent(gate.axes, axes, corners, limits),), True, np.empty((0, 2)))


def drawn_gate(
    kind: Kind, axes: tuple[Axis, ...], path: np.ndarray, side: Side, *, is_exact: bool = False
) -> Gate | None:
    """Return the gate that the user has drawn, with names that it has until it gets its own.

    Parameters
    ----------
    kind : {"rectangle", "polygon", "threshold", "quadrant"}
        The shape.
    axes : tuple of Axis
        The axes of the plot.
    path : ndarray of float, shape (n_points, 2)
        The path of the mouse, as positions along the axes; of a histogram the second ones do not count.
    side : {"above", "below", "both"}
        Which cells a threshold puts into a class.
    is_exact : bool
        Whether the path of a polygon is its corners, as they were clicked, and no line that few corners can replace.

    Returns
    -------
    Gate or None
        None if the path encloses nothing, or the plot has too few features for the shape.

    Examples
    --------
    >>> drawn_gate("rectangle", (Axis("CD4", "log"),), np.array([[2.0, 9.0], [1.0, 4.0]]), "above").corners
    ((10.0,), (100.0,))
    """
    at = path[:, : len(axes)]
    n_axes = {"threshold": (1,), "rectangle": (1, 2)}.get(kind, (2,))
    if not len(at) or len(axes) not in n_axes:
        return None
    if kind in ("threshold", "quadrant"):
        at = at[-1:]
    elif kind == "rectangle":
        at = np.array([at.min(axis=0), at.max(axis=0)])
    elif is_exact:
        if not _area(at):
            return None
    elif len(at := _simplified(at)) < 3:
        return None
    columns = [axis.values(column) for axis, column in zip(axes, at.T, strict=True)]
    corners = tuple(tuple(map(float, corner)) for corner in np.column_stack(columns))
    return Gate(kind, axes, corners, gate_names(kind, axes, "shape", side))


def _area(corners: np.ndarray) -> float:
    """The area inside a polygon whose sides do not cross; 0 where there is none."""
    x, y = (corners - corners[0]).T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def reshaped(
    gate: Gate, layer: str | None, axes: tuple[Axis, ...], handle: int | None, by: tuple[float, float]
) -> Gate:
    """Return a gate after its outline was dragged.

    Parameters
    ----------
    gate : Gate
        The gate.
    layer : str or None
        The layer whose corners change; None for all layers without corners of their own.
    axes : tuple of Axis
        The axes of the plot.
    handle : int or None
        The index of the handle that was dragged; None moves the gate as a whole.
    by : tuple of float
        How far, as positions along the axes.

    Examples
    --------
    >>> gate = Gate("rectangle", (Axis("CD4", "log"),), ((1.0,), (10.0,)), ("T",))
    >>> reshaped(gate, None, gate.axes, 1, (1.0, 0.0)).corners
    ((1.0,), (100.0,))
    """
    corners = np.array(gate.corners_in(layer))
    before, step = _positions(axes, corners), np.array(by[: len(axes)])
    at = before.copy()
    if handle is None:
        at = at + step
    elif gate.kind == "rectangle" and len(axes) == 2:
        for axis, corner in enumerate(_HANDLES[handle]):
            at[corner, axis] += step[axis]
    else:
        at[handle] += step
    values = np.column_stack([axis.values(column) for axis, column in zip(axes, at.T, strict=True)])
    # What the axis cannot show, or those of the polygon cannot, stays where it is; and so does what was not dragged, to
    # the last digit.
    shows = np.isfinite(values) & (np.isfinite(_positions(gate.axes, values)) if gate.kind == "polygon" else True)
    values = np.where(shows & (at != before), values, corners)
    if gate.kind == "rectangle":
        values = np.sort(values, axis=0)
    return gate.with_corners(tuple(tuple(map(float, corner)) for corner in values), layer)


def rescaled(gate: Gate, axes: tuple[Axis, ...]) -> Gate:
    """Return a gate that remembers other scalings of its axes; a polygon keeps those that it was drawn on."""
    return gate if gate.kind == "polygon" else replace(gate, axes=axes)


def _positions(axes: tuple[Axis, ...], values: np.ndarray) -> np.ndarray:
    return np.column_stack([axis.positions(column) for axis, column in zip(axes, values.T, strict=True)])


def _bent(own: tuple[Axis, ...], axes: tuple[Axis, ...], corners: np.ndarray, limits: Limits) -> np.ndarray:
    """The sides of a polygon, straight along its own axes, on others."""
    at = _positions(own, corners)
    shares = np.arange(_PIECES) / _PIECES
    sides = at[:, None] + shares[:, None] * (np.roll(at, -1, axis=0) - at)[:, None]
    columns = sides.reshape(-1, 2).T
    values = np.column_stack([axis.values(column) for axis, column in zip(own, columns, strict=True)])
    bent: np.ndarray = np.nan_to_num(_positions(axes, values), nan=min(limits.left, limits.bottom) - 1e3)
    return bent


def _simplified(path: np.ndarray) -> np.ndarray:
    """A polygon of few corners along a drawn line, so that each can be dragged."""
    spans = np.where(np.ptp(path, axis=0) > 0, np.ptp(path, axis=0), 1)
    corners: np.ndarray = approximate_polygon(np.vstack([path, path[:1]]) / spans, _TOLERANCE)[:-1] * spans
    return corners
