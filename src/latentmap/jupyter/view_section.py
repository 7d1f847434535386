"""The part of the panel with the choice of axes, and of the cells that the map is fitted to."""

from collections.abc import Sequence

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.presenters.axes import FLAT, AxesPresenter
from latentmap.session import Session


class ViewSection(w.VBox):
    """Draws what `AxesPresenter` decides."""

    def __init__(self, session: Session) -> None:
        self._presenter, self._settings = AxesPresenter(session, self), session.display_settings
        self.across, self.up, self.depth = self._boxes = [_box(name) for name in ("across", "up", "depth")]
        boxes = w.HBox(self._boxes, layout=w.look(flex="1", min_width="0"))
        self.axes_row = labelled(ACTIONS["across"].label, boxes, ACTIONS["across"].about)
        self.show_all = w.Checkbox(
            value=self._settings.show_all,
            description=ACTIONS["show_all"].label,
            indent=False,
            tooltip=ACTIONS["show_all"].about,
        )
        super().__init__([self.show_all, self.axes_row])
        self.show_all.observe(lambda change: setattr(self._settings, "show_all", change["new"]), "value")
        self._settings.events.show_all.connect_setattr(self.show_all, "value", maxargs=1)
        for box in self._boxes:
            box.observe(lambda _: self._presenter.choose(*(one.value for one in self._boxes)), "value")
        self._presenter.refresh()

    def close(self) -> None:
        """Stop following the session."""
        self._presenter.close()
        self._settings.events.show_all.disconnect_setattr(self.show_all, "value")
        super().close()

    def show_axes(self, names: Sequence[tuple[str, int]], chosen: tuple[int, int, int], *, offered: bool) -> None:
        """Offer the axes of the current map, and show those chosen."""
        for box, options, axis in zip(self._boxes, (names, names, [FLAT, *names]), chosen, strict=True):
            if box.options != tuple(options):
                box.options = tuple(options)
            box.value = axis
        w.set_visible(self.axes_row, offered)


def _box(name: str) -> w.Dropdown:
    return w.Dropdown(tooltip=ACTIONS[name].about, layout=w.look(flex="1 1 0", min_width="0", width="auto"))
