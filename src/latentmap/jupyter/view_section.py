"""The part of the panel where the user chooses which axes of the maps are drawn."""

from typing import Any

import ipywidgets as w

from latentmap.display.actions import ACTIONS, axis_names
from latentmap.jupyter.fields import labelled
from latentmap.session import Session

_FLAT = ("flat", -1)


class ViewSection(w.VBox):
    """The axes drawn, to be seen where a map has more than two.

    Parameters
    ----------
    session : Session
        Its look is shown and set.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.across, self.up, self.depth = (_box(name) for name in ("across", "up", "depth"))
        boxes = w.HBox([self.across, self.up, self.depth], layout=w.Layout(flex="1", min_width="0"))
        super().__init__([labelled(ACTIONS["across"].label, boxes, ACTIONS["across"].about)])
        self._n_axes = 0
        for box in (self.across, self.up, self.depth):
            box.observe(self._set, "value")
        session.look.events.axes.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def close(self) -> None:
        """Let go of the session."""
        self._session.look.events.axes.disconnect(self.refresh)
        self._session.runs.changed.disconnect(self.refresh)
        super().close()

    def refresh(self) -> None:
        """Show what can be chosen for the current map."""
        current = self._session.runs.current
        n_axes = 2 if current is None else max(2, int(current.parameters["n_components"]))
        across, up, *depth = self._session.look.axes_of(n_axes)
        self._n_axes = 0  # nothing is set meanwhile
        names = tuple(axis_names(n_axes))
        for box, options, axis in (
            (self.across, names, across),
            (self.up, names, up),
            (self.depth, (_FLAT, *names), depth[0] if depth else -1),
        ):
            if box.options != options:
                box.options = options
            box.value = axis
        self._n_axes = n_axes
        self.layout.display = None if n_axes > 2 else "none"

    def _set(self, _: Any) -> None:
        if self._n_axes > 2:
            depth = () if self.depth.value < 0 else (self.depth.value,)
            self._session.look.axes = (self.across.value, self.up.value, *depth)


def _box(name: str) -> w.Dropdown:
    return w.Dropdown(tooltip=ACTIONS[name].about, layout=w.Layout(flex="1 1 0", min_width="0", width="auto"))
