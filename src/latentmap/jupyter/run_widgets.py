"""The buttons of a run in a notebook, its progress bar, and the messages about it."""

from html import escape

from latentmap.display.map_sentences import far_out_note
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import paragraph
from latentmap.jupyter.form import ParameterForm
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.progress import UPDATE_INTERVAL, RunProgressBar
from latentmap.presenters.progress import ProgressPresenter
from latentmap.presenters.run_control import BUTTONS, RunPresenter
from latentmap.session import Result, Session
from latentmap.table import CellTable

_WIDE = {"flex": "1 1 auto", "width": "auto"}


class RunWidgets:
    """Draws what `RunPresenter` decides.

    Parameters
    ----------
    session : Session
    cells : CellTable
        The cells that every map is made of.
    form : ParameterForm
        Shows how many levels a map has.
    maps : Maps
        Know how many cells they draw at the edge.

    Attributes
    ----------
    buttons : ipywidgets.HBox
        The buttons below the form.
    """

    def __init__(self, session: Session, cells: CellTable, form: ParameterForm, maps: Maps) -> None:
        self._cells, self._form, self._maps = cells, form, maps
        self.embed, self.pause, self.cancel = (
            w.Button(
                description=BUTTONS[name].label,
                tooltip=BUTTONS[name].about,
                button_style="primary" if name == "embed" else "",
                layout=w.look(**_WIDE),
            )
            for name in ("embed", "pause", "cancel")
        )
        live = BUTTONS["live"]
        self.live = w.Checkbox(description=live.label, indent=False, tooltip=live.about, layout=w.look(**_WIDE))
        self.buttons = w.HBox([self.embed, self.pause, self.cancel, self.live])
        self.progress, self.about, self.status = RunProgressBar(), w.HTML(), w.HTML()
        self.status.add_class("latentmap-status")
        self._session = session
        self.presenter = RunPresenter(
            session, self, ProgressPresenter(self.progress), lambda: self._cells, UPDATE_INTERVAL
        )
        self.embed.on_click(lambda _: self.presenter.embed())
        self.pause.on_click(lambda _: self.presenter.pause())
        self.cancel.on_click(lambda _: self.presenter.cancel())
        self.live.observe(lambda change: setattr(session.live, "on", change.new), "value")
        session.live.switched.connect_setattr(self.live, "value", maxargs=1)
        session.parameters.events.connect(self.presenter.preview, max_args=0)
        self.presenter.refresh()

    def close(self) -> None:
        """Release the cells and the maps, because a notebook keeps even closed widgets."""
        self._session.parameters.events.disconnect(self.presenter.preview)
        self.presenter.close()
        del self._cells, self._form, self._maps

    def take_cells(self, cells: CellTable) -> None:
        """Make maps of these cells from now on."""
        self._cells = cells
        self.presenter.preview()

    def make_ready(self) -> CellTable:
        """Return the cells."""
        return self._cells

    def give_up(self) -> None:
        """Do nothing, because `make_ready` needs no undoing."""

    def show_buttons(self, *, running: bool, pause: str) -> None:
        """Enable or disable Pause and Cancel, and label the button that pauses or resumes the run."""
        self.pause.disabled = self.cancel.disabled = not running
        self.pause.description = pause

    def show_preview(self, sentence: str) -> None:
        """Say above the form what the next map will be made of."""
        self.about.value = paragraph(sentence)

    def tell(self, sentence: str) -> None:
        """Show a message below the form."""
        self.status.value = _unfolding(sentence) if sentence else ""

    def withdraw(self, sentence: str) -> None:
        """Take a message away if it is still shown."""
        if self.status.value == _unfolding(sentence):
            self.status.value = ""

    def not_drawn(self) -> list[str]:
        """Say how many cells are drawn at the edge."""
        return far_out_note(sum(one.beyond for one in self._maps.shown))

    def show_map(self, result: Result) -> None:
        """Show how many levels the map has."""
        self._form.show_levels(result.n_levels)


def _unfolding(sentence: str) -> str:
    """Return text of which one line is shown, and the rest on a click, so that it moves nothing."""
    words = escape(sentence, quote=True)
    return f"<details title='{words}'><summary>{words}</summary></details>"
