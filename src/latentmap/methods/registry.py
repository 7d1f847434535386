"""The methods by name."""

from __future__ import annotations

from latentmap.methods.comparison_embedding import ComparisonEmbedding
from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.siamese import Siamese
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
    >>> sorted(available())
    ['comparisons', 'elastic-embedding', 'lvm', 'siamese']
    """
    return {
        "lvm": LVM,
        "elastic-embedding": ElasticEmbedding,
        "comparisons": ComparisonEmbedding,
        "siamese": Siamese,
    }
