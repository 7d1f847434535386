"""The form in which the user sets the parameters."""

from collections.abc import Sequence

from magicgui.widgets import ComboBox, Container, Label, Select, SpinBox
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QAbstractItemView

from latentmap.session import Parameters

LABEL_WIDTH = 100
"""The width of the labels, in pixels."""


class ParameterForm(Container):
    """Shows parameters and lets the user set them; both sides follow each other.

    Parameters
    ----------
    parameters : Parameters
        What the form shows and sets.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.features = Select(
            tooltip="The features that shape the map: cells alike in these lie close together. A click adds or removes "
            "one."
        )
        self.n_neighbors = SpinBox(
            min=1,
            max=200,
            value=parameters.n_neighbors,
            tooltip="How many of the most similar cells each cell is tied to. As it grows, small groups merge and "
            "the map shows the larger groups.",
        )
        self.n_steps = SpinBox(
            min=1,
            max=20,
            value=parameters.n_steps,
            tooltip="Within how many steps from neighbour to neighbour a tie must lead back. As it grows, more ties "
            "are kept: stray cells are drawn in and clumps become tighter.",
        )
        self.n_levels = ComboBox(
            choices=[("auto", "auto"), ("0", 0), ("1", 1), ("2", 2), ("3", 3)],
            value=parameters.n_levels,
            tooltip="How often distant cells are summed up by landmarks. As it grows, large tables are embedded faster "
            "and groups move further apart; 0 is exact.",
        )
        self.n_components = SpinBox(
            min=1,
            max=50,
            value=parameters.n_components,
            tooltip="The dimensions of the map. As it grows, less is squeezed; the first two are drawn, all are saved.",
        )
        super().__init__(
            widgets=[
                labelled("Features", self.features),
                labelled("k neighbours", self.n_neighbors),
                labelled("s steps", self.n_steps),
                labelled("l levels", self.n_levels),
                labelled("d dimensions", self.n_components),
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.features.native.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        for name in ("n_neighbors", "n_steps", "n_levels", "n_components"):
            getattr(self, name).changed.connect_setattr(parameters, name, maxargs=1)
        self.features.changed.connect(self._features_chosen)
        for name in ("features", "n_neighbors", "n_steps", "n_levels", "n_components"):
            getattr(parameters.events, name).connect_setattr(getattr(self, name), "value", maxargs=1)
        self._parameters = parameters

    def offer(self, names: Sequence[str]) -> None:
        """Offer these features; when they are others than before, all of them are chosen.

        Parameters
        ----------
        names : sequence of str
        """
        if list(self.features.choices) != list(names):
            self.features.choices = names
            self.features.value = names

    def _features_chosen(self, names: Sequence[str]) -> None:
        self._parameters.features = tuple(names)


def labelled(text: str, widget: Widget) -> Container:
    """Put a widget beside its label; all labels are equally wide.

    Parameters
    ----------
    text : str
        The label.
    widget : magicgui.widgets.bases.Widget

    Returns
    -------
    magicgui.widgets.Container
    """
    label = Label(value=text, tooltip=widget.tooltip)
    label.min_width = LABEL_WIDTH
    return beside(label, widget)


def beside(*widgets: Widget) -> Container:
    """Put widgets side by side.

    Parameters
    ----------
    *widgets : magicgui.widgets.bases.Widget

    Returns
    -------
    magicgui.widgets.Container
    """
    row = Container(widgets=widgets, layout="horizontal", labels=False)
    row.margins = (0, 0, 0, 0)
    return row
