"""Which features are plotted against each other, of which cells."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import pandas as pd

from latentmap.display.colours import MISSING_COLOUR
from latentmap.display.feature_plot import PLAIN, FeaturePlot, Limits
from latentmap.session import Axis, Session
from latentmap.session.gate import Scaling
from latentmap.session.wording import counted
from latentmap.table import CellTable

ALL_IMAGES = "all images"
"""Stands for no image in particular."""

NO_FEATURE = "number of cells"
"""In place of a second feature: the plot is a histogram."""


class PlotView(Protocol):
    """Lists of features, scalings and images, and the plot."""

    def offer(self, features: Sequence[str], images: Sequence[str]) -> None:
        """Offer these features for both axes, and these images; with one image there is nothing to choose."""

    def show_axes(self, axes: tuple[Axis, ...], image: str) -> None:
        """Show which axes and which image are chosen."""

    def redraw(self, *, fit: bool) -> None:
        """Draw the plot again; `fit` brings all cells into view."""

    def show_sentence(self, sentence: str) -> None:
        """Show what the plot leaves out."""


class PlotPresenter:
    """Plots features of the current cells; a map is not needed.

    Parameters
    ----------
    session : Session
    table : callable
        Returns the current cells; None if there are none.
    view : PlotView

    Attributes
    ----------
    axes : tuple of Axis
        One for a histogram, two for a scatter plot; none without cells.
    image : str
        The layer that is plotted; "" for all.
    everyone : pandas.DataFrame
        The current cells of all layers. Those dropped are in gates, too, for when they come back.
    features : pandas.DataFrame
        The current cells of all layers, without those dropped.
    numbers : ndarray of int, shape (n_cells,)
        Their numbers in the session.
    """

    def __init__(self, session: Session, table: Callable[[], CellTable | None], view: PlotView) -> None:
        self._session, self._table, self._view = session, table, view
        self.axes: tuple[Axis, ...] = ()
        self.image = ""
        self.everyone = self.features = _none()
        self.numbers = np.empty(0, dtype=np.int64)
        self._offered: tuple[list[str], list[str]] = ([], [])
        self._rows: pd.DataFrame | None = None
        self._plot: FeaturePlot | None = None
        self._is_showing = False
        session.dropped.changed.connect(self.refresh, max_args=0)
        session.selection.changed.connect(self._recolour, max_args=0)
        session.classes.changed.connect(self._recolour)

    @property
    def shown(self) -> np.ndarray:
        """Which of the cells belong to the image that is plotted, shape (n_cells,)."""
        layers = self.features.index.get_level_values("layer")
        return np.asarray(layers == self.image) if self.image else np.ones(len(layers), dtype=bool)

    @property
    def rows(self) -> pd.DataFrame:
        """The cells of the image that is plotted."""
        if self._rows is None:
            self._rows = self.features[self.shown] if self.image else self.features
        return self._rows

    @property
    def plot(self) -> FeaturePlot:
        """The cells along the axes."""
        if self._plot is None:
            rows = self.rows
            columns = [axis.positions(axis.of(rows)) for axis in self.axes]
            self._plot = FeaturePlot(self.axes, np.column_stack(columns) if columns else np.empty((0, 2)))
        return self._plot

    def refresh(self) -> None:
        """Take up the current cells."""
        table = self._table()
        rows = _none() if table is None else table.features
        numbers = self._session.cell_index.add(rows.index)
        kept = ~self._session.dropped.is_dropped(numbers)
        self.everyone, self.features, self.numbers = rows, rows[kept], numbers[kept]
        self._rows = None
        names = [] if table is None else table.numeric
        images = [str(name) for name in rows.index.unique("layer")]
        if self.image not in images or len(images) == 1:
            self.image = ""
        if not self.axes or any(axis.feature not in names for axis in self.axes):
            self.axes = self._first_axes(names)
        if self._offered != (names, images):
            self._offered, self._is_showing = (names, images), True
            try:
                self._view.offer(names, images)
            finally:
                self._is_showing = False
        self._show()

    def choose(self, across: str, up: str) -> None:
        """Plot these features; with "number of cells" upwards, the plot is a histogram."""
        if self._is_showing or across not in self._offered[0]:
            return
        known = {axis.feature: axis for axis in self.axes}
        names = [across, *([up] if up in self._offered[0] else [])]
        self.show(tuple(known.get(name, Axis(name)) for name in names))

    def scale(self, index: int, scaling: Scaling, cofactor: float) -> None:
        """Spread one of the features in another way."""
        if not self._is_showing and index < len(self.axes):
            scaled = replace(self.axes[index], scaling=scaling, cofactor=cofactor)
            self.show((*self.axes[:index], scaled, *self.axes[index + 1 :]))

    def show(self, axes: tuple[Axis, ...]) -> None:
        """Plot these features, scaled like this."""
        if axes != self.axes:
            self.axes = axes
            self._show()

    def choose_image(self, name: str) -> None:
        """Plot the cells of one image, or of all."""
        name = name if name in self._offered[1] else ""
        if not self._is_showing and name != self.image:
            self.image, self._rows = name, None
            self._show()

    def picture(self, limits: Limits, size: tuple[int, int], scale: float = 1.0) -> np.ndarray:
        """Draw the cells in the colours of their classes; see :meth:`~latentmap.display.feature_plot.FeaturePlot`."""
        numbers = self.numbers[self.shown]
        return self.plot.picture(
            limits, size, self._colours(numbers), self._session.selection.is_selected(numbers), scale
        )

    def _colours(self, numbers: np.ndarray) -> np.ndarray:
        classes = self._session.classes
        if not len(classes):
            return np.full((len(numbers), 3), PLAIN)
        palette = [[int(one.colour[start : start + 2], 16) for start in (1, 3, 5)] for one in classes]
        missing = [round(255 * part) for part in MISSING_COLOUR[:3]]
        colours: np.ndarray = np.array([*palette, missing])[classes.indices_of(numbers)]
        return colours

    def _first_axes(self, names: Sequence[str]) -> tuple[Axis, ...]:
        wanted = [name for name in self._session.parameters.features if name in names]
        return tuple(Axis(name) for name in (wanted if len(wanted) > 1 else names)[:2])

    def _show(self) -> None:
        self._plot = None
        self._is_showing = True
        try:
            self._view.show_axes(self.axes, self.image)
        finally:
            self._is_showing = False
        self._view.show_sentence(self._sentence())
        self._view.redraw(fit=True)

    def _recolour(self) -> None:
        self._view.redraw(fit=False)

    def _sentence(self) -> str:
        """Say which cells the plot does not show."""
        if not self.axes:
            return "There are no cells with features yet."
        rows = self.rows
        parts = [f"{counted(int(self.plot.shown.sum()), 'cell')} in the plot."]
        for axis in self.axes:
            values = axis.of(rows)
            if n := int(np.isnan(values).sum()):
                verb, belong = ("has", "belongs") if n == 1 else ("have", "belong")
                parts.append(f'{counted(n, "cell")} {verb} no "{axis.feature}" and {belong} to no gate on it.')
            if n := int((values <= 0).sum() if axis.scaling == "log" else 0):
                parts.append(
                    f'{counted(n, "cell")} with "{axis.feature}" of 0 or less cannot be shown on a log axis: choose '
                    "arcsinh to see all."
                )
        return " ".join(parts)


def _none() -> pd.DataFrame:
    return pd.DataFrame(index=pd.MultiIndex.from_arrays([[], [], []], names=["layer", "frame", "label"]))
