"""Going on from a map beside a run begun afresh, as in docs/ascent.md: ``python -m benchmarks.ascent.going_on``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks.markdown import table
from benchmarks.peers import data_sets
from benchmarks.peers.measures import recall
from latentmap import LVM, WARM

_TABLE = "usps"
_CHANGES: tuple[dict[str, Any], ...] = (
    {}, {"n_neighbors": 10}, {"n_neighbors": 30}, {"n_steps": 1}, {"repulsion": 70}, {"repulsion": 5},
    {"similarity_scale": 0.4}, {"metric": "cosine"},
)  # fmt: skip
# Distances between so many rows tell how far the layout is kept.
_LOOKED_AT = 1000


def lines(X: np.ndarray) -> list[list[str]]:
    """Return a line for each change: its name, a whole run, and a short one from the default's map."""
    before = LVM().fit(X)
    some = np.random.default_rng(0).permutation(len(X))[:_LOOKED_AT]
    distances = pdist(before.embedding_[some])

    def told(lvm: LVM) -> str:
        started = time.perf_counter()
        embedding = lvm.fit_transform(X)
        seconds = time.perf_counter() - started
        layout = np.corrcoef(distances, pdist(embedding[some]))[0, 1]
        return f"{recall(X, embedding):.3f}, {lvm.log_likelihood_[-1] / 1000:.0f}, {layout:.2f}, {seconds:.1f} s"

    result = []
    for change in _CHANGES:
        name = ", ".join(f"`{parameter}` = {value}" for parameter, value in change.items()) or "none"
        short = LVM(**change, **WARM, init=(before.embedding_, before.variances_))
        result.append([name, told(LVM(**change)), told(short)])
    return result


def main() -> None:
    data = data_sets.read(_TABLE, data_sets.DATA_SETS[_TABLE].rows)
    head = ["change", *(f"{run} run: recall, log-likelihood, layout, time" for run in ("whole", "short"))]
    print("\n".join(table(head, lines(data.X))))


if __name__ == "__main__":
    main()
