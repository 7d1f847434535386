"""Whether the probability that two rows coincide on the map is how often they are neighbours."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from latentmap.model.lvm import LVM
from latentmap.model.vectors import Vectors
from latentmap.quality.known_tails import with_tails_of_map
from latentmap.quality.progress import Progress, finished, iter_fit
from latentmap.quality.validation import checked_fraction, checked_table

# Rows that are held out, at most: each is paired with all rows of the map.
_MOST_HELD_OUT, _MOST_PAIRS = 500, 20_000_000
_N_BINS = 10
# Nearly all pairs lie far apart and are no neighbours: they would make every calibration look good.
_LEAST = 0.05


class Reliability(NamedTuple):
    """How often pairs of a stated probability are neighbours.

    Attributes
    ----------
    stated, observed : ndarray of shape (n_bins,)
        Mean probability of the pairs of each bin, and the share of them that are neighbours.
    n_pairs : ndarray of int, of shape (n_bins,)
        Pairs with a probability of 0.05 or more, bin by bin.
    gap : float
        The mean difference between stated and observed over these pairs.
    brier : float
        The mean squared error over all pairs, as a share of that of the base rate: below 1 is better than no map.
    """

    stated: np.ndarray
    observed: np.ndarray
    n_pairs: np.ndarray
    gap: float
    brier: float


class Calibration(NamedTuple):
    """The calibration of a method on a table.

    Attributes
    ----------
    before, after : Reliability
        As the model says, and after one monotone recalibration.
    by_spacing : Reliability
        The same of distances in units of the spacing of the map alone, recalibrated as well.
    recalibrate : IsotonicRegression
        ``recalibrate.predict(p)`` turns the model's probabilities into frequencies.
    """

    before: Reliability
    after: Reliability
    by_spacing: Reliability
    recalibrate: IsotonicRegression


def coincidence_calibration(
    lvm: LVM,
    X: ArrayLike,
    *,
    held_out: float = 0.1,
    random_state: int | np.random.RandomState = 0,
    callback: Callable[[Progress], Any] | None = None,
) -> Calibration:
    """Compare how probably pairs of rows coincide on a map with how often they are neighbours.

    A map is made of most rows, and the others are placed on it, each alone.

    Parameters
    ----------
    lvm : LVM
        A copy of it is fitted.
    X : array-like of shape (n, D)
        The measured table.
    held_out : float
        The share of the rows that is placed alone, at most 500 rows, and fewer of tables beyond 40 000 rows. One half
        of them learns the recalibration, and the other half measures it.
    random_state : int or RandomState
        Chooses these rows.
    callback : callable, optional
        ``callback(progress)`` is called in each iteration of the fit. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError
        If fewer than 20 rows would be held out, or a value is not finite.
    Stopped
        If the callback asks for it.

    Notes
    -----
    A pair is a row held out and a row of the map; they are neighbours if the latter is one of the k nearest of the
    former in the table. The probability is P(c = 1), Saul (5), at the median length scale of the map.

    This measures a method on a table. :meth:`latentmap.LVM.calibrate` recalibrates one map, without a second fit.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from latentmap import LVM
    >>> from latentmap.quality import coincidence_calibration
    >>> found = coincidence_calibration(LVM(), load_digits().data[:600])
    >>> found.after.gap < found.before.gap
    True
    """
    return finished(iter_coincidence_calibration(lvm, X, held_out=held_out, random_state=random_state), callback)


def iter_coincidence_calibration(
    lvm: LVM, X: ArrayLike, *, held_out: float = 0.1, random_state: int | np.random.RandomState = 0
) -> Generator[Progress, None, Calibration]:
    """Calibrate step by step, as :func:`coincidence_calibration` does.

    Yields
    ------
    Progress
        In each iteration of the fit; closing the generator ends it.

    Returns
    -------
    Calibration
    """
    X, rng = checked_table(X, "X", "euclidean"), check_random_state(random_state)
    n_out = min(int(checked_fraction(held_out, "held_out") * len(X)), _MOST_HELD_OUT)
    if n_out < 2 * _N_BINS:
        raise ValueError(f"Only {n_out} rows would be held out. Give more rows, or a larger share.")
    n_out = min(n_out, max(4 * _N_BINS, _MOST_PAIRS // len(X)))
    order = rng.permutation(len(X))
    out, kept = order[:n_out], np.sort(order[n_out:])
    fitted = clone(with_tails_of_map(lvm, X))
    yield from iter_fit(fitted, X[kept], "a map of most cells", 0, 2)
    yield Progress("placing the others", 1, 2)
    positions, variances = fitted.transform_with_variances(X[out])
    near = _is_near(X[kept], X[out], fitted)
    r2 = euclidean_distances(positions, fitted.embedding_, squared=True)
    stated = fitted.coincidence(r2, variances[:, None] + fitted.variances_[None])
    spacing = np.sort(r2, axis=1)[:, : fitted.n_neighbors_].mean(axis=1)
    by_spacing = 1 / (1 + r2 / np.maximum(spacing, np.finfo(float).tiny)[:, None])
    learned, tested = slice(0, n_out // 2), slice(n_out // 2, None)
    recalibrate, of_spacing = (_isotonic(p[learned], near[learned]) for p in (stated, by_spacing))
    return Calibration(
        reliability(stated[tested], near[tested]),
        reliability(recalibrate.predict(stated[tested].ravel()), near[tested]),
        reliability(of_spacing.predict(by_spacing[tested].ravel()), near[tested]),
        recalibrate,
    )


def reliability(stated: np.ndarray, is_neighbor: np.ndarray) -> Reliability:
    """Compare probabilities with what came of them.

    Parameters
    ----------
    stated : ndarray
        The probability of each pair.
    is_neighbor : ndarray of bool
        Whether the pair are neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=10_000)
    >>> bool(reliability(p, rng.uniform(size=10_000) < p).gap < 0.02)
    True
    """
    p, true = stated.ravel(), is_neighbor.ravel()
    base = true.mean()
    brier = brier_score_loss(true, p) / max(base * (1 - base), np.finfo(float).tiny)
    p, true = p[p >= _LEAST], true[p >= _LEAST]
    bins = np.minimum((p * _N_BINS).astype(int), _N_BINS - 1)
    n_pairs = np.bincount(bins, minlength=_N_BINS)
    some = np.maximum(n_pairs, 1)
    mean_stated, observed = (np.bincount(bins, values, _N_BINS) / some for values in (p, true))
    gap = float(np.abs(mean_stated - observed) @ n_pairs / max(n_pairs.sum(), 1))
    return Reliability(mean_stated, observed, n_pairs, gap, float(brier))


def _is_near(X: np.ndarray, new: np.ndarray, fitted: LVM) -> np.ndarray:
    """Return which rows of the map are among the k nearest of each new row."""
    found = Vectors(X, fitted.metric, fitted.metric_params, method="exact").query(new, fitted.n_neighbors_).indices
    near = np.zeros((len(new), len(X)), bool)
    near[np.arange(len(new))[:, None], found] = True
    return near


def _isotonic(p: np.ndarray, near: np.ndarray) -> IsotonicRegression:
    return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p.ravel(), near.ravel())
