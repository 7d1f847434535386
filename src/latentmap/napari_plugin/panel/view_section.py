"""The part of the panel for choosing where the maps are drawn, and along which axes."""

from collections.abc import Sequence

from magicgui.widgets import CheckBox, ComboBox, Container
from magicgui.widgets.bases import Widget

from latentmap.display.actions import ACTIONS, axis_names
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.presenters.axes import FLAT, AxesPresenter
from latentmap.session import Session


class ViewSection(Container[Widget]):
    """Draws what `AxesPresenter` decides, and moves the maps to a separate view."""

    def __init__(self, session: Session) -> None:
        self._presenter, self._names = AxesPresenter(session, self), [FLAT, *axis_names(2)]
        self.own_view = CheckBox(
            value=session.display_settings.own_view,
            text="maps in a separate view",
            tooltip="Draw the maps on a second canvas below the images, instead of beside them.",
        )
        self.show_all = CheckBox(
            value=session.display_settings.show_all, text=ACTIONS["show_all"].label, tooltip=ACTIONS["show_all"].about
        )
        self.across = ComboBox(choices=lambda _: self._names[1:], tooltip=ACTIONS["across"].about)
        self.up = ComboBox(choices=lambda _: self._names[1:], tooltip=ACTIONS["up"].about)
        self.depth = ComboBox(
            choices=lambda _: self._names,
            tooltip=f"{ACTIONS['depth'].about} The maps are then in a separate view.",
        )
        self._boxes = (self.across, self.up, self.depth)
        self._axes_row = label_row(ACTIONS["across"].label, in_row(*self._boxes))
        super().__init__(widgets=[in_row(self.own_view, self.show_all), self._axes_row], labels=False)
        self.margins = (0, 0, 0, 0)
        self.own_view.changed.connect_setattr(session.display_settings, "own_view", maxargs=1)
        session.display_settings.events.own_view.connect_setattr(self.own_view, "value", maxargs=1)
        self.show_all.changed.connect_setattr(session.display_settings, "show_all", maxargs=1)
        session.display_settings.events.show_all.connect_setattr(self.show_all, "value", maxargs=1)
        for box in self._boxes:
            box.changed.connect(self._choose, max_args=0)
        self._presenter.refresh()

    def show_axes(self, names: Sequence[tuple[str, int]], chosen: tuple[int, int, int], *, offered: bool) -> None:
        """Offer the axes of the current map, and show which are drawn."""
        self._names = [FLAT, *names]
        for box, axis in zip(self._boxes, chosen, strict=True):
            box.reset_choices()
            box.value = axis
        self._axes_row.visible = offered

    def _choose(self) -> None:
        self._presenter.choose(*(box.value for box in self._boxes))
