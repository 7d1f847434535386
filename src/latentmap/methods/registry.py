"""The methods by name."""

from __future__ import annotations

from latentmap.methods.comparing.comparison_embedding import ComparisonEmbedding
from latentmap.methods.elastic.elastic_embedding import ElasticEmbedding
from latentmap.methods.laplacian_eigenmaps import LaplacianEigenmaps
from latentmap.methods.lllvm.lllvm import LLLVM
from latentmap.methods.locally_linear import LocallyLinearEmbedding
from latentmap.methods.mds.classical import ClassicalMDS
from latentmap.methods.mds.gradient import GradientMDS
from latentmap.methods.mds.isomap import Isomap
from latentmap.methods.mds.landmark import LandmarkMDS
from latentmap.methods.probdr.probdr import ProbDR
from latentmap.methods.siamese.siamese import Siamese
from latentmap.model.lvm import LVM
from latentmap.model.stepwise import Stepwise


def available() -> dict[str, type[Stepwise]]:
    """Return the methods that make maps, by name, in the order in which front ends offer them.

    Returns
    -------
    dict of str to type
        Estimators of scikit-learn's kind, each with ``iter_fit``.

    Examples
    --------
    >>> available()["isomap"](n_neighbors=9)
    Isomap(n_neighbors=9)
    """
    return {
        "lvm": LVM,
        "elastic-embedding": ElasticEmbedding,
        "ll-lvm": LLLVM,
        "probdr": ProbDR,
        "classical-mds": ClassicalMDS,
        "gradient-mds": GradientMDS,
        "landmark-mds": LandmarkMDS,
        "isomap": Isomap,
        "lle": LocallyLinearEmbedding,
        "laplacian-eigenmaps": LaplacianEigenmaps,
        "comparisons": ComparisonEmbedding,
        "siamese": Siamese,
    }
