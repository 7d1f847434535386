"""The tab for gates: a plot of features, and classes drawn on it."""

from collections.abc import Callable, Sequence
from functools import partial

from latentmap.display.gate_words import GATE_ACTIONS, GATES_HINT, SIDES
from latentmap.jupyter import widgets as w
from latentmap.jupyter.axis_row import AxisRow
from latentmap.jupyter.feature_plot_pane import FeaturePlotPane
from latentmap.jupyter.fields import offer, paragraph
from latentmap.jupyter.legend import swatch
from latentmap.presenters.column_classes import ColumnClassPresenter
from latentmap.presenters.gate_view import GateLine
from latentmap.presenters.gating import GatePresenter
from latentmap.presenters.plotting import ALL_IMAGES, NO_FEATURE
from latentmap.session import Axis, Session
from latentmap.session.wording import three_digits
from latentmap.table import CellTable

_WIDE = {"flex": "1 1 0", "width": "auto", "min_width": "0"}


class GatesTab(w.VBox):
    """Draws what `GatePresenter` and `ColumnClassPresenter` decide.

    Parameters
    ----------
    session : Session
    cells : callable
        Returns the cells.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(self, session: Session, cells: Callable[[], CellTable], tell: Callable[[str], None]) -> None:
        self.presenter = GatePresenter(session, cells, self, tell)
        self.columns = ColumnClassPresenter(session, cells, self, tell)
        self.across, self.up = AxisRow("across"), AxisRow("up")
        self.image = w.Dropdown(tooltip=GATE_ACTIONS["image"].about, layout=w.look(**_WIDE))
        self.plot = FeaturePlotPane(self.presenter)
        self.sentence, self.current = w.HTML(), w.HTML()
        self.threshold = w.Text(
            tooltip=GATE_ACTIONS["threshold"].about, continuous_update=False, layout=w.look(**_WIDE)
        )
        self.side = w.Dropdown(options=SIDES, tooltip=GATE_ACTIONS["side"].about, layout=w.look(**_WIDE))
        self.name = w.Text(
            placeholder=GATE_ACTIONS["name"].label, tooltip=GATE_ACTIONS["name"].about, layout=w.look(**_WIDE)
        )
        self.add, self.rename, self.remove, self.share, self.column, self.make = (
            _button(GATE_ACTIONS[name].label, GATE_ACTIONS[name].about)
            for name in ("add", "rename", "remove", "share", "column", "make")
        )
        self.column_name = w.Dropdown(tooltip=GATE_ACTIONS["column"].about, layout=w.look(**_WIDE))
        self.gates = w.VBox()
        self._image_row = w.HBox([w.Label(GATE_ACTIONS["image"].label, layout=w.look(width="44px")), self.image])
        self._line_row = w.HBox([w.Label(GATE_ACTIONS["threshold"].label), self.threshold, self.side])
        self._column_row = w.HBox([self.column_name, self.make], layout=w.look(display="none"))
        super().__init__(
            [
                *(self.across, self.up, self._image_row, self.plot, self._line_row, self.current),
                *(w.HBox([self.name, self.add]), w.HBox([self.rename, self.remove, self.share])),
                *(self.gates, self.sentence, self.column, self._column_row),
            ]
        )
        self._is_showing = False
        self._connect()
        self.presenter.refresh()

    def _connect(self) -> None:
        presenter = self.presenter
        for index, row in enumerate((self.across, self.up)):
            row.chosen.connect(self._choose_features)
            row.scaled.connect(partial(presenter.plot.scale, index))
        self.image.observe(self._choose_image, "value")
        self.threshold.observe(lambda change: self._type_threshold(change.new), "value")
        self.side.observe(lambda change: presenter.choose_side(change.new), "value")
        self.add.on_click(lambda _: self._add())
        self.rename.on_click(lambda _: presenter.rename(self.name.value))
        self.remove.on_click(lambda _: presenter.remove())
        self.share.on_click(lambda _: presenter.share_bounds())
        self.column.on_click(lambda _: self.columns.offer())
        self.make.on_click(lambda _: self.columns.make(self.column_name.value))

    def offer(self, features: Sequence[str], images: Sequence[str]) -> None:
        """Offer these features and images."""
        self.across.offer(features)
        self.up.offer([NO_FEATURE, *features])
        offer(self.image, [(name, name) for name in (ALL_IMAGES, *images)], ALL_IMAGES, self._choose_image)
        w.set_visible(self._image_row, len(images) > 1)

    def show_axes(self, axes: tuple[Axis, ...], image: str) -> None:
        """Show which axes and which image are chosen, and the tools for them."""
        self.across.show_axis(axes[0] if axes else None)
        self.up.show_axis(axes[1] if len(axes) > 1 else None, NO_FEATURE)
        self.image.value = image or ALL_IMAGES
        self.plot.show_tools(len(axes))
        w.set_visible(self._line_row, len(axes) == 1)

    def redraw(self, *, fit: bool) -> None:
        """Draw the plot again."""
        self.plot.redraw(fit=fit)

    def show_sentence(self, sentence: str) -> None:
        """Show what the plot leaves out."""
        self.sentence.value = paragraph(sentence)

    def show_outlines(self) -> None:
        """Draw the gates again."""
        self.plot.show_outlines()

    def show_gates(self, lines: Sequence[GateLine], chosen: int | None) -> None:
        """List the gates; a click shows one, and selects its cells."""
        for line in self.gates.children:
            w.close_widgets(line)
        self.gates.children = [self._line(at, line, is_chosen=at == chosen) for at, line in enumerate(lines)]

    def show_current(
        self, sentence: str, *, can_add: bool, can_change: bool, is_own: bool, threshold: float | None
    ) -> None:
        """Say how many cells are in the shape drawn or the gate chosen, and what can be done with it."""
        self.current.value = paragraph(sentence or GATES_HINT)
        self.add.disabled = not can_add
        self.rename.disabled = self.remove.disabled = not can_change
        w.set_visible(self.share, is_own)
        self._is_showing = True
        self.threshold.value = "" if threshold is None else three_digits(threshold)
        self._is_showing = False

    def offer_columns(self, names: Sequence[str]) -> None:
        """Let the user choose a column."""
        self.column_name.options = tuple(names)
        self.column_name.value = names[0]
        w.set_visible(self._column_row, True)

    def _line(self, at: int, line: GateLine, *, is_chosen: bool) -> w.VBox:
        """A button for each class of a gate."""
        rows = []
        for part, (words, colour) in enumerate(zip(line.counts, line.colours, strict=False)):
            button = w.Button(
                description=words,
                tooltip=line.about,
                layout=w.look(width="auto", height="22px", padding="0 4px"),
                style={"button_color": "transparent", "font_weight": "bold" if is_chosen else "normal"},
            )
            button.on_click(partial(self._choose, at, part))
            rows.append(w.HBox([w.HTML(swatch(colour), layout=w.look(flex="0 0 auto")), button]))
        return w.VBox(rows)

    def _choose(self, at: int, part: int, _: object) -> None:
        self.presenter.choose(at, part)

    def _choose_features(self) -> None:
        self.presenter.choose_features(self.across.value, self.up.value)

    def _choose_image(self, _: object) -> None:
        self.presenter.choose_image(self.image.value)

    def _add(self) -> None:
        self.presenter.add(self.name.value)
        if not self.rename.disabled:
            self.name.value = ""

    def _type_threshold(self, text: str) -> None:
        if not self._is_showing and text.strip():
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                return
            self.presenter.type_threshold(value)


def _button(text: str, about: str) -> w.Button:
    return w.Button(description=text, tooltip=about, layout=w.look(width="auto"))
