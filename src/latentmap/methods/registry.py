"""The methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from latentmap.methods import laplacian_eigenmaps, locally_linear, lvm
from latentmap.methods.comparisons import method as comparing
from latentmap.methods.elastic import method as elastic
from latentmap.methods.lllvm import method as lllvm
from latentmap.methods.mds import classical, gradient, isomap, landmark
from latentmap.methods.method import Method
from latentmap.methods.probdr import method as probdr
from latentmap.methods.siamese import method as siamese
from latentmap.model.iterative_method import IterativeMethod

_BY_NAME: dict[str, Method] = {
    "lvm": lvm.METHOD,
    "elastic-embedding": elastic.METHOD,
    "ll-lvm": lllvm.METHOD,
    "probdr": probdr.METHOD,
    "classical-mds": classical.METHOD,
    "gradient-mds": gradient.METHOD,
    "landmark-mds": landmark.METHOD,
    "isomap": isomap.METHOD,
    "lle": locally_linear.METHOD,
    "laplacian-eigenmaps": laplacian_eigenmaps.METHOD,
    "comparisons": comparing.METHOD,
    "siamese": siamese.METHOD,
}

METHODS: Mapping[str, Method] = MappingProxyType(_BY_NAME)
"""The methods that make maps, by name, in the order in which front ends offer them. The names stand in files."""
DEFAULT = "lvm"
"""The method that a session begins with."""


def available() -> dict[str, type[IterativeMethod]]:
    """Return the estimators that make maps, by the method's name, in the order in which front ends offer them.

    Returns
    -------
    dict of str to type
        Estimators of scikit-learn's kind, each with ``iter_fit``.

    Examples
    --------
    >>> available()["isomap"](n_neighbors=9)
    Isomap(n_neighbors=9)
    """
    return {name: method.kind for name, method in METHODS.items()}
