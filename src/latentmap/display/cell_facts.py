"""What is known about one cell, in words."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.session import Session
from latentmap.session.cell_index import as_keys
from latentmap.session.wording import three_digits
from latentmap.table import Key
from latentmap.table.plain_tables import names_in

NOTHING_KNOWN = "Point at a cell to see it here."
"""Shown while the mouse is over no cell."""


class CellFacts(NamedTuple):
    """What is known about one cell, as text.

    Attributes
    ----------
    key : (layer, frame, label)
    headlines : tuple of str
        Its label and, if it has one, its name; its layer and frame; its class; the variance of its position on the
        map, and the share of its neighbours that the map has lost.
    values : tuple of (str, str)
        The name and value of each feature, numbers with three digits; the features that shaped the map come first.
    """

    key: Key
    headlines: tuple[str, ...]
    values: tuple[tuple[str, str], ...]


def cell_facts(session: Session, key: Key) -> CellFacts:
    """Return what a session knows about a cell, from its classes and the current map.

    Examples
    --------
    >>> cell_facts(Session(lambda act: act()), ("nuclei", 3, 1000)).headlines
    ('Label 1000', 'nuclei, frame 3', 'in no class', 'not on the map')
    """
    layer, frame, label = key
    values, variance = _measured(session, key)
    in_class = session.classes.names_of(session.cell_index.numbers_of([key]))[0]
    if variance is None:
        uncertain = "not on the map"
    else:
        uncertain = "no variance with this method" if np.isnan(variance) else f"variance (σ²) {three_digits(variance)}"
    names = [str(values.pop(str(column.name))) for column in names_in(pd.DataFrame([values])) if column.iloc[0]]
    lost = _lost(session, key)
    if lost is not None:
        uncertain += f"; {lost:.0%} of its neighbours lost"
    called = f"{', '.join(names)} (label {label})" if names else f"Label {label}"
    head = (called, f"{layer}, frame {frame}", in_class or "in no class", uncertain)
    return CellFacts(key, head, tuple((name, _written(value)) for name, value in values.items()))


def _measured(session: Session, key: Key) -> tuple[dict[str, Any], float | None]:
    current = session.runs.current
    if current is None or current.result is None:
        return {}, None
    features = current.result.cells.features
    row = features.index.get_indexer(as_keys([key]))[0]
    if row < 0:
        return {}, None
    chosen = list(current.result.parameters["features"])
    others = [name for name in features if name not in chosen]
    values = {str(name): features[name].iloc[row] for name in [*chosen, *others]}
    return values, float(current.result.variances[row])


def _lost(session: Session, key: Key) -> float | None:
    """The share of a cell's neighbours that the current map has lost; None if nobody knows."""
    result = None if session.runs.current is None else session.runs.current.result
    if result is None or result.lost_neighbors is None:
        return None
    row = result.cells.features.index.get_indexer(as_keys([key]))[0]
    lost = float(result.lost_neighbors[row]) if row >= 0 else np.nan
    return lost if np.isfinite(lost) else None


def _written(value: object) -> str:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return three_digits(float(value))
    return str(value)
