"""The tails of a map, for maps of other rows that are held against it."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, clone

from latentmap.model.lvm import LVM


def with_tails_of_map(estimator: BaseEstimator, X: Any) -> BaseEstimator:
    """Return the method with the degrees of freedom that its map of these rows has, if it would find them by itself.

    It would find others for noise, and could for some of the rows.

    Parameters
    ----------
    estimator : BaseEstimator
        If it is fitted, the map is its own.
    X : array-like of shape (n, D)
        The rows of the map.

    Returns
    -------
    BaseEstimator
        The same one if there is nothing to find.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> with_tails_of_map(LVM(dof="intrinsic"), load_iris().data).dof
    4.0
    """
    if not isinstance(estimator, LVM) or estimator.dof != "intrinsic":
        return estimator
    return clone(estimator).set_params(dof=estimator.dof_ if hasattr(estimator, "dof_") else estimator.find_dof(X))
