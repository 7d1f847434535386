"""The part of the panel that selects more cells like those selected."""

from collections.abc import Callable

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.presenters.more_cells import MORE, MoreCellsPresenter
from latentmap.session import Schedule, Session

_WIDE = {"flex": "1 1 0", "width": "auto", "min_width": "0"}


class MoreCellsSection(w.VBox):
    """Draws what `MoreCellsPresenter` decides."""

    def __init__(self, session: Session, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self.n_more = w.BoundedIntText(0, 0, 10_000_000, tooltip=MORE["count"].about, layout=w.look(**_WIDE))
        self.alike, self.near = (
            w.Button(description=MORE[name].label, tooltip=MORE[name].about, layout=w.look(**_WIDE))
            for name in ("alike", "near")
        )
        row = labelled(MORE["count"].label, self.n_more, MORE["count"].about)
        super().__init__([row, w.HBox([self.alike, self.near])])
        self.presenter = MoreCellsPresenter(session, self, schedule, tell)
        self.alike.on_click(lambda _: self.presenter.find("alike", self.n_more.value))
        self.near.on_click(lambda _: self.presenter.find("near", self.n_more.value))
        self.presenter.refresh()

    def close(self) -> None:
        """Stop looking, and release the labels."""
        self.presenter.stop()
        super().close()

    def show_more(self, *, can: bool) -> None:
        """Enable the buttons if there is a selection on a map."""
        self.alike.disabled = self.near.disabled = not can
