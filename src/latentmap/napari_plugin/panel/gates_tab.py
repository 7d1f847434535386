"""The tab for gates: a plot of features, and classes drawn on it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import cast

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QColor, QPixmap
from qtpy.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QInputDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from latentmap.display.actions import Action
from latentmap.display.gate_words import GATE_ACTIONS, GATES_HINT, PLOT_TOOLS, SHOW_ALL, SIDES, tools_for, usual_tool
from latentmap.napari_plugin.panel.axis_row import AxisRow, row_label
from latentmap.napari_plugin.panel.feature_plot import FeaturePlotWidget
from latentmap.napari_plugin.qt.wrapped_label import paragraph
from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout
from latentmap.presenters.column_classes import ColumnClassPresenter
from latentmap.presenters.gate_view import GateLine, PlotTool
from latentmap.presenters.gating import GatePresenter
from latentmap.presenters.plotting import ALL_IMAGES, NO_FEATURE
from latentmap.session import Axis, Session
from latentmap.session.gate import Scaling, Side
from latentmap.session.wording import three_digits
from latentmap.table import CellTable

_SWATCH = 14
_LIST_HEIGHT = 120


class GatesTab(QWidget):
    """Draws what `GatePresenter` and `ColumnClassPresenter` decide.

    Parameters
    ----------
    session : Session
    table : callable
        Returns the current cells; None if there are none.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(self, session: Session, table: Callable[[], CellTable | None], tell: Callable[[str], None]) -> None:
        super().__init__()
        self.presenter = GatePresenter(session, table, self, tell)
        self.columns = ColumnClassPresenter(session, table, self, tell)
        self.across, self.up, self.image = AxisRow("across"), AxisRow("up"), QComboBox()
        self.plot = FeaturePlotWidget(self.presenter)
        self.tools, self._tool_row = dict[str, QPushButton](), QWidget()
        self.sentence, self.current = paragraph(), paragraph()
        self.threshold, self.side, self.name = QLineEdit(), QComboBox(), QLineEdit()
        self.add, self.rename, self.remove, self.share, self.column = (
            _button(GATE_ACTIONS[name]) for name in ("add", "rename", "remove", "share", "column")
        )
        self.gates = QListWidget()
        self._n_axes = 2
        self._make_tools()
        self._lay_out()
        self._connect()
        self.presenter.refresh()

    def _make_tools(self) -> None:
        group, row = QButtonGroup(self), WrappingLayout(self._tool_row, gap=2)
        # All tools in one line would make the whole panel wider.
        self._tool_row.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for name, words in PLOT_TOOLS.items():
            self.tools[name] = button = _button(words)
            button.setCheckable(True)
            button.setChecked(name == self.plot.tool)
            button.toggled.connect(partial(self._use_tool, name))
            group.addButton(button)
            row.addWidget(button)
        self.fit = _button(SHOW_ALL)
        row.addWidget(self.fit)

    def _lay_out(self) -> None:
        named: tuple[tuple[QWidget, str], ...] = (
            (self.image, "image"),
            (self.threshold, "threshold"),
            (self.side, "side"),
        )
        for widget, name in named:
            widget.setToolTip(GATE_ACTIONS[name].about)
            widget.setAccessibleName(GATE_ACTIONS[name].label)
        self.name.setPlaceholderText(GATE_ACTIONS["name"].label)
        self.name.setToolTip(GATE_ACTIONS["name"].about)
        for label, side in SIDES:
            self.side.addItem(label, side)
        self.gates.setMaximumHeight(_LIST_HEIGHT)
        self.gates.setWordWrap(True)
        self.gates.setIconSize(QSize(_SWATCH, _SWATCH))
        self.gates.setToolTip("Click a class to show its gate and to select its cells.")
        self._image_row = _row(row_label(GATE_ACTIONS["image"].label), self.image)
        self._image_row.setVisible(False)
        self._line_row = _row(row_label(GATE_ACTIONS["threshold"].label), self.threshold, self.side)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            self.across,
            self.up,
            self._image_row,
            self._tool_row,
            self.plot,
            self._line_row,
            self.current.native,
            _row(self.name, self.add, self.rename, self.remove),
            self.share,
            self.gates,
            self.sentence.native,
            self.column,
        ):
            layout.addWidget(widget)
        layout.addStretch()

    def _connect(self) -> None:
        for index, row in enumerate((self.across, self.up)):
            row.chosen.connect(self._choose_features)
            row.scaled.connect(partial(self._scale, index))
        self.image.activated.connect(lambda _: self.presenter.choose_image(self.image.currentText()))
        self.fit.clicked.connect(lambda: self.plot.fit())
        self.threshold.editingFinished.connect(self._type_threshold)
        self.side.activated.connect(lambda _: self.presenter.choose_side(cast(Side, self.side.currentData())))
        self.add.clicked.connect(self._add)
        self.name.returnPressed.connect(lambda: (self.add if self.add.isEnabled() else self.rename).click())
        self.rename.clicked.connect(lambda: self.presenter.rename(self.name.text()))
        self.remove.clicked.connect(lambda: self.presenter.remove())
        self.share.clicked.connect(lambda: self.presenter.share_bounds())
        self.column.clicked.connect(lambda: self.columns.offer())
        self.gates.itemClicked.connect(lambda item: self.presenter.choose(*item.data(Qt.ItemDataRole.UserRole)))

    def refresh(self) -> None:
        """Take up the current cells."""
        self.presenter.refresh()

    def offer(self, features: Sequence[str], images: Sequence[str]) -> None:
        """Offer these features and images."""
        self.across.offer(features)
        self.up.offer([NO_FEATURE, *features])
        self.image.clear()
        self.image.addItems([ALL_IMAGES, *images])
        self._image_row.setVisible(len(images) > 1)

    def show_axes(self, axes: tuple[Axis, ...], image: str) -> None:
        """Show which axes and which image are chosen, and the tools for them."""
        self.across.show_axis(axes[0] if axes else None)
        self.up.show_axis(axes[1] if len(axes) > 1 else None, NO_FEATURE)
        self.image.setCurrentText(image or ALL_IMAGES)
        for name, button in self.tools.items():
            button.setVisible(name in tools_for(len(axes)))
        if self._n_axes != len(axes):
            self._n_axes = len(axes)
            self.tools[usual_tool(len(axes))].setChecked(True)
        self._line_row.setVisible(len(axes) == 1)

    def redraw(self, *, fit: bool) -> None:
        """Draw the plot again."""
        self.plot.redraw(fit=fit)

    def show_sentence(self, sentence: str) -> None:
        """Show what the plot leaves out."""
        self.sentence.value = sentence

    def show_outlines(self) -> None:
        """Draw the gates again."""
        self.plot.update()

    def show_gates(self, lines: Sequence[GateLine], chosen: int | None) -> None:
        """List the gates, if there are any."""
        self.gates.clear()
        for at, line in enumerate(lines):
            for part, (words, colour) in enumerate(zip(line.counts, line.colours, strict=False)):
                item, swatch = QListWidgetItem(words), QPixmap(_SWATCH, _SWATCH)
                swatch.fill(QColor(colour))
                item.setIcon(swatch)
                item.setToolTip(line.about)
                item.setData(Qt.ItemDataRole.UserRole, (at, part))
                font = item.font()
                font.setBold(at == chosen)
                item.setFont(font)
                self.gates.addItem(item)
        self.gates.setVisible(len(lines) > 0)

    def show_current(
        self, sentence: str, *, can_add: bool, can_change: bool, is_own: bool, threshold: float | None
    ) -> None:
        """Say how many cells are in the shape drawn or the gate chosen, and what can be done with it."""
        self.current.value = sentence or GATES_HINT
        self.add.setEnabled(can_add)
        self.rename.setEnabled(can_change)
        self.remove.setEnabled(can_change)
        self.share.setVisible(is_own)
        if not self.threshold.hasFocus() or threshold is None:
            self.threshold.setText("" if threshold is None else three_digits(threshold))

    def offer_columns(self, names: Sequence[str]) -> None:
        """Let the user choose a column, and make classes of its values."""
        words = GATE_ACTIONS["column"]
        name, is_chosen = QInputDialog.getItem(self, words.label.rstrip("…"), words.about, list(names), 0, False)
        if is_chosen:
            self.columns.make(name)

    def _use_tool(self, name: str, is_on: bool) -> None:
        if is_on:
            self.plot.use(cast(PlotTool, name))

    def _add(self) -> None:
        self.presenter.add(self.name.text())
        if self.rename.isEnabled():
            self.name.clear()

    def _choose_features(self) -> None:
        self.presenter.choose_features(self.across.feature.currentText(), self.up.feature.currentText())

    def _scale(self, index: int, scaling: str, cofactor: float) -> None:
        self.presenter.plot.scale(index, cast(Scaling, scaling), cofactor)

    def _type_threshold(self) -> None:
        if self.threshold.isModified():
            self.threshold.setModified(False)
            with suppress(ValueError):
                self.presenter.type_threshold(float(self.threshold.text().replace(",", ".")))


def _button(words: Action) -> QPushButton:
    button = QPushButton(words.label)
    button.setToolTip(words.about)
    return button


def _row(*widgets: QWidget) -> QWidget:
    row = QWidget()
    layout = WrappingLayout(row)
    for widget in widgets:
        layout.addWidget(widget)
    return row
