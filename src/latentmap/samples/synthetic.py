"""Synthetic samples, in which the truth about every cell is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter
from scipy.spatial.transform import Rotation

from latentmap.measuring.in_memory import measure
from latentmap.table.cells import KEY, CellTable, Key

CHANNELS = ("DNA", "marker")
"""The names of the samples' channels."""
BACKGROUND = 100
"""The counts of a camera where there is no cell."""


class Kind(NamedTuple):
    """A kind of cells.

    Attributes
    ----------
    name : str
    radii : tuple of float
        Half the lengths of a cell's axes, in micrometres.
    levels : tuple of float
        The brightness in each of `CHANNELS`, in counts above the background.
    """

    name: str
    radii: tuple[float, ...]
    levels: tuple[float, float]


KINDS_2D = (
    Kind("round", (6.5, 6.0), (300, 120)),
    Kind("spindle", (9.5, 3.8), (220, 400)),
    Kind("compact", (4.3, 4.0), (600, 200)),
)
"""The kinds of cells in the time-lapse."""

KINDS_3D = (
    Kind("ball", (3.6, 3.6, 3.6), (300, 120)),
    Kind("rod", (6.0, 2.3, 2.3), (400, 350)),
    Kind("disc", (4.6, 4.6, 1.9), (200, 250)),
)
"""The kinds of nuclei in the volume."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Images, their cells, the cells' measured features and their true kinds.

    Attributes
    ----------
    image : mapping of str to ndarray of uint16
        The channels by name, of the labels' shape.
    labels : ndarray of int32, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Each cell's number at the pixels it covers; 0 is background.
    cells : CellTable
        The features measured, in `unit`, and the truth as text: the column ``kind``, and ``track`` if there are frames.
    spacing : tuple of float
        The distance between neighbouring pixels along each axis in space.
    unit : str
        The unit of `spacing`.
    """

    image: Mapping[str, np.ndarray]
    labels: np.ndarray
    cells: CellTable
    spacing: tuple[float, ...]
    unit: str


@dataclass
class _Cell:
    """A cell at one moment; lengths are in micrometres."""

    kind: Kind
    track: str
    position: np.ndarray
    axes: np.ndarray
    """The directions of the axes that the radii belong to, one per row."""
    levels: np.ndarray
    size: float = 1.0

    @property
    def radii(self) -> np.ndarray:
        return self.size * np.array(self.kind.radii)


def time_lapse(layer: str = "cells", numbering: Literal["frame", "track"] = "frame") -> Sample:
    """Generate 12 frames of about 40 moving cells of three kinds, some of which divide.

    Parameters
    ----------
    layer : str
        The name of the labels layer in the cells' keys.
    numbering : {"frame", "track"}
        "frame": every frame is numbered separately and in a different order, as after a segmentation frame by frame.
        The same numbers recur in every frame and say **nothing** about which cell is which.
        "track": a cell keeps its number from frame to frame; the two cells that it divides into get new ones.

    Returns
    -------
    Sample
        Of shape (12, 256, 256); the pixels are 0.65 um apart. The column ``track`` holds each cell's true name:
        "c7" divides into "c7a" and "c7b".

    Examples
    --------
    >>> sample = time_lapse()
    >>> sample.labels.shape, list(sample.image), sorted(set(sample.cells.features["kind"]))
    ((12, 256, 256), ['DNA', 'marker'], ['compact', 'round', 'spindle'])
    """
    rng, spacing, shape, n_frames = np.random.default_rng(0), (0.65, 0.65), (256, 256), 12
    extent = np.multiply(shape, spacing)
    cells = [_new(KINDS_2D[number % 3], f"c{number + 1}", rng.uniform(0, extent), rng) for number in range(36)]
    # At the start, too, so that the first frame is as free of overlaps as the others.
    _part(cells, extent, rounds=100)
    due = dict(zip(rng.permutation(36)[:8].tolist(), [2, 3, 4, 5, 6, 7, 8, 9], strict=True))
    dividing = {cells[number].track: frame for number, frame in due.items()}

    drawn, truth, tracks = [], dict[Key, tuple[str, ...]](), dict[str, int]()
    for frame in range(n_frames):
        cells = [new for cell in cells for new in (_halves(cell) if dividing.get(cell.track) == frame else [cell])]
        for cell in cells:
            _move(cell, rng)
        _part(cells, extent, rounds=20)
        # Drawn in both cases, so that only the numbers differ.
        numbers = (rng.permutation(len(cells)) + 1).tolist()
        if numbering == "track":
            numbers = [tracks.setdefault(cell.track, len(tracks) + 1) for cell in cells]
        drawn.append(_draw(cells, numbers, shape, spacing, rng))
        truth |= {
            (layer, frame, number): (cell.kind.name, cell.track) for number, cell in zip(numbers, cells, strict=True)
        }
    labels, channels = (np.stack(parts) for parts in zip(*drawn, strict=True))
    return _sample(labels, channels.swapaxes(0, 1), truth, layer, spacing)


def volume(layer: str = "nuclei") -> Sample:
    """Generate a volume of 66 nuclei of three kinds, with planes further apart than pixels and sparse numbers.

    Parameters
    ----------
    layer : str
        The name of the labels layer in the cells' keys.

    Returns
    -------
    Sample
        Of shape (24, 160, 160); the planes are 0.9 um apart, the pixels 0.36 um.

    Examples
    --------
    >>> sample = volume()
    >>> sample.labels.shape, len(sample.cells.features), sample.spacing
    ((24, 160, 160), 66, (0.9, 0.36, 0.36))
    """
    rng, spacing, shape = np.random.default_rng(0), (0.9, 0.36, 0.36), (24, 160, 160)
    extent, taken = np.multiply(shape, spacing), np.zeros(shape, dtype=bool)
    cells: list[_Cell] = []
    while len(cells) < 66:
        cell = _new(KINDS_3D[len(cells) % 3], "", rng.uniform(3, extent - 3), rng)
        window, distance = _reach(cell, shape, spacing)
        # Some room around each, so that no two nuclei look like one.
        if not taken[window][distance < 1.3].any():
            taken[window] |= distance < 1.3
            cells.append(cell)
    numbers = (rng.choice(50_000, len(cells), replace=False) + 1).tolist()
    labels, channels = _draw(cells, numbers, shape, spacing, rng)
    truth = {(layer, 0, number): (cell.kind.name,) for number, cell in zip(numbers, cells, strict=True)}
    return _sample(labels, channels, truth, layer, spacing)


def _sample(
    labels: np.ndarray,
    channels: Sequence[np.ndarray] | np.ndarray,
    truth: Mapping[Key, tuple[str, ...]],
    layer: str,
    spacing: tuple[float, ...],
) -> Sample:
    image, unit = dict(zip(CHANNELS, channels, strict=True)), "um"
    has_frames = labels.ndim > len(spacing)
    cells = measure(labels, image, layer=layer, has_frames=has_frames, spacing=spacing, unit=unit)
    known = pd.DataFrame(
        list(truth.values()),
        index=pd.MultiIndex.from_tuples(truth, names=KEY),
        columns=["kind", "track"] if has_frames else ["kind"],
    )
    return Sample(image, labels, replace(cells, features=cells.features.join(known)), spacing, unit)


def _new(kind: Kind, track: str, position: np.ndarray, rng: np.random.Generator) -> _Cell:
    """Make a cell of a kind, with random size, brightness and orientation."""
    if len(kind.radii) == 2:
        axes = _turned(np.eye(2), rng.uniform(0, 2 * np.pi))
    else:
        axes = Rotation.random(random_state=rng).as_matrix()
    levels = np.array(kind.levels) * rng.lognormal(0, 0.15, len(CHANNELS))
    return _Cell(kind, track, position, axes, levels, rng.uniform(0.9, 1.1))


def _turned(axes: np.ndarray, angle: float) -> np.ndarray:
    turned: np.ndarray = axes @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turned


def _move(cell: _Cell, rng: np.random.Generator) -> None:
    """Move a cell along its longest axis, turn it a little, and let it grow if it is young."""
    cell.axes = _turned(cell.axes, rng.normal(0, 0.25))
    cell.position = cell.position + 1.5 * cell.axes[0] + rng.normal(0, 0.5, 2)
    cell.size = max(cell.size, min(1.0, cell.size + 0.05))


def _halves(cell: _Cell) -> list[_Cell]:
    """Divide a cell across its longest axis."""
    away = 0.7 * cell.radii[0] * cell.axes[0]
    return [
        replace(cell, track=cell.track + letter, position=cell.position + side * away, size=0.75 * cell.size)
        for letter, side in (("a", 1), ("b", -1))
    ]


def _part(cells: list[_Cell], extent: np.ndarray, rounds: int) -> None:
    """Push overlapping cells apart, and cells that would leave the image back into it."""
    positions, reach = np.array([cell.position for cell in cells]), np.array([cell.radii.max() for cell in cells])
    apart = 1.02 * (reach[:, None] + reach)
    np.fill_diagonal(apart, 0)
    for _ in range(rounds):
        steps = positions[:, None] - positions
        distances = np.linalg.norm(steps, axis=-1) + 1e-9
        push = np.clip(apart - distances, 0, None) / distances
        positions = np.clip(positions + 0.5 * (push[..., None] * steps).sum(axis=1), 3, extent - 3)
    for cell, position in zip(cells, positions, strict=True):
        cell.position = position


def _reach(cell: _Cell, shape: Sequence[int], spacing: Sequence[float]) -> tuple[tuple[slice, ...], np.ndarray]:
    """Find the pixels around a cell and their squared distance from its middle, which is 1 at its border."""
    radius = 1.2 * cell.radii.max()
    bounds = [
        (max(0, int((position - radius) / step)), min(side, int((position + radius) / step) + 2))
        for position, step, side in zip(cell.position, spacing, shape, strict=True)
    ]
    grid = np.stack(np.meshgrid(*(np.arange(*bound) for bound in bounds), indexing="ij"), axis=-1)
    along = (grid * np.array(spacing) - cell.position) @ cell.axes.T / cell.radii
    return tuple(slice(*bound) for bound in bounds), (along**2).sum(axis=-1)


def _draw(
    cells: Sequence[_Cell],
    numbers: Sequence[int],
    shape: tuple[int, ...],
    spacing: Sequence[float],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw cells as a microscope sees them: brighter in the middle, blurred, and with Poisson noise."""
    labels, channels = np.zeros(shape, dtype=np.int32), np.zeros((len(CHANNELS), *shape))
    for cell, number in zip(cells, numbers, strict=True):
        window, distance = _reach(cell, shape, spacing)
        inside = (distance <= 1) & (labels[window] == 0)
        labels[window][inside] = number
        for channel, level in zip(channels, cell.levels, strict=True):
            channel[window][inside] = level * (1.2 - 0.4 * distance[inside])
    blurred = [gaussian_filter(channel, [0.4 / step for step in spacing]) for channel in channels]
    return labels, rng.poisson(BACKGROUND + np.stack(blurred)).astype(np.uint16)
