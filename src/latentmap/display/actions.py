"""What the buttons of both front ends are called, what they explain, and what is said once they are pressed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from latentmap.session.wording import counted


@dataclass(frozen=True)
class Action:
    """What a button or a box to tick says.

    Attributes
    ----------
    label : str
    about : str
        What it does, in a sentence.
    """

    label: str
    about: str


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "undo": Action("Undo", "Take the last change of the selection back."),
        "redo": Action("Redo", "Make it again."),
        "invert": Action("Invert", "Select the cells on the map that are not selected."),
        "clear": Action("Clear", "Select no cell."),
        "class_name": Action("name of a class", "The name of a class, an old or a new one."),
        "assign": Action("Name as class", "Put the cells selected into the class of this name."),
        "unassign": Action("No class", "Take the cells selected out of their classes."),
        "alone": Action("Embed alone", "Make a map of the cells selected and no others, with the parameters set now."),
        "drop": Action("Drop", "Take the cells selected out of all later maps and tables: they are no cells."),
        "restore": Action("Bring them back", "Have the cells back that were dropped."),
        "colour": Action("Colour", "What the colours of the points mean."),
        "sized": Action(
            "larger where uncertain",
            "Draw cells of uncertain place larger: those are the ones that fit in nowhere.",
        ),
        "across": Action("Axes", "The map's axis that is drawn to the right."),
        "up": Action("Axes", "The map's axis that is drawn upwards."),
        "depth": Action(
            "Axes",
            "The map's axis that is drawn into the depth; a drag with the tool Move turns the map then.",
        ),
        "compare": Action(
            "compare cells by clicking",
            "Three clicks say one thing: a cell, one that it is more like, and one that it is less like.",
        ),
        "uncompare": Action("Take back", "Take the last click back, or the last comparison."),
        "forget": Action("Forget all", "Forget all comparisons."),
        "clusters": Action(
            "Clusters",
            "HDBSCAN finds dense clumps, and leaves cells between them in no class; k-means divides all cells into so "
            "many parts.",
        ),
        "least": Action("fewest cells", "The fewest cells that are a clump; 0 for the square root of their number."),
        "parts": Action("parts", "How many parts."),
        "cluster": Action(
            "Cluster the map",
            'Puts the cells into classes "cluster 1", "cluster 2" ..., the largest first. Cells that you have put into '
            "a class yourself stay there.",
        ),
    }
)
"""By what they do."""

METHODS = (("dense clumps (HDBSCAN)", "hdbscan"), ("k parts (k-means)", "k-means"))
"""The ways to find clusters, and what they are called."""


def axis_names(n_axes: int) -> list[tuple[str, int]]:
    """Name the axes of a map, as choices.

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
        else "Selection: none. Go round points on the map, or click a cell."
    )


def assigned(count: int, name: str) -> str:
    """Say that cells are in a class now."""
    is_ = "is" if count == 1 else "are"
    return f'{counted(count, "cell")} {is_} in the class "{name.strip()}" now.'


def dropped(count: int) -> str:
    """Say that cells are dropped."""
    return f"{counted(count, 'cell')} dropped: no later map and no saved table has them."


RESTORED = "The dropped cells are back; the next map has them."
"""Said once they are."""
