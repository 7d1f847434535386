"""The features that set the selected cells apart from the others on the map."""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Protocol

import numpy as np
import pandas as pd

from latentmap.session import BackgroundJob, Selection, Session
from latentmap.session.distinctive_features import (
    FeatureDifference,
    feature_differences,
    feature_profile,
    ranked_features,
)
from latentmap.session.hierarchy import cells_of

SHOWN = 6
"""The number of features shown."""

Cells = Callable[[], tuple[pd.DataFrame, np.ndarray] | None]
"""Returns features, and the numbers in the session of their cells, -1 for those not on the map; None without a map."""

Feature = tuple[FeatureDifference, tuple[np.ndarray, np.ndarray]]
"""How the cells differ in a feature, and the shares of the selected and of the other cells in each bin."""


class DistinctiveView(Protocol):
    """A line of text, and a list of features with small plots."""

    def show_distinctive(self, headline: str, features: Sequence[Feature]) -> None:
        """Show what is compared, or why nothing can be, and the features, the most distinctive first."""


class DistinctivePresenter:
    """Compares the selected cells with the others on the map, in a thread.

    Parameters
    ----------
    selection : Selection
    cells : callable
        Returns features, one row per cell, and the cells' numbers in the session, -1 for those that are not on the
        map; None without a map. What it returns must not be changed later.
    view : DistinctiveView
    job : BackgroundJob
        Runs the comparison; whoever drops it closes the presenter.
    """

    def __init__(self, selection: Selection, cells: Cells, view: DistinctiveView, job: BackgroundJob) -> None:
        self._selection, self._cells, self._view, self._job = selection, cells, view, job

    def refresh(self) -> None:
        """Compare again; to be called when the map, the selection or what is dropped has changed."""
        if (cells := self._cells()) is None:
            self._say("What is special about selected cells is shown here, once there is a map.")
            return
        features, numbers = cells
        there, chosen = numbers >= 0, self._selection.is_selected(numbers)
        n_there, n_chosen = int(there.sum()), int(chosen.sum())
        if n_chosen == 0:
            self._say("Select cells, and the features that set them apart from the others are shown here.")
        elif n_chosen == n_there:
            self._say("All cells are selected: there are no others to compare them with.")
        else:
            self._job.start(
                _compare(features, there, chosen),
                yielded=_ignore,
                returned=partial(
                    self._view.show_distinctive, f"What is special about these {n_chosen} of {n_there} cells:"
                ),
                failed=_raise,
            )

    def _say(self, sentence: str) -> None:
        self._job.drop()
        self._view.show_distinctive(sentence, [])


def cells_on_map(session: Session) -> tuple[pd.DataFrame, np.ndarray] | None:
    """Return features and the numbers of their cells, -1 for those dropped; None without a map.

    They are the cells on the current map or, of landmarks, those that they stand for.
    """
    current = session.runs.current
    if current is None or current.result is None:
        return None
    features, numbers = cells_of(current, session.cell_index)
    return features, np.where(session.dropped.is_dropped(numbers), -1, numbers)


def _compare(features: pd.DataFrame, there: np.ndarray, chosen: np.ndarray) -> Generator[None, None, list[Feature]]:
    """Compare feature by feature, so that an outdated job ends soon; where cells lie is seen in the image."""
    features = features[[name for name in features if not str(name).startswith("centroid")]]
    if not there.all():
        features, chosen = features[there], chosen[there]
    found = []
    for difference in feature_differences(features, chosen):
        found.append(difference)
        yield
    columns = {str(name): column for name, column in features.items()}
    return [(one, feature_profile(columns[one.name], chosen)) for one in ranked_features(found)[:SHOWN]]


def _ignore(_: object) -> None:
    pass


def _raise(error: Exception) -> None:
    raise error
