"""Make the moving pictures of parameters.md: ``python docs/parameter_pictures.py``."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from scipy.linalg import orthogonal_procrustes
from sklearn.datasets import load_digits, make_blobs

from latentmap import LVM

IMAGES = Path(__file__).parent / "images"
_SIDE, _DOTS, _COLOURS = 3.6, 100, 64
# Frames from one map to the next, and milliseconds that a frame and a map stay.
_STEPS, _FRAME, _MAP = 8, 60, 1300

Maps = dict[str, np.ndarray]


def main() -> None:
    """Make all pictures."""
    digits, digit = load_digits(return_X_y=True)
    moving("k", maps(digits, "k", "n_neighbors", (5, 10, 15, 30, 60, 120)), digit)
    moving("s", maps(digits, "s", "n_steps", (1, 2, 3, 4, 6)), digit)
    moving("l", maps(digits, "l", "n_levels", (0, 1, 2, 3)), digit)
    turning("d", LVM(n_components=3).fit_transform(digits), digit)
    tight_and_loose, group = make_blobs(1200, 10, centers=3, cluster_std=(0.4, 1.2, 3.6), random_state=0)
    moving("density", maps(tight_and_loose, "density", "local_scaling", (1.0, 0.75, 0.5, 0.25, 0.0)), group)


def maps(table: np.ndarray, symbol: str, parameter: str, values: Sequence[float]) -> Maps:
    """Map a table with each value of a parameter, each map turned to lie like the one before, all of one size."""
    made: Maps = {}
    before = None
    for value in values:
        positions = np.asarray(LVM(**{parameter: value}).fit_transform(table), dtype=float)
        positions = positions - np.median(positions, axis=0)
        positions /= np.quantile(np.linalg.norm(positions, axis=1), 0.98)
        if before is not None:
            positions = positions @ orthogonal_procrustes(positions, before)[0]
        made[f"{symbol} = {value}"] = before = positions
    return made


def moving(name: str, made: Maps, group: np.ndarray) -> None:
    """Save a picture that goes from map to map and back."""
    titles = [*made, *list(made)[-2::-1]]
    frames: list[tuple[str, np.ndarray, int]] = []
    for now, later in pairwise(titles):
        frames.append((now, made[now], _MAP))
        for share in np.linspace(0, 1, _STEPS + 1, endpoint=False)[1:]:
            eased = share**2 * (3 - 2 * share)
            frames.append((now if share < 0.5 else later, (1 - eased) * made[now] + eased * made[later], _FRAME))
    draw = drawn_by(group)
    save(name, ((draw(title, positions), wait) for title, positions, wait in frames))


def turning(name: str, positions: np.ndarray, group: np.ndarray) -> None:
    """Save a picture of a map in three dimensions that turns once."""
    positions = positions - np.median(positions, axis=0)
    positions = positions / np.quantile(np.linalg.norm(positions, axis=1), 0.98)
    draw = drawn_by(group)

    def frames() -> Iterator[tuple[Image.Image, int]]:
        for angle in np.linspace(0, 2 * np.pi, 48, endpoint=False):
            seen = np.column_stack([np.cos(angle) * positions[:, 0] + np.sin(angle) * positions[:, 2], positions[:, 1]])
            yield draw("d = 3, turned", seen), 80

    save(name, frames())


def drawn_by(group: np.ndarray) -> Callable[[str, np.ndarray], Image.Image]:
    """Return a function that draws a map in the colours of the groups."""
    figure = Figure(figsize=(_SIDE, _SIDE * 1.08), dpi=_DOTS, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()

    def draw(title: str, positions: np.ndarray) -> Image.Image:
        axes.clear()
        axes.scatter(*positions.T, c=group, cmap="tab10", vmin=0, vmax=9, s=4, linewidths=0)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xticks=[], yticks=[], aspect="equal")
        axes.set_title(title, loc="left")
        canvas.draw()
        return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])

    return draw


def save(name: str, frames: Iterable[tuple[Image.Image, int]]) -> None:
    """Save a moving picture, in the colours of its first frame."""
    pictures, waits = zip(*frames, strict=True)
    palette = pictures[0].quantize(_COLOURS)
    shown = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    path = IMAGES / f"parameters-{name}.gif"
    shown[0].save(path, save_all=True, append_images=shown[1:], duration=list(waits), loop=0, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
