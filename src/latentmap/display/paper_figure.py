"""Maps and images as a figure for a paper. Needs matplotlib."""

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

from latentmap.display.colours import MISSING_COLOUR, rgba, scale_end_text
from latentmap.display.group_names import GroupName, lay_out_names
from latentmap.session import ColourGroups, ColourScale

ONE_COLUMN, TWO_COLUMNS = 85.0, 174.0
"""Widths of figures in journals, in mm."""

_MM = 1 / 25.4
_POINTS = 72 / 25.4
_FONT: Any = {
    "font.size": 7,
    "font.family": "sans-serif",
    "axes.titlesize": 7,
    "axes.linewidth": 0.5,
    # Names of cells and channels may have dollar signs, and are no formulas.
    "text.parse_math": False,
}
# Text stays text that can be edited, and fonts are embedded as TrueType.
_FILES: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
_DPI = 300
# More points than this are drawn as pixels, so that a vector file stays small.
_MOST_VECTORS = 3000
# The share of a map that its points would cover without overlap, and their smallest and largest area, in square points.
_COVERED, _SMALLEST, _LARGEST = 0.15, 0.3, 14.0
_DIM = 0.2
_LEGEND_ROW = 3.6
_RING = "0.1"
_LINE = 0.6  # points
# How far names of channels lie from the corner of their image, and from one another, in points.
_INSET, _LINE_HEIGHT = 3.0, 9.0
_SHORT_UNITS = {"um": "µm", "micrometer": "µm", "micron": "µm", "nanometer": "nm", "millimeter": "mm", "angstrom": "Å"}


class DrawnMap(NamedTuple):
    """A map to print.

    Attributes
    ----------
    title : str
    positions : ndarray, shape (n_cells, 2)
        To the right and upwards.
    half : ndarray, shape (2,)
        Half the width and height of the map, whose middle is 0; the longer one is not 0.
    axes : (str, str)
        The names of the axes.
    colouring : ColourScale or ColourGroups
    selected : ndarray of bool, shape (n_cells,)
        Cells with a ring; if there are any, all others are dimmed.
    names : sequence of GroupName
        Names of groups to write on the map.
    links : ndarray of int, shape (n_links, 2)
        The cells that a line joins: the steps of tracks.
    strengths : ndarray of float, shape (n_links,)
        How strongly each line is drawn, from 0 to 1.
    now : ndarray of bool, shape (n_cells,)
        Cells of the frame shown, which stand out; if there are any, all others are dimmed.
    """

    title: str
    positions: np.ndarray
    half: np.ndarray
    axes: tuple[str, str]
    colouring: ColourScale | ColourGroups
    selected: np.ndarray
    names: Sequence[GroupName] = ()
    links: np.ndarray = np.empty((0, 2), dtype=np.int64)
    strengths: np.ndarray = np.empty(0)
    now: np.ndarray = np.empty(0, dtype=bool)


class DrawnImage(NamedTuple):
    """An image to print.

    Attributes
    ----------
    title : str
    picture : ndarray of uint8, shape (n_rows, n_columns, 3)
    pixel_size : float or None
        The width of a pixel, in `unit`; None for an image without a scale bar.
    unit : str
    channels : sequence of (str, colour)
        The names of the channels, and the colours of their brightest values, from 0 to 1.
    aspect : float
        The height of a pixel, as a multiple of its width.
    """

    title: str
    picture: np.ndarray
    pixel_size: float | None
    unit: str
    channels: Sequence[tuple[str, tuple[float, float, float]]] = ()
    aspect: float = 1.0


class PaperFigure(Figure):
    """A figure, and the text that belongs below it.

    Attributes
    ----------
    caption : str
        What is shown. Files of the figure carry it as their description.
    """

    caption = ""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as `matplotlib.figure.Figure.savefig` does, with editable text, 300 dpi and the caption."""
        kind = str(options.get("format") or str(fname).rpartition(".")[2]).lower()
        fields = {"png": "Description", "svg": "Description", "pdf": "Subject"}
        metadata = {fields[kind]: self.caption} if kind in fields else None
        with matplotlib.rc_context(_FONT | _FILES):
            super().savefig(fname, **{"dpi": _DPI, "metadata": metadata, **options})


def paper_figure(
    maps: Sequence[DrawnMap],
    images: Sequence[DrawnImage],
    shades: np.ndarray,
    caption: str,
    *,
    width: float = TWO_COLUMNS,
) -> PaperFigure:
    """Draw maps and images side by side, with a legend.

    Parameters
    ----------
    maps : sequence of DrawnMap
    images : sequence of DrawnImage
        At least one map or image in all.
    shades : ndarray of float, shape (n_shades, 4)
        The colours of a scale, from its low to its high end.
    caption : str
    width : float
        In mm.

    Returns
    -------
    PaperFigure

    Examples
    --------
    >>> groups = ColourGroups("class", np.array([0, 1]), ("A", "B"), ("#e69f00", "#56b4e9"))
    >>> places, half = np.array([[-0.5, 0], [0.5, 0]]), np.array([0.5, 0.5])
    >>> one = DrawnMap("map", places, half, ("map 1", "map 2"), groups, np.zeros(2, bool))
    >>> figure = paper_figure([one], [], np.ones((2, 4)), "Two cells.", width=85)
    >>> round(25.4 * figure.get_figwidth()), figure.caption
    (85, 'Two cells.')
    """
    with matplotlib.rc_context(_FONT):
        n_panels = len(maps) + len(images)
        n_columns = min(n_panels, max(1, round(width / ONE_COLUMN)) + (n_panels == 3 and width > 1.5 * ONE_COLUMN))
        n_rows = ceil(n_panels / n_columns)
        side = width / n_columns
        groups = _groups(maps)
        in_row = max(1, int(width // _entry_width(groups)))
        height = n_rows * (side + 4) + _LEGEND_ROW * (ceil(len(groups) / in_row) + bool(groups))
        layout = ConstrainedLayoutEngine()
        figure = PaperFigure(figsize=(width * _MM, height * _MM), layout=layout, facecolor="white", dpi=150)
        figure.caption = caption
        axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for axis, one in zip(axes, maps, strict=False):
            _draw_map(figure, axis, one, shades, side)
        for axis, image in zip(axes[len(maps) :], images, strict=False):
            _draw_image(axis, image)
        for axis in axes[n_panels:]:
            axis.axis("off")
        for letter, axis in zip("abcdefghijklmnopqrstuvwxyz", axes[:n_panels] if n_panels > 1 else (), strict=False):
            axis.set_title(letter, loc="left", fontweight="bold", fontsize=8)
        if groups:
            # The first map may have a scale, where its cells lack the column.
            title = next(one.colouring.title for one in maps if isinstance(one.colouring, ColourGroups))
            _draw_legend(figure, groups, title, in_row)
        # Laid out once, panels of a fixed aspect stand out of the figure: their titles are cut off.
        layout.execute(figure)
    return figure


def _draw_map(figure: Figure, axis: Axes, one: DrawnMap, shades: np.ndarray, side: float) -> None:
    colours = rgba(one.colouring, shades)
    stand_out = one.selected | one.now if len(one.now) else one.selected
    lines = colours[one.links[:, 1]]
    lines[:, 3] *= one.strengths
    if stand_out.any():
        colours[~stand_out, 3] *= _DIM
    n = len(one.positions)
    area = float(np.clip(_COVERED * (side * _POINTS) ** 2 / max(n, 1), _SMALLEST, _LARGEST))
    if len(one.links):
        is_many = len(one.links) > _MOST_VECTORS
        segments = LineCollection(
            list(one.positions[one.links]), colors=lines, linewidths=_LINE, zorder=0.5, rasterized=is_many
        )
        axis.add_collection(segments)
    # Cells without a value lie below the others.
    order = np.argsort(~np.all(colours[:, :3] == MISSING_COLOUR[:3], axis=1), kind="stable")
    is_pixels = n > _MOST_VECTORS
    across, up = one.positions[order].T
    axis.scatter(across, up, s=area, c=colours[order], linewidths=0, rasterized=is_pixels)
    chosen = order[one.selected[order]]
    across, up = one.positions[chosen].T
    axis.scatter(across, up, s=1.6 * area, facecolors="none", edgecolors=_RING, linewidths=0.4, rasterized=is_pixels)
    # Once more above the rings, which would hide them where points lie close together.
    axis.scatter(across, up, s=area, c=colours[chosen], linewidths=0, rasterized=is_pixels)
    reach = 1.06 * one.half.max()
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach))
    axis.set(xticks=[], yticks=[], xlabel=one.axes[0], ylabel=one.axes[1])
    axis.set_title(one.title)
    axis.set_aspect("equal")
    axis.spines[["top", "right"]].set_visible(False)
    _write_names(axis, one, side)
    if isinstance(one.colouring, ColourScale) and not np.isnan(one.colouring.shares).all():
        _draw_scale(figure, axis, one.colouring, shades)


def _draw_scale(figure: Figure, axis: Axes, meant: ColourScale, shades: np.ndarray) -> None:
    high = meant.high if meant.high > meant.low else np.nextafter(meant.low, np.inf)
    norm = LogNorm(meant.low, high) if meant.logarithmic else Normalize(meant.low, high)
    extend = "both" if meant.clipped else "neither"
    bar = figure.colorbar(
        ScalarMappable(norm, ListedColormap(shades)),
        ax=axis,
        location="bottom",
        shrink=0.5,
        aspect=25,
        pad=0.02,
        extend=extend,
    )
    bar.set_label(meant.title)
    bar.outline.set_linewidth(0.4)
    middle = np.sqrt(meant.low * high) if meant.logarithmic else (meant.low + high) / 2
    ticks = [meant.low, float(middle), high]
    bar.set_ticks(ticks, labels=[scale_end_text(tick) for tick in ticks])
    bar.minorticks_off()
    bar.ax.tick_params(width=0.4, length=2)


def _write_names(axis: Axes, one: DrawnMap, side: float) -> None:
    if not one.names:
        return
    height = 7 * 1.2
    per_unit = side * _POINTS / (2 * one.half.max())
    sizes = np.array([(0.6 * 7 * len(name), height) for name, _ in one.names])
    points = np.array([(position[:2] + one.half) * per_unit for _, position in one.names])
    canvas = tuple(2 * one.half * per_unit)
    for (name, _), middle in zip(one.names, lay_out_names(points, sizes, (canvas[0], canvas[1])), strict=True):
        if not np.isnan(middle[0]):
            across, up = middle / per_unit - one.half
            halo = [withStroke(linewidth=1.5, foreground="white")]
            axis.text(across, up, name, ha="center", va="center", path_effects=halo, clip_on=True)


def _draw_image(axis: Axes, image: DrawnImage) -> None:
    interpolation = "nearest" if max(image.picture.shape) < 300 else "auto"
    axis.imshow(image.picture, interpolation=interpolation, aspect=image.aspect)
    axis.set(xticks=[], yticks=[])
    axis.set_title(image.title)
    axis.spines[:].set_visible(False)
    n_rows, n_columns = image.picture.shape[:2]
    if image.pixel_size is not None:
        length = round_length(n_columns * image.pixel_size / 4)
        bar = AnchoredSizeBar(
            axis.transData,
            length / image.pixel_size,
            f"{length:g} {_SHORT_UNITS.get(image.unit, image.unit)}".strip(),
            "lower right",
            pad=0.4,
            frameon=False,
            color="white",
            size_vertical=max(n_rows, n_columns) / 120,
            sep=2,
        )
        halo = [withStroke(linewidth=1.5, foreground="black")]
        bar.size_bar.get_children()[0].set_path_effects(halo)
        bar.txt_label.get_children()[0].set_path_effects(halo)
        axis.add_artist(bar)
    for number, (name, colour) in enumerate(image.channels):
        halo = [withStroke(linewidth=1.5, foreground="black")]
        # In points from the corner, because the image may be far wider than high.
        axis.annotate(
            name,
            (0, 1),
            xytext=(_INSET, -_INSET - _LINE_HEIGHT * number),
            xycoords="axes fraction",
            textcoords="offset points",
            color=colour,
            va="top",
            path_effects=halo,
        )


def round_length(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is not longer.

    Examples
    --------
    >>> [round_length(length) for length in (0.3, 7.0, 49.9, 50.0)]
    [0.2, 5.0, 20.0, 50.0]
    """
    power = 10.0 ** np.floor(np.log10(length))
    return float(f"{max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)) * power:.12g}")


def _groups(maps: Sequence[DrawnMap]) -> dict[str, str]:
    """The colours of groups, by name; those of all maps."""
    return {
        name: colour
        for one in maps
        if isinstance(one.colouring, ColourGroups)
        for name, colour in zip(one.colouring.names, one.colouring.colours, strict=True)
    }


def _entry_width(groups: dict[str, str]) -> float:
    return 8 + 1.3 * max((len(name) for name in groups), default=0)


def _draw_legend(figure: Figure, groups: dict[str, str], title: str, in_row: int) -> None:
    handles = [Line2D([], [], marker="o", linestyle="", color=colour, markersize=3.5) for colour in groups.values()]
    figure.legend(
        handles,
        list(groups),
        loc="outside lower center",
        ncols=min(in_row, len(groups)),
        frameon=False,
        title=title,
        handletextpad=0.2,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
