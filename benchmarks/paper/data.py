"""The data sets of the paper, each with the neighbours that an experiment needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.stored import drawn_rows, load, nearest, principal_components
from latentmap.model.inputs import Neighbors
from latentmap.quality import knn_error

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


def load_digits(n: int, seed: int = 0) -> Digits:
    """Return all digits, or n of them, drawn with each class in proportion; each seed draws others."""
    arrays = load("mnist70k")
    images, y, n_train = arrays["X"], arrays["y"].astype(int), int(arrays["n_train"])
    X = _components()
    images = images.reshape(-1, 28, 28)
    if n >= len(y):
        return Digits(X, y, images, n_train)
    rows = drawn_rows(y, n, seed)
    return Digits(X[rows], y[rows], images[rows], None)


@cache
def _components() -> np.ndarray:
    """Return the principal components of all digits: that they are known is only found by going over all images."""
    return principal_components(load("mnist70k")["X"])


def load_words(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n of the most common words of word2vec, and their vectors of unit length, of shape (n, 300)."""
    arrays = load("word2vec_google1000")
    return arrays["words"][:n], arrays["X"][:n].astype(float)
