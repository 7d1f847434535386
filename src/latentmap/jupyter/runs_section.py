"""The part of the panel that shows the maps made so far."""

from collections.abc import Callable, Collection
from html import escape
from typing import NamedTuple

import numpy as np

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.jupyter.kept_lines import KeptLines
from latentmap.jupyter.map_controller import SHADES
from latentmap.presenters.kept_runs import KeptRunsPresenter
from latentmap.presenters.run_lines import against_above, variances
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Run, Session

_WIDTH, _HEIGHT, _BINS = 300, 46, 40
_BESIDE = "Keep this map in view next to the current one."
_RENAME = "The name of the current map. Type another one and press Enter."
_UNCERTAIN = "Select this share of the cells on the map: those with the largest variances."
_SHOWN = "Show this map and use its parameters for the next one; during a run, only show it next to the new map."


class _Line(NamedTuple):
    """What a line shows of a run."""

    run: Run
    name: str
    quality: str
    is_beside: bool
    is_current: bool


class RunsSection(w.VBox):
    """The maps made so far, how faithful they are, and the variances on the current one.

    Parameters
    ----------
    session : Session
    side_by_side : SideBySide
        Knows which maps stay in view.
    features : callable
        Returns the names of the features that a map can be made from.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(
        self,
        session: Session,
        side_by_side: SideBySide,
        features: Callable[[], Collection[str]],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._side_by_side = session, side_by_side
        self._presenter = KeptRunsPresenter(session.runs, session.parameters, features, tell)
        self.lines = KeptLines()
        self.name = w.Text(continuous_update=False, tooltip=_RENAME, layout=w.look(flex="1", min_width="0"))
        self.difference = w.HTML()
        self.variances = w.HTML()
        self.share = w.BoundedIntText(10, min=1, max=99, tooltip=_UNCERTAIN, layout=w.look(width="64px"))
        self.select_uncertain = w.Button(description="Select", tooltip=_UNCERTAIN, layout=w.look(width="auto"))
        self._renaming = labelled("Name", self.name, _RENAME)
        unit = w.Label("% most uncertain", tooltip=_UNCERTAIN)
        self._choosing = w.HBox([self.share, unit, self.select_uncertain])
        super().__init__([self.lines, self._renaming, self.difference, self.variances, self._choosing])
        self.name.observe(lambda change: self._rename(change.new), "value")
        self.select_uncertain.on_click(lambda _: self._select_uncertain())
        for signal in (session.runs.changed, session.dropped.changed):
            signal.connect(self.refresh, max_args=0)
        self.refresh()

    def refresh(self) -> None:
        """Show the runs as they are now."""
        runs = self._session.runs
        kept = self._side_by_side.kept
        contents = [_Line(run, run.name, _quality(run), run in kept, run is runs.current) for run in runs]
        self.lines.show(contents, self._line)
        current, shown = runs.current, variances(runs.current, self._session.dropped)
        w.set_visible(self._renaming, current is not None)
        w.set_visible(self._choosing, shown is not None)
        self.variances.value = "" if shown is None else histogram(shown)
        self.difference.value = "" if current is None else escape(against_above(current, list(runs)))
        if current is not None:
            self.name.value = current.name

    def _rename(self, name: str) -> None:
        current = self._session.runs.current
        if current is not None and name != current.name and not self._presenter.rename(current, name):
            self.name.value = current.name

    def _select_uncertain(self) -> None:
        current = self._session.runs.current
        shown = variances(current, self._session.dropped)
        if shown is not None and current is not None and current.numbers is not None:
            threshold = float(np.percentile(shown, 100 - self.share.value))
            how = f"variance above {threshold:.3g}"
            self._session.selection.select(current.numbers[current.finished().variances > threshold], how=how)

    def _line(self, of: _Line) -> w.HBox:
        run = of.run
        beside = w.Checkbox(of.is_beside, indent=False, tooltip=_BESIDE, layout=w.look(width="24px"))
        beside.observe(lambda change: self._side_by_side.keep(run, change.new), "value")
        shown = w.Button(
            description=of.name,
            tooltip=f"{', '.join(filter(None, (of.name, of.quality)))}. {_SHOWN}",
            button_style="info" if of.is_current else "",
            layout=w.look(flex="1 1 auto", width="auto", min_width="0"),
        )
        shown.on_click(lambda _: self._show(run))
        deleted = w.Button(description="✕", tooltip="Delete this map.", layout=w.look(width="32px", flex="0 0 auto"))
        deleted.on_click(lambda _: self._presenter.delete(run))
        quality = w.HTML(of.quality, layout=w.look(flex="0 0 auto", width="calc(100% - 36px)", margin="0 0 0 30px"))
        return w.HBox([beside, shown, deleted, quality], layout=w.look(flex_flow="row wrap"))

    def _show(self, run: Run) -> None:
        if self._session.runs.running:
            # Using its parameters would restart the run under way.
            self._side_by_side.keep(run)
            self.refresh()
        else:
            self._session.runs.show(run)
            self._presenter.use(run)


def _quality(run: Run) -> str:
    if run.result is None or not run.result.quality:
        return ""
    return "recall {recall:.2f}, trustworthiness {trustworthiness:.2f}".format(**run.result.quality)


def histogram(shown: np.ndarray) -> str:
    """Return a histogram of variances as HTML, on a logarithmic scale, in the colours of the map."""
    logarithms = np.log10(np.maximum(shown, np.finfo(float).tiny))
    counts, ends = np.histogram(logarithms, _BINS)
    heights = (_HEIGHT - 2) * counts / max(counts.max(), 1)
    shades = SHADES[np.linspace(0, len(SHADES) - 1, _BINS).astype(int)]
    bar = "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='rgb({},{},{})'/>"
    step = _WIDTH / _BINS
    bars = "".join(
        bar.format(step * at, _HEIGHT - height, step - 0.5, height, *(int(255 * part) for part in shade[:3]))
        for at, (height, shade) in enumerate(zip(heights, shades, strict=True))
    )
    caption = f"variance (σ²): {10 ** ends[0]:.3g} to {10 ** ends[-1]:.3g} (logarithmic), {len(shown)} cells"
    return (
        f"<svg width='100%' viewBox='0 0 {_WIDTH} {_HEIGHT}'>{bars}</svg>"
        f"<div style='line-height:1.4'>{escape(caption)}</div>"
    )
