"""What a front end shows of gates."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from latentmap.display.gate_shape import GateShape
from latentmap.presenters.plotting import PlotView

PlotTool = Literal["move", "lasso", "polygon", "rectangle", "threshold", "quadrant"]
"""What dragging in the plot does."""


DRAWN_COLOUR = "#ff8c1a"
"""The colour of a shape that is no gate yet."""


class GateLine(NamedTuple):
    """A line in the list of gates.

    Attributes
    ----------
    counts : tuple of str
        How many cells each of its classes holds.
    about : str
        Where it lies.
    colours : tuple of str
        Those of its classes, as ``#rrggbb``.
    """

    counts: tuple[str, ...]
    about: str
    colours: tuple[str, ...]


class Outline(NamedTuple):
    """A gate on the plot: its shape, its name and colour, and whether it can be dragged."""

    shape: GateShape
    name: str
    colour: str
    is_current: bool


class GateView(PlotView, Protocol):
    """A plot of features with tools, a field for a class's name, and a list of gates."""

    def show_outlines(self) -> None:
        """Draw the gates again; the cells stay as they are."""

    def show_gates(self, lines: Sequence[GateLine], chosen: int | None) -> None:
        """List the gates, one of which may be chosen."""

    def show_current(
        self, sentence: str, *, can_add: bool, can_change: bool, is_own: bool, threshold: float | None
    ) -> None:
        """Say how many cells are in the shape drawn or the gate chosen.

        `can_add`: a shape is drawn that is no gate yet; `can_change`: a gate is chosen, which can be renamed or
        removed; `is_own`: it has bounds of its own in this image; `threshold`: its value, if it is one.
        """
