"""Batch correction by Harmony, of harmonypy or scanpy where one of them is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline

from latentmap.table.transformers import SelectedFeatures
from latentmap.table.within_groups import groups_of

HOW_TO_INSTALL = "Harmony needs harmonypy, or scanpy 1.12 or newer: pip install harmonypy"
"""What to do where neither is installed."""

NO_NEW_CELLS = (
    "New cells cannot be placed on this map: Harmony corrects all cells together. Make a map of the old and the new "
    "cells, or one without Harmony."
)
"""Why cells cannot be placed."""

_SEED = 0


def is_installed() -> bool:
    """Return whether a package that has Harmony is installed; whether it can be loaded is seen when it is used."""
    return find_spec("harmonypy") is not None or find_spec("scanpy") is not None


class Harmony(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Prepares cells, and moves their principal components so that batches mix within each kind of cells.

    Korsunsky et al. 2019, https://doi.org/10.1038/s41592-019-0619-0. Harmony corrects all cells together, so only the
    cells that it is fitted to can be transformed.

    Parameters
    ----------
    by : str
        The column that names the batches, "layer" or "frame".
    steps : Pipeline
        The steps before.

    Raises
    ------
    ValueError
        In ``fit_transform``, if no package has Harmony or there is a single batch; in ``transform``, always.
    """

    def __init__(self, by: str, steps: Pipeline) -> None:
        self.by = by
        self.steps = steps

    def fit_transform(self, X: pd.DataFrame, y: Any = None, **parameters: Any) -> np.ndarray:
        """Return the corrected components of all cells, shape (n, n_components); y is ignored."""
        self.steps_ = clone(self.steps)
        components = np.asarray(self.steps_.fit_transform(X), dtype=float)
        batches = groups_of(X, self.by)
        check_batches(batches, self.by)
        self.n_features_in_ = len(self.steps_["features"].get_feature_names_out())
        return corrected(components, batches)

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Fit to all cells; y is ignored."""
        self.fit_transform(X)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Say that no other cells can be corrected."""
        raise ValueError(NO_NEW_CELLS)

    def inspect(self, X: Any) -> SelectedFeatures:
        """Return the features, and which rows must be left out, as `Features` does."""
        found: SelectedFeatures = self.steps_["features"].inspect(X)
        return found


def check_batches(batches: np.ndarray, by: str) -> None:
    """Check that Harmony can be used.

    Parameters
    ----------
    batches : ndarray of object, shape (n_cells,)
    by : str
        What names them.

    Raises
    ------
    ValueError
        If it cannot; the message says what to do.
    """
    if not is_installed():
        raise ValueError(f"{HOW_TO_INSTALL}. Or choose no batch correction.")
    if len(pd.unique(batches)) < 2:
        raise ValueError(
            f'All cells are of the same {by}, so Harmony has nothing to correct: choose another column in "Harmony", '
            "or none."
        )


def corrected(components: np.ndarray, batches: np.ndarray) -> np.ndarray:
    """Correct principal components by Harmony; the same input gives the same output with the same version of it.

    Parameters
    ----------
    components : ndarray of float64, shape (n_cells, n_components)
    batches : ndarray of object, shape (n_cells,)

    Returns
    -------
    ndarray of float64, shape (n_cells, n_components)
    """
    names = pd.DataFrame({"batch": pd.Categorical(batches.astype(str))})
    correct = _by_harmonypy if find_spec("harmonypy") is not None else _by_scanpy
    found = np.asarray(correct(components, names), dtype=float)
    # Older versions of harmonypy return a row for each component.
    values: np.ndarray = found if found.shape == components.shape else found.T
    if values.shape != components.shape or not np.isfinite(values).all():
        raise ValueError("Harmony did not return a number for each cell and component: reinstall harmonypy.")
    return np.ascontiguousarray(values)


def _by_harmonypy(components: np.ndarray, names: pd.DataFrame) -> Any:
    harmony = _imported("harmonypy")
    return harmony.run_harmony(components, names, "batch", random_state=_SEED, verbose=False).Z_corr


def _by_scanpy(components: np.ndarray, names: pd.DataFrame) -> Any:
    tools = _imported("scanpy").pp
    if not hasattr(tools, "harmony_integrate"):
        raise ValueError(f"This version of scanpy has no Harmony of its own. {HOW_TO_INSTALL}")
    cells = _imported("anndata").AnnData(obs=names.set_index(names.index.astype(str)), obsm={"X_pca": components})
    tools.harmony_integrate(cells, "batch", rng=_SEED)
    (added,) = set(cells.obsm) - {"X_pca"}
    return cells.obsm[added]


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"{name} is installed but cannot be loaded ({error}): reinstall it.") from error
