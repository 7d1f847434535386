"""The steps of measuring an image block by block: find the cells, then measure each in a window that holds it whole."""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from latentmap.generators import retold
from latentmap.images.frames import Frames, compare_planes
from latentmap.images.lazy_reading import read_part
from latentmap.measuring.block_grey_levels import GreyLevels, chosen_pixels
from latentmap.measuring.block_threads import Steps, one_by_one
from latentmap.measuring.block_windows import CellWindow, cell_windows, check_windows
from latentmap.measuring.block_workers import pixels_of, workers
from latentmap.measuring.blocks import Blocks, Window
from latentmap.measuring.cell_boxes import BlockCensus, CellBoxes, take_census
from latentmap.measuring.frame_measuring import Extras, MeasureProgress, check_picture_size, iter_cells
from latentmap.measuring.measuring_notes import below_zero, looks_like_time_note, without_image, without_texture
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.measuring.texture import TEXTURE
from latentmap.table.whole_numbers import whole_labels

Result = TypeVar("Result")
Parts = Generator[MeasureProgress, None, Result]
"""Work that reports its progress, and returns its result."""

# Of labels whose first axis may be time, so many rows and columns are compared from plane to plane.
_COMPARED = 2048
# Units of work of a block: to find its cells, to read its grey levels, to measure its shapes and each channel.
_FINDING, _GREY_LEVELS, _MEASURING = 1, 1, 4
# Bytes that a pixel of a window takes at the peak, beside the labels and channels as they were read: an estimate.
_BYTES = 60


class Keeper(Protocol):
    """Keeps the rows of blocks."""

    def begin(self, census: Mapping[int, BlockCensus]) -> None:
        """Begin, once the labels have been read."""

    def has(self, number: int) -> bool:
        """Whether the rows of a block are there already."""

    def keep(self, number: int, rows: pd.DataFrame) -> None:
        """Keep the rows of a block."""

    def count_without(self, column: str) -> int:
        """Count the rows without a value in a column."""


class BlockJob:
    """Measures the cells of an image block by block.

    Parameters
    ----------
    frames : Frames
    shape : ShapeFeatures
    has_texture : bool
    picture_size : int
    """

    def __init__(self, frames: Frames, shape: ShapeFeatures, has_texture: bool, picture_size: int) -> None:
        check_picture_size(picture_size)
        self._frames, self._shape = frames, shape
        self._notes = list(shape.notes)
        if not frames.channels:
            self._notes += without_image(has_texture, picture_size > 0)
            has_texture, picture_size = False, 0
        self._extras = Extras(has_texture, picture_size)
        self.blocks = Blocks.of(frames.labels, has_frames=frames.has_frames)
        # A window is larger than its block.
        self._work = workers(2 * self._bytes_per_pixel * self.blocks[0].size)
        self._measuring = _MEASURING * (1 + len(frames.channels) * self._extras.n_stages)
        self._done = 0

    def run(self, keeper: Keeper) -> Parts[list[str]]:
        """Measure all cells, have their rows kept, and return the notes.

        Parameters
        ----------
        keeper : Keeper

        Raises
        ------
        ValueError
            If there is no cell, or one does not fit into memory.
        """
        yield from self._look_for_time()
        census = yield from self._census()
        n = len(self.blocks) // len(self._frames)
        boxes = [
            CellBoxes.merge([census[first + at].boxes for at in range(n)]) for first in range(0, len(self.blocks), n)
        ]
        if not any(len(found.labels) for found in boxes):
            raise ValueError(f'"{self._frames.layer}" holds no cell: no pixel has a number above 0.')
        windows = cell_windows(self.blocks, boxes, self._extras.picture_size > 0)
        check_windows(windows, self.blocks, self._frames.layer, self._bytes_per_pixel, self._work.free_memory)
        keeper.begin(census)
        if self._needs_limits:
            yield from self._find_grey_levels(census)
        yield from self._measure(windows, keeper)
        if n_below := sum(found.n_below for found in boxes):
            self._notes.append(below_zero(n_below))
        for name in self._frames.channels if self._extras.has_texture else ():
            if n_without := keeper.count_without(f"{name}_{TEXTURE[0]}"):
                self._notes.append(without_texture(name, n_without))
        return self._notes

    @property
    def _needs_limits(self) -> bool:
        return self._extras.has_texture or self._extras.picture_size > 0

    @property
    def _bytes_per_pixel(self) -> float:
        """What measuring takes for each pixel of a window."""
        images = [self._frames.labels, *self._frames.channels.values()]
        return float(_BYTES + sum(np.dtype(image.dtype).itemsize for image in images))

    def _at(self, what: str) -> MeasureProgress:
        per_block = _FINDING + _GREY_LEVELS * self._needs_limits + self._measuring
        return MeasureProgress(self._done, per_block * len(self.blocks), what)

    def _look_for_time(self) -> Parts[None]:
        """Note if what is taken for depth looks like time."""
        if self._frames.n_axes != 3 or self._frames.has_frames:
            return
        yield self._at("comparing planes")
        n_apart, n_followed = yield from retold(
            compare_planes(_Middle(self._frames.labels)), lambda _: self._at("comparing planes")
        )
        if n_apart:
            self._notes.append(looks_like_time_note(self._frames.layer, n_apart, n_followed))

    def _each(
        self, work: Callable[..., Steps[Any]], items: Iterator[tuple[int, tuple[Any, ...]]], units: int, what: str
    ) -> Parts[dict[int, Any]]:
        """Work off blocks, and return the result of each by its number."""
        found = {}
        yield self._at(what)
        for one in self._work.work_off(work, items):
            if one is not None:
                found[one[0]] = one[1]
                self._done += units
            yield self._at(what)
        return found

    def _census(self) -> Parts[dict[int, BlockCensus]]:
        layer = self._frames.layer
        items = ((at, (self._labels(block), block.low, layer)) for at, block in enumerate(self.blocks))
        return (yield from self._each(_census_of, items, _FINDING, "finding cells"))

    def _find_grey_levels(self, census: Mapping[int, BlockCensus]) -> Parts[None]:
        """Find each channel's range of grey levels over all frames."""
        levels = GreyLevels(self.blocks, census)
        items = (
            (at, (self._labels(block), self._channels(block), *levels.asked(at)))
            for at, block in enumerate(self.blocks)
        )
        sampled = yield from self._each(_sampled, items, _GREY_LEVELS, "grey levels")
        self._extras = replace(self._extras, limits=levels.ranges(sampled, list(self._frames.channels)))

    def _measure(self, windows: Mapping[int, list[CellWindow]], keeper: Keeper) -> Parts[None]:
        wanted = {at: of_block for at, of_block in windows.items() if not keeper.has(at)}
        self._done += self._measuring * (len(self.blocks) - len(wanted))
        items = (
            (at, (of_block, *self._pixels(of_block), self._shape, self._extras, self._frames.layer))
            for at, of_block in wanted.items()
        )
        yield self._at("measuring")
        for found in self._work.work_off(_measured, items):
            if found is not None:
                keeper.keep(*found)
                self._done += self._measuring
            yield self._at("measuring")

    def _pixels(self, of_block: list[CellWindow]) -> tuple[list[Any], list[dict[str, Any]]]:
        windows = [one.window for one in of_block]
        return [self._labels(window) for window in windows], [self._channels(window) for window in windows]

    def _labels(self, window: Window) -> Any:
        return self._work.part(self._frames.labels, window.within(self._frames.has_frames))

    def _channels(self, window: Window) -> dict[str, Any]:
        index = window.within(self._frames.has_frames)
        return {name: self._work.part(image, index) for name, image in self._frames.channels.items()}


class _Middle:
    """The middle of each plane of labels: enough to compare planes."""

    def __init__(self, labels: Any) -> None:
        self._labels = labels
        starts = [max(0, (length - _COMPARED) // 2) for length in labels.shape[1:]]
        self._index = tuple(slice(start, start + _COMPARED) for start in starts)
        self.shape = labels.shape

    def __getitem__(self, plane: int) -> np.ndarray:
        return read_part(self._labels, (plane, *self._index))


def _census_of(labels: Any, low: tuple[int, ...], layer: str) -> Steps[BlockCensus]:
    yield
    return take_census(whole_labels(pixels_of(labels), layer), low)


def _sampled(labels: Any, channels: Mapping[str, Any], first: np.ndarray, step: int) -> Steps[dict[str, np.ndarray]]:
    yield
    chosen = chosen_pixels(pixels_of(labels), first, step)
    found = {}
    for name, image in channels.items():
        found[name] = pixels_of(image).ravel()[chosen]
        yield
    return found


def _measured(
    windows: list[CellWindow],
    labels: list[Any],
    channels: list[Mapping[str, Any]],
    shape: ShapeFeatures,
    extras: Extras,
    layer: str,
) -> Steps[pd.DataFrame]:
    """Measure the cells of a block, and return their rows in the order of labels."""
    tables = []
    for (window, owned), pixels, images in zip(windows, labels, channels, strict=True):
        yield
        steps = iter_cells(
            whole_labels(pixels_of(pixels), layer),
            {name: partial(pixels_of, image) for name, image in images.items()},
            shape,
            extras,
            owned=owned,
            origin=window.low,
            work_off=one_by_one,
        )
        numbers, values, _ = yield from retold(steps, lambda _: None)
        tables.append(
            pd.concat([pd.DataFrame({"frame": window.frame, "label": numbers.astype(np.int64)}), values], axis=1)
        )
    rows: pd.DataFrame = pd.concat(tables).sort_values("label", ignore_index=True)
    return rows
