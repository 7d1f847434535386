"""The part of the panel that lists the maps made so far."""

from collections.abc import Callable, Collection

from magicgui.widgets import Container, Label, PushButton
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QSizePolicy

from latentmap.napari_plugin.panel.runs_table import RunsTable
from latentmap.napari_plugin.panel.variance_plot import VariancePlot
from latentmap.napari_plugin.qt.rows import in_row as in_a_row
from latentmap.presenters.kept_runs import KeptRunsPresenter
from latentmap.presenters.run_lines import against_above, variances
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Session


class RunsSection(Container[Widget]):
    """The maps kept, how faithful they are and how they differ, and the variances of the current one.

    Parameters
    ----------
    session : Session
    side_by_side : SideBySide
    features : callable
        Returns the names of the features that a map can be made from now.

    Attributes
    ----------
    variances : VariancePlot
        Its signal ``threshold`` asks to select the cells with a larger variance.
    """

    def __init__(
        self,
        session: Session,
        side_by_side: SideBySide,
        features: Callable[[], Collection[str]],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._runs = session, (runs := session.runs)
        self._presenter = KeptRunsPresenter(runs, session.parameters, features, tell)
        self.empty = Label(value="No map yet. Press Embed.")
        self.difference = Label(value="")
        self.use_button = PushButton(
            text="Use these parameters", tooltip="Set the form above to the parameters of this map."
        )
        self.delete_button = PushButton(text="Delete", tooltip="Delete this map and its row in the table.")
        super().__init__(labels=False)
        self.margins = (0, 0, 0, 0)
        self.difference.native.setWordWrap(True)
        self.difference.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.table = RunsTable(runs, side_by_side, self._presenter)
        self.variances = VariancePlot()
        self._buttons = in_a_row(self.use_button, self.delete_button)
        for widget in (self.empty.native, self.table, self.difference.native, self._buttons.native, self.variances):
            self.native.layout().addWidget(widget)
        self.use_button.changed.connect(self._use_current)
        self.delete_button.changed.connect(self._delete_current)
        for signal in (runs.changed, runs.started, runs.ended, session.dropped.changed):
            signal.connect(self.refresh, max_args=0)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state of the runs."""
        current = self._runs.current
        for widget in (self.difference, self._buttons):
            widget.visible = current is not None
        self.empty.visible = current is None and not self.table.rowCount()
        self.difference.value = "" if current is None else against_above(current, list(self._runs))
        self.variances.show_variances(shown := variances(current, self._session.dropped))
        self.variances.setVisible(shown is not None)

    def _use_current(self) -> None:
        if self._runs.current is not None:
            self._presenter.use(self._runs.current)

    def _delete_current(self) -> None:
        if self._runs.current is not None:
            self._presenter.delete(self._runs.current)
