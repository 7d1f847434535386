"""Measuring cells: shape from the labels; intensities, texture and pictures from the images."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import ndimage

from latentmap.generators import result_of, retold, until_told
from latentmap.images.frames import Frames, compare_planes
from latentmap.measuring.frame_measuring import Extras, MeasureProgress, check_picture_size, iter_cells
from latentmap.measuring.measuring_notes import (
    below_zero,
    looks_like_mask_note,
    looks_like_time_note,
    without_image,
    without_texture,
)
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.measuring.texture import TEXTURE, grey_range, thinned
from latentmap.table.cells import CellTable

PICTURE_SIZE = 16
"""The side in pixels of the pictures that front ends measure; each pixel is a feature."""

# The side of the part of an image, in pixels, in which pieces of a cell are counted.
_SIDE = 2000


def iter_measure(
    labels: ArrayLike,
    channels: Mapping[str, ArrayLike] | None = None,
    *,
    layer: str,
    has_frames: bool = False,
    spacing: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
) -> Generator[MeasureProgress, bool | None, CellTable | None]:
    """Measure every labelled cell, step by step.

    Sending True to the generator ends it and drops what was measured so far, because a table of some of the cells could
    be mistaken for the whole. No step takes more than some tenths of a second, however large a cell is, except for
    reading a lazy array.

    Parameters
    ----------
    labels : array_like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Each cell's number at the pixels it covers; 0 is background. Numbers may be sparse and may repeat from frame to
        frame. May be lazy (dask, zarr, memory map): then one frame at a time is read.
    channels : mapping of str to array_like, optional
        Images of the labels' shape, by name; features are named after the channel (``DNA_mean``). May be lazy.
    layer : str
        The name of the labels layer, the first part of each cell's key.
    has_frames : bool
        Whether the first axis is time. Each frame is measured separately, and its number is part of the cells' keys.
    spacing : sequence of float, optional
        The distance between neighbouring pixels along each axis in space; by default 1, so that lengths are in pixels.
    unit : str
        The unit of `spacing`. If given, it is part of the names of lengths, areas and volumes: ``perimeter_um``,
        ``area_um2``; in 3-D, ``volume_um3``, ``surface_area_um2`` and ``equivalent_diameter_um``. Without it, the names
        are scikit-image's, and ``area`` in 3-D is the volume.
    texture : bool
        Whether to measure the texture of each channel, see `latentmap.measuring.texture`. Pairs are neighbouring
        pixels, whatever the spacing.
    picture_size : int
        The side in pixels of each cell's picture in each channel, for methods that learn from pictures; 0 for none.
        Every pixel is a feature (``DNA_pixel_00_15``), from 0 to 1 between the first and the last percentile of the
        channel inside cells. The picture is a window 1.6 times as large as the cell's longer side (see
        `latentmap.images.crops`), so it does not tell how large the cell is, and it shows the cell's neighbours.

    Yields
    ------
    MeasureProgress
        At the start, and after every few cells of every frame and channel.

    Returns
    -------
    CellTable or None
        Frame by frame, in the order of the cells' numbers. Notes say what could not be measured, and whether the planes
        look like frames: cells then lie in separate pieces from plane to plane. None if it was ended early.

    Raises
    ------
    ValueError
        If there is no cell, the labels have too few or too many axes or are not whole numbers, a channel has another
        shape, or the spacing or the size of pictures is invalid.

    Examples
    --------
    >>> labels = np.zeros((2, 8, 8), dtype=int)
    >>> labels[0, 1:4, 1:4], labels[1, 5:8, 2:8] = 3, 3
    >>> steps = iter_measure(labels, layer="nuclei", has_frames=True)
    >>> next(steps)
    MeasureProgress(done=0, total=200, what='frame 1 of 2: reading')
    >>> steps.send(True)
    Traceback (most recent call last):
        ...
    StopIteration
    """
    frames = Frames.read(labels, channels, layer=layer, has_frames=has_frames)
    work = _work(frames, ShapeFeatures.read(spacing, unit, n_axes=frames.n_axes), layer, texture, picture_size)
    return (yield from until_told(work))


def measure(
    labels: ArrayLike,
    channels: Mapping[str, ArrayLike] | None = None,
    *,
    layer: str,
    has_frames: bool = False,
    spacing: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
) -> CellTable:
    """Measure every labelled cell, in one go.

    Parameters
    ----------
    labels, channels, layer, has_frames, spacing, unit, texture, picture_size
        As in `iter_measure`.

    Returns
    -------
    CellTable
        Lengths, areas and volumes in the unit of `spacing`, intensities in that of the channel.

    Raises
    ------
    ValueError
        As in `iter_measure`.

    Examples
    --------
    >>> labels = np.zeros((8, 8), dtype=int)
    >>> labels[1:4, 1:4], labels[5:8, 2:8] = 3, 1000
    >>> cells = measure(labels, {"DNA": np.where(labels == 3, 200, 50)}, layer="nuclei")
    >>> cells.features[["area", "DNA_mean"]].loc[("nuclei", 0, 1000)].tolist()
    [18.0, 50.0]
    >>> measure(labels, layer="nuclei", spacing=(0.5, 0.5), unit="um").features["area_um2"].tolist()
    [2.25, 4.5]
    >>> measure(labels, {"DNA": labels}, layer="nuclei", picture_size=8).features.filter(like="DNA_pixel").shape
    (2, 64)
    """
    steps = iter_measure(
        labels,
        channels,
        layer=layer,
        has_frames=has_frames,
        spacing=spacing,
        unit=unit,
        texture=texture,
        picture_size=picture_size,
    )
    cells = result_of(steps)
    assert cells is not None, "Nothing has told it to stop."
    return cells


Parts = Generator[MeasureProgress, None, Any]
"""Work that reports its progress, and returns its result."""


class _Counter:
    """Counts units of work: a hundred for every stage of a frame.

    The shapes are a stage, each channel is one, or two with pictures, and the grey levels are one if they are needed.
    """

    def __init__(self, n_frames: int, n_stages: int) -> None:
        self._n_frames, self._total, self._done = n_frames, 100 * n_frames * n_stages, 0

    def at(self, fraction: float, frame: int, what: str) -> MeasureProgress:
        where = "" if self._n_frames == 1 else f"frame {frame + 1} of {self._n_frames}: "
        return MeasureProgress(self._done + int(100 * fraction), self._total, where + what)

    def finish(self, n_stages: int = 1) -> None:
        self._done += 100 * n_stages


def _work(frames: Frames, shape: ShapeFeatures, layer: str, has_texture: bool, picture_size: int) -> Parts:
    check_picture_size(picture_size)
    notes = list(shape.notes)
    if frames.n_axes == 3 and not frames.has_frames:
        looking = compare_planes(frames.labels)
        n_apart, n_followed = yield from retold(looking, lambda _: MeasureProgress(0, 100, "comparing planes"))
        notes += [looks_like_time_note(layer, n_apart, n_followed)] if n_apart else []
    if not frames.channels:
        notes += without_image(has_texture, picture_size > 0)
        has_texture, picture_size = False, 0
    needs_limits = has_texture or picture_size > 0
    extras = Extras(has_texture, picture_size)
    counter = _Counter(len(frames), 1 + len(frames.channels) * extras.n_stages + needs_limits)
    if needs_limits:
        extras = replace(extras, limits=(yield from _grey_ranges(frames, counter)))
    measured, n_below = [], 0
    for frame in range(len(frames)):
        rows, below = yield from _frame(frames, frame, shape, extras, counter)
        n_below += below
        if len(rows):
            measured.append(rows)
    if not measured:
        raise ValueError(f'"{layer}" holds no cell: no pixel has a number above 0.')
    table = CellTable.read(pd.concat(measured, ignore_index=True), layer=layer)
    if len(frames) == len(table.features) == 1 and _in_pieces(frames.labels_at(0)):
        notes.append(looks_like_mask_note(layer, table.features.index[0][2]))
    if n_below:
        notes.append(below_zero(n_below))
    for name in frames.channels if has_texture else ():
        if n_without := int(table.features[f"{name}_{TEXTURE[0]}"].isna().sum()):
            notes.append(without_texture(name, n_without))
    return replace(table, notes=(*table.notes, *notes))


def _in_pieces(labels: np.ndarray) -> bool:
    """Whether the pixels of the only cell lie in separate pieces, as far as the first of them tell."""
    corner = labels[(..., slice(_SIDE), slice(_SIDE))] > 0
    return bool(ndimage.label(corner, np.ones((3,) * corner.ndim))[1] > 1)


def _grey_ranges(frames: Frames, counter: _Counter) -> Parts:
    """Find each channel's range of grey levels over all frames, so that cells of different frames can be compared."""
    samples: dict[str, list[np.ndarray]] = {name: [] for name in frames.channels}
    for frame in range(len(frames)):
        yield counter.at(0, frame, "reading")
        inside = np.flatnonzero(frames.labels_at(frame) > 0)
        inside = inside[:: thinned(len(inside), len(frames))]
        for number, (name, found) in enumerate(samples.items()):
            yield counter.at(number / len(samples), frame, f"grey levels of {name}")
            found.append(frames.channel_at(name, frame).ravel()[inside])
        counter.finish()
    return {name: grey_range(np.concatenate([np.empty(0), *found])) for name, found in samples.items()}


def _frame(frames: Frames, frame: int, shape: ShapeFeatures, extras: Extras, counter: _Counter) -> Parts:
    """Measure the cells of a frame; return their rows, and how many labels were below 0."""
    yield counter.at(0, frame, "reading")
    channels = {name: partial(frames.channel_at, name, frame) for name in frames.channels}
    steps = iter_cells(frames.labels_at(frame), channels, shape, extras)
    numbers, values, n_below = yield from retold(steps, lambda stage: counter.at(stage.done, frame, stage.what))
    counter.finish(1 + len(frames.channels) * extras.n_stages)
    key = pd.DataFrame({"label": numbers, "frame": frame})
    return pd.concat([key, values], axis=1), n_below
