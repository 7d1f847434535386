"""The methods by name."""

from __future__ import annotations

from latentmap.methods.classical_mds import ClassicalMDS
from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.landmark_mds import LandmarkMDS
from latentmap.model.lvm import LVM
from latentmap.model.stepwise import Stepwise


def available() -> dict[str, type[Stepwise]]:
    """Return the methods that make maps, by name.

    Returns
    -------
    dict of str to type
        Estimators of scikit-learn's kind, each with ``iter_fit``.

    Examples
    --------
    >>> "elastic-embedding" in available()
    True
    """
    return {
        "lvm": LVM,
        "elastic-embedding": ElasticEmbedding,
        "classical-mds": ClassicalMDS,
        "landmark-mds": LandmarkMDS,
    }
