"""A part of a panel whose widgets show and set the parameters."""

from collections.abc import Sequence
from functools import partial

from magicgui.widgets import Container
from magicgui.widgets.bases import BaseValueWidget, Widget

from latentmap.napari_plugin.qt.fields import show
from latentmap.session import Parameters


class BoundSection(Container):
    """Widgets and parameters that follow each other.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    names : sequence of str
        The fields of `parameters` that the section has a widget for, under the same name.
    rows : sequence of magicgui.widgets.bases.Widget
        The widgets as they are laid out.
    """

    def __init__(self, parameters: Parameters, names: Sequence[str], rows: Sequence[Widget]) -> None:
        super().__init__(widgets=rows, labels=False)
        self.margins = (0, 0, 0, 0)
        self._parameters = parameters
        for name in names:
            self._show(name)
            self._field(name).changed.connect_setattr(parameters, name, maxargs=1)
            parameters.events[name].connect(partial(self._show, name), max_args=0)

    def _show(self, name: str) -> None:
        # As it is now: what the signal tells is old news where another listener has set the parameter in turn.
        show(self._field(name), getattr(self._parameters, name))

    def _field(self, name: str) -> BaseValueWidget:
        return getattr(self, name)
