"""Measuring the cells of one frame, or of a window of it."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.generators import retold
from latentmap.images.crops import Channel, Crops
from latentmap.images.frames import renumbered
from latentmap.measuring.block_threads import Steps, in_threads
from latentmap.measuring.cell_pixels import CellPixels, Runs
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.measuring.texture import TEXTURE, textures
from latentmap.table.pixel_columns import pixel_columns

INTENSITY = ("mean", "std", "min", "max")
"""The intensity features, for each channel."""

# The most cells, and pixels of cells, that are measured in one step; and of which pictures are taken in one step.
_BLOCK, _PICTURE_BLOCK = (200, 200_000), (20, 100_000)

# A larger picture would give the table thousands of columns.
_LARGEST_PICTURE = 64


@dataclass(frozen=True)
class MeasureProgress:
    """The progress of measuring.

    Attributes
    ----------
    done, total : int
        Units of work done, and in all.
    what : str
        What is being measured.
    """

    done: int
    total: int
    what: str


@dataclass(frozen=True)
class Extras:
    """What is measured in the channels besides intensities.

    Attributes
    ----------
    has_texture : bool
    picture_size : int
        0 for no pictures.
    limits : mapping of str to (float, float)
        The range of grey levels of each channel, if textures or pictures need it.
    """

    has_texture: bool
    picture_size: int
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def n_stages(self) -> int:
        """How many times each channel of a frame is processed."""
        return 1 + (self.picture_size > 0)


class Stage(NamedTuple):
    """How far the measuring of a frame has come: the stages done, whole ones and a part, and what the next one is."""

    done: float
    what: str


def iter_cells(
    labels: np.ndarray,
    channels: Mapping[str, Callable[[], np.ndarray]],
    shape: ShapeFeatures,
    extras: Extras,
    *,
    owned: np.ndarray | None = None,
    origin: tuple[int, ...] | None = None,
    work_off: Callable[..., Iterator[Any]] = in_threads,
) -> Generator[Stage, None, tuple[np.ndarray, pd.DataFrame, int]]:
    """Measure the cells of a frame step by step: the shapes are a stage, each channel is one, or two with pictures.

    Parameters
    ----------
    labels : ndarray of int, shape (n_rows, n_columns) or (n_planes, n_rows, n_columns)
    channels : mapping of str to callable
        Each reads a channel of the labels' shape.
    shape : ShapeFeatures
    extras : Extras
    owned : ndarray of int, optional
        The numbers of the cells to measure; by default all.
    origin : tuple of int, optional
        The index of the first pixel in the whole frame, if `labels` are a window of it.
    work_off : callable
        How to go through the cells: `in_threads` or `one_by_one`.

    Returns
    -------
    numbers : ndarray of int, shape (n_cells,)
        The cells' own numbers, in order.
    values : pandas.DataFrame, shape (n_cells, n_features)
    n_below : int
        How many numbers were below 0, which are no cells.
    """
    begun = Stage(0, "reading")
    numbers, image, n_below = yield from retold(renumbered(labels), lambda _: begun)
    if owned is not None:
        numbers, image = _only(owned, numbers, image)
    if not len(numbers):
        return numbers, pd.DataFrame(), n_below
    runs = yield from retold(Runs.find(image, origin), lambda _: begun)
    through = partial(_stage, work_off=work_off)
    tables = [(yield from through(runs.blocks(*_BLOCK), shape.columns, shape.measure, begun._replace(what="shape")))]
    done = 1
    for name, read in channels.items():
        yield Stage(done, name)
        values = read()
        of = partial(_intensities, values=values.ravel(), limits=extras.limits[name] if extras.has_texture else None)
        columns = [f"{name}_{feature}" for feature in (*INTENSITY, *(TEXTURE if extras.has_texture else ()))]
        tables.append((yield from through(runs.blocks(*_BLOCK), columns, of, Stage(done, name))))
        done += 1
        if size := extras.picture_size:
            of = partial(_pictures, crops=Crops(image, [Channel(values, extras.limits[name])]), size=size)
            columns = pixel_columns(name, size)
            stage = Stage(done, f"pictures in {name}")
            tables.append((yield from through(runs.blocks(*_PICTURE_BLOCK), columns, of, stage)))
            done += 1
    return numbers, pd.concat(tables, axis=1), n_below


def _only(owned: np.ndarray, numbers: np.ndarray, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Take the other cells out of a frame whose cells are numbered from 1."""
    is_owned = np.isin(numbers, owned)
    new = np.append(0, np.where(is_owned, np.cumsum(is_owned), 0))
    return numbers[is_owned], new[image]


def _stage(
    blocks: Iterator[CellPixels],
    columns: Sequence[str],
    of: Callable[[CellPixels], Steps[np.ndarray]],
    begun: Stage,
    work_off: Callable[..., Iterator[Any]],
) -> Generator[Stage, None, pd.DataFrame]:
    """Measure some features of all cells of a frame, some cells at a time."""
    values, n_done, share = [], 0, 0.0
    yield begun
    for found in work_off(of, blocks):
        if found is not None:
            pixels, measured = found
            values.append(measured)
            n_done += len(pixels.flat)
            share = n_done / pixels.numbered.size
        yield begun._replace(done=begun.done + share)
    yield begun._replace(done=begun.done + 1)
    return pd.DataFrame(np.concatenate(values), columns=list(columns))


def _intensities(pixels: CellPixels, values: np.ndarray, limits: tuple[float, float] | None) -> Steps[np.ndarray]:
    """Measure the intensities of cells in a flattened channel and, given limits of the grey levels, their texture."""
    inside = values[pixels.flat].astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        means = pixels.sums(inside) / pixels.sizes
        spread = np.sqrt(pixels.sums((inside - means[pixels.cells]) ** 2) / pixels.sizes)
    ends = (end.reduceat(inside, pixels.starts) for end in (np.minimum, np.maximum))
    intensities = np.stack([means, spread, *ends], axis=1)
    yield
    return intensities if limits is None else np.hstack([intensities, textures(pixels, values, limits)])


def _pictures(pixels: CellPixels, crops: Crops, size: int) -> Steps[np.ndarray]:
    """Return the pixels of cells' pictures in a channel, one row per cell."""
    yield
    numbers = pixels.numbered.reshape(-1)[pixels.flat[pixels.starts]].tolist()
    return crops.pixel_stack([(0, number) for number in numbers], size).reshape(len(numbers), -1)


def check_picture_size(size: Any) -> None:
    """Refuse what is no side of a picture.

    Raises
    ------
    ValueError
        Saying what it may be.
    """
    if not isinstance(size, Integral) or isinstance(size, bool) or not 0 <= int(size) <= _LARGEST_PICTURE:
        raise ValueError(
            f"picture_size, the side of each cell's picture in pixels, is {size!r}; it must be a whole number from 0 "
            f"(no pictures) to {_LARGEST_PICTURE}: each pixel becomes a column of the table."
        )
