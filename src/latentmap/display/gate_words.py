"""The words on gates: tools, buttons, and how many cells lie in one."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from latentmap.display.actions import Action
from latentmap.session import Gate
from latentmap.session.wording import counted

_MODES = "Hold Shift to add them to the selection, Ctrl or Alt to remove them."

PLOT_TOOLS: Mapping[str, Action] = MappingProxyType(
    {
        "move": Action("Move", "Drag to move the plot, or a gate by its outline or corners. The wheel zooms."),
        "lasso": Action("Lasso", f"Draw around cells. {_MODES}"),
        "polygon": Action(
            "Polygon",
            "Click to set corners; a click on the first one, a double click, Enter or the right mouse button closes "
            f"the polygon, Escape discards it. {_MODES}",
        ),
        "rectangle": Action("Rectangle", f"Drag over cells. {_MODES}"),
        "threshold": Action("Threshold", "Drag a line to the value that separates the cells."),
        "quadrant": Action("Quadrant", "Drag a cross to where it separates the cells into four classes."),
    }
)
"""What dragging in the plot does."""

SHOW_ALL = Action("Show all", "Bring all cells into view (or double-click).")
"""The button that ends zooming."""

GATE_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "across": Action("Right", "The feature that is plotted to the right."),
        "up": Action("Up", "The feature that is plotted upwards; without one, the plot is a histogram."),
        "scaling": Action(
            "Scale", "How the values are spread: log cannot show zero and negative values, arcsinh shows all."
        ),
        "cofactor": Action(
            "cofactor", "Of arcsinh: values well below it are spread evenly, values well above it by their logarithm."
        ),
        "image": Action("Image", "Whose cells are plotted. Bounds of a gate that you change in one image are its own."),
        "threshold": Action("Line at", "The value that separates the cells, in the feature's own units."),
        "side": Action("Class of", "Which cells become a class: those at or above the line, those below it, or both."),
        "name": Action("name for the gate", "The name of the class. A quadrant names its four classes itself."),
        "add": Action("Make class", "Make a class of the shape drawn. It remembers its bounds."),
        "rename": Action("Rename", "Give the class of the gate chosen this name."),
        "remove": Action("Remove", "Remove the gate chosen and its class, but not its cells."),
        "share": Action("Same bounds as elsewhere", "Let go of the bounds that the gate has in this image alone."),
        "column": Action(
            "Classes from a column…", "Make a class of each value in a column of words or few whole numbers."
        ),
        "make": Action("Make classes", "Put each cell into the class named like its value in this column."),
    }
)
"""The fields and buttons by name."""

SIDES = (("above the line", "above"), ("below the line", "below"), ("both sides", "both"))
"""Which cells a threshold puts into a class: the label and the name of each choice."""

SCALINGS = ("linear", "log", "arcsinh")
"""How the values of a feature can be spread."""

GATES_HINT = "Draw a shape in the plot: its cells are selected everywhere, and can become a class."
"""Shown while nothing is drawn and no gate is chosen."""


def tools_for(n_axes: int) -> tuple[str, ...]:
    """Return the tools for a histogram or a scatter plot.

    Examples
    --------
    >>> tools_for(1)
    ('move', 'rectangle', 'threshold')
    """
    if n_axes == 1:
        return ("move", "rectangle", "threshold")
    return ("move", "lasso", "polygon", "rectangle", "quadrant")


def usual_tool(n_axes: int) -> str:
    """Return the tool of a new histogram or scatter plot."""
    return "threshold" if n_axes == 1 else "rectangle"


def gate_counts(gate: Gate, features: pd.DataFrame, held: np.ndarray | None = None) -> list[str]:
    """Say how many of these cells each class of a gate holds.

    Parameters
    ----------
    gate : Gate
        The gate.
    features : pandas.DataFrame
        One row per cell, with the keys (layer, frame, label) as index.
    held : ndarray of str, shape (n_cells,), optional
        The class that each cell is in, "" for none; those in another class than that of the gate are counted.

    Examples
    --------
    >>> from latentmap.session import Axis
    >>> keys = pd.MultiIndex.from_tuples([("a", 0, 1), ("a", 0, 2)], names=["layer", "frame", "label"])
    >>> cells, gate = pd.DataFrame({"CD4": [1.0, 9.0]}, keys), Gate("threshold", (Axis("CD4"),), ((5.0,),), ("T", ""))
    >>> gate_counts(gate, cells), gate_counts(gate, cells, np.array(["", "B"]))
    (['T: 1 of 2 cells (50.0 %)'], ['T: 1 of 2 cells (50.0 %), 1 of them in another class'])
    """
    names = [(region, name) for region, name in enumerate(gate.names) if name]
    if any(axis.feature not in features for axis in gate.axes):
        return [f"{', '.join(name for _, name in names)}: the cells lack a feature of this gate"]
    regions, found = gate.regions(features), []
    for region, name in names:
        inside = regions == region
        aside = "" if held is None else _elsewhere(held[inside], name)
        found.append(f"{name}: {share_text(int(inside.sum()), len(regions))}{aside}")
    return found


def _elsewhere(held: np.ndarray, name: str) -> str:
    """Say how many cells of a gate are not in its class."""
    counts = {"another class": np.sum((held != name) & (held != "")), "no class": np.sum(held == "")}
    return "".join(f", {n} of them in {what}" for what, n in counts.items() if n)


def share_text(count: int, total: int) -> str:
    """Say how many of the cells.

    Examples
    --------
    >>> share_text(213, 5000), share_text(0, 0)
    ('213 of 5000 cells (4.3 %)', '0 of 0 cells')
    """
    return f"{count} of {counted(total, 'cell')}" + (f" ({100 * count / total:.1f} %)" if total else "")
