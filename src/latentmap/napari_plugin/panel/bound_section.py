"""A part of the panel whose widgets show and set parameters."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from magicgui.widgets import Container
from magicgui.widgets.bases import BaseValueWidget, Widget

from latentmap.napari_plugin.qt.fields import show
from latentmap.session import Parameters


class BoundSection(Container[Widget]):
    """Keeps widgets and parameters in sync.

    Parameters
    ----------
    parameters : Parameters
    names : sequence of str
        The fields of `parameters`; the section has an attribute of the same name for each widget.
    rows : sequence of magicgui.widgets.bases.Widget
        The rows of the section, from top to bottom.
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
        # The current value, not the signal's: another listener may have changed the parameter in response.
        show(self._field(name), getattr(self._parameters, name))

    def _field(self, name: str) -> BaseValueWidget[Any]:
        field: BaseValueWidget[Any] = getattr(self, name)
        return field
