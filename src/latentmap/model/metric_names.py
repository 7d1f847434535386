"""The names of metrics, known without importing pynndescent, which compiles for many seconds."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from sklearn.neighbors import VALID_METRICS

OF_SCIKIT_LEARN = frozenset(
    {*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"]} - {"precomputed", "nan_euclidean", "pyfunc"}
)
"""Metrics that scikit-learn computes."""
OF_PYNNDESCENT = frozenset(
    {
        "bit_hamming",
        "bit_jaccard",
        "circular_kantorovich",
        "circular_wasserstein",
        "direct_cosine",
        "dot",
        "hellinger",
        "inner_product",
        "jensen-shannon",
        "jensen_shannon",
        "kantorovich",
        "kantorovich-1d",
        "kantorovich_1d",
        "kulsinski",
        "linf",
        "linfinity",
        "linfty",
        "matching",
        "sinkhorn",
        "spearmanr",
        "standardised_euclidean",
        "symmetric-kl",
        "symmetric_kl",
        "symmetric_kullback_liebler",
        "taxicab",
        "true_angular",
        "tsss",
        "wasserstein",
        "wasserstein-1d",
        "wasserstein_1d",
        "weighted_minkowski",
        "wminkowski",
    }
)
"""Metrics that only pynndescent computes, from release 0.5.13 on."""


def check_metric_name(metric: Any) -> None:
    """Raise unless a metric is known by name, with the name that is spelled most like it.

    Parameters
    ----------
    metric : object
        The user's parameter; not a function, nor "precomputed".

    Raises
    ------
    ValueError
        Listing the metrics of scikit-learn.

    Examples
    --------
    >>> try:
    ...     check_metric_name("eucledian")
    ... except ValueError as error:
    ...     print(str(error)[73:98])
    did you mean "euclidean"?
    """
    if isinstance(metric, str) and metric in OF_SCIKIT_LEARN | OF_PYNNDESCENT:
        return
    near = get_close_matches(metric, sorted(OF_SCIKIT_LEARN | OF_PYNNDESCENT), 1) if isinstance(metric, str) else []
    meant = f'; did you mean "{near[0]}"?' if near else "."
    raise ValueError(
        f"metric is {metric!r}, which neither scikit-learn nor pynndescent knows{meant} It must be one of "
        f'{", ".join(sorted(OF_SCIKIT_LEARN))}; a function of two rows; or "precomputed".'
    )
