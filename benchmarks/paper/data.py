"""The three data sets of the paper, each with the neighbours that an experiment needs."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Memory
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from benchmarks.paper.report import ROOT
from latentmap.model.neighbors import Neighbors, Vectors
from latentmap.quality import knn_error

# What takes a minute and never changes outlives the process.
_memory = Memory(Path(tempfile.gettempdir()) / "latentmap-paper", verbose=0)

# The largest k of any experiment with digits: the first columns of one search serve all smaller k.
MOST_NEIGHBORS = 15


@dataclass(frozen=True, eq=False)
class Digits:
    """Handwritten digits of MNIST.

    Attributes
    ----------
    X : ndarray of shape (n, 50)
        The first 50 principal components of the images, of grey levels from 0 to 255.
    y : ndarray of shape (n,)
        The digits.
    images : ndarray of shape (n, 28, 28), uint8
    n_train : int or None
        The first so many are the training set; None if the digits are only some of the 70 000.
    """

    X: np.ndarray
    y: np.ndarray
    images: np.ndarray
    n_train: int | None

    def neighbors(self) -> Neighbors:
        """Return the 15 nearest neighbours of each digit, which a temporary folder remembers."""
        return nearest(self.X, min(MOST_NEIGHBORS, len(self.X) - 1))

    def subset(self, chosen: np.ndarray) -> Digits:
        """Return some of the digits; ``chosen`` is boolean, of shape (n,)."""
        n_train = None if self.n_train is None else int(chosen[: self.n_train].sum())
        return Digits(self.X[chosen], self.y[chosen], self.images[chosen], n_train)

    def errors(self, embedding: np.ndarray, n_neighbors: list[int]) -> list[float]:
        """Return the error of classifying by so many neighbours, in percent; see the head of the page."""
        if self.n_train is None:
            found = knn_error(embedding, self.y, n_neighbors=n_neighbors, n_jobs=-1)
        else:
            train, test = slice(None, self.n_train), slice(self.n_train, None)
            found = knn_error(
                embedding[train], self.y[train], embedding[test], self.y[test], n_neighbors=n_neighbors, n_jobs=-1
            )
        return [100 * error for error in np.asarray(found).tolist()]


def load_digits(n: int) -> Digits:
    """Return all digits, or n of them, drawn with each class in proportion."""
    arrays = _load("mnist70k")
    images, y, n_train = arrays["X"], arrays["y"].astype(int), int(arrays["n_train"])
    X = _components(images)
    images = images.reshape(-1, 28, 28)
    if n >= len(y):
        return Digits(X, y, images, n_train)
    rows = train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=0)[0]
    return Digits(X[rows], y[rows], images[rows], None)


def load_words(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n of the most common words of word2vec, and their vectors of unit length, of shape (n, 300)."""
    arrays = _load("word2vec_google1000")
    return arrays["words"][:n], arrays["X"][:n].astype(float)


def roll(n: int, width: float = 21) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the Swiss roll, the plane it was rolled from, and the angle of each point.

    Parameters
    ----------
    n : int
        Points.
    width : float
        Across the strip, which is 90 long.

    Returns
    -------
    X : ndarray of shape (n, 3)
    plane : ndarray of shape (n, 2)
        Arc length along the spiral r = t, and height.
    t : ndarray of shape (n,)
    """
    X, t = make_swiss_roll(n, random_state=0)
    X[:, 1] *= width / 21
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return X, np.column_stack([arc - arc.min(), X[:, 1]]), t


@_memory.cache
def nearest(X: np.ndarray, k: int) -> Neighbors:
    """Return the k nearest other rows of each row."""
    return Vectors(X, method="exact", n_jobs=-1).kneighbors(k)


@_memory.cache
def _components(images: np.ndarray) -> np.ndarray:
    return PCA(50, svd_solver="covariance_eigh").fit_transform(images.astype(float))


def _load(name: str) -> dict[str, np.ndarray]:
    folder = Path(os.environ.get("LATENTMAP_DATA", ROOT.parent / "shared" / "data"))
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise SystemExit(f"No {path.name} in {folder}. Set LATENTMAP_DATA to the folder that holds it.")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)
