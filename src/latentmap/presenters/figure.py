"""The figure for a paper: what both front ends put into it, and the text below it."""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from latentmap import __version__
from latentmap.display.colours import rgba
from latentmap.display.group_names import group_names
from latentmap.display.image_plane import ImagePlane
from latentmap.display.label_plane import CoveredCells
from latentmap.display.map_sentences import measured_on
from latentmap.display.track_fading import opacities, tail_length
from latentmap.display.unit_square import unit_square
from latentmap.methods import METHODS
from latentmap.presenters.colours import map_colours
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import ColourGroups, ColourScale, Result, Run, Session
from latentmap.session.wording import counted, three_digits
from latentmap.table import atomic_file

if TYPE_CHECKING:
    from latentmap.display.paper_figure import DrawnImage, DrawnMap, PaperFigure

MOST_PREVIEWED, PREVIEW_PIXELS = 20_000, 600
"""How many cells a picture beside a widget may have, and how many pixels along a side its images."""
FORMATS = (".png", ".svg", ".pdf")
"""The endings of files of figures."""
TWO_COLUMNS = 174.0
"""The width of a figure in two columns, in mm."""


def figure_of(
    session: Session,
    runs: Sequence[Run],
    planes: Sequence[ImagePlane],
    shades: np.ndarray,
    width: float = TWO_COLUMNS,
) -> "PaperFigure":
    """Draw maps and images as they are shown.

    Parameters
    ----------
    session : Session
    runs : sequence of Run
        The maps in view; the cells in the images have the colours of the first.
    planes : sequence of ImagePlane
        The images in view.
    shades : ndarray of float, shape (n_shades, 4)
        The colours of a scale.
    width : float
        In mm, from 40.

    Raises
    ------
    ValueError
        If there is no map, one is being made, matplotlib is missing, or the figure is too narrow.
    """
    try:
        from latentmap.display.paper_figure import paper_figure
    except ImportError as error:
        raise ValueError("Figures are drawn with matplotlib, which is missing: pip install matplotlib") from error
    if session.runs.running:
        raise ValueError("A map is being made: wait until it is finished or press Cancel, then make the figure.")
    made = [_Map(session, run, run.result) for run in runs if run.result is not None]
    if not made:
        raise ValueError("There is no map yet: press Embed.")
    if not isinstance(width, Real):
        raise ValueError(f"The width of the figure is {width!r}: give a number of mm, such as 85 or 174.")
    if not width >= 40:
        raise ValueError(f"A figure {width:g} mm wide is too narrow: give at least 40 mm.")
    images = [_image(plane, made[0], session, shades) for plane in planes]
    caption = _caption(session, made, planes)
    return paper_figure([one.drawn for one in made], images, shades, caption, width=width)


def save_figure(figure: "PaperFigure", path: Path) -> str:
    """Write a figure in the format that the file's ending names, whole or not at all; return a message.

    Raises
    ------
    ValueError
        If the format is unknown.
    OSError
        If the folder is missing, not writable or full.
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f'"{path.name}": a figure is saved as {", ".join(FORMATS[:-1])} or {FORMATS[-1]}.')
    with atomic_file(path) as unfinished:
        figure.savefig(unfinished, format=path.suffix[1:].lower())
    return f"Saved the figure in {path}. Its caption: {figure.caption}"


def as_png(figure: "PaperFigure") -> str:
    """Return a figure as a PNG of 150 dpi, in base64."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    return b64encode(picture.getvalue()).decode()


class _Map:
    """A map without the cells that were dropped."""

    def __init__(self, session: Session, run: Run, result: Result) -> None:
        assert run.numbers is not None
        self.run, self.result = run, result
        self.is_there = ~session.dropped.is_dropped(run.numbers)
        self.numbers = run.numbers
        self.colouring = map_colours(session, result.cells, run.numbers, result.variances)
        lines = TrackLines(session)
        self.tracks = lines.of_run(run)
        lines.close()
        self._session = session
        self._layout = unit_square(result.drawn, result.variances, self.axes)

    @property
    def axes(self) -> tuple[int, ...]:
        return self._session.display_settings.axes_of(self.result.embedding.shape[1])

    @property
    def drawn(self) -> "DrawnMap":
        from latentmap.display.paper_figure import DrawnMap

        shows_all = self._session.display_settings.show_all
        *_, rows, columns = (self._layout.all_within if shows_all else self._layout.at_edge).T
        positions = np.column_stack([columns, -rows])
        half = np.abs(positions).max(axis=0) if shows_all else self._layout.half[[-1, -2]]
        is_named = self._session.display_settings.names_on_map
        tracks, new_rows = self.tracks, np.cumsum(self.is_there) - 1
        ages = opacities(tracks.frames[tracks.links[:, 1]], tracks.now, tail_length(tracks.frames))
        return DrawnMap(
            self.run.name,
            positions[self.is_there],
            np.maximum(half, 0.05),
            self._axis_names(),
            _only(self.colouring, self.is_there),
            self._session.selection.is_selected(self.numbers)[self.is_there],
            group_names(self.colouring, positions, self.is_there) if is_named else (),
            new_rows[tracks.links],
            ages,
            tracks.is_now[self.is_there] if len(tracks.frames) else tracks.is_now,
        )

    def _axis_names(self) -> tuple[str, str]:
        if self.result.embedding.shape[1] == 1:
            return "map 1", "log variance" if self.result.has_variances else ""
        return f"map {self.axes[0] + 1}", f"map {self.axes[1] + 1}"

    def sentences(self, session: Session) -> list[str]:
        """Say which map it is, how it was made, and what its colours show."""
        n_selected = int(session.selection.is_selected(self.numbers[self.is_there]).sum())
        said = [f"{self._points()} on the map “{self.run.name}” ({self._made()})."]
        if self.result.quality:
            recall, trust = (three_digits(self.result.quality[part]) for part in ("recall", "trustworthiness"))
            said.append(f"Recall of 10 neighbours {recall}, trustworthiness {trust}{measured_on(self.result)}.")
        said.append(f"Colour: {self._coloured()}.")
        if n_selected:
            said.append(f"{counted(n_selected, 'selected cell')} with a ring.")
        if len(self.tracks.links):
            said.append(f"Lines: the paths of cells in time, {counted(len(self.tracks.links), 'step')}.")
        if n_now := int((self.tracks.is_now & self.is_there).sum() if len(self.tracks.frames) else 0):
            said.append(f"{counted(n_now, 'cell')} of frame {self.tracks.now} stand{'s' if n_now == 1 else ''} out.")
        n_beyond = int((self._layout.beyond & self.is_there).sum())
        if n_beyond and not session.display_settings.show_all:
            said.append(f"{counted(n_beyond, 'cell')} far out, drawn at the edge.")
        return said

    def _points(self) -> str:
        n = int(self.is_there.sum())
        if not self.run.level:
            return counted(n, "cell")
        stood_for = self._session.stood_for(self.run, self.numbers[self.is_there])
        return f"{counted(n, 'landmark')}, which stand for {counted(len(stood_for), 'cell')},"

    def _made(self) -> str:
        if self.result.made_elsewhere:
            return f"made elsewhere: {self.result.made_elsewhere}"
        return METHODS[self.result.method].title

    def _coloured(self) -> str:
        meant = self.colouring
        if isinstance(meant, ColourGroups):
            n_without = int(((meant.indices < 0) & self.is_there).sum())
            return meant.title + (f"; grey: {n_without} in no {meant.title}" if n_without else "")
        n_without = int((np.isnan(meant.shares) & self.is_there).sum())
        parts = [meant.title + (", logarithmic" if meant.logarithmic else "")]
        parts += [f"{counted(meant.clipped, 'cell')} beyond the ends of the scale"] if meant.clipped else []
        parts += [f"grey: {n_without} without a value"] if n_without else []
        return "; ".join(parts)


def _only(meant: ColourScale | ColourGroups, rows: np.ndarray) -> ColourScale | ColourGroups:
    if isinstance(meant, ColourGroups):
        return ColourGroups(meant.title, meant.indices[rows], meant.names, meant.colours)
    return ColourScale(meant.title, meant.shares[rows], meant.low, meant.high, meant.logarithmic, meant.clipped)


def _image(plane: ImagePlane, coloured: _Map, session: Session, shades: np.ndarray) -> "DrawnImage":
    from latentmap.display.paper_figure import DrawnImage

    labels = np.unique(plane.labels) if plane.labels is not None else np.empty(0, dtype=np.int64)
    labels = labels[labels != 0]
    colours, selected = np.zeros((len(labels), 4)), np.zeros(len(labels), dtype=bool)
    if len(labels):
        keys = CoveredCells(np.full(len(labels), plane.frame), labels.astype(np.int64)).keys(plane.layer)
        numbers = session.cell_index.numbers_of(keys)
        by_number = np.zeros((len(session.cell_index), 4))
        by_number[coloured.numbers] = rgba(coloured.colouring, shades)
        by_number[coloured.numbers[~coloured.is_there]] = 0
        is_known = numbers >= 0
        colours[is_known] = by_number[numbers[is_known]]
        selected[is_known] = session.selection.is_selected(numbers[is_known])
    grey = [(name, one.colour) for name, one in plane.channels.items() if one.colour is not None]
    return DrawnImage(
        plane.title,
        plane.with_cells(labels, colours, selected),
        plane.pixel_size,
        plane.unit,
        grey if len(grey) > 1 else (),
        plane.aspect,
    )


def _caption(session: Session, maps: Sequence[_Map], planes: Sequence[ImagePlane]) -> str:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    is_lettered = len(maps) + len(planes) > 1
    said = []
    for one in maps:
        said.append(" ".join([*([f"({next(letters)})"] if is_lettered else []), *one.sentences(session)]))
    for plane in planes:
        said.append(" ".join([f"({next(letters)})", *_of_plane(plane, maps[0])]))
    return " ".join([*said, f"Made with latentmap {__version__}."])


def _of_plane(plane: ImagePlane, coloured: _Map) -> list[str]:
    said = [f"The image “{plane.title}”, its cells coloured as on the map “{coloured.run.name}”."]
    ranges = [f"{name} ({one.limits[0]:g} to {one.limits[1]:g})" for name, one in plane.channels.items()]
    if ranges:
        said.append(f"{'Channel' if len(ranges) == 1 else 'Channels'}, from black to brightest: {', '.join(ranges)}.")
    if plane.pixel_size is None:
        said.append("Without a scale bar: the size of its pixels is unknown.")
    return said
