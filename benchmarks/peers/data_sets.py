"""The data sets that are embedded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from benchmarks.markdown import whole
from benchmarks.peers import continua, nuclei
from benchmarks.peers.communities import communities
from benchmarks.peers.manifold import write_curved_clusters
from benchmarks.peers.shifted import write_shifted_digits
from benchmarks.stored import CACHE, drawn_rows, load, principal_components

# The data set on which every run has a process of its own.
MAIN = "mnist"
_MNIST_TRAIN = 60_000


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes
    ----------
    title : str
        What it is, in words.
    rows : int
    read : callable
        Returns X, of shape (rows, columns), and y, the classes; None for a continuum, which has none.
    n_train : int, optional
        The first so many rows are the training set.
    most_seeds : int, optional
        What is looked at for its time alone needs no more runs of each method.
    """

    title: str
    rows: int
    read: Callable[[], tuple[np.ndarray, np.ndarray | None]]
    n_train: int | None = None
    most_seeds: int | None = None


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table to embed.

    Attributes
    ----------
    X : ndarray of shape (n, D), float32
    y : ndarray of shape (n,), or None
        The classes; a continuum has none.
    n_train : int or None
        The first so many rows are the training set; None if errors are to be cross-validated.
    path : Path
        A file that holds X, for other processes.
    """

    X: np.ndarray
    y: np.ndarray | None
    n_train: int | None
    path: Path

    def drawn(self, n: int) -> np.ndarray:
        """Return n row numbers, drawn with each class in proportion."""
        return _drawn(self.y, len(self.X), n)


def _mnist(n: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    arrays = load("mnist70k")
    X, y = principal_components(arrays["X"]), arrays["y"]
    if n is None:
        return X, y
    rows = drawn_rows(y, n)
    return X[rows], y[rows]


def _stored(file: str, table: str, classes: str) -> tuple[np.ndarray, np.ndarray]:
    arrays = load(file)
    return arrays[table], arrays[classes]


def _cytof() -> tuple[np.ndarray, np.ndarray]:
    arrays = load("cytof_levine6000")
    return np.arcsinh(arrays["X"] / 5), arrays["y"]


def _pbmc_groups() -> tuple[np.ndarray, np.ndarray]:
    X = load("sc_pbmc_ifnb2000")["X_pca50"]
    return X, communities(X)


def _pancreas() -> tuple[np.ndarray, np.ndarray]:
    arrays = load("micro_imc_pancreas_5ch")
    return StandardScaler().fit_transform(np.arcsinh(arrays["cell_mean_counts"])), arrays["cell_type"]


def _continuum(read: Callable[[], np.ndarray]) -> tuple[np.ndarray, None]:
    return read(), None


DATA_SETS = {
    MAIN: Source("MNIST digits, 50 principal components", 70_000, _mnist, _MNIST_TRAIN),
    "usps": Source("USPS digits, 256 grey levels", 9298, partial(_stored, "usps9298", "X", "y")),
    "cell-lines": Source(
        "two cell lines and their mixture, 20 principal components (classes: cell type)",
        9478,
        partial(_stored, "sc_cell_lines_pca20", "X", "cell_type"),
    ),
    "pbmc": Source(
        "blood cells with and without interferon, 50 principal components (classes: condition)",
        2000,
        partial(_stored, "sc_pbmc_ifnb2000", "X_pca50", "condition"),
    ),
    "species-mix": Source(
        "a mixture of human and mouse cells, 50 principal components (classes: species)",
        1020,
        partial(_stored, "sc_macosko_speciesmix", "X_pca50", "species"),
    ),
    "cytof": Source("bone marrow by mass cytometry, arcsinh(x/5) of 24 channels (classes: cluster)", 6000, _cytof),
    "pbmc-groups": Source(
        "the same blood cells (classes: communities of the graph of 15 nearest neighbours, since the data name no cell "
        "types)",
        2000,
        _pbmc_groups,
    ),
    "pancreas": Source(
        "cells of the pancreas by imaging mass cytometry, arcsinh of the mean counts of 5 channels, standardised "
        "(classes: cell type)",
        362,
        _pancreas,
    ),
    "cube": Source("a continuum: points evenly spread in a cube", continua.ROWS, partial(_continuum, continua.cube)),
    "gaussian": Source(
        f"a continuum: normally distributed points in {continua.DIMENSIONS} dimensions",
        continua.ROWS,
        partial(_continuum, continua.gaussian),
    ),
    "sheet": Source("a continuum: points on a rolled sheet", continua.ROWS, partial(_continuum, continua.sheet)),
    "nuclei": Source(
        "a continuum: nuclei of HeLa cells, frame by frame, by 8 features of shape, standardised",
        3271,
        partial(_continuum, nuclei.hela),
    ),
    "nuclei-in-images": Source(
        "a continuum: nuclei in 14 images, by 8 features of shape and 3 of intensity, standardised",
        1249,
        partial(_continuum, nuclei.in_images),
    ),
    "digits": Source(
        "the digits that come with scikit-learn, 64 grey levels", 1797, partial(load_digits, return_X_y=True)
    ),
    **{
        f"mnist-{n // 1000}k": Source(f"{whole(n)} of the digits of MNIST", n, partial(_mnist, n), most_seeds=1)
        for n in (1000, 3000, 10_000, 30_000)
    },
}
# The digits of scikit-learn are for trying the code without any other data.
COMPARED = [name for name in DATA_SETS if name != "digits"]


@lru_cache(maxsize=1)
def read(name: str, rows: int) -> DataSet:
    """Return a data set, or so many of its rows, drawn with each class in proportion."""
    source, path = DATA_SETS[name], CACHE / f"{name}-{rows}.npy"
    X, y = source.read()
    if rows < source.rows:
        chosen = _drawn(y, source.rows, rows)
        X, y = X[chosen], None if y is None else y[chosen]
    X = np.ascontiguousarray(X, dtype=np.float32)
    CACHE.mkdir(exist_ok=True)
    np.save(path, X)
    return DataSet(X, y, source.n_train if rows == source.rows else None, path)


def _drawn(y: np.ndarray | None, n_all: int, n: int) -> np.ndarray:
    """Return n of all row numbers, drawn with each class in proportion where there are classes."""
    return np.random.default_rng(0).permutation(n_all)[:n] if y is None else drawn_rows(y, n)


@dataclass(frozen=True)
class Growing:
    """A table of any number of rows.

    Attributes
    ----------
    title : str
        What it is, in words.
    write : callable
        Writes so many rows to a file.
    """

    title: str
    write: Callable[[Path, int], None]


GROWING = {
    "curved-clusters": Growing(
        "100 Gaussian clusters on a curved manifold of 5 dimensions in 50", write_curved_clusters
    ),
    "shifted-digits": Growing(
        "digits of MNIST, each moved by up to 2 pixels, 50 principal components", write_shifted_digits
    ),
}


def growing_file(name: str, rows: int) -> Path:
    """Return a file of one of these tables, written when it is first asked for."""
    path = CACHE / f"{name}-{rows}.npy"
    if not path.is_file():
        CACHE.mkdir(exist_ok=True)
        GROWING[name].write(path, rows)
    return path
