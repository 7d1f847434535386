"""The part of the panel that shows the maps made so far."""

from collections.abc import Callable, Collection

from magicgui.widgets import Container, Label, PushButton
from psygnal import Signal
from qtpy.QtWidgets import QSizePolicy

from latentmap.napari_plugin.panel.form import beside
from latentmap.napari_plugin.panel.runs_table import RunsTable
from latentmap.napari_plugin.panel.variance_plot import VariancePlot
from latentmap.session import Parameters, Run, Runs
from latentmap.session.differences import differences, told_otherwise


class RunsSection(Container):
    """The maps that are kept, how faithful they are, in what they differ, and how uncertain the current one is.

    Parameters
    ----------
    runs : Runs
    parameters : Parameters
        Take over those of a run when the user asks for that.
    features : callable
        Returns the names of the features that a map can be made of now.
    tell : callable
        Takes a sentence for the user.

    Attributes
    ----------
    table : RunsTable
    variances : VariancePlot
        Those of the current map; its signal ``threshold`` says which cells the user would have selected.
    """

    compared = Signal(list)
    """Emitted with the runs whose maps are to be seen, when they are others than before."""

    def __init__(
        self,
        runs: Runs,
        parameters: Parameters,
        features: Callable[[], Collection[str]],
        tell: Callable[[str], None],
    ) -> None:
        self._runs, self._parameters, self._features, self._tell = runs, parameters, features, tell
        self._told: list[Run] = []
        self.empty = Label(value="No map yet. Press Embed.")
        self.difference = Label(value="")
        self.use_button = PushButton(
            text="Use these parameters", tooltip="Set the parameters above to those that this map was made with."
        )
        self.delete_button = PushButton(text="Delete", tooltip="Let go of this map; its line in the table goes, too.")
        super().__init__(labels=False)
        self.margins = (0, 0, 0, 0)
        self.difference.native.setWordWrap(True)
        self.difference.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.table = RunsTable(runs, self.use, tell)
        self.variances = VariancePlot()
        self._buttons = beside(self.use_button, self.delete_button)
        for widget in (self.empty.native, self.table, self.difference.native, self._buttons.native, self.variances):
            self.native.layout().addWidget(widget)
        self.use_button.changed.connect(self._use_current)
        self.delete_button.changed.connect(self._delete_current)
        self.table.ticked.connect(self._compare)
        for signal in (runs.changed, runs.started, runs.ended):
            signal.connect(self.refresh, max_args=0)
        self.refresh()

    @property
    def side_by_side(self) -> list[Run]:
        """The runs whose maps are to be seen: those ticked and the current one, in the order they were made in."""
        return [run for run in self._runs if run is self._runs.current or self.table.is_ticked(run)]

    def refresh(self) -> None:
        """Show the runs as they are."""
        current = self._runs.current
        for widget in (self.difference, self._buttons):
            widget.visible = current is not None
        self.empty.visible = current is None and not self.table.rowCount()
        result = None if current is None else current.result
        self.variances.setVisible(result is not None and result.tells_sure_from_unsure)
        self.difference.value = "" if current is None else differing(current, list(self._runs))
        self.variances.show_variances(None if result is None else result.variances)
        self._compare()

    def use(self, run: Run) -> None:
        """Set the parameters to those of a run; features that there are no longer are left out, and named."""
        there = self._features()
        features = tuple(name for name in run.parameters["features"] if name in there)
        gone = [name for name in run.parameters["features"] if name not in there]
        self._parameters.take_all({**run.parameters, "features": features})
        left_out = f" Left out, because these cells do not have them: {', '.join(gone)}." if gone else ""
        self._tell(f'The parameters are those of "{run.name}".{left_out}')

    def _use_current(self) -> None:
        if self._runs.current is not None:
            self.use(self._runs.current)

    def _delete_current(self) -> None:
        if self._runs.current is not None:
            self.table.delete(self._runs.current)

    def _compare(self) -> None:
        if self._told != (now := self.side_by_side):
            self._told = now
            self.compared.emit(now)


def differing(run: Run, kept: list[Run]) -> str:
    """Say in which parameters a run differs from the one above it.

    Parameters
    ----------
    run : Run
    kept : list of Run
        In the order of the lines.

    Returns
    -------
    str
        A sentence; empty for the first line.
    """
    place = kept.index(run)
    if not place:
        return ""
    above = kept[place - 1]
    told = differences(run.parameters, above.parameters)
    if run.result is not None and above.result is not None and run.result.method == above.result.method:
        told += told_otherwise(run.result.taught, above.result.taught)
    return f'Against "{above.name}": {", ".join(told) or "the same parameters"}.'
