"""The part of the panel that selects more cells like those selected."""

from collections.abc import Callable

from magicgui.widgets import Container, PushButton, SpinBox
from magicgui.widgets.bases import Widget

from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.presenters.more_cells import MORE, MoreCellsPresenter
from latentmap.session import Session


class MoreCellsSection(Container[Widget]):
    """Draws what `MoreCellsPresenter` decides."""

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        self.n_more = SpinBox(min=0, max=10_000_000, value=0, tooltip=MORE["count"].about)
        self.n_more.native.setSpecialValueText("as many")
        self.alike, self.near = (
            PushButton(text=MORE[name].label, tooltip=MORE[name].about) for name in ("alike", "near")
        )
        super().__init__(
            widgets=[label_row(MORE["count"].label, in_row(self.n_more, self.alike, self.near))], labels=False
        )
        self.margins = (0, 0, 0, 0)
        self.presenter = MoreCellsPresenter(session, self, main_thread(), tell)
        for name, button in (("alike", self.alike), ("near", self.near)):
            button.changed.connect(lambda _=None, name=name: self.presenter.find(name, self.n_more.value))
        self.presenter.refresh()

    def show_more(self, *, can: bool) -> None:
        """Enable the buttons if there is a selection on a map."""
        self.alike.enabled = self.near.enabled = can
