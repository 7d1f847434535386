"""Measuring labels layers, each in its own images."""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np
import pandas as pd
from napari.layers import Labels

from latentmap.generators import retold
from latentmap.images.frames import compare_planes
from latentmap.images.lazy_slice import is_lazy
from latentmap.measuring import MeasureProgress, iter_measure, iter_measure_blocks
from latentmap.measuring.measuring_notes import looks_like_time_note
from latentmap.table import CellTable
from latentmap.table.fingerprints import fingerprint_cells
from latentmap.table.wording import counted

_Result = TypeVar("_Result")
_TIME = ("t", "time", "frame", "frames")


class Settings(TypedDict):
    """The options of `iter_measure` for a layer."""

    layer: str
    has_frames: bool
    spacing: tuple[float, ...] | None
    unit: str
    texture: bool
    picture_size: int


class Task(NamedTuple):
    """What to measure: copies of the labels and the settings, as of when the user asked."""

    layer: Labels
    name: str
    labels: Any
    images: dict[str, str]
    channels: dict[str, Any]
    settings: Settings


Measured = tuple[Task, CellTable, pd.DataFrame]
"""A task, its cells, and the marks by which later changes of the labels are found."""


def measuring_all(tasks: Sequence[Task], asks: bool) -> Generator[MeasureProgress, bool | None, list[Measured] | str]:
    """Measure layers; if `asks` and an axis taken for depth looks like time, return a sentence about it instead."""
    for task in tasks if asks else ():
        if np.ndim(task.labels) == 3 and not task.settings["has_frames"]:
            n_apart, n_followed = yield from retold(compare_planes(task.labels), _saying("comparing planes"))
            if n_apart:
                return looks_like_time_note(task.layer.name, n_apart, n_followed)
    measured = []
    for task in tasks:
        measuring = iter_measure_blocks if is_lazy(task.labels) else iter_measure
        cells = yield from measuring(task.labels, task.channels, **task.settings)
        assert cells is not None
        found = yield from retold(
            fingerprint_cells(task.labels, has_frames=task.settings["has_frames"]),
            _saying("marking the cells"),
        )
        measured.append((task, cells, found))
    return measured


def _saying(what: str) -> Callable[[object], MeasureProgress]:
    """Return what tells the same of each step."""
    return lambda _: MeasureProgress(0, 1, what)


def is_time_first(layer: Labels) -> bool:
    """Return whether a layer's first axis looks like time, by its name, its unit or the layer's features."""
    named = layer.axis_labels[0].lower() in _TIME or layer.units[0].is_compatible_with("second")
    return layer.ndim > 2 and (layer.ndim > 3 or named or "frame" in layer.features)


def measured_words(measured: Sequence[tuple[Task, CellTable]]) -> str:
    """Say what was measured in layers, and in which images; of several layers each sentence is said once."""
    by_images: dict[str, list[tuple[Task, CellTable]]] = {}
    for task, cells in measured:
        by_images.setdefault(_images_words(task, names_images=len(measured) == 1), []).append((task, cells))
    told = []
    for images, same in by_images.items():
        n_cells = sum(len(cells.features) for _, cells in same)
        name = same[0][0].layer.name
        layers = f'"{name}"' if len(same) == 1 else f'{len(same)} layers, from "{name}" to "{same[-1][0].layer.name}"'
        told.append(f"Measured {counted(n_cells, 'cell')} of {layers}: {images}.")
    pixels = {size**2 * len(task.channels) for task, _ in measured if (size := task.settings["picture_size"])} - {0}
    if pixels:
        told.append(
            f"The pixels of their pictures are {max(pixels)} more features, which are not ticked. To learn from "
            'pictures, search the features for "pixel", press Only these, and set Scaling to none.'
        )
    notes: dict[str, list[str]] = {}
    for task, cells in measured:
        for note in cells.notes:
            notes.setdefault(note, []).append(task.layer.name)
    for note, names in notes.items():
        where = f'"{names[0]}"' if len(names) == 1 else f"{len(names)} of {len(measured)} layers"
        told.append(note if len(names) == len(measured) else f"In {where}: {note}")
    return " ".join(told)


def _images_words(task: Task, *, names_images: bool) -> str:
    seen = [
        channel if channel == name or not names_images else f'{channel} (image "{name}")'
        for channel, name in task.images.items()
    ]
    if not seen:
        return "shape only, because no image of their size is ticked"
    return f"shape, and intensities in {', '.join(seen)}"
