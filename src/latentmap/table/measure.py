"""Measuring cells: shape from the labels; intensities, texture and pictures from the images."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.ndimage import find_objects

from latentmap.table.cells import CellTable
from latentmap.table.crops import Channel, Crops
from latentmap.table.frames import Frames, in_pieces
from latentmap.table.shape import Shape
from latentmap.table.texture import TEXTURE, grey_range, textures

INTENSITY: Mapping[str, Callable[[np.ndarray], float]] = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max}
"""The intensity features, for each channel."""
PICTURE_SIZE = 16
"""The side of a cell's picture, in pixels, of which each is a feature, where front ends measure them."""

# Cells, and pixels of their boxes, that are measured between two looks at whether to go on; pixels that are numbered;
# and the pixels that a channel's grey levels are drawn from.
_BLOCK, _BLOCK_PIXELS = 20, 100_000
_NUMBERED = 4_000_000
_SAMPLE = 1_000_000
# What a pixel's name ends with.
_PIXEL = re.compile(r"_pixel_\d\d_\d\d$")
# What a note begins with that says where cells were measured.
_SEEN = "Measured: "
# Of a larger picture the table would have thousands of columns.
_LARGEST_PICTURE = 64


@dataclass(frozen=True)
class _Seen:
    """What is measured in the channels beside intensities, and the range of each channel's grey levels for that."""

    has_texture: bool
    picture_size: int
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def n_stages(self) -> int:
        """How often each channel of a frame is gone through."""
        return 1 + (self.picture_size > 0)


@dataclass(frozen=True)
class Measuring:
    """How far measuring is.

    Attributes
    ----------
    done, total : int
        Parts of the work that are done, of how many.
    what : str
        What is being measured.
    """

    done: int
    total: int
    what: str


def measuring(
    labels: ArrayLike,
    channels: Mapping[str, ArrayLike] | None = None,
    *,
    layer: str,
    has_frames: bool = False,
    spacing: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
) -> Generator[Measuring, bool | None, CellTable | None]:
    """Measure every labelled cell with scikit-image, step by step.

    Sending True to the generator ends it: what was measured until then is dropped, as a table of some of the cells
    would pass for the whole. No step takes more than some tenths of a second, however large a cell is, but for reading
    an array that is lazy.

    Parameters
    ----------
    labels : array_like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Each cell's number at the pixels it covers; 0 is background. Numbers may be sparse and may repeat from frame to
        frame. May be lazy (dask, zarr, memory map): then one frame at a time is read.
    channels : mapping of str to array_like, optional
        Images of the labels' shape, by name; the name starts the features' names (``DNA_mean``). May be lazy.
    layer : str
        The name of the labels layer, the first part of each cell's key.
    has_frames : bool
        Whether the first axis is time. Each frame is measured on its own, and is a part of the cells' keys.
    spacing : sequence of float, optional
        The distance of neighbouring pixels along each axis in space; by default 1, which is to say pixels.
    unit : str
        The unit of `spacing`. If it is given, the names of lengths, areas and volumes carry it: ``perimeter_um``,
        ``area_um2``; in 3-D, ``volume_um3``, ``surface_area_um2`` and ``equivalent_diameter_um``. Without it
        they are scikit-image's, and ``area`` in 3-D is the volume.
    texture : bool
        Whether to measure the texture of each channel, see `latentmap.table.texture`. Pairs are neighbouring pixels,
        whatever the spacing.
    picture_size : int
        The side of each cell's picture in each channel, of which every pixel is a feature (``DNA_pixel_00_15``), for
        methods that learn from pictures; 0 for none. The picture is a window 1.6 times as large as the cell's larger
        side, see `latentmap.table.crops`, from 0 to 1 between the channel's first and last percentile in cells. So
        it does not tell how large the cell is, and the cell's neighbours are in it.

    Yields
    ------
    Measuring
        At the start, and after every few cells of every frame and channel.

    Returns
    -------
    CellTable or None
        Frame by frame, in the order of the cells' numbers. Notes say what could not be measured, and whether what was
        taken for planes looks like time: numbers that lie in separate pieces from plane to plane. None if it was ended
        before all was measured.

    Raises
    ------
    ValueError
        If there is no cell, the labels have too few or too many axes or are not whole numbers, a channel has
        another shape, or the spacing or the size of pictures does not fit.

    Examples
    --------
    >>> labels = np.zeros((2, 8, 8), dtype=int)
    >>> labels[0, 1:4, 1:4], labels[1, 5:8, 2:8] = 3, 3
    >>> steps = measuring(labels, layer="nuclei", has_frames=True)
    >>> next(steps)
    Measuring(done=0, total=200, what='frame 1 of 2: reading')
    >>> steps.send(True)
    Traceback (most recent call last):
        ...
    StopIteration
    """
    frames = Frames.read(labels, channels, layer=layer, has_frames=has_frames)
    work = _work(frames, Shape.read(spacing, unit, n_axes=frames.n_axes), layer, texture, picture_size)
    while True:
        try:
            step = next(work)
        except StopIteration as end:
            return end.value
        if (yield step):
            work.close()
            return None


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
    """Measure every labelled cell with scikit-image, in one go.

    Parameters
    ----------
    labels, channels, layer, has_frames, spacing, unit, texture, picture_size
        As in `measuring`.

    Returns
    -------
    CellTable
        Lengths, areas and volumes in the unit of `spacing`, intensities in the channel's own.

    Raises
    ------
    ValueError
        As `measuring` does.

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
    frames = Frames.read(labels, channels, layer=layer, has_frames=has_frames)
    work = _work(frames, Shape.read(spacing, unit, n_axes=frames.n_axes), layer, texture, picture_size)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


Parts = Generator[Measuring, None, Any]
"""Work that tells how far it is, and returns what it found."""


class _Cell(NamedTuple):
    """A cell of a frame: its number in a row, its bounding box, and the frame that it is in."""

    label: int
    slice: tuple[slice, ...]
    numbered: np.ndarray

    @property
    def image(self) -> np.ndarray:
        """Its pixels in the box; not kept, as the boxes of some cells are as large as the frame."""
        return self.numbered[self.slice] == self.label

    @property
    def n_pixels(self) -> int:
        """The pixels of the box."""
        return int(np.prod([side.stop - side.start for side in self.slice]))


class _Course:
    """Counts the parts of the work: a hundred for every stage of a frame. Its shapes are one, each of its channels one
    or, with pictures, two, and their grey levels one where they are looked at.
    """

    def __init__(self, n_frames: int, n_stages: int) -> None:
        self._n_frames, self._total, self._done = n_frames, 100 * n_frames * n_stages, 0

    def at(self, fraction: float, frame: int, what: str) -> Measuring:
        where = "" if self._n_frames == 1 else f"frame {frame + 1} of {self._n_frames}: "
        return Measuring(self._done + int(100 * fraction), self._total, where + what)

    def finish(self, n_stages: int = 1) -> None:
        self._done += 100 * n_stages


def _work(frames: Frames, shape: Shape, layer: str, has_texture: bool, picture_size: int) -> Parts:
    _check_picture_size(picture_size)
    notes = list(shape.notes)
    if frames.n_axes == 3 and not frames.has_frames:
        looking = in_pieces(frames.labels)
        n_apart, n_followed = yield from _told(looking, Measuring(0, 100, "looking from plane to plane"))
        notes += [looks_like_time(layer, n_apart, n_followed)] if n_apart else []
    if not frames.channels:
        absent = {"No texture is measured": has_texture, "No pictures are taken": picture_size}
        notes += [f"{what}: there is no image of the labels' shape." for what, is_asked in absent.items() if is_asked]
        has_texture, picture_size = False, 0
    needs_limits = has_texture or picture_size > 0
    seen = _Seen(has_texture, picture_size)
    course = _Course(len(frames), 1 + len(frames.channels) * seen.n_stages + needs_limits)
    if needs_limits:
        seen = replace(seen, limits=(yield from _grey_ranges(frames, course)))
    measured, n_below = [], 0
    for frame in range(len(frames)):
        rows, below = yield from _frame(frames, frame, shape, seen, course)
        n_below += below
        if len(rows):
            measured.append(rows)
    if not measured:
        raise ValueError(f'"{layer}" holds no cell: every pixel is 0, the background.')
    table = CellTable.read(pd.concat(measured, ignore_index=True), layer=layer)
    if n_below:
        notes.append(f"Numbers below 0 are not cells: {n_below} left out.")
    for name in frames.channels if has_texture else ():
        if n_without := int(table.features[f"{name}_{TEXTURE[0]}"].isna().sum()):
            notes.append(f"Cells without texture of {name}, as no two of their pixels lie side by side: {n_without}.")
    return replace(table, notes=(*table.notes, *notes))


def _grey_ranges(frames: Frames, course: _Course) -> Parts:
    """Find each channel's range of grey levels over all frames, so that cells of two frames can be compared."""
    samples: dict[str, list[np.ndarray]] = {name: [] for name in frames.channels}
    for frame in range(len(frames)):
        yield course.at(0, frame, "reading")
        inside = np.flatnonzero(frames.labels_at(frame) > 0)
        inside = inside[:: max(1, len(inside) * len(frames) // _SAMPLE)]
        for number, (name, found) in enumerate(samples.items()):
            yield course.at(number / len(samples), frame, f"grey levels of {name}")
            found.append(frames.channel_at(name, frame).ravel()[inside])
        course.finish()
    return {name: grey_range(np.concatenate([np.empty(0), *found])) for name, found in samples.items()}


def _frame(frames: Frames, frame: int, shape: Shape, seen: _Seen, course: _Course) -> Parts:
    """Measure the cells of a frame; return their rows, and how many numbers below 0 there were."""
    yield course.at(0, frame, "reading")
    pixels = frames.labels_at(frame)
    numbers, image, n_below = yield from _told(_numbered(pixels, frames.layer), course.at(0, frame, "reading"))
    if not len(numbers):
        course.finish(1 + len(frames.channels) * seen.n_stages)
        return pd.DataFrame(), n_below
    cells = [_Cell(place, box, image) for place, box in enumerate(find_objects(image), start=1)]
    key = pd.DataFrame({"label": numbers, "frame": frame})
    tables = [key, (yield from _stage(cells, shape.columns, partial(_shapes, shape=shape), course, frame, "shape"))]
    for name in frames.channels:
        yield course.at(0, frame, name)
        values = frames.channel_at(name, frame)
        of = partial(_intensities, image=values, limits=seen.limits[name] if seen.has_texture else None)
        columns = [f"{name}_{feature}" for feature in (*INTENSITY, *(TEXTURE if seen.has_texture else ()))]
        tables.append((yield from _stage(cells, columns, of, course, frame, name)))
        if size := seen.picture_size:
            of = partial(_pictures, crops=Crops(image, [Channel(values, seen.limits[name])]), size=size)
            columns = [f"{name}_pixel_{row:02}_{column:02}" for row in range(size) for column in range(size)]
            tables.append((yield from _stage(cells, columns, of, course, frame, f"pictures in {name}")))
    return pd.concat(tables, axis=1), n_below


Steps = Generator[None, None, Any]
"""Work in short steps, which returns what it found."""


def _told(steps: Steps, so_far: Measuring) -> Parts:
    """Go through steps, and tell of each how far the work is."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        yield so_far


def _stage(
    cells: Sequence[_Cell],
    columns: Sequence[str],
    of: Callable[[Sequence[_Cell]], Steps],
    course: _Course,
    frame: int,
    what: str,
) -> Parts:
    """Measure some features of all the cells of a frame, a few cells at a time."""
    values, n_done = [], 0
    for block in _blocks(cells):
        so_far = course.at(n_done / len(cells), frame, what)
        yield so_far
        values.append((yield from _told(of(block), so_far)))
        n_done += len(block)
    course.finish()
    yield course.at(0, frame, what)
    return pd.DataFrame(np.concatenate(values), columns=list(columns))


def _blocks(cells: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """Cells that are soon measured, a few at a time; a large one is alone."""
    block: list[_Cell] = []
    n_pixels = 0
    for cell in cells:
        if block and (len(block) == _BLOCK or n_pixels + cell.n_pixels > _BLOCK_PIXELS):
            yield block
            block, n_pixels = [], 0
        block.append(cell)
        n_pixels += cell.n_pixels
    yield block


def _shapes(cells: Sequence[_Cell], shape: Shape) -> Steps:
    return shape.of([cell.image for cell in cells])


def _intensities(cells: Sequence[_Cell], image: np.ndarray, limits: tuple[float, float] | None) -> Steps:
    """Measure the intensities of cells in a channel, and their texture if the grey levels have limits."""
    inside = [image[cell.slice][cell.image].astype(float) for cell in cells]
    intensities = np.array([[feature(values) for feature in INTENSITY.values()] for values in inside])
    yield
    return intensities if limits is None else np.hstack([intensities, textures(cells, image, limits)])


def _pictures(cells: Sequence[_Cell], crops: Crops, size: int) -> Steps:
    """Return the pixels of cells' pictures in a channel, a row for each."""
    yield
    return crops.stack([(0, cell.label) for cell in cells], size).reshape(len(cells), -1)


def looks_like_time(layer: str, n_apart: int, n_followed: int) -> str:
    """Return the sentence on labels whose planes look like frames.

    Parameters
    ----------
    layer : str
    n_apart, n_followed : int
        Of how many numbers that go on from one plane to the next the two pieces lie apart; see
        `latentmap.table.frames.in_pieces`.
    """
    return (
        f'The first axis of "{layer}" looks like time: {n_apart} of {n_followed} numbers lie in separate pieces from '
        "one plane to the next. Taken as depth, such pieces count as one cell."
    )


def is_pixel(name: str) -> bool:
    """Return whether a feature is a pixel of the cells' pictures, by its name."""
    return _PIXEL.search(name) is not None


def seen_in(layer: str, images: Mapping[str, str]) -> str:
    """Return the note that keeps in which images a layer was measured.

    Parameters
    ----------
    layer : str
    images : mapping of str to str
        By channel the image's name.

    Examples
    --------
    >>> seen_in("field 2", {"DAPI": "DAPI [1]"})
    'Measured: "field 2", DAPI in "DAPI [1]".'
    """
    seen = ", ".join(f'{channel} in "{name}"' for channel, name in images.items())
    return f'{_SEEN}"{layer}", {seen}.'


def is_record(note: str) -> bool:
    """Return whether a note only keeps in which images cells were measured, for the record of a map."""
    return note.startswith(_SEEN)


def _check_picture_size(size: Any) -> None:
    if not isinstance(size, Integral) or isinstance(size, bool) or not 0 <= int(size) <= _LARGEST_PICTURE:
        raise ValueError(
            f"picture_size, the side of each cell's picture in pixels, is {size!r}; it must be a whole number from 0, "
            f"for none, to {_LARGEST_PICTURE}: each pixel becomes a column of the table."
        )


def _numbered(labels: np.ndarray, layer: str) -> Steps:
    """Number the cells of a frame in a row from 1, because scikit-image keeps a list as long as the largest number.

    Returns the cells' own numbers, the image of the new ones, and how many numbers were below 0.
    """
    # pandas reads no foreign byte order, which TIFF files may have.
    flat = labels.astype(labels.dtype.newbyteorder("="), copy=False).ravel()
    parts = [slice(start, start + _NUMBERED) for start in range(0, len(flat), _NUMBERED)]
    found = []
    for part in parts:
        found.append(pd.unique(flat[part]))
        yield
    numbers = np.unique(np.concatenate([flat[:0], *found]))
    first, places = int(np.searchsorted(numbers, 1)), pd.Index(numbers)
    image = np.empty(len(flat), dtype=np.int64)
    for part in parts:
        image[part] = places.get_indexer(flat[part])
        yield
    image += 1 - first
    np.maximum(image, 0, out=image)
    return numbers[first:], image.reshape(labels.shape), int(np.searchsorted(numbers, 0))
