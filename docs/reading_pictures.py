"""Make the pictures of reading-a-map.md, and print what is found on them: ``python docs/reading_pictures.py``."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs

from latentmap import LVM
from latentmap.quality import group_contacts, lost_neighbors, neighborhood_test

IMAGES = Path(__file__).parent / "images"
_DOTS, _BLUE = 130, (0.27, 0.45, 0.65, 1.0)


def main() -> None:
    """Make all pictures."""
    rng = np.random.default_rng(0)
    torn_ring(rng)
    joined_groups()
    noise(rng)


def torn_ring(rng: np.random.Generator) -> None:
    """A ring, cut open and straightened: of six arcs, the first and the last touch in the data alone."""
    angle, off = np.sort(rng.uniform(0, 2 * np.pi, 600)), rng.normal(scale=0.12, size=600)
    ring, cut = (1 + off)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), np.column_stack([angle, off])
    arcs = np.array([f"arc {1 + int(one)}" for one in 6 * angle / (2 * np.pi)])
    near = LVM().find_neighbors(ring)
    told("a ring, cut open", group_contacts(near, cut, arcs).sentences)
    figure, axes = side_by_side()
    for at, positions, title in zip(axes, (ring, cut), ("the data: a ring", "a map: cut open"), strict=True):
        points = at.scatter(*positions.T, c=lost_neighbors(near, cut), s=8, vmin=0, vmax=1)
        dressed(at, title)
    figure.colorbar(points, ax=axes, label="share of neighbours lost")
    figure.savefig(IMAGES / "reading-torn.png", dpi=_DOTS)


def joined_groups() -> None:
    """Three groups far apart in ten columns, mapped; and the same map with two of them pushed together."""
    table, group = make_blobs(600, 10, centers=3, center_box=(-8, 8), random_state=0)
    names = np.array(["A", "B", "C"])[group]
    honest = np.asarray(LVM().fit_transform(table))
    a, b = (honest[names == name] for name in "AB")
    pushed = honest.copy()
    pushed[names == "B"] += a.mean(axis=0) - b.mean(axis=0) + [3.2 * a[:, 0].std(), 0]
    near = LVM().find_neighbors(table)
    told("three groups, mapped", group_contacts(near, honest, names).sentences)
    told("A and B pushed together", group_contacts(near, pushed, names).sentences)
    figure, axes = side_by_side()
    titles = ("three groups, mapped", "A and B pushed together")
    for at, positions, title in zip(axes, (honest, pushed), titles, strict=True):
        for name in "ABC":
            at.scatter(*positions[names == name].T, s=8, label=name)
        dressed(at, title)
    axes[1].legend(frameon=False)
    figure.savefig(IMAGES / "reading-joined.png", dpi=_DOTS)


def noise(rng: np.random.Generator) -> None:
    """Noise in thirty columns, mapped: its clumps and threads are there by chance."""
    table = rng.normal(size=(600, 30))
    lvm = LVM().fit(table)
    found = neighborhood_test(table, lvm.embedding_, lvm)
    told("noise", [found.sentence])
    figure = Figure(figsize=(4, 3.6), layout="constrained")
    faces = np.where(found.is_sure[:, None], _BLUE, (0, 0, 0, 0))
    axes = figure.subplots()
    axes.scatter(*lvm.embedding_.T, s=12, facecolors=faces, edgecolors=_BLUE, linewidths=0.8)
    dressed(axes, "a map of noise: doubtful cells are hollow")
    figure.savefig(IMAGES / "reading-noise.png", dpi=_DOTS)


def side_by_side() -> tuple[Figure, list[Axes]]:
    """Two plots beside each other."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    return figure, list(figure.subplots(1, 2))


def dressed(axes: Axes, title: str) -> None:
    """Leave out the ticks, which mean nothing on a map."""
    axes.set(title=title, xticks=[], yticks=[])


def told(what: str, sentences: list[str]) -> None:
    """Print what was found, for the page."""
    print(f"{what}: {' '.join(sentences) or 'nothing is torn or joined.'}")


if __name__ == "__main__":
    main()
