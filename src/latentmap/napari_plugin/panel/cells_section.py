"""The part of the panel where the user chooses which cells to map."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from magicgui.widgets import Container, PushButton
from magicgui.widgets.bases import Widget
from napari.layers import Labels, Layer
from napari.viewer import Viewer
from psygnal import Signal
from qtpy.QtWidgets import QFileDialog
from superqt.utils import qdebounced

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.points_source import POINT_LIKE
from latentmap.napari_layers.source import OWNED_KEY, Source, features_event
from latentmap.napari_layers.sources import Sources
from latentmap.napari_layers.table_loading import KeyColumnWanted, load_rows, loading
from latentmap.napari_plugin.panel.key_dialog import KeyDialog
from latentmap.napari_plugin.panel.layers_row import LayersRow
from latentmap.napari_plugin.panel.measure_section import MeasureSection
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row
from latentmap.napari_plugin.qt.tick_list import TickList
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.progress import ProgressPresenter
from latentmap.session import BackgroundJob
from latentmap.table import CellTable
from latentmap.table.cells import listed
from latentmap.table.files.formats import READABLE
from latentmap.table.matching import is_mismatch, with_notes

EMPTY = (
    "There are no cells yet. Open File > Open Sample > latentmap > Tissue (immunohistochemistry), or add a labels "
    "layer in which every cell has its own number."
)
# How long the layers must stay unchanged before rows and cells are compared, in milliseconds.
_SETTLED = 100


class CellsSection(Container[Widget]):
    """Chooses the layers that cells come from, measures them, and loads tables for them.

    Parameters
    ----------
    viewer : napari.viewer.Viewer
    progress : ProgressPresenter
    tell : callable
        Shows a sentence to the user.
    in_use : callable, optional
        Returns the names of layers in the keys of cells that the session has.

    Attributes
    ----------
    cells : CellTable or None
        The cells of the ticked layers, as of the last change; None if the user has to do something first.
    """

    altered = Signal()
    """Emitted when the cells or features on offer have changed."""

    def __init__(
        self,
        viewer: Viewer,
        progress: ProgressPresenter,
        tell: Callable[[str], None],
        in_use: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        self._viewer, self._progress, self._tell, self._in_use = viewer, progress, tell, in_use
        self._job, self._measures_again = BackgroundJob(main_thread()), False
        self.sources = Sources(viewer)
        self.cells: CellTable | None = None
        self._watched: list[Layer] = []
        self.layers = TickList[Layer](
            "The layers that the cells come from. The cells of several layers go into one map."
        )
        self.layers_row = LayersRow(viewer, self.layers, tell)
        self.apart, self.about = wrapped_label(), wrapped_label()
        self.load_button = PushButton(
            text="Load table…",
            tooltip="Load features from a CSV, TSV, Excel, Parquet or AnnData file. The column label says "
            "which cell each row belongs to.",
        )
        self.anew_button = PushButton(
            text="Measure again…",
            tooltip="Measure cells that already have features, for example in other images or with texture. Columns of "
            "the same name are replaced; all others stay.",
        )
        self.sample_button = PushButton(
            text="Open the sample tissue", tooltip="A piece of colon with segmented and measured nuclei."
        )
        self.measuring = MeasureSection(
            viewer, progress, tell, lambda layer: self.sources.of(layer).name, self._measured
        )
        self.changes = wrapped_label()
        super().__init__(
            widgets=[
                self.layers_row,
                self.apart,
                self.about,
                self.changes,
                self.sample_button,
                in_row(self.load_button, self.anew_button),
                self.measuring,
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.native.layout().insertWidget(0, self.layers)
        self.layers.changed.connect(self._changed)
        self.sample_button.changed.connect(self._open_sample)
        self.load_button.changed.connect(self._ask_for_table)
        self.anew_button.changed.connect(self._offer_again)
        self.measuring.changes.changed.connect(self._labels_changed)
        self.measuring.image_changes.changed.connect(self._labels_changed)
        self._compare = qdebounced(self._compare_now, timeout=_SETTLED)
        self._labels_changed()
        self._changed()
        self._compare_now()

    @property
    def value(self) -> list[Layer]:
        """The ticked layers."""
        return self.layers.value

    @property
    def running(self) -> bool:
        """Whether cells are being measured or a table is being loaded."""
        return self.measuring.running or self._job.running

    def cancel(self) -> None:
        """Stop measuring or loading, and leave all layers as they are."""
        self.measuring.cancel()
        if self._job.running:
            self._job.drop()
            self._progress.clear()
            self._tell("Loading was stopped; no layer was changed.")
            self._changed()

    def stop(self) -> None:
        """Stop measuring or loading, without a word to the user."""
        self.measuring.stop()
        self._job.drop()

    def bring(self, names: Collection[str], opened: Mapping[str, Layer]) -> bool:
        """Tick the layers that cells come from.

        Parameters
        ----------
        names : collection of str
            The layers' names in the keys of cells.
        opened : mapping of str to napari.layers.Layer
            Layers just opened, by these names; any other layer is found by its own name.

        Returns
        -------
        bool
            Whether any layer was found.
        """
        candidates = self.sources.candidates()
        for name, layer in opened.items():
            if layer in candidates:
                self.sources.add_layer(layer, name)
                if isinstance(layer, Labels):
                    self.measuring.changes.take_up(layer)
        self.reset_choices()
        there = [layer for layer in candidates if self.sources.of(layer).name in names]
        if there:
            self.layers.value = there
        return len(there) > 0

    def load_table(self, path: str | os.PathLike[str], key_column: str | None = None) -> None:
        """Load features from a file in a thread, and match its rows to the cells of the ticked layers by key.

        Columns that the layers already have are replaced; all others stay.

        Parameters
        ----------
        path : path-like
            CSV, TSV, Excel, Parquet or AnnData.
        key_column : str, optional
            The column with the cells' numbers. By default it is found by its name; if no name is known, the user is
            asked.
        """
        sources = self.chosen()
        if not sources:
            self._tell("Tick the layers that the rows of the table belong to.")
        elif self.running:
            self._tell("Cells are still being measured or loaded. Wait, or press Cancel.")
        else:
            self._progress.busy("loading")
            is_time = self.measuring.first_axis.value == "time"
            self._job.start(
                loading(path, sources, time_first=is_time, key_column=key_column),
                yielded=lambda _: None,
                returned=partial(self._loaded, sources, Path(path).name),
                failed=partial(self._load_failed, Path(path)),
            )
            self.altered.emit()

    def chosen(self) -> list[Source]:
        """Return the ticked layers as sources."""
        return [self.sources.of(layer) for layer in self.layers.value]

    def table(self) -> CellTable:
        """Return the cells of all ticked layers.

        Raises
        ------
        ValueError
            If there are none; the message says what to do first.
        """
        # Setting pixels directly in the array emits no event.
        self.measuring.changes.check()
        sources = self.chosen()
        if not sources:
            raise ValueError(EMPTY if not self.layers.things else "Tick the layers that the cells come from.")
        if bare := [source.layer.name for source in sources if source.layer.features.empty]:
            have, whose = ("has", "the layer's") if len(bare) == 1 else ("have", "each layer's")
            raise ValueError(
                f"{listed(bare)} {have} no features yet. Press Measure, or load a table into {whose} features."
            )
        table = CellTable.pool([source.table() for source in sources])
        if not table.mappable:
            raise ValueError(f'No column of the table of "{sources[0].layer.name}" holds numbers. Press Measure.')
        return table

    def compared(self) -> CellTable:
        """Return the same as `table`, with notes on rows that have no cell in the labels.

        Labels that are not in memory are not read for this.

        Raises
        ------
        ValueError
            As `table` does.
        """
        return self._compared(self.table(), just_read=True)

    def reset_choices(self, *_: object) -> None:
        """Update the list of layers; napari calls this whenever its layers change."""
        # Not our own layers: they change with every selection, and the table would be read each time.
        kinds = (Labels, *POINT_LIKE)
        self._watch([one for one in self._viewer.layers if isinstance(one, kinds) and OWNED_KEY not in one.metadata])
        candidates = self.sources.candidates()
        if candidates != self.layers.things:
            ticked = [layer for layer in self.layers.value if layer in candidates]
            self.layers.offer([(layer.name, layer) for layer in candidates], ticked or candidates[:1])
            self.layers_row.show_state()
            self._changed()
        else:
            self.measuring.offer(self._to_measure())

    def leave(self) -> None:
        """Stop all work and disconnect from the layers."""
        self.stop()
        self._compare.cancel()
        self.measuring.changes.close()
        self.measuring.image_changes.close()
        self._watch([])

    def _watch(self, layers: list[Layer]) -> None:
        for layer in self._watched:
            features_event(layer).disconnect(self._featured)
            layer.events.name.disconnect(self._renamed)
        for layer in layers:
            features_event(layer).connect(self._featured)
            layer.events.name.connect(self._renamed)
        self._watched = layers

    def _featured(self) -> None:
        candidates = self.sources.candidates()
        if candidates != self.layers.things:
            self.reset_choices()
        else:
            self._changed()

    def _renamed(self) -> None:
        self.layers.offer([(layer.name, layer) for layer in self.layers.things], self.layers.value)
        # What is measured or loaded comes back under the names that there were.
        if not self.running and self.sources.follow_names(self._in_use()):
            self._changed()

    def _changed(self, *_: object) -> None:
        self.cells, self.about.value = None, ""
        try:
            self.cells = self.table()
        except ValueError as error:
            self.about.value = str(error)
        self.about.visible = bool(self.about.value)
        self.sample_button.visible = not self.layers.things
        labels, measured = self._regions(), self._to_measure()
        self.load_button.enabled = len(self.layers.value) > 0
        self.anew_button.visible = len(labels) > len(measured)
        self.measuring.visible = len(measured) > 0
        self.measuring.offer(measured)
        self._compare()
        self.altered.emit()

    def _compared(self, table: CellTable, just_read: bool = False) -> CellTable:
        labels = (one for one in self.chosen() if isinstance(one, LabelsSource))
        return with_notes(table, [one.mismatch(just_read) for one in labels])

    def _compare_now(self) -> None:
        """Warn of rows that have no cell in the labels."""
        notes: tuple[str, ...] = ()
        if self.cells is not None:
            with suppress(ValueError):  # Embed will say what is wrong
                notes = self._compared(self.cells).notes
        self.apart.value = " ".join(note for note in notes if is_mismatch(note))
        self.apart.visible = bool(self.apart.value)

    def _labels_changed(self) -> None:
        told = self.measuring.changes.sentence, self.measuring.image_changes.sentence
        self.changes.value = " ".join(filter(None, told))
        self.changes.visible = bool(self.changes.value)

    def _open_sample(self) -> None:
        self._viewer.open_sample("latentmap", "tissue")

    def _regions(self) -> list[Labels]:
        return [layer for layer in self.layers.value if isinstance(layer, Labels)]

    def _to_measure(self) -> list[Labels]:
        """The ticked labels layers without features, or all ticked ones if the user wants to measure again."""
        return [layer for layer in self._regions() if self._measures_again or layer.features.empty]

    def _offer_again(self) -> None:
        self._measures_again = True
        self._changed()

    def _measured(self) -> None:
        self._measures_again = self._measures_again and self.measuring.running
        self._changed()

    def _ask_for_table(self) -> None:
        patterns = " ".join(f"*{one.ending}" for one in READABLE)
        path, _ = QFileDialog.getOpenFileName(self.native, "Load table", "", f"Tables ({patterns})")
        if path:
            self.load_table(path)

    def _loaded(self, sources: list[Source], name: str, cells: CellTable) -> None:
        there = [source for source in sources if source.layer in self._viewer.layers]
        self._progress.complete("loaded")
        # Read once when all layers have their rows, not after each.
        watched = self._watched
        self._watch([])
        try:
            said = load_rows(cells, there)
        finally:
            self._watch(watched)
            self._changed()
        self._tell(" ".join([f'{len(cells.features)} rows of "{name}" loaded.', *said]))

    def _load_failed(self, path: Path, error: Exception) -> None:
        self._progress.clear()
        self._tell(str(error))
        self._changed()
        if isinstance(error, KeyColumnWanted):
            dialog = KeyDialog(self.native, path.name, error)
            dialog.accepted.connect(lambda: self.load_table(path, dialog.value))
            dialog.open()
        if not isinstance(error, OSError | ValueError):
            raise error
