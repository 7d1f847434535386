"""The labels and explanations of the buttons of both front ends, and what is said after they are pressed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from latentmap.session.wording import counted


@dataclass(frozen=True)
class Action:
    """The words of a button or check box: its label, and what it does in a sentence."""

    label: str
    about: str


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "undo": Action("Undo", "Undo the last change of the selection."),
        "redo": Action("Redo", "Redo the change that was undone last."),
        "invert": Action("Invert", "Select the cells on the map that are not selected."),
        "clear": Action("Clear", "Clear the selection."),
        "class_name": Action("name of a class", "The name of an existing or a new class."),
        "assign": Action("Name as class", "Put the selected cells into the class of this name."),
        "unassign": Action("No class", "Take the selected cells out of their classes."),
        "alone": Action("Embed alone", "Make a map of the selected cells only, with the current parameters."),
        "drop": Action("Drop", "Leave the selected cells out of all later maps and tables: they are not cells."),
        "restore": Action("Bring them back", "Bring back the cells that were dropped."),
        "colour": Action("Colour", "What the points are coloured by."),
        "sized": Action(
            "larger where uncertain",
            "Draw uncertain cells larger: those are the ones that fit in nowhere.",
        ),
        "across": Action("Axes", "The map's axis that is drawn to the right."),
        "up": Action("Axes", "The map's axis that is drawn upwards."),
        "depth": Action(
            "Axes",
            "The map's axis that is drawn into the depth; dragging with the tool Move then turns the map.",
        ),
        "compare": Action(
            "compare cells by clicking",
            "Three clicks say one thing: a cell, one that it is more like, and one that it is less like.",
        ),
        "uncompare": Action("Take back", "Take back the last click or, if there is none, the last comparison."),
        "forget": Action("Forget all", "Forget all comparisons."),
        "clusters": Action(
            "Clusters",
            "HDBSCAN finds dense clumps, and leaves the cells between them in no class; k-means divides all cells into "
            "a given number of parts.",
        ),
        "least": Action("fewest cells", "The fewest cells of a clump; 0 for the square root of the number of cells."),
        "parts": Action("parts", "The number of parts."),
        "cluster": Action(
            "Cluster the map",
            'Put the cells into classes "cluster 1", "cluster 2" ..., the largest first. Cells that you have put into '
            "a class yourself stay there.",
        ),
    }
)
"""The actions by name."""

METHODS = (("dense clumps (HDBSCAN)", "hdbscan"), ("k parts (k-means)", "k-means"))
"""The labels of the ways to find clusters, and their names."""


def axis_names(n_axes: int) -> list[tuple[str, int]]:
    """Label the axes of a map, as choices.

    Examples
    --------
    >>> axis_names(2)
    [('axis 1', 0), ('axis 2', 1)]
    """
    return [(f"axis {axis + 1}", axis) for axis in range(n_axes)]


def selected(count: int) -> str:
    """Say how many cells are selected, or what to do.

    Examples
    --------
    >>> selected(2)
    'Selection: 2 cells'
    """
    return (
        f"Selection: {counted(count, 'cell')}"
        if count
        else "Selection: none. Draw around points on the map, or click a cell."
    )


def assigned(count: int, name: str) -> str:
    """Say that cells are now in a class."""
    is_ = "is" if count == 1 else "are"
    return f'{counted(count, "cell")} {is_} now in the class "{name.strip()}".'


def dropped(count: int) -> str:
    """Say that cells are dropped."""
    return f"{counted(count, 'cell')} dropped: left out of all later maps and saved tables."


RESTORED = "The dropped cells are back, and will be on the next map."
"""Said after dropped cells are restored."""
