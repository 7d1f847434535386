"""Cells made by code: as many as one likes, in a labels image or as points, with features and a map."""

from __future__ import annotations

from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from latentmap.session import Parameters, Result, Run, Session
from latentmap.table import CellTable

N_FEATURES = 10
SIDE = 4000
"""Of the labels image, in pixels."""
_KINDS = 12


def features(n_cells: int, labels: np.ndarray) -> pd.DataFrame:
    """Return a table of cells of a dozen kinds, with a column that says which label each row is."""
    rng = np.random.default_rng(0)
    middles = 4 * rng.normal(size=(_KINDS, N_FEATURES))
    values = middles[rng.integers(_KINDS, size=n_cells)] + rng.normal(size=(n_cells, N_FEATURES))
    return pd.DataFrame(values, columns=[f"feature {place}" for place in range(1, N_FEATURES + 1)]).assign(label=labels)


def labels_image(n_cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an image of square cells on a grid, and their labels, which are sparse and in no order."""
    rng = np.random.default_rng(1)
    labels = rng.permutation(np.sort(rng.choice(np.arange(1, 4 * n_cells), n_cells, replace=False)))
    across = int(np.ceil(np.sqrt(n_cells)))
    pitch = SIDE // across
    image = np.zeros((SIDE, SIDE), dtype=np.int32)
    rows, columns = np.divmod(np.arange(n_cells), across)
    for down in range(1, pitch):
        for right in range(1, pitch):
            image[pitch * rows + down, pitch * columns + right] = labels
    return image, labels


def add(viewer: Any, kind: str, n_cells: int) -> None:
    """Add a layer of cells with features to a viewer.

    Parameters
    ----------
    viewer : napari.Viewer
    kind : {"labels", "points"}
    n_cells : int
    """
    if kind == "labels":
        image, labels = labels_image(n_cells)
        viewer.add_labels(image, name="cells", features=features(n_cells, labels))
        return
    places = SIDE * np.random.default_rng(2).uniform(size=(n_cells, 2))
    table = features(n_cells, np.arange(1, n_cells + 1))
    viewer.add_points(places, name="cells", features=table, size=SIDE / np.sqrt(n_cells), border_width=0)


def finished(session: Session, table: CellTable) -> Run:
    """Return a run that has ended, with a round map of all cells: what follows a run is timed, not the run."""
    rng, n_cells = np.random.default_rng(3), len(table.features)
    parameters = Parameters(features=tuple(table.numeric))
    result = Result(
        cells=table,
        embedding=rng.normal(size=(n_cells, 2)),
        variances=np.exp(rng.normal(size=n_cells)),
        parameters=MappingProxyType(asdict(parameters)),
        quality=MappingProxyType({}),
        n_iter=1,
        n_levels=1,
        objective=np.empty(0),
        objective_iterations=np.empty(0, dtype=int),
    )
    numbers = session.cell_index.add(table.features.index)
    return Run("1: made by code", table, result.parameters, "done", result=result, numbers=numbers, number=1)
