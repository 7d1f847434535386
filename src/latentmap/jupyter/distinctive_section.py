"""The part of the panel that shows which features set the selected cells apart."""

from collections.abc import Sequence
from functools import partial
from html import escape

import numpy as np

from latentmap.jupyter import widgets as w
from latentmap.presenters.distinctive import DistinctivePresenter, Feature, cells_on_map
from latentmap.session import BackgroundJob, ColourBy, Schedule, Session
from latentmap.session.distinctive_features import FeatureDifference

_INSIDE, _OUTSIDE = "#e69f00", "#888888"
_WIDTH, _HEIGHT = 76, 18
# A browser breaks a line here and draws nothing; it would break a long name in the middle of a word.
_BREAK = "\u200b"


class DistinctiveSection(w.VBox):
    """Draws what `DistinctivePresenter` finds; `schedule` schedules a function in the kernel's thread."""

    def __init__(self, session: Session, schedule: Schedule) -> None:
        self.headline = w.HTML()
        self.features = w.VBox()
        super().__init__([self.headline, self.features])
        self.features.add_class("latentmap-distinctive")
        self._display_settings = session.display_settings
        self._job = BackgroundJob(schedule)
        self._presenter = DistinctivePresenter(session.selection, partial(cells_on_map, session), self, self._job)
        session.selection.changed.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        session.dropped.changed.connect(self.refresh, max_args=0)
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
        self.headline.value = f"<div style='line-height:1.4'>{escape(headline)}</div>"
        # Closed last: JupyterLab may still be drawing those that it knows.
        before, self.features.children = self.features.children, [self._line(*feature) for feature in features]
        for line in before:
            w.close_widgets(line)

    def _line(self, one: FeatureDifference, shape: tuple[np.ndarray, np.ndarray]) -> w.HBox:
        name = w.Button(
            description=one.name.replace("_", f"_{_BREAK}"),
            tooltip=f"{one.sentence} Click to colour the map by it.",
            layout=w.look(flex="1 1 0", width="auto", min_width="0"),
        )
        name.on_click(lambda _: self._colour_by(one.name))
        words = w.HTML(escape(one.words), layout=w.look(width="96px"))
        return w.HBox([name, words, w.HTML(_plot(*shape))], layout=w.look(align_items="center"))

    def _colour_by(self, name: str) -> None:
        self._display_settings.colour_by = ColourBy("feature", name)


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
