"""A dialog that asks which column of a table holds the cells' numbers."""

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from latentmap.napari_layers.table_loading import KeyColumnWanted
from latentmap.table.cells import listed

_WIDTH = 560


class KeyDialog(QDialog):
    """Offers the columns that could identify the cells, the likeliest first, and previews the first rows.

    Attributes
    ----------
    about : QLabel
        The question, and why it is asked.
    fit : QLabel
        How many rows have their cell in the image if the chosen column is used.
    rows : QTableWidget
        The first rows, with the chosen column in front.
    """

    def __init__(self, parent: QWidget, name: str, wanted: KeyColumnWanted) -> None:
        super().__init__(parent)
        self._wanted = wanted
        self.setWindowTitle(f"Load {name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.columns, self.fit = QComboBox(), _words("")
        for choice in wanted.choices:
            self.columns.addItem(f"{choice.name}   ({choice.n_matched} of {choice.n_rows} rows match)", choice.name)
        self.rows = _table(len(wanted.rows), len(wanted.rows.columns))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Load")
        layout = QVBoxLayout(self)
        self.about = _words(f"{wanted.reason} Which of its columns holds the cells' numbers in the labels image?")
        for widget in (
            self.about,
            self.columns,
            self.fit,
            self.rows,
        ):
            layout.addWidget(widget)
        if wanted.repeated:
            layout.addWidget(_words(f"Not offered, because rows share a number: {listed(wanted.repeated)}."))
        layout.addWidget(buttons)
        self.setMinimumWidth(_WIDTH)
        self.columns.currentIndexChanged.connect(self._show)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._show(0)

    @property
    def value(self) -> str:
        """The chosen column."""
        return str(self.columns.currentData())

    def _show(self, index: int) -> None:
        choice = self._wanted.choices[index]
        self.fit.setText(choice.sentence)
        rows = self._wanted.rows
        rows = rows[[choice.name, *rows.columns.drop(choice.name)]]
        self.rows.setHorizontalHeaderLabels(list(rows.columns))
        for row, values in enumerate(rows.itertuples(index=False, name=None)):
            for column, value in enumerate(values):
                item = QTableWidgetItem(f"{value:g}" if isinstance(value, float) else str(value))
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                if not column:
                    bold = item.font()
                    bold.setBold(True)
                    item.setFont(bold)
                self.rows.setItem(row, column, item)
        self.rows.resizeColumnsToContents()


def _table(n_rows: int, n_columns: int) -> QTableWidget:
    table = QTableWidget(n_rows, n_columns)
    table.verticalHeader().setVisible(False)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    lines = n_rows + 2  # the header and the scroll bar
    table.setFixedHeight(lines * table.verticalHeader().defaultSectionSize())
    return table


def _words(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    return label
