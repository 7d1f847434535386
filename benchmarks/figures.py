"""How maps are drawn: one look for all pages about papers."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

# The ten colours of Tableau 10, its grey replaced by a dark one: no two of them can be mistaken for each other.
CLASS_COLORS = np.array(
    ["#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#d4698c", "#9c755f", "#3b3b3b"]
)
METHOD_COLORS = {"PCA": "#8a8a8a", "0": "#59a14f", "1": "#4e79a7", "2": "#e15759"}


def draw_map(axes: Axes, embedding: np.ndarray, colors: np.ndarray, title: str = "", share: float = 0.999) -> None:
    """Draw the points of a map, in an order that favours no colour; directions on a map mean nothing."""
    order = np.random.default_rng(0).permutation(len(embedding))
    size = np.clip(15_000 / len(embedding), 0.5, 6)
    axes.scatter(embedding[order, 0], embedding[order, 1], s=size, c=colors[order], alpha=0.5, linewidths=0)
    frame(axes, embedding, share)
    axes.set_title(title)


def draw_classes(axes: Axes, embedding: np.ndarray, y: np.ndarray, title: str = "") -> None:
    """Draw a map coloured by class, each with its name where most of it lies."""
    draw_map(axes, embedding, CLASS_COLORS[y], title)
    for label in np.unique(y):
        x, height = np.median(embedding[y == label], axis=0)
        axes.text(
            x, height, str(label), ha="center", va="center", fontsize=10, fontweight="bold", color="black",
            path_effects=[withStroke(linewidth=3, foreground="white")],
        )  # fmt: skip


def frame(axes: Axes, embedding: np.ndarray, share: float = 0.999) -> None:
    """Show this share of the points along each direction, without the farthest, and a bar instead of ticks."""
    low, high = limits(embedding, share)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
    axes.set_aspect("equal", anchor="N")
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    length = _round_length((high - low).max() / 6)
    axes.plot([low[0], low[0] + length], [low[1]] * 2, color="black", linewidth=1.5, clip_on=False)
    axes.text(low[0], low[1], f"{length:g}", fontsize=7, va="bottom", ha="left")


def limits(embedding: np.ndarray, share: float = 0.999) -> np.ndarray:
    """Return the corners, of shape (2, d), that hold this share of the points along each direction, and a margin."""
    low, high = np.quantile(embedding, [(1 - share) / 2, (1 + share) / 2], axis=0)
    margin = 0.06 * (high - low).max()
    return np.array([low - margin, high + margin])


def _round_length(length: float) -> float:
    """Return the nearest 1, 2 or 5 times a power of ten below a length."""
    power = 10 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1, 2, 5) if step <= length / power))
