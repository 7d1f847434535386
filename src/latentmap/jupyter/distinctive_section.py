"""The part of the panel that shows which features set the selected cells apart."""

from collections.abc import Sequence
from functools import partial
from html import escape

import ipywidgets as w
import numpy as np

from latentmap.presenters.distinctive import DistinctivePresenter, Feature, cells_on_map
from latentmap.session import BackgroundJob, Schedule, Session
from latentmap.session.distinctive_features import FeatureDifference

_INSIDE, _OUTSIDE = "#e69f00", "#888888"
_WIDTH, _HEIGHT = 76, 18


class DistinctiveSection(w.HTML):
    """Draws what `DistinctivePresenter` finds; `schedule` schedules a function in the kernel's thread."""

    def __init__(self, session: Session, schedule: Schedule) -> None:
        super().__init__()
        self._job = BackgroundJob(schedule)
        self._presenter = DistinctivePresenter(session.selection, partial(cells_on_map, session), self, self._job)
        session.selection.changed.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def close(self) -> None:
        """Cancel a comparison that is under way."""
        self._job.drop()
        super().close()

    def refresh(self) -> None:
        """Compare the selected cells with the others again."""
        self._presenter.refresh()

    def show_distinctive(self, headline: str, features: Sequence[Feature]) -> None:
        """Show what is compared, or why nothing can be, and the features."""
        if features:
            rows = "".join(_row(*feature) for feature in features)
            table = f"<table style='line-height:1.3'>{rows}</table>"
            self.value = f"<div style='line-height:1.4'>{escape(headline)}</div>{table}"
        else:
            self.value = f"<div style='line-height:1.4; opacity:.8'>{escape(headline)}</div>"


def _row(one: FeatureDifference, shape: tuple[np.ndarray, np.ndarray]) -> str:
    name = f"<td style='overflow-wrap:anywhere'>{escape(one.name)}</td>"
    words = f"{name}<td style='padding:0 8px'>{escape(one.words)}</td>"
    return f"<tr title='{escape(one.sentence, quote=True)}'>{words}<td>{_plot(*shape)}</td></tr>"


def _plot(inside: np.ndarray, outside: np.ndarray) -> str:
    """Draw two histograms over each other: the selected cells in front of the others."""
    most = max(inside.max(initial=0), outside.max(initial=0)) or 1
    drawn = partial(_outline, most=most)
    return (
        f"<svg width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}'>"
        f"<polyline points='{drawn(outside)}' fill='{_OUTSIDE}' fill-opacity='.4' stroke='{_OUTSIDE}'/>"
        f"<polyline points='{drawn(inside)}' fill='none' stroke='{_INSIDE}' stroke-width='1.5'/></svg>"
    )


def _outline(shares: np.ndarray, most: float) -> str:
    across = np.linspace(1, _WIDTH - 1, len(shares) + 2)
    up = _HEIGHT - 1 - (_HEIGHT - 3) * np.concatenate([[0], shares / most, [0]])
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, up, strict=True))
