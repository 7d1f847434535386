"""The picture of one table: its maps in frames of the same size, whole, and in the same colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS
from benchmarks.peers.data_sets import DataSet
from benchmarks.peers.records import Record
from benchmarks.pictures.maps import TITLES

_IN_A_ROW, _SIDE, _TITLE = 4, 2.6, 0.4
_MARGIN = 0.03


@dataclass(frozen=True, eq=False)
class Colors:
    """What the colours of a picture are.

    Attributes
    ----------
    of_rows : ndarray of shape (n, 4)
    names : dict of str to ndarray
        The colour of each class.
    title : str
        What they stand for.
    """

    of_rows: np.ndarray
    names: dict[str, np.ndarray]
    title: str

    @classmethod
    def of(cls, data: DataSet) -> Colors:
        """Return a colour for each class or, without classes, those along the first principal component."""
        if data.y is None:
            along = PCA(1, svd_solver="covariance_eigh").fit_transform(data.X.astype(float))[:, 0]
            # By rank: a few rows far out would leave one colour to all others.
            ranks = along.argsort().argsort() / max(1, len(along) - 1)
            return cls(colormaps["viridis"](ranks), {}, "first principal component")
        classes, codes = np.unique(data.y, return_inverse=True)
        many = colormaps["tab20"].colors
        palette = to_rgba_array(CLASS_COLORS if len(classes) <= len(CLASS_COLORS) else many)
        numbers = np.arange(len(classes)) % len(palette)
        return cls(palette[numbers[codes]], dict(zip(classes.astype(str), palette[numbers], strict=True)), "class")


def draw(maps: dict[str, np.ndarray], records: dict[str, Record], colors: Colors, path: Path) -> None:
    """Draw the maps of a table.

    Parameters
    ----------
    maps : dict of str to ndarray of shape (n, 2)
        By method; the place of one that is missing stays empty.
    records : dict of str to Record
    colors : Colors
    path : Path
        A PNG file.
    """
    # One place more, for what the colours are.
    n_rows = -(-(len(TITLES) + 1) // _IN_A_ROW)
    figure, axes = panels(n_rows, _IN_A_ROW, _SIDE, _SIDE + _TITLE)
    figure.get_layout_engine().set(h_pad=0.08)
    for panel in axes.flat:
        panel.set_axis_off()
    for panel, method in zip(axes.flat, TITLES, strict=False):
        if method in maps:
            panel.set_axis_on()
            draw_whole(panel, maps[method], colors.of_rows)
            panel.set_title("\n".join([TITLES[method], in_words(records[method]["quality"])]))
    _draw_legend(axes.flat[len(TITLES)], colors)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)


def draw_whole(axes: Axes, embedding: np.ndarray, colors: np.ndarray) -> None:
    """Draw all points of a map into a square frame, in an order that favours no colour."""
    order = np.random.default_rng(0).permutation(len(embedding))
    size = np.clip(12_000 / len(embedding), 0.25, 6)
    axes.scatter(*embedding[order].T, s=size, c=colors[order], alpha=0.6, linewidths=0)
    low, high = embedding.min(axis=0), embedding.max(axis=0)
    half = (0.5 + _MARGIN) * float((high - low).max())
    (left, right), (bottom, top) = ((middle - half, middle + half) for middle in (low + high) / 2)
    axes.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], box_aspect=1)
    axes.grid(False)
    for side in axes.spines.values():
        side.set(visible=True, color="#bbbbbb")


def in_words(quality: dict[str, float]) -> str:
    """Return what the eye sees of a map."""
    filled = f"fills {100 * quality['fill']:.0f} %"
    if "groups" not in quality:
        return filled
    return f"{filled}, {quality['groups']:.0f} group{'' if quality['groups'] == 1 else 's'} found"


def _draw_legend(axes: Axes, colors: Colors) -> None:
    handles: Sequence[Line2D] = [
        Line2D([], [], marker="o", linestyle="", color=color, label=name) for name, color in colors.names.items()
    ]
    if handles:
        axes.legend(handles=handles, title=colors.title, loc="center", ncols=1 + (len(handles) > 10))
    else:
        axes.text(0.5, 0.5, f"coloured by the\n{colors.title}", ha="center", va="center", transform=axes.transAxes)
