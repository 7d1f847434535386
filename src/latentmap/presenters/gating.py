"""Gates: drawing them on a plot of features, their classes, and the messages about them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from latentmap.display.feature_plot import Limits
from latentmap.display.gate_shape import drawn_gate, gate_shape, rescaled, reshaped
from latentmap.display.gate_words import gate_counts, share_text
from latentmap.presenters.gate_view import DRAWN_COLOUR, GateLine, GateView, Outline, PlotTool
from latentmap.presenters.plotting import PlotPresenter
from latentmap.session import Axis, Gate, Session
from latentmap.session.gate import Kind, Side, gate_names
from latentmap.session.selection import Mode
from latentmap.session.wording import counted
from latentmap.table import CellTable

_KINDS: dict[str, Kind] = {
    "lasso": "polygon",
    "polygon": "polygon",
    "rectangle": "rectangle",
    "threshold": "threshold",
    "quadrant": "quadrant",
}


class GatePresenter:
    """Lets the user draw gates, and change them afterwards.

    Parameters
    ----------
    session : Session
    table : callable
        Returns the current cells; None if there are none.
    view : GateView
    tell : callable
        Shows the user a sentence.

    Attributes
    ----------
    plot : PlotPresenter
        The plot that gates are drawn on.
    side : {"above", "below", "both"}
        Which cells the next threshold puts into a class.
    """

    def __init__(
        self,
        session: Session,
        table: Callable[[], CellTable | None],
        view: GateView,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._view, self._tell = session, view, tell
        self.plot = PlotPresenter(session, table, view)
        self.side: Side = "above"
        self._drawn: Gate | None = None
        self._dragged: Gate | None = None
        self._index: int | None = None
        self._n_gates = len(session.gates)
        session.gates.changed.connect(self._gates_changed)
        session.classes.changed.connect(self.list_gates)

    @property
    def current(self) -> Gate | None:
        """The shape drawn last, or the gate chosen."""
        return self._dragged or self._drawn or self._chosen

    def refresh(self) -> None:
        """Take up the current cells."""
        self.plot.refresh()
        if n := self._session.gates.follow(self.plot.everyone):
            has, its = ("has", "it has") if n == 1 else ("have", "they have")
            self._tell(f"By the gates, {counted(n, 'cell')} {has} another class, as {its} other features now.")
        self.list_gates()
        self._show_current()

    def draw(self, tool: PlotTool, points: np.ndarray, mode: Mode = "replace") -> None:
        """Take up what was drawn on the plot, and select the cells in it.

        Parameters
        ----------
        tool : {"lasso", "polygon", "rectangle", "threshold", "quadrant"}
            The tool that drew it.
        points : ndarray of float, shape (n_points, 2)
            The path of the mouse or the corners clicked, as positions along the axes; of a histogram the second ones do
            not count.
        mode : {"replace", "add", "subtract", "intersect"}
            How the cells change the selection. Only a shape that replaces it can become a gate.
        """
        at, is_exact = np.asarray(points, dtype=float), tool == "polygon"
        gate = drawn_gate(_KINDS[tool], self.plot.axes, at, self.side, is_exact=is_exact)
        if gate is None:
            return
        self._drawn, self._index = gate if mode == "replace" else None, None
        self._select(gate, mode)
        self.list_gates()
        self._show_current()
        if mode != "replace":
            self._tell("A gate is one shape: draw it without Shift or Ctrl.")

    def click(self, point: tuple[float, float], reach: tuple[float, float], mode: Mode = "replace") -> None:
        """Select the cell nearest to a point, if it is within reach; otherwise none, and let go of the gate."""
        plot = self.plot.plot
        numbers, away = self.plot.numbers[self.plot.shown], np.inf
        if len(numbers) and not plot.is_histogram:
            distances = np.hypot(*((plot.positions - point) / reach).T)
            distances = np.where(np.isnan(distances), np.inf, distances)
            nearest = int(np.argmin(distances))
            away = float(distances[nearest])
        if away <= 1:
            self._session.selection.select(numbers[[nearest]], mode, how="click in the plot")
        elif mode == "replace":
            self._drawn = self._index = None
            self._session.selection.clear()
            self.list_gates()
            self._show_current()

    def drag(self, handle: int | None, by: tuple[float, float]) -> None:
        """Show the current gate as it would be after this; None moves the gate as a whole."""
        gate = self._drawn or self._chosen
        if gate is not None and _features(gate.axes) == _features(self.plot.axes):
            self._dragged = reshaped(gate, self._layer, self.plot.axes, handle, by)
            self._show_current()

    def drop(self) -> None:
        """Keep the gate as it was dragged."""
        dragged, self._dragged = self._dragged, None
        if dragged is not None:
            self._become(dragged)

    def choose_features(self, across: str, up: str) -> None:
        """Plot these features; a shape that is no gate yet is gone, and a gate on others is no longer chosen."""
        self.plot.choose(across, up)
        gate = self._drawn or self._chosen
        if gate is not None and _features(gate.axes) != _features(self.plot.axes):
            self._drawn = self._index = None
            self.list_gates()
        self._show_current()

    def choose_image(self, name: str) -> None:
        """Plot the cells of one image, or of all; bounds that are changed then are those of this image."""
        self.plot.choose_image(name)
        self.list_gates()
        self._show_current()

    def choose_side(self, side: Side) -> None:
        """Put the cells on this side of the next threshold into a class."""
        self.side, gate = side, self._drawn
        if gate is not None and gate.kind == "threshold":
            self._drawn = replace(gate, names=gate_names("threshold", gate.axes, side=side))
            self._become(self._drawn)

    def type_threshold(self, value: float) -> None:
        """Put the threshold of the histogram at a value."""
        gate, axes = self._drawn or self._chosen, self.plot.axes
        if len(axes) != 1 or not np.isfinite(value):
            return
        if gate is None or gate.kind != "threshold" or gate.axes[0].feature != axes[0].feature:
            names = gate_names("threshold", axes, side=self.side)
            self._drawn, self._index = Gate("threshold", axes, ((value,),), names), None
            self._become(self._drawn)
        elif gate.corners_in(self._layer) != ((value,),):
            self._become(gate.with_corners(((value,),), self._layer))

    def add(self, name: str) -> None:
        """Make classes of the shape drawn last."""
        gate = self._drawn
        if gate is None:
            self._tell("Draw a shape around cells in the plot first.")
            return
        named = replace(gate, names=gate_names(gate.kind, gate.axes, name, self.side))
        inside = self.plot.numbers[np.isin(named.class_names(self.plot.features), [one for one in named.names if one])]
        if name.strip() and not len(inside):
            self._tell("No cell lies in this shape, so there is no class to make of it.")
            return
        before = self._session.classes.names_of(inside)
        taken = int(np.sum((before != "") & ~np.isin(before, named.names)))
        try:
            self._session.gates.add(named, self.plot.everyone)
        except ValueError as error:
            self._tell(str(error))
            return
        self._drawn, self._index = None, self._session.gates.index(named)
        self.list_gates()
        self._show_current()
        moved = f" {counted(taken, 'cell')} left another class, as a cell has one class only." if taken else ""
        self._tell(f"{self._counts(named)}.{moved}")

    def choose(self, index: int, part: int = 0) -> None:
        """Show a gate on the plot, and select the cells of one of its classes."""
        gate = self._session.gates[index]
        if any(axis.feature not in self.plot.features for axis in gate.axes):
            self._tell(f"The cells lack a feature of this gate: {gate.text()}.")
            return
        self._drawn, self._index = None, index
        self.plot.show(gate.axes)
        self._select_region(gate, [region for region, name in enumerate(gate.names) if name][part], "replace")
        self.list_gates()
        self._show_current()

    def rename(self, name: str) -> None:
        """Rename the class of the gate chosen; one with several classes is renamed in the list of classes."""
        if (gate := self._chosen) is None:
            return
        named = [one for one in gate.names if one]
        if len(named) > 1:
            self._tell("This gate has several classes: rename each in the tab Explore.")
            return
        try:
            self._session.classes.rename(named[0], name)
        except ValueError as error:
            self._tell(str(error))

    def remove(self) -> None:
        """Remove the gate chosen and its classes; cells put there by hand stay."""
        if (gate := self._chosen) is not None:
            self._session.gates.remove(gate, self.plot.everyone)

    def share_bounds(self) -> None:
        """Give the current gate the same bounds in the image that is plotted as elsewhere."""
        gate = self._drawn or self._chosen
        if gate is not None and self.plot.image in gate.own:
            self._become(gate.without_own(self.plot.image))

    def outlines(self, limits: Limits) -> list[Outline]:
        """Return the gates on these features, the current one last."""
        current, known = self.current, [gate for at, gate in enumerate(self._session.gates) if at != self._index]
        found = []
        for gate in [*known, *([current] if current is not None else [])]:
            shape = gate_shape(gate, self._layer, self.plot.axes, limits)
            if shape is not None:
                is_drawn = gate is current and self._drawn is not None
                colour = DRAWN_COLOUR if is_drawn else self._colours(gate)[0]
                name = "" if is_drawn else ", ".join(one for one in gate.names if one)
                found.append(Outline(shape, name, colour, gate is current))
        return found

    def list_gates(self) -> None:
        """Show the gates, and how many cells each holds."""
        gates = self._session.gates
        rows, held = self.plot.rows, self._session.classes.names_of(self.plot.numbers[self.plot.shown])
        lines = [
            GateLine(tuple(gate_counts(gate, rows, held)), gate.text(), tuple(self._colours(gate))) for gate in gates
        ]
        self._view.show_gates(lines, self._index)

    @property
    def _chosen(self) -> Gate | None:
        return None if self._index is None else self._session.gates[self._index]

    @property
    def _layer(self) -> str | None:
        return self.plot.image or None

    def _become(self, gate: Gate) -> None:
        """Change the current gate."""
        if self._drawn is not None:
            self._drawn = gate
        elif (before := self._chosen) is not None:
            gate = rescaled(gate, self.plot.axes)  # it is shown again on the axes on which it was changed
            try:
                self._session.gates.replace(before, gate, self.plot.everyone)
            except ValueError as error:
                self._tell(str(error))
                self._show_current()
                return
        self._select(gate, "replace")
        self._show_current()

    def _select(self, gate: Gate, mode: Mode) -> None:
        """Select the cells of a gate's first class; those of a quadrant are everywhere, so none is selected."""
        if gate.kind != "quadrant":
            self._select_region(gate, _first(gate), mode)

    def _select_region(self, gate: Gate, region: int, mode: Mode) -> None:
        """Select the cells of a region in the image that is plotted."""
        inside = self.plot.shown & (gate.regions(self.plot.features) == region)
        self._session.selection.select(self.plot.numbers[inside], mode, how=f"gate, {gate.text(region)}")

    def _colours(self, gate: Gate) -> list[str]:
        colours = {one.name: one.colour for one in self._session.classes}
        return [colours.get(name, DRAWN_COLOUR) for name in gate.names if name]

    def _counts(self, gate: Gate) -> str:
        """Say how many cells each class of a gate holds, in the image that is plotted."""
        return "; ".join(gate_counts(gate, self.plot.rows))

    def _show_current(self) -> None:
        gate, sentence, threshold = self.current, "", None
        if gate is not None and all(axis.feature in self.plot.features for axis in gate.axes):
            sentence = f"{self._counts(gate)}." if self._drawn is None else self._drawn_counts(gate)
            if self.plot.image:
                whose = "has bounds of its own" if self.plot.image in gate.own else "has the bounds of all images"
                sentence += f' In "{self.plot.image}" it {whose}.'
            threshold = gate.corners_in(self._layer)[0][0] if gate.kind == "threshold" else None
        is_own = gate is not None and self.plot.image in gate.own
        self._view.show_current(
            sentence,
            can_add=self._drawn is not None,
            can_change=self._chosen is not None,
            is_own=is_own,
            threshold=threshold,
        )
        self._view.show_outlines()

    def _drawn_counts(self, gate: Gate) -> str:
        if sum(map(bool, gate.names)) > 1:
            return f"{self._counts(gate)}."
        regions = gate.regions(self.plot.rows)
        return f"In the shape: {share_text(int(np.sum(regions == _first(gate))), len(regions))}."

    def _gates_changed(self) -> None:
        if (n := len(self._session.gates)) < self._n_gates:
            self._index = None
        self._n_gates = n
        self._session.gates.follow(self.plot.everyone)
        self.list_gates()
        self._show_current()


def _first(gate: Gate) -> int:
    """The first region that gives a class."""
    return next(region for region, name in enumerate(gate.names) if name)


def _features(axes: Sequence[Axis]) -> list[str]:
    return [axis.feature for axis in axes]
