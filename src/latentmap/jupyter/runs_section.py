"""The part of the panel that shows the maps made so far."""

from html import escape

import ipywidgets as w
import numpy as np

from latentmap.jupyter.closing import close_all
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.point_map import SHADES
from latentmap.session import Run, Session

_WIDTH, _HEIGHT, _BINS = 300, 46, 40
_BESIDE = "Keep this map in view, beside the current one."
_SHOWN = "Show this map, and use its parameters for the next; while one is being made, only show it beside that one."


class RunsSection(w.VBox):
    """The maps that are kept, how faithful they are, and how uncertain the places on the current one are.

    Parameters
    ----------
    session : Session
    maps : Maps
        Where those ticked are to be seen.
    """

    def __init__(self, session: Session, maps: Maps) -> None:
        self._session, self._maps = session, maps
        self.lines = w.VBox()
        self.variances = w.HTML()
        super().__init__([self.lines, self.variances])
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the runs as they are."""
        runs = self._session.runs
        for line in self.lines.children:
            close_all(line)
        self.lines.children = [self._line(run) for run in runs]
        current = runs.current
        result = None if current is None else current.result
        tells = result is not None and result.tells_sure_from_unsure
        self.variances.value = histogram(result.variances) if result is not None and tells else ""

    def _line(self, run: Run) -> w.HBox:
        is_current = run is self._session.runs.current
        beside = w.Checkbox(run in self._maps.beside, indent=False, tooltip=_BESIDE, layout=w.Layout(width="24px"))
        beside.observe(lambda change: self._keep_beside(run, change.new), "value")
        shown = w.Button(
            description=f"{run.name}{_quality(run)}",
            tooltip=_SHOWN,
            button_style="info" if is_current else "",
            layout=w.Layout(flex="1 1 auto", width="auto"),
        )
        shown.on_click(lambda _: self._show(run))
        deleted = w.Button(description="✕", tooltip="Let go of this map.", layout=w.Layout(width="32px"))
        deleted.on_click(lambda _: self._delete(run))
        return w.HBox([beside, shown, deleted])

    def _show(self, run: Run) -> None:
        if self._session.runs.running:
            # With its parameters the run under way would begin anew.
            self._keep_beside(run, True)
            self.refresh()
        else:
            self._session.runs.show(run)
            self._session.parameters.take_all(run.parameters)

    def _delete(self, run: Run) -> None:
        self._maps.beside = [kept for kept in self._maps.beside if kept is not run]
        self._session.runs.delete(run)

    def _keep_beside(self, run: Run, beside: bool) -> None:
        others = [kept for kept in self._maps.beside if kept is not run]
        self._maps.beside = [*others, run] if beside else others
        self._maps.arrange()


def _quality(run: Run) -> str:
    if run.result is None or not run.result.quality:
        return ""
    return "   recall {recall:.2f}, trust {trustworthiness:.2f}".format(**run.result.quality)


def histogram(variances: np.ndarray) -> str:
    """Draw how many cells have which variance, on a logarithmic scale, in the colours of the map.

    Parameters
    ----------
    variances : ndarray of float, shape (n_cells,)

    Returns
    -------
    str
        HTML.
    """
    logarithms = np.log10(np.maximum(variances, np.finfo(float).tiny))
    counts, ends = np.histogram(logarithms, _BINS)
    heights = (_HEIGHT - 2) * counts / max(counts.max(), 1)
    shades = SHADES[np.linspace(0, len(SHADES) - 1, _BINS).astype(int)]
    bar = "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='rgb({},{},{})'/>"
    step = _WIDTH / _BINS
    bars = "".join(
        bar.format(step * at, _HEIGHT - height, step - 0.5, height, *(int(255 * part) for part in shade[:3]))
        for at, (height, shade) in enumerate(zip(heights, shades, strict=True))
    )
    said = f"variance (σ²): {10 ** ends[0]:.3g} to {10 ** ends[-1]:.3g} (logarithmic), {len(variances)} cells"
    return (
        f"<svg width='100%' viewBox='0 0 {_WIDTH} {_HEIGHT}'>{bars}</svg>"
        f"<div style='line-height:1.4'>{escape(said)}</div>"
    )
