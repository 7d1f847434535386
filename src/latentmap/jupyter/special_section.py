"""The part of the panel that says what is special about the cells selected."""

from functools import partial
from html import escape

import ipywidgets as w
import numpy as np
import pandas as pd

from latentmap.session import Job, Post, Session
from latentmap.session.job import in_one_step
from latentmap.session.special import Difference, differences, profile, ranked

SHOWN = 6
"""How many features are shown."""
_INSIDE, _OUTSIDE = "#e69f00", "#888888"
_WIDTH, _HEIGHT = 76, 18


class SpecialSection(w.HTML):
    """The features that set the selected cells apart from the others on the map, with small plots.

    Parameters
    ----------
    session : Session
    post : callable
        Has a function called soon in the kernel's thread.
    """

    def __init__(self, session: Session, post: Post) -> None:
        super().__init__()
        self._session, self._job = session, Job(post)
        session.selection.changed.connect(self.refresh, max_args=0)
        session.runs.changed.connect(self.refresh)
        self.refresh()

    def close(self) -> None:
        """Let go of what is under way."""
        self._job.drop()
        super().close()

    def refresh(self) -> None:
        """Compare anew."""
        current = self._session.runs.current
        if current is None or current.result is None or current.numbers is None:
            self._say("What is special about selected cells is shown here, once there is a map.")
            return
        features, chosen = current.result.cells.features, self._session.selection.among(current.numbers)
        n_chosen = int(chosen.sum())
        if n_chosen == 0:
            self._say("Select cells, and the features that set them apart from the others are shown here.")
        elif n_chosen == len(chosen):
            self._say("All cells are selected: there are no others to compare them with.")
        else:
            headline = f"What is special about these {n_chosen} of {len(chosen)} cells:"
            self._job.start(
                in_one_step(_table, headline, features, chosen), yielded=_ignore, returned=self._show, failed=_raise
            )

    def _say(self, sentence: str) -> None:
        self._job.drop()
        self._show(f"<div style='line-height:1.4; opacity:.8'>{escape(sentence)}</div>")

    def _show(self, html: str) -> None:
        self.value = html


def _table(headline: str, features: pd.DataFrame, chosen: np.ndarray) -> str:
    found = ranked(differences(features, chosen))[:SHOWN]
    rows = "".join(_row(one, profile(features[one.name], chosen)) for one in found)
    return f"<div style='line-height:1.4'>{escape(headline)}</div><table style='line-height:1.3'>{rows}</table>"


def _row(one: Difference, shape: tuple[np.ndarray, np.ndarray]) -> str:
    name = f"<td style='overflow-wrap:anywhere'>{escape(one.name)}</td>"
    words = f"{name}<td style='padding:0 8px'>{escape(one.words)}</td>"
    return f"<tr title='{escape(one.sentence, quote=True)}'>{words}<td>{_plot(*shape)}</td></tr>"


def _plot(inside: np.ndarray, outside: np.ndarray) -> str:
    """Two outlines on one another: the cells selected, and the others behind them."""
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


def _ignore(_: object) -> None:
    pass


def _raise(error: Exception) -> None:
    raise error
