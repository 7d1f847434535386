"""Data sets as they are stored, and what is computed from them once."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from joblib import Memory
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from benchmarks.paths import ROOT
from latentmap.model.inputs import Neighbors
from latentmap.model.vectors import Vectors

# What takes a minute and never changes outlives the process.
CACHE = Path(tempfile.gettempdir()) / "latentmap-benchmarks"
memory = Memory(CACHE, verbose=0)


def load(name: str) -> dict[str, np.ndarray]:
    """Return the arrays of a data set, from the folder that LATENTMAP_DATA names; nobody may write to them."""
    folder = Path(os.environ.get("LATENTMAP_DATA", ROOT.parent / "shared" / "data"))
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise SystemExit(f"No {path.name} in {folder}. Set LATENTMAP_DATA to the folder that holds it.")
    return dict(_read(path))


# The last one is kept: experiments on the same digits follow one another.
@lru_cache(maxsize=1)
def _read(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@memory.cache
def principal_components(images: np.ndarray) -> np.ndarray:
    """Return the first 50 principal components of images, of shape (n, 50)."""
    return PCA(50, svd_solver="covariance_eigh").fit_transform(images.astype(float))


def drawn_rows(y: np.ndarray, n: int, seed: int = 0) -> np.ndarray:
    """Return n row numbers, drawn with each class of y in proportion."""
    return train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=seed)[0]


@memory.cache
def nearest(X: np.ndarray, k: int) -> Neighbors:
    """Return the k nearest other rows of each row."""
    return Vectors(X, method="exact", n_jobs=-1).kneighbors(k)
