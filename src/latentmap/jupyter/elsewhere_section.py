"""The part of the panel that adds maps made elsewhere."""

from collections.abc import Callable, Sequence
from pathlib import Path

from traitlets.utils.bunch import Bunch

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.presenters.elsewhere import ELSEWHERE, ElsewherePresenter
from latentmap.session import Schedule, Session
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable

_WIDE = {"flex": "1", "min_width": "0"}
_PATH = "The path of the file, from the notebook's folder."


class ElsewhereSection(w.Accordion):
    """Draws what `ElsewherePresenter` decides; folded away at first."""

    def __init__(
        self,
        session: Session,
        cells: Callable[[], CellTable],
        schedule: Schedule,
        add: Callable[[GivenMap], None],
        tell: Callable[[str], None],
    ) -> None:
        self.map, self.across, self.up = (
            w.Dropdown(tooltip=ELSEWHERE[name].about, layout=w.look(**_WIDE)) for name in ("map", "across", "up")
        )
        self.path = w.Text(placeholder="umap.csv", tooltip=_PATH, layout=w.look(**_WIDE))
        self.file, self.add = (
            w.Button(description=ELSEWHERE[name].label, tooltip=ELSEWHERE[name].about, layout=w.look(width="auto"))
            for name in ("file", "add")
        )
        rows = {
            name: labelled(ELSEWHERE[name].label, field, ELSEWHERE[name].about)
            for name, field in (("map", self.map), ("across", self.across), ("up", self.up))
        }
        self._columns = [rows["across"], rows["up"]]
        body = w.VBox([*rows.values(), self.add, w.HBox([self.path, self.file])])
        super().__init__([body], titles=(ELSEWHERE["title"].label,))
        self.presenter = ElsewherePresenter(session, self, cells, schedule, add, tell)
        self._is_showing = False
        self.map.observe(self._choose, "index")
        self.file.on_click(lambda _: self._open())
        self.add.on_click(lambda _: self.presenter.add(self.across.value or "", self.up.value or ""))
        self.presenter.refresh()

    def close(self) -> None:
        """Stop reading, and release the tables."""
        self.presenter.stop()
        super().close()

    def show_maps(self, labels: Sequence[str], chosen: int, *, can_add: bool) -> None:
        """Offer these maps."""
        self._is_showing = True
        self.map.options = list(labels)
        self.map.index = chosen if labels else None
        self._is_showing = False
        self.add.disabled = not can_add

    def show_columns(self, names: Sequence[str]) -> None:
        """Offer these columns, or hide the lists."""
        for index, (field, row) in enumerate(zip((self.across, self.up), self._columns, strict=True)):
            if list(field.options) != list(names):
                field.options = list(names)
                field.index = index if len(names) > index else None
            w.set_visible(row, names)

    def _choose(self, change: Bunch) -> None:
        if not self._is_showing and change.new is not None:
            self.presenter.choose(change.new)

    def _open(self) -> None:
        if self.path.value.strip():
            self.presenter.open(Path(self.path.value.strip()).expanduser())
