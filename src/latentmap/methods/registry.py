"""The methods by name."""

from __future__ import annotations

from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.probdr import ProbDR
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
    ['elastic-embedding', 'lvm', 'probdr']
    """
    return {"lvm": LVM, "elastic-embedding": ElasticEmbedding, "probdr": ProbDR}
