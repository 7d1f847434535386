"""What all figures have in common."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from PIL import Image

DPI = 110
# Enough to see that a figure is drawn, and sooner done.
COARSE: Any = {"savefig.dpi": 25}

STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "legend.frameon": False,
}


def panels(
    n_rows: int, n_columns: int, width: float, height: float | None = None, shares: Sequence[float] | None = None
) -> tuple[Figure, np.ndarray]:
    """Return a figure and its axes, of shape (n_rows, n_columns).

    Parameters
    ----------
    n_rows, n_columns : int
    width, height : float
        Of a panel, in inches; square by default.
    shares : sequence of float, optional
        Of the height, for each row; equal by default.

    Returns
    -------
    figure : Figure
    axes : ndarray of Axes
    """
    figure = Figure((n_columns * width, n_rows * (height or width)), dpi=DPI, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, height_ratios=shares)


def logarithmic(axis: Axis, steps: Sequence[int] = (1, 2, 5)) -> None:
    """Make an axis logarithmic, with few numbers, but these written out."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(lambda value, _: f"{value:,.12g}".replace(",", " "))
    axis.set_minor_formatter(NullFormatter())


def save(figure: Figure, path: Path) -> None:
    """Write a PNG of 256 colours: a cloud of points takes a third of the space, and looks the same."""
    buffer, dpi = io.BytesIO(), mpl.rcParams["savefig.dpi"]
    figure.savefig(buffer, format="png", dpi=DPI if dpi == "figure" else dpi, facecolor="white")
    image = Image.open(buffer).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
