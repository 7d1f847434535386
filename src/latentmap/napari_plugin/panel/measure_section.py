"""The part of the panel where cells are measured."""

import re
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
from magicgui.widgets import CheckBox, ComboBox, Container, Label, PushButton
from napari.layers import Labels, Layer

from latentmap.napari_plugin.cell_layers.layers import channels, completed, images_of, layer_features, scales
from latentmap.napari_plugin.panel.form import labelled
from latentmap.napari_plugin.panel.progress_bar import RunProgressBar
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.tick_list import TickList
from latentmap.session import Job
from latentmap.table import CellTable, Measuring, measuring
from latentmap.table.measure import PICTURE_SIZE

_TIME = ("t", "time", "frame", "frames")


class _Task(NamedTuple):
    """What is to be measured, as it was when the user asked."""

    layer: Labels
    name: str
    labels: Any
    channels: dict[str, Any]
    settings: dict[str, Any]


class MeasureSection(Container):
    """Measures labels layers, from the images that have their size.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
        Whose images are offered.
    progress : RunProgressBar
    tell : callable
        Takes a sentence for the user.
    name_of : callable
        Takes a layer, and returns what the keys of its cells call it.
    finished : callable
        Called when measuring has ended, in whatever way.
    """

    def __init__(
        self,
        viewer: Any,
        progress: RunProgressBar,
        tell: Callable[[str], None],
        name_of: Callable[[Layer], str],
        finished: Callable[[], None],
    ) -> None:
        self._viewer, self._progress, self._tell, self._finished = viewer, progress, tell, finished
        self._name_of = name_of
        self._layers: list[Labels] = []
        self._at_work: list[Labels] = []
        self._job = Job(main_thread())
        self.images = TickList("The images in which the intensity of every cell is measured.")
        self.first_axis = ComboBox(
            choices=lambda _: [("depth (z)", "depth"), ("time (t)", "time")],
            value="depth",
            tooltip="What the first axis of the labels is. Along time, a number counts for one frame only.",
        )
        self.texture = CheckBox(
            text="texture as well (slower)",
            tooltip="How grainy, even or streaky each cell looks: statistics of neighbouring grey values.",
        )
        self.pictures = CheckBox(
            text=f"pictures as well ({PICTURE_SIZE**2} features a channel)",
            tooltip=f"Each cell's picture in {PICTURE_SIZE} × {PICTURE_SIZE} pixels, however large it is, each pixel a "
            'feature: for methods that learn from pictures, such as the Siamese network. Search for "pixel".',
        )
        self.button = PushButton(
            text="Measure", tooltip="Measure each cell's shape, and its intensities in the images ticked."
        )
        self._axis_row = labelled("First axis", self.first_axis)
        self._images_label = Label(value="Images to measure in:")
        widgets = [self._axis_row, self._images_label, self.texture, self.pictures, self.button]
        super().__init__(widgets=widgets, labels=False)
        self.margins = (0, 0, 0, 0)
        self.native.layout().insertWidget(2, self.images)
        self.button.changed.connect(self.measure)

    @property
    def running(self) -> bool:
        """Whether cells are being measured."""
        return self._job.running

    def offer(self, layers: Sequence[Layer]) -> None:
        """Offer to measure those of these layers that are labels.

        Parameters
        ----------
        layers : sequence of napari.layers.Layer
        """
        labels = [layer for layer in layers if isinstance(layer, Labels)]
        if labels != self._layers:
            self._layers = labels
            self.first_axis.value = "time" if any(_is_time_first(layer) for layer in labels) else "depth"
        fitting = [image for one in labels for image in images_of(one, self._viewer.layers)]
        images = [layer for layer in self._viewer.layers if layer in fitting]
        if images != self.images.things:
            unticked = [image for image in self.images.things if image not in self.images.value]
            ticked = [image for image in images if image not in unticked]
            self.images.offer([(image.name, image) for image in images], ticked)
        self._axis_row.visible = any(layer.ndim > 2 for layer in labels)
        self._images_label.visible = len(images) > 0
        self.images.setVisible(len(images) > 0)

    def measure(self) -> None:
        """Measure the cells of the layers offered, in a thread of their own."""
        tasks = [self._task(layer) for layer in self._layers]
        if not tasks:
            self._tell("Tick a labels layer to measure.")
            return
        if self.running:
            self._tell("Cells are being measured already: wait, or press Cancel.")
            return
        self._at_work = [task.layer for task in tasks]
        self._progress.busy("measuring")
        self._job.start(_all(tasks), yielded=self._progressed, returned=self._measured, failed=self._failed)
        self._finished()

    def cancel(self) -> None:
        """Stop measuring, and leave all layers as they are."""
        self._job.stop()

    def stop(self) -> None:
        """Let go of what is being measured."""
        self._job.drop()

    def forget(self, layer: Layer) -> None:
        """Let go of a layer that is in the viewer no more, and stop if it is being measured.

        Parameters
        ----------
        layer : napari.layers.Layer
        """
        if self._job.running and layer in self._at_work:
            self._job.drop()
            self._at_work = []
            self._progress.clear()
            self._tell(f'"{layer.name}" is gone, so measuring is stopped.')
            self._finished()
        self._layers = [one for one in self._layers if one is not layer]

    def _task(self, layer: Labels) -> _Task:
        pixels = scales(layer)[0]
        if isinstance(pixels, np.ndarray):
            pixels = pixels.copy()  # the user may paint on
        has_frames = self.first_axis.value == "time" and layer.ndim > 2
        name = self._name_of(layer)
        spacing, unit = _spacing(layer, int(has_frames))
        settings = {
            "layer": name,
            "has_frames": has_frames,
            "spacing": spacing,
            "unit": unit,
            "texture": self.texture.value,
            "picture_size": PICTURE_SIZE if self.pictures.value else 0,
        }
        return _Task(layer, name, pixels, self._channels(layer), settings)

    def _channels(self, layer: Labels) -> dict[str, Any]:
        """The images ticked in which a layer's cells are, by names that images of one stain share."""
        found = channels(images_of(layer, self.images.value), scales(layer)[0].shape)
        # What napari adds to the name of a second "DNA" would make two features of the DNA of two images.
        plain = [re.sub(r" \[\d+\]", "", name) for name in found]
        return {
            short if plain.count(short) == 1 else name: image
            for short, (name, image) in zip(plain, found.items(), strict=True)
        }

    def _progressed(self, progress: Measuring) -> None:
        self._progress.count(progress.done, progress.total, progress.what)

    def _measured(self, measured: list[tuple[_Task, CellTable]] | None) -> None:
        self._at_work = []
        told = []
        for task, cells in measured or []:
            if task.layer in self._viewer.layers:
                both = completed(cells, task.layer.features, layer=task.name, keep_rows=False)
                task.layer.features = layer_features(both, has_frames=task.settings["has_frames"])
                told.append(_sentence(task, both))
        if measured is None:
            self._progress.clear()
            self._tell("Measuring is stopped; no layer was changed.")
        else:
            self._progress.complete("measured")
            self._tell(" ".join(told))
        self._finished()

    def _failed(self, error: Exception) -> None:
        self._at_work = []
        self._progress.clear()
        self._tell(str(error))
        self._finished()
        if not isinstance(error, ValueError):
            raise error


def _all(tasks: Sequence[_Task]) -> Generator[Measuring, bool | None, list[tuple[_Task, CellTable]] | None]:
    measured = []
    for task in tasks:
        cells = yield from measuring(task.labels, task.channels, **task.settings)
        if cells is None:
            return None
        measured.append((task, cells))
    return measured


def _is_time_first(layer: Labels) -> bool:
    """Whether all that is known of a layer's first axis speaks for time."""
    named = layer.axis_labels[0].lower() in _TIME or layer.units[0].is_compatible_with("second")
    return layer.ndim > 2 and (layer.ndim > 3 or named or "frame" in layer.features)


def _spacing(layer: Labels, first: int) -> tuple[tuple[float, ...] | None, str]:
    """The distance of pixels along a layer's axes in space, and its unit; none if the layer does not say."""
    steps, units = np.abs(layer.scale)[first:], layer.units[first:]
    unit = f"{units[-1]:~}".replace("µ", "u").replace("μ", "u")
    if unit in ("", "pixel", "px") or not all(one.is_compatible_with(units[-1]) for one in units):
        return None, ""
    return tuple(float((step * one).to(units[-1]).magnitude) for step, one in zip(steps, units, strict=True)), unit


def _sentence(task: _Task, cells: CellTable) -> str:
    images = f"intensities in {', '.join(task.channels)}" if task.channels else "no image has the labels' size"
    told = [f"{len(cells.features)} cells measured: shape; {images}."]
    if task.channels and (size := task.settings["picture_size"]):
        told.append(
            f"The pixels of their pictures are {size**2 * len(task.channels)} features more, which are not ticked. To "
            'learn from pictures, search the features for "pixel", press Only these, and set Scaling to none.'
        )
    return " ".join([*told, *cells.notes])
