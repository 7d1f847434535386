"""The labels and tooltips of the buttons of both front ends, and the messages shown after they are pressed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from latentmap.session.wording import counted


@dataclass(frozen=True)
class Action:
    """The label of a button or check box, and its tooltip."""

    label: str
    about: str


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "undo": Action("Undo", "Undo the last change to the selection."),
        "redo": Action("Redo", "Redo the last change that was undone."),
        "invert": Action("Invert", "Select the cells on the map that are not selected, and deselect the rest."),
        "clear": Action("Clear", "Clear the selection."),
        "class_name": Action("class name", "The name of a new or existing class."),
        "assign": Action("Add to class", "Put the selected cells into the class with this name."),
        "unassign": Action("No class", "Take the selected cells out of their classes."),
        "alone": Action("Embed selection", "Make a map of the selected cells only, with the current parameters."),
        "drop": Action("Drop", "Leave the selected objects out of all later maps and tables: they are not cells."),
        "restore": Action("Bring back", "Bring back the cells that were dropped."),
        "colour": Action("Colour", "What the points are coloured by."),
        "sized": Action(
            "larger where uncertain",
            "Draw cells larger if the model is less certain of their position. The tab Trust says how many neighbours "
            "each cell has lost.",
        ),
        "names": Action(
            "names on the map",
            "Write the names of groups on the map, each where most of its cells lie. Of more than 30 groups, the "
            "largest are named.",
        ),
        "rename": Action("✎", "Rename this class."),
        "images": Action(
            "colour the cells in the images, too",
            "Give the cells in the images the colours of their points. This is on once there are classes, until you "
            "switch it yourself.",
        ),
        "show_all": Action(
            "show all cells",
            "Fit the map to all of its cells. Otherwise cells so far out that they would squeeze all others are drawn "
            "at its edge, as triangles or diamonds.",
        ),
        "across": Action("Axes", "The axis of the map that points to the right."),
        "up": Action("Axes", "The axis of the map that points upwards."),
        "depth": Action(
            "Axes",
            "The axis of the map that points into the screen; dragging with the Move tool then rotates the map.",
        ),
        "count": Action("Count", "The groups whose cells are counted: classes, or the values of a column."),
        "count_by": Action("for each", "What divides the cells: the image that they come from, or a column."),
        "count_and_by": Action("and each", "A second thing that divides the cells, such as a treatment."),
        "around": Action("Around", "The groups that are looked for around each cell: classes, or values of a column."),
        "radius": Action(
            "within",
            "How far from a cell's centre others count, in the unit of its image. 0 stands for three times the usual "
            "distance between neighbouring cells.",
        ),
        "surroundings": Action(
            "Add to the table",
            "Add, for each cell, the shares of these groups among the cells around it, and their number, as features: "
            "they can be mapped, and maps can be coloured by them.",
        ),
        "save_counts": Action("Save counts…", "Save how many cells of each group there are, with shares, as CSV."),
        "mixing": Action(
            "How well mixed?",
            "How many of each cell's nearest on the map are of other images (or of other values of what is chosen as "
            '"for each"), compared with chance.',
        ),
        "compare": Action(
            "compare cells by clicking",
            "Three clicks make one comparison: a cell, then one that is more like it, then one that is less like it.",
        ),
        "uncompare": Action("Undo last", "Undo the last click or, between comparisons, the last comparison."),
        "forget": Action("Delete all", "Delete all comparisons."),
        "clusters": Action(
            "Clusters",
            "HDBSCAN finds dense clusters and puts the cells between them in no class; k-means divides all cells into "
            "a given number of clusters.",
        ),
        "least": Action(
            "smallest size", "The fewest cells in a cluster; 0 for the square root of the number of cells."
        ),
        "parts": Action("number", "The number of clusters."),
        "cluster": Action(
            "Cluster the map",
            'Put the cells into classes named "cluster 1", "cluster 2" and so on, the largest first. Cells that you '
            "have put into a class yourself stay there.",
        ),
    }
)
"""The actions by name."""

PICK_GROUP = "Click a group to select its cells."
"""The tooltip of the groups of a legend."""

PICK_KEYS = "Hold Shift to add them to the selection, Ctrl or Alt to remove them."
"""What keys do that are held during the click."""

CLUSTER_METHODS = (("HDBSCAN", "hdbscan"), ("k-means", "k-means"))
"""The ways to find clusters: the label and the name of each."""


def axis_names(n_axes: int) -> list[tuple[str, int]]:
    """Return the axes of a map as choices: a label and an index for each.

    Examples
    --------
    >>> axis_names(2)
    [('axis 1', 0), ('axis 2', 1)]
    """
    return [(f"axis {axis + 1}", axis) for axis in range(n_axes)]


def selected(count: int) -> str:
    """Say how many cells are selected or, if there are none, how to select some.

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
"""Shown after dropped cells are restored."""
