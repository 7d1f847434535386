"""The part of the panel where cells are measured."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from magicgui.widgets import CheckBox, ComboBox, Container, Label, PushButton
from magicgui.widgets.bases import Widget
from napari.components import ViewerModel
from napari.layers import Image, Labels, Layer

from latentmap.images.pairing import BY_USER
from latentmap.measuring import MeasureProgress
from latentmap.measuring.in_memory import PICTURE_SIZE
from latentmap.measuring.measuring_notes import kept_values
from latentmap.napari_layers.layers import channels, completed, layer_features, scales
from latentmap.napari_layers.measuring_layers import (
    Measured,
    Settings,
    Task,
    is_time_first,
    measured_words,
    measuring_all,
)
from latentmap.napari_layers.pairs import MEASURED_KEY, Paired, fitting, paired, record_user_pairs
from latentmap.napari_layers.pixel_sizes import pixel_sizes
from latentmap.napari_plugin.panel.image_changes import ImageChanges, marks_of
from latentmap.napari_plugin.panel.label_changes import LabelChanges
from latentmap.napari_plugin.panel.pair_table import PairTable, Row
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.progress import ProgressPresenter
from latentmap.session import BackgroundJob
from latentmap.table import CellTable
from latentmap.table.cells import listed
from latentmap.table.fingerprints import label_changes


class MeasureSection(Container[Widget]):
    """Measures labels layers, each in its own images.

    Parameters
    ----------
    name_of : callable
        Takes a layer and returns its name in the keys of its cells.
    finished : callable
        Called whenever measuring starts or ends.
    """

    def __init__(
        self,
        viewer: ViewerModel,
        progress: ProgressPresenter,
        tell: Callable[[str], None],
        name_of: Callable[[Layer], str],
        finished: Callable[[], None],
    ) -> None:
        self._viewer, self._progress, self._tell, self._finished = viewer, progress, tell, finished
        self._name_of = name_of
        self._layers: list[Labels] = []
        self._measured_layers: list[Labels] = []
        self._job = BackgroundJob(main_thread())
        self._about_sizes = ""
        self.changes, self.image_changes = LabelChanges(), ImageChanges()
        self._seen: dict[Labels, dict[Image, int]] = {}
        self.pairs, self.doubt = PairTable(), wrapped_label()
        self.right_button = PushButton(
            text="Confirm these pairs", tooltip="Measure each labels layer in the images in its row."
        )
        self.first_axis = ComboBox(
            choices=lambda _: [("depth (z)", "depth"), ("time (t)", "time")],
            value="depth",
            tooltip="The meaning of the labels' first axis. If it is time, each frame has its own cells, and numbers "
            "may repeat from frame to frame.",
        )
        self.texture = CheckBox(
            text="texture as well (slower)",
            tooltip="How grainy, smooth or streaky each cell looks: statistics of neighbouring grey values.",
        )
        self.pictures = CheckBox(
            text=f"pictures as well ({PICTURE_SIZE**2} features per channel)",
            tooltip=f"Each cell's picture, scaled to {PICTURE_SIZE} × {PICTURE_SIZE} pixels, with one feature per "
            'pixel: for methods that learn from pictures, such as the Siamese network. Search for "pixel".',
        )
        self.button = PushButton(
            text="Measure", tooltip="Measure the shape of each cell, and its intensities in the images of its layer."
        )
        self.axis_doubt = wrapped_label()
        self.time_button = PushButton(text="Time", tooltip="Measure frame by frame.")
        self.depth_button = PushButton(text="Depth", tooltip="Measure in three dimensions.")
        self._is_axis_known = False
        self._axis_answers = in_row(self.time_button, self.depth_button)
        self._axis_row = label_row("First axis", self.first_axis)
        self._images_label = Label(value="Images to measure in:")
        pairing: list[Widget] = [self._images_label, self.doubt, self.right_button]
        super().__init__(
            widgets=[
                self._axis_row,
                self.axis_doubt,
                self._axis_answers,
                *pairing,
                self.texture,
                self.pictures,
                self.button,
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.native.layout().insertWidget(4, self.pairs)
        self._ask_axis("")
        self.time_button.changed.connect(partial(self._answer_axis, "time"))
        self.depth_button.changed.connect(partial(self._answer_axis, "depth"))
        self.pairs.chosen.connect(self._chosen)
        self.pairs.renamed.connect(self._renamed)
        self.pairs.ticks_changed.connect(self._show_pairs)
        self.right_button.changed.connect(self._confirm_pairs)
        self.button.changed.connect(self.measure)

    @property
    def running(self) -> bool:
        """Whether cells are being measured."""
        return self._job.running

    def offer(self, layers: Sequence[Layer]) -> None:
        """Offer to measure the labels among these layers."""
        labels = [layer for layer in layers if isinstance(layer, Labels)]
        if labels != self._layers:
            self._layers = labels
            self._is_axis_known = False
            self._ask_axis("")
            self.first_axis.value = "time" if any(is_time_first(layer) for layer in labels) else "depth"
        self._axis_row.visible = any(layer.ndim > 2 for layer in labels)
        self._show_pairs()

    def measure(self) -> None:
        """Measure the cells of the layers offered, in a thread."""
        if not self._layers:
            self._tell("Tick a labels layer to measure.")
            return
        if self.running:
            self._tell("Cells are already being measured. Wait, or press Cancel.")
            return
        self._show_pairs()
        if self._doubtful():
            self._tell('Nothing has been measured: check the pairs in orange, then press "Confirm these pairs".')
            return
        try:
            sizes, told = pixel_sizes(self._layers, is_time=self.first_axis.value == "time")
        except ValueError as error:
            self._tell(str(error))
            return
        tasks = [self._task(layer, *sizes[layer]) for layer in self._layers]
        self._about_sizes = told
        self._measured_layers = [task.layer for task in tasks]
        self._progress.busy("measuring")
        steps = measuring_all(tasks, asks=not self._is_axis_known)
        self._job.start(steps, yielded=self._progressed, returned=self._measured, failed=self._failed)
        self._finished()

    def cancel(self) -> None:
        """Stop measuring, and leave all layers as they are; the current step still runs to its end."""
        if self.running:
            self._job.drop()
            self._measured_layers = []
            self._progress.clear()
            self._tell("Measuring was stopped; no layer was changed.")
            self._finished()

    def stop(self) -> None:
        """Stop measuring, without a word to the user."""
        self._job.drop()

    def forget(self, layer: Layer) -> None:
        """Forget a layer that has left the viewer, and stop measuring it."""
        if isinstance(layer, Labels):
            self.changes.forget(layer)
            self._seen.pop(layer, None)
        self.image_changes.forget(layer)
        if self._job.running and layer in self._measured_layers:
            self._job.drop()
            self._measured_layers = []
            self._progress.clear()
            self._tell(f'Measuring was stopped, because "{layer.name}" was deleted.')
            self._finished()
        self._layers = [one for one in self._layers if one is not layer]

    def _task(self, layer: Labels, spacing: tuple[float, ...] | None, unit: str) -> Task:
        pixels = scales(layer)[0]
        if isinstance(pixels, np.ndarray):
            pixels = pixels.copy()  # the user may keep painting
        has_frames = self.first_axis.value == "time" and layer.ndim > 2
        name = self._name_of(layer)
        settings: Settings = {
            "layer": name,
            "has_frames": has_frames,
            "spacing": spacing,
            "unit": unit,
            "texture": self.texture.value,
            "picture_size": PICTURE_SIZE if self.pictures.value else 0,
        }
        images = self._images(layer)
        # As they are now: they may be changed while they are measured.
        self._seen[layer] = marks_of(pair.image for pair in images.values())
        found: dict[str, Any] = {}
        for channel, pair in images.items():
            found |= channels(pair.image, scales(layer)[0].shape, channel)
        return Task(layer, name, pixels, {name: pair.image.name for name, pair in images.items()}, found, settings)

    def _images(self, layer: Labels) -> dict[str, Paired]:
        """The images to measure a layer in, by channel."""
        ticked = self.pairs.ticked
        return {name: pair for name, pair in paired(self._viewer.layers)[layer].items() if name in ticked}

    def _show_pairs(self) -> None:
        """Show which images belong to which labels, and which pairs are in doubt."""
        pairs = paired(self._viewer.layers)
        rows = [Row(one, pairs[one], fitting(one, self._viewer.layers)) for one in self._layers]
        self.pairs.show_rows(rows)
        any_image = len(self.pairs.channels) > 0
        self._images_label.visible = any_image
        self.pairs.setVisible(any_image)
        doubtful = self._doubtful()
        self.right_button.visible = len(doubtful) > 0
        self.doubt.value = " ".join(filter(None, [_doubts(doubtful), _missing_channels(rows, self.pairs.ticked)]))
        self.doubt.visible = bool(self.doubt.value)

    def _doubtful(self) -> list[tuple[Labels, Paired]]:
        return [(one, pair) for one in self._layers for pair in self._images(one).values() if not pair.is_sure]

    def _chosen(self, layer: Labels, channel: str, image: Image | None) -> None:
        before = paired(self._viewer.layers)[layer].get(channel)
        said: dict[Image, str | None] = {} if before is None else {before.image: None}
        record_user_pairs(layer, said | ({} if image is None else {image: channel}))
        self._show_pairs()

    def _renamed(self, channel: str, name: str) -> None:
        for layer, own in paired(self._viewer.layers).items():
            if channel in own:
                record_user_pairs(layer, {own[channel].image: name})
        self._show_pairs()

    def _confirm_pairs(self) -> None:
        pairs = paired(self._viewer.layers)
        for layer in {layer: None for layer, _ in self._doubtful()}:
            said: dict[Image, str | None] = dict.fromkeys(fitting(layer, self._viewer.layers))
            named = {pair.image: "" if pair.why != BY_USER else name for name, pair in pairs[layer].items()}
            record_user_pairs(layer, said | named)
        self._show_pairs()
        self._tell("Each labels layer will be measured in the images in its row: press Measure.")

    def _progressed(self, progress: MeasureProgress) -> None:
        self._progress.count(progress.done, progress.total, progress.what)

    def _measured(self, measured: "list[Measured] | str") -> None:
        self._measured_layers = []
        if isinstance(measured, str):
            self._progress.clear()
            self._ask_axis(measured)
            self._tell("Nothing has been measured: say whether the first axis is time or depth.")
        else:
            self._progress.complete("measured")
            written = [self._written(*one) for one in measured if one[0].layer in self._viewer.layers]
            self._tell(" ".join(filter(None, [measured_words(written), self._about_sizes])))
        self._finished()

    def _written(self, task: Task, cells: CellTable, found: pd.DataFrame) -> tuple[Task, CellTable]:
        """Write the measurements to a layer, and return them with all of its features."""
        both = completed(cells, task.layer.features, layer=task.name, keep_rows=False)
        kept = [str(name) for name in both.features if name not in cells.features]
        if kept and (before := self.changes.reference(task.layer)) is not None:
            altered = label_changes(before.fingerprints, found).altered
            both = replace(both, notes=(*both.notes, *kept_values(len(altered), kept)))
        task.layer.metadata[MEASURED_KEY] = task.images
        task.layer.features = layer_features(both, has_frames=task.settings["has_frames"])
        self.image_changes.set_reference(task.layer, self._seen.pop(task.layer, {}))
        self.changes.set_reference(task.layer, found, has_frames=task.settings["has_frames"])
        return task, both

    def _ask_axis(self, doubt: str) -> None:
        """Ask whether the first axis is time, for this reason; "" withdraws the question."""
        self.axis_doubt.value = f"{doubt} Is it time or depth?" if doubt else ""
        self.axis_doubt.visible = self._axis_answers.visible = bool(doubt)

    def _answer_axis(self, axis: str, *_: object) -> None:
        self._is_axis_known, self.first_axis.value = True, axis
        self._ask_axis("")
        self.measure()

    def _failed(self, error: Exception) -> None:
        self._measured_layers = []
        self._progress.clear()
        self._tell(str(error))
        self._finished()
        if not isinstance(error, ValueError):
            raise error


def _doubts(doubtful: Sequence[tuple[Labels, Paired]]) -> str:
    """Ask the user to check the doubtful pairs, and say why they are doubtful."""
    if not doubtful:
        return ""
    names = listed(list(dict.fromkeys(layer.name for layer, _ in doubtful)))
    reasons = "; ".join(dict.fromkeys(pair.why for _, pair in doubtful))
    return (
        f"Are these the images of {names}? Check the pairs in orange: {reasons}. Click an image to choose another; if "
        'all are right, press "Confirm these pairs".'
    )


def _missing_channels(rows: Sequence[Row], ticked: Sequence[str]) -> str:
    """Say which labels lack which channels: a map of all layers can only use features that all of them have."""
    without = [row.labels.name for row in rows if not row.fitting]
    told = [f"No image has the size of {listed(without)}: only shape will be measured."] if without else []
    for name in ticked:
        if lacking := [row.labels.name for row in rows if row.fitting and name not in row.pairs]:
            has = "has" if len(lacking) == 1 else "have"
            told.append(f"{listed(lacking)} {has} no {name}: a map of all these layers cannot use it.")
    return " ".join(told)
