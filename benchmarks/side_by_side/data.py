"""The five data sets that every method maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.manifolds import roll
from benchmarks.peers.data_sets import DATA_SETS, drawn_rows, load
from latentmap.measuring import measure
from latentmap.table import CellTable


class Data(NamedTuple):
    """Rows, and what is known of them.

    Attributes
    ----------
    X : ndarray of shape (n, D)
    known : ndarray of shape (n,)
        The class of each row, or how far along the roll it lies.
    is_class : bool
    """

    X: np.ndarray
    known: np.ndarray
    is_class: bool


def _roll(n: int) -> Data:
    X, plane, _ = roll(n)
    return Data(X, plane[:, 0], False)


def _peers(name: str) -> Callable[[int], Data]:
    def read(n: int) -> Data:
        X, y = DATA_SETS[name].read()
        rows = drawn_rows(y, n)
        return Data(np.asarray(X[rows], dtype=float), y[rows], True)

    return read


def _nuclei(n: int) -> Data:
    arrays = load("micro_bbbc007_2d")
    tables = [
        measure(arrays[f"labels_{at:02d}"], {"DNA": arrays[f"image_{at:02d}"]}, layer=f"image {at}")
        for at in range(len(arrays["names"]))
    ]
    cells = CellTable.pool(tables)
    values = cells.features[list(cells.mappable)].dropna(axis=1).to_numpy(dtype=float)
    rows = np.random.default_rng(0).permutation(len(values))[:n]
    X = StandardScaler().fit_transform(values[rows])
    return Data(X, np.log(values[rows][:, list(cells.mappable).index("area")]), False)


DATA: dict[str, tuple[str, str | None, Callable[[int], Data]]] = {
    "roll": ("The Swiss roll, 3 columns", None, _roll),
    "digits": ("USPS digits, 256 grey levels", "usps9298", _peers("usps")),
    "blood": ("Blood cells with and without interferon, 50 principal components", "sc_pbmc_ifnb2000", _peers("pbmc")),
    "marrow": ("Bone marrow by mass cytometry, 24 channels", "cytof_levine6000", _peers("cytof")),
    "nuclei": ("Nuclei measured in 14 fluorescence images", "micro_bbbc007_2d", _nuclei),
}
"""What each is, the file that it needs, and what reads so many of its rows; by name."""
