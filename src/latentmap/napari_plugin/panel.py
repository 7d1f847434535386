"""The panel: choose cells, features and parameters, embed them, watch the map."""

import os
from collections.abc import Callable, Generator
from functools import partial
from time import perf_counter
from typing import Any, cast

import numpy as np
from magicgui.widgets import ComboBox, Container, Label, PushButton, create_widget
from napari.layers import Labels
from napari.utils.events import Event
from napari.viewer import Viewer
from qtpy.QtWidgets import QFileDialog, QSizePolicy
from superqt.utils import qthrottled

from latentmap.napari_plugin.colour_section import ColourSection
from latentmap.napari_plugin.form import ParameterForm, beside, labelled
from latentmap.napari_plugin.layers import channels, describe, label_image, layer_features
from latentmap.napari_plugin.linking import Link
from latentmap.napari_plugin.main_thread import main_thread
from latentmap.napari_plugin.maps import Maps
from latentmap.napari_plugin.progress_bar import RunProgressBar
from latentmap.napari_plugin.selection_section import SelectionSection
from latentmap.session import Job, Parameters, Result, Run, Selection, Session, choices
from latentmap.table import CellTable, measure, write_csv

WHAT_NEXT = (
    "Yellow ones have an uncertain place. Select points, and their cells light up; pick a cell in the labels layer, "
    "and its point is selected."
)
REDRAW = 50
"""The shortest time between two drawings of the moving map, in milliseconds."""


class MapPanel(Container):
    """The panel "Map of cells".

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        Where the cells are, and where the map goes.

    Attributes
    ----------
    session : Session
        What the user has set, selected and made, for all views.
    maps : Maps
        What of it stands in the viewer.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self.session = Session(main_thread())
        self._measuring = Job(main_thread())
        self._at_work_on: Labels | None = None
        self._source = ""
        self._moving: Link | None = None
        self._watched: Labels | None = None
        self._draw = qthrottled(self._draw_now, timeout=REDRAW)

        self.cells = cast(ComboBox, create_widget(annotation=Labels, options={"tooltip": "The labels layer."}))
        self.about = Label(value="")
        self.measure_button = PushButton(
            text="Measure",
            tooltip="Measure each cell's shape, and its intensities in the images of the same size.",
        )
        self.form = ParameterForm(self.parameters)
        self.embed_button = PushButton(text="Embed", tooltip="Make the map; pressed again, anew.")
        self.cancel_button = PushButton(text="Cancel", tooltip="Stop, and keep the map as it is now.")
        self.save_button = PushButton(text="Save table…", tooltip="Keys, features, coordinates and variance, as CSV.")
        self.progress = RunProgressBar()
        self.status = Label(value="")
        self.colours = ColourSection(self.session.look)
        self.maps = Maps(viewer, self.session, self.colours.legend.show_colouring, self.tell)
        self.selected = SelectionSection(self.selection, self.session.classes, self.maps.numbers, self.tell)
        super().__init__(
            widgets=[
                labelled("Cells", self.cells),
                self.about,
                self.measure_button,
                self.form,
                beside(self.embed_button, self.cancel_button, self.save_button),
                self.progress,
                self.status,
                self.colours,
                self.selected,
            ],
            labels=False,
        )
        for text in (self.about, self.status):
            text.native.setWordWrap(True)
            text.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._connect()
        self.reset_choices()

    def _connect(self) -> None:
        self.cells.changed.connect(self._refresh)
        self.measure_button.changed.connect(self.measure)
        self.embed_button.changed.connect(self.embed)
        self.cancel_button.changed.connect(self.cancel)
        self.save_button.changed.connect(self._ask_and_save)
        self.session.runs.progressed.connect(self._progressed)
        self.session.runs.ended.connect(self._ended)
        self._viewer.layers.events.removed.connect(self._layer_removed)
        # Qt keeps this slot, so it must not keep the panel alive.
        self.native.destroyed.connect(partial(_close, self.session, self._measuring))

    @property
    def parameters(self) -> Parameters:
        """What the user has set."""
        return self.session.parameters

    @property
    def selection(self) -> Selection:
        """The cells selected."""
        return self.session.selection

    @property
    def result(self) -> Result | None:
        """The map that is shown."""
        shown = self.session.runs.current
        return shown.result if shown is not None else None

    @property
    def running(self) -> bool:
        """Whether cells are being embedded or measured."""
        return self.session.runs.running or self._measuring.running

    def reset_choices(self, *_: object) -> None:
        """Take up the layers that there are now; napari calls this whenever they change."""
        super().reset_choices()
        self._refresh()

    def embed(self) -> None:
        """Start a run on the cells, features and parameters of this moment."""
        labels = self.cells.value
        sentence, names = describe(labels)
        if not names:
            self.tell(sentence)
            return
        table, self._source = CellTable.read(labels.features, layer=labels.name), labels.name
        self.session.runs.drop()
        self._busy("starting", labels)
        self.session.runs.start(table, self.parameters)
        self._refresh()

    def cancel(self) -> None:
        """Stop the run after its current step and keep the map as it is."""
        if self.session.runs.running:
            self.session.runs.stop()
            self.tell("Stopping after this step …")

    def measure(self) -> None:
        """Measure the cells' shape, and their intensities in the images of the labels' shape."""
        labels = self.cells.value
        pixels, spotlights = label_image(labels).copy(), self.maps.spotlights
        images = channels([layer for layer in self._viewer.layers if layer not in spotlights], pixels.shape)
        self._busy("measuring", labels)
        self._measuring.start(
            in_one_step(measure, pixels, images, layer=labels.name),
            yielded=lambda _: None,
            returned=partial(self._measured, labels, list(images)),
            failed=self._failed,
        )
        self._refresh()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map as CSV: keys, features, coordinates, variance, and class if there are classes.

        Parameters
        ----------
        path : path-like
            Where to; an existing file is replaced.

        Raises
        ------
        OSError
            If it cannot be written; then nothing has changed on disk.
        """
        if self.result is not None:
            rows, classes = self.result.rows(), self.session.classes
            if len(classes):
                rows["class"] = classes.names_of(self.session.register.find(self.result.cells.features.index))
            self.tell(f"Saved {len(rows)} cells in {write_csv(rows, path)}.")

    def tell(self, sentence: str) -> None:
        """Say something to the user, in the panel and in napari's status bar."""
        self.status.value = sentence
        self._viewer.status = sentence

    def _refresh(self) -> None:
        """Show what can be done with the layer chosen."""
        labels = self.cells.value
        if labels is not self._watched:
            if self._watched is not None:
                self._watched.events.features.disconnect(self._refresh)
            if labels is not None:
                labels.events.features.connect(self._refresh)
            self._watched = labels
        self.about.value, names = describe(labels)
        self.form.offer(names)
        self.measure_button.visible = labels is not None and not names
        self.measure_button.enabled = not self.running
        self.embed_button.enabled = bool(names)
        self.cancel_button.enabled = self.session.runs.running
        self.save_button.enabled = self.result is not None and not self.running

    def _busy(self, stage: str, labels: Labels) -> None:
        self._at_work_on = labels
        self.status.value = ""
        self.progress.busy(stage)

    def _idle(self) -> None:
        self._at_work_on = self._moving = None
        self._refresh()

    def _progressed(self, run: Run) -> None:
        progress = run.progress
        if progress is None or self._at_work_on is None:
            return
        self.progress.follow(progress)
        if progress.state is None:
            return
        if self._moving is None:
            self.colours.offer(choices(progress.cells.features))
            self._moving = self.maps.begin(self._at_work_on, self._source, progress.cells)
        self._draw(progress.state.embedding, progress.state.variances)

    def _ended(self, run: Run) -> None:
        self._draw.cancel()
        if run.error is not None:
            self._failed(run.error)
        elif run.result is None:
            self.progress.clear()
            self.tell("Stopped before there was a map.")
            self._idle()
        else:
            self._embedded(run.result)

    def _draw_now(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        if self._moving is not None:
            start = perf_counter()
            self._moving.map_layer.show(embedding, variances)
            self.maps.paint(self._moving)
            # A large map takes long to draw, and must leave the window the time to answer the user.
            self._draw.setTimeout(max(REDRAW, round(4000 * (perf_counter() - start))))

    def _embedded(self, result: Result) -> None:
        self._draw_now(result.embedding, result.variances)
        self.maps.fit_camera()
        self.progress.complete(f"{result.estimator.n_iter_} iterations")
        self.tell(" ".join([f"{len(result.embedding)} cells on the map.", *_kept(result), *result.cells.notes]))
        self.status.value += f" {WHAT_NEXT}"
        self._idle()

    def _measured(self, labels: Labels, images: list[str], cells: CellTable) -> None:
        labels.features = layer_features(cells)
        self.progress.complete("measured")
        intensities = f"intensities in {', '.join(images)}" if images else "no image has the labels' size"
        self.tell(f"{len(cells.features)} cells measured: shape; {intensities}.")
        self._idle()

    def _failed(self, error: Exception) -> None:
        self.progress.clear()
        self.tell(str(error))
        self._idle()
        if not isinstance(error, ValueError):
            raise error

    def _layer_removed(self, event: Event) -> None:
        """Let go of all that the layer was part of, and stop the run that it was for."""
        layer = event.value
        if layer in (self._at_work_on, self._moving and self._moving.points):
            self._at_work_on = None
            self.session.runs.drop()
            self._measuring.drop()
            self.progress.clear()
            self.tell(f'"{layer.name}" is gone, so the run is stopped.')
            self._idle()
        self.maps.forget(layer)

    def _ask_and_save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self.native, "Save the table of cells", "map.csv", "Table (*.csv)")
        if path:
            try:
                self.save(path)
            except OSError as error:
                self.tell(f"Not saved: {error}.")


def in_one_step(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Generator[None, None, Any]:
    """Call a function as a job does: it yields nothing, so that it cannot be stopped.

    Parameters
    ----------
    function : callable
    *args, **kwargs
        What it is called with.
    """
    return function(*args, **kwargs)
    yield


def _close(session: Session, measuring: Job, *_: object) -> None:
    session.close()
    measuring.drop()


def _kept(result: Result) -> list[str]:
    if not result.quality:
        return []
    recall, trust = result.quality["recall"], result.quality["trustworthiness"]
    return [f"Of each cell's 10 most similar ones {10 * recall:.1f} are still among its 10 nearest; trust {trust:.2f}."]
