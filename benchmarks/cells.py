"""Cells made by code: as many as one likes, in a labels image or as points, with features and a map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from latentmap.session import Parameters, Result, Run, Session
from latentmap.table import CellTable

N_FEATURES = 10
SIDE = 4000
"""Of the labels image, in pixels."""
SLIDE = 20_000
"""Of the labels image of a slide, which is in several scales, in pixels."""
_SCALES = (4, 16)
_KINDS = 12


def features(n_cells: int, labels: np.ndarray) -> pd.DataFrame:
    """Return a table of cells of a dozen kinds, with a column that says which label each row is."""
    rng = np.random.default_rng(0)
    middles = 4 * rng.normal(size=(_KINDS, N_FEATURES))
    values = middles[rng.integers(_KINDS, size=n_cells)] + rng.normal(size=(n_cells, N_FEATURES))
    return pd.DataFrame(values, columns=[f"feature {place}" for place in range(1, N_FEATURES + 1)]).assign(label=labels)


def labels_image(n_cells: int, side: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return an image of square cells on a grid, and their labels, which are sparse and in no order.

    Parameters
    ----------
    n_cells : int
    side : int, optional
        In pixels; `SIDE` unless it is given.

    Returns
    -------
    ndarray of int32, shape (side, side)
    ndarray of int, shape (n_cells,)
    """
    rng, side = np.random.default_rng(1), side or SIDE
    labels = rng.permutation(np.sort(rng.choice(np.arange(1, 4 * n_cells), n_cells, replace=False)))
    across = int(np.ceil(np.sqrt(n_cells)))
    pitch = side // across
    grid = np.zeros(across**2, dtype=np.int32)
    grid[:n_cells] = labels
    image = np.zeros((side, side), dtype=np.int32)
    lattice = image[: across * pitch, : across * pitch].reshape(across, pitch, across, pitch, copy=False)
    lattice[:, 1:, :, 1:] = grid.reshape(across, 1, across, 1)
    return image, labels


def side_of(kind: str) -> int:
    """Return how wide and high, in pixels, the cells of a kind lie."""
    return SLIDE if kind == "slide" else SIDE


def add(viewer: Any, kind: str, n_cells: int) -> None:
    """Add a layer of cells with features to a viewer.

    Parameters
    ----------
    viewer : napari.Viewer
    kind : {"labels", "slide", "points"}
        A labels image, a large one in several scales, or points.
    n_cells : int
    """
    adding(viewer, kind, n_cells)()


def adding(viewer: Any, kind: str, n_cells: int) -> Callable[[], object]:
    """Make cells, and return what adds the layer of them; the parameters are those of `add`."""
    if kind == "points":
        places = SIDE * np.random.default_rng(2).uniform(size=(n_cells, 2))
        table, size = features(n_cells, np.arange(1, n_cells + 1)), SIDE / np.sqrt(n_cells)
        return partial(viewer.add_points, places, name="cells", features=table, size=size, border_width=0)
    image, labels = labels_image(n_cells, side_of(kind))
    table = features(n_cells, labels)
    if kind == "labels":
        return partial(viewer.add_labels, image, name="cells", features=table)
    scales = [image, *(np.ascontiguousarray(image[::step, ::step]) for step in _SCALES)]
    return partial(viewer.add_labels, scales, name="cells", features=table, multiscale=True)


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
