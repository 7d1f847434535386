"""The part of the panel where the user chooses where the maps are drawn, and by which of their axes."""

from magicgui.widgets import CheckBox, ComboBox, Container

from latentmap.display.actions import ACTIONS, axis_names
from latentmap.napari_plugin.panel.form import beside, labelled
from latentmap.session import Session

_NONE = -1


class ViewSection(Container):
    """Beside the images or in a view of their own; the axes drawn, where a map has more than two.

    Parameters
    ----------
    session : Session
        Its look is shown and set.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._n_axes = 2
        self._is_showing = False
        self.own_view = CheckBox(
            text="maps in a view of their own",
            tooltip="Draw the maps in a second canvas, below the images, instead of beside them.",
        )
        self.across = ComboBox(choices=lambda _: self._axes(), tooltip=ACTIONS["across"].about)
        self.up = ComboBox(choices=lambda _: self._axes(), tooltip=ACTIONS["up"].about)
        self.depth = ComboBox(
            choices=lambda _: [("flat", _NONE), *self._axes()],
            tooltip=f"{ACTIONS['depth'].about} The maps are in a view of their own.",
        )
        self._axes_row = labelled(ACTIONS["across"].label, beside(self.across, self.up, self.depth))
        super().__init__(widgets=[self.own_view, self._axes_row], labels=False)
        self.margins = (0, 0, 0, 0)
        self.own_view.changed.connect(self._set)
        for box in (self.across, self.up, self.depth):
            box.changed.connect(self._set)
        session.look.events.axes.connect(self.refresh, max_args=0)
        session.look.events.own_view.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what can be chosen for the current map."""
        current = self._session.runs.current
        self._n_axes = 2 if current is None else max(2, int(current.parameters["n_components"]))
        look = self._session.look
        across, up, *depth = look.axes_of(self._n_axes)
        self._is_showing = True
        for box, axis in ((self.across, across), (self.up, up), (self.depth, depth[0] if depth else _NONE)):
            box.reset_choices()
            box.value = axis
        self.own_view.value = look.own_view
        self._is_showing = False
        self._axes_row.visible = self._n_axes > 2

    def _axes(self) -> list[tuple[str, int]]:
        return axis_names(self._n_axes)

    def _set(self) -> None:
        if self._is_showing:
            return
        look = self._session.look
        look.own_view = self.own_view.value
        if self._n_axes > 2:
            depth = () if self.depth.value == _NONE else (self.depth.value,)
            look.axes = (self.across.value, self.up.value, *depth)
