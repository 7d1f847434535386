"""The methods by name."""

from __future__ import annotations

from latentmap.methods.elastic_embedding import ElasticEmbedding
from latentmap.methods.lllvm import LLLVM
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
    ['elastic-embedding', 'll-lvm', 'lvm']
    """
    return {"lvm": LVM, "elastic-embedding": ElasticEmbedding, "ll-lvm": LLLVM}
