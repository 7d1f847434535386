"""Nearest neighbours of vectors without comparing all pairs: an inverted file.

The rows are divided into *lists*, each around a k-means centre, and every row is compared with the rows of the
``n_probe`` lists with the nearest centres. The number needed depends on the data, so it is measured: a sample of the
rows is first compared with all others.

Jegou, Douze and Schmid, "Product quantization for nearest neighbor search", IEEE TPAMI 33(1), 2011, section IV.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import gen_batches

from latentmap.model.compiling import compiled
from latentmap.model.list_search import FAR, nearest_in_lists
from latentmap.model.robust_center import robust_center
from latentmap.model.third_party_warnings import suppress_third_party_warnings
from latentmap.model.thread_limits import limit_threads
from latentmap.model.workers import Workers

# The recall required on the sample; slightly above the promised 0.99, since the sample is small.
RECALL = 0.994
_SAMPLE = 1024
# Additional candidates found in single precision, among which double precision decides.
_SPARE = 4
# Rows per centre, and iterations, of k-means: more hardly improve the lists.
_ROWS_PER_CENTER, _LLOYD_STEPS = 16, 3
# Lists longer than this multiple of the mean are searched for copies of the same row.
_LONG = 8
_ROWS_PER_CHUNK, _ROWS_PER_CHUNK_OF_NEW = 2048, 256
# Lists that are searched for new rows, at least.
_FEWEST_LISTS = 2
# Rows and candidates compared by one matrix product: their distances stay in the cache.
_QUERIES, _CANDIDATES = 256, 512
# Distances examined together: usually none is near enough, and their minimum is vectorised.
_GLANCE = 32
# If rows lie this many spreads apart, the unit ignores outliers, or most squares would underflow in single precision.
_FAR_APART = 1e6
# Farther rows are treated as if at this distance, in units, so that their squares do not overflow.
_EDGE = 1e15


class Partition:
    """Rows divided into lists around centres.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The rows, float64 or float32, possibly a read-only memory map. One float32 copy is kept.
    k : int
        Maximum number of neighbours that will be requested; below n.
    seed : int
        Chooses the rows from which the centres are computed, and the sample.
    workers : Workers
        The threads to use; the result is bit-identical for any number.

    Attributes
    ----------
    n_lists : int
        Number of lists.
    centers : ndarray of shape (n_lists, D), float32
        Relative to ``origin``, a central point, in ``unit``: the largest difference of a coordinate from it, or the
        median one if few rows are that far away.
    order : ndarray of shape (n,)
        The rows, list by list.
    list_of : ndarray of shape (n,)
        The list of each row, in this order.
    list_start, list_stop : ndarray of shape (n_lists,)
        The range of each list in this order; superfluous copies of rows lie between the lists.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.model.workers import Workers
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> with Workers(2) as workers:
    ...     indices, distances = Partition(X, 5, 0, workers).kneighbors(5)
    >>> indices.shape
    (500, 5)
    """

    def __init__(self, X: np.ndarray, k: int, seed: int, workers: Workers) -> None:
        self.X = np.asarray(X)
        self._workers = workers
        self._rng = np.random.default_rng(seed)
        self._probes: dict[int, int] = {}
        self._n_candidates = min(k + 1 + _SPARE, len(X))
        self.origin = self.X[:: max(1, len(X) // _SAMPLE)].mean(axis=0, dtype=float)
        # In this unit no square overflows in single precision.
        self.unit = float(max(np.max(self.X.max(axis=0) - self.origin), np.max(self.origin - self.X.min(axis=0))))
        centre, spread = robust_center(self.X)
        if 0 < spread < self.unit / _FAR_APART:
            self.origin, self.unit = centre, spread
        with limit_threads(1):
            self.centers = self._means()
            label = self._labels()
        self.n_lists = len(self.centers)
        self.order = np.argsort(label, kind="stable")
        self.list_of = label[self.order]
        counts = np.bincount(label, minlength=self.n_lists)
        self.list_stop = np.cumsum(counts)
        self.list_start = self.list_stop - counts
        self._residuals = np.empty((len(X), X.shape[1] + 1), np.float32)
        self._over_rows(self._fill_residuals)
        self._put_copies_last()

    def kneighbors(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the k nearest other rows of each row, nearest first, and their distances.

        Equally near rows are sorted by number.

        Parameters
        ----------
        k : int
            Neighbours, at most as many as the partition was made for.

        Returns
        -------
        indices : ndarray of shape (n, k), int64
            At least 99 % of them are among the k nearest.
        distances : ndarray of shape (n, k), float64
            Euclidean distances.
        """
        indices = np.empty((len(self.X), k), np.int64)
        distances = np.empty((len(self.X), k))

        def search(start: int, stop: int) -> None:
            rows = self.order[start:stop]
            far = self._center_distances(rows)
            reach = np.partition(far, n_probe - 1, axis=1)[:, n_probe - 1]
            found = self.order[self._scanned(np.arange(start, stop), far, reach)]
            indices[rows], distances[rows] = _nearest_others(self.X, self.X[rows], rows, found, k)

        with limit_threads(1):
            self._probes[k] = n_probe = self._n_probe(k)
            self._over_rows(search)
        return indices, distances

    def query(self, X_new: np.ndarray, k: int, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
        """Return the k nearest rows of each of some new rows, nearest first, and their distances.

        No new row depends on the others: the products of matrices that serve the rows of the partition would round
        differently for other sets of new rows.

        Parameters
        ----------
        X_new : ndarray of shape (m, D)
        k : int
            Neighbours, at most as many as the partition was made for.
        workers : Workers
            The threads to use.

        Returns
        -------
        indices : ndarray of shape (m, k), int64
        distances : ndarray of shape (m, k), float64
        """
        # A copy of a row may be as near to another centre as to that of its list.
        n_probe = min(max(_FEWEST_LISTS, self._n_probe_of_new(k)), self.n_lists)

        def search(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            # For rows in another memory order the compiler sums in another order.
            asked = np.ascontiguousarray(X_new[start:stop])
            found = np.empty((len(asked), self._n_candidates), np.int64)
            lists = self.centers, self.list_start, self.list_stop, self._residuals
            nearest_in_lists(self._scaled(asked).astype(np.float32), n_probe, *lists, found)
            return _nearest_others(self.X, asked, np.full(len(asked), -1), self.order[found], k)

        parts = workers.map(search, _chunks(len(X_new), _ROWS_PER_CHUNK_OF_NEW))
        indices, distances = zip(*parts, strict=True)
        return np.concatenate(indices), np.concatenate(distances)

    def _n_probe_of_new(self, k: int) -> int:
        if k not in self._probes:
            with limit_threads(1):
                self._probes[k] = self._n_probe(k)
        return self._probes[k]

    # With copies there may be fewer distinct centres; those without rows are dropped below.
    @suppress_third_party_warnings
    def _means(self) -> np.ndarray:
        """Return the k-means centres of some of the rows."""
        n = len(self.X)
        # If lists hold about 4 times the candidates, few are too short.
        n_centers = int(np.clip(2 * np.sqrt(n), 1, max(1, n // (4 * self._n_candidates))))
        rows = np.sort(self._rng.choice(n, min(n, _ROWS_PER_CENTER * n_centers), replace=False))
        means = KMeans(n_centers, init="random", n_init=1, max_iter=_LLOYD_STEPS, tol=0, random_state=0)
        return np.asarray(means.fit(self._centered(rows)).cluster_centers_)

    def _labels(self) -> np.ndarray:
        """Return the list of each row, and drop centres with too few rows: one list must hold k neighbours."""

        def label(start: int, stop: int) -> np.ndarray:
            return np.asarray(self._center_distances(slice(start, stop)).argmin(axis=1))

        labels = np.concatenate(self._over_rows(label))
        kept = np.bincount(labels, minlength=len(self.centers)) >= self._n_candidates
        moved = np.flatnonzero(~kept[labels])
        self.centers = self.centers[kept]
        labels = (np.cumsum(kept) - 1)[labels]
        for start in range(0, len(moved), _ROWS_PER_CHUNK):
            rows = moved[start : start + _ROWS_PER_CHUNK]
            labels[rows] = self._center_distances(rows).argmin(axis=1)
        return np.asarray(labels)

    def _n_probe(self, k: int) -> int:
        """Return how many lists must be searched for the sample to find its neighbours."""
        rows = np.sort(self._rng.choice(len(self.X), min(_SAMPLE, len(self.X)), replace=False))
        far = self._center_distances(self.order[rows])

        def compare(start: int, stop: int) -> np.ndarray:
            everywhere = np.full(stop - start, np.inf, np.float32)
            return self._scanned(rows[start:stop], far[start:stop], everywhere)[:, : k + 1]

        found = np.concatenate(self._workers.map(compare, _chunks(len(rows), 32)))
        rank = far.argsort(axis=1).argsort(axis=1)
        needed = np.take_along_axis(rank, self.list_of[found], axis=1)[found != rows[:, None]]
        return int(np.quantile(needed, RECALL, method="inverted_cdf")) + 1

    def _scanned(self, places: np.ndarray, far: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Return the positions, in ``order``, of the candidates of some rows in the lists within their reach."""
        found = np.empty((len(places), self._n_candidates), np.int64)
        lists = self.list_start, self.list_stop
        _scan(places, far, reach, self._residuals, self.list_of, self.centers, *lists, found)
        return found

    def _over_rows(self, task: Callable[[int, int], Any]) -> list[Any]:
        return self._workers.map(task, _chunks(len(self.X), _ROWS_PER_CHUNK))

    def _centered(self, rows: np.ndarray | slice) -> np.ndarray:
        return self._in_units(rows).astype(np.float32)

    def _in_units(self, rows: np.ndarray | slice) -> np.ndarray:
        return self._scaled(self.X[rows])

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip((rows - self.origin) / self.unit, -_EDGE, _EDGE))

    def _center_distances(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return half the squared distances of some rows to all centres, up to a constant for each row."""
        return np.asarray(
            0.5 * np.einsum("ij,ij->i", self.centers, self.centers) - self._centered(rows) @ self.centers.T
        )

    def _fill_residuals(self, start: int, stop: int) -> None:
        """Write the rows relative to their centres, for which single precision suffices, and their squared lengths."""
        x = self._in_units(self.order[start:stop]) - self.centers[self.list_of[start:stop]]
        self._residuals[start:stop, :-1] = x
        self._residuals[start:stop, -1] = np.einsum("ij,ij->i", x, x)

    def _put_copies_last(self) -> None:
        """Move superfluous copies out of very long lists, since half of the rows may be identical."""
        sizes = self.list_stop - self.list_start
        for b in np.flatnonzero(sizes > _LONG * sizes.mean()):
            lists = slice(self.list_start[b], self.list_stop[b])
            rows = self._residuals[lists].copy()
            same = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
            by_row = np.argsort(same, kind="stable")
            first = np.searchsorted(same[by_row], same[by_row])
            is_surplus = np.empty(len(rows), bool)
            is_surplus[by_row] = np.arange(len(rows)) - first >= self._n_candidates
            last = np.argsort(is_surplus, kind="stable")
            self.order[lists], self._residuals[lists] = self.order[lists][last], rows[last]
            self.list_stop[b] -= np.count_nonzero(is_surplus)


def _chunks(n: int, size: int) -> list[tuple[int, int]]:
    return [(batch.start, batch.stop) for batch in gen_batches(n, size)]


@compiled
def _scan(
    places: np.ndarray,
    far: np.ndarray,
    reach: np.ndarray,
    residuals: np.ndarray,
    list_of: np.ndarray,
    centers: np.ndarray,
    list_start: np.ndarray,
    list_stop: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write the positions of the nearest rows in the lists b with ``far[i, b] <= reach[i]``."""
    n_rows, n_lists = far.shape
    nearest = np.full(found.shape, FAR, np.float32)
    found[:] = -1
    asking = np.empty(n_rows, np.int64)
    queries = np.empty((_QUERIES, residuals.shape[1]), np.float32)
    lengths = np.empty(_QUERIES, np.float32)
    products = np.empty(_QUERIES * _CANDIDATES, np.float32)
    for step in range(n_lists):
        # The rows' own lists come first, after which few other rows are near enough to be kept.
        b = (list_of[places[0]] + step) % n_lists
        n_asking = 0
        for i in range(n_rows):
            if far[i, b] <= reach[i]:
                asking[n_asking] = i
                n_asking += 1
        for start in range(0, n_asking, _QUERIES):
            who = asking[start : min(start + _QUERIES, n_asking)]
            _ask(places, who, b, residuals, list_of, centers, queries, lengths)
            for lo in range(list_start[b], list_stop[b], _CANDIDATES):
                hi = min(lo + _CANDIDATES, list_stop[b])
                table = products[: len(who) * (hi - lo)].reshape(len(who), hi - lo)
                np.dot(queries[: len(who)], residuals[lo:hi].T, table)
                for q in range(len(who)):
                    _keep_nearest(table[q], lengths[q], lo, nearest[who[q]], found[who[q]])


@compiled
def _ask(
    places: np.ndarray,
    who: np.ndarray,
    b: int,
    residuals: np.ndarray,
    list_of: np.ndarray,
    centers: np.ndarray,
    queries: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """Write the vectors whose products with (r, |r|^2) are |x - r|^2 - |x|^2, with x relative to centre b."""
    D = centers.shape[1]
    for q in range(len(who)):
        place = places[who[q]]
        own = list_of[place]
        length = np.float32(0)
        for c in range(D):
            x = residuals[place, c] + (centers[own, c] - centers[b, c])
            length += x * x
            queries[q, c] = np.float32(-2) * x
        queries[q, D] = np.float32(1)
        lengths[q] = length


@compiled
def _keep_nearest(values: np.ndarray, length: float, first: int, nearest: np.ndarray, found: np.ndarray) -> None:
    """Merge the values into the sorted list of the smallest so far."""
    last = len(nearest) - 1
    farthest = nearest[last] - length
    for lo in range(0, len(values), _GLANCE):
        hi = min(lo + _GLANCE, len(values))
        least = FAR
        for j in range(lo, hi):
            least = min(least, values[j])
        if least >= farthest:
            continue
        for j in range(lo, hi):
            if values[j] < farthest:
                squared = values[j] + length
                p = last
                while p > 0 and nearest[p - 1] > squared:
                    nearest[p] = nearest[p - 1]
                    found[p] = found[p - 1]
                    p -= 1
                nearest[p] = squared
                found[p] = first + j
                farthest = nearest[last] - length


@compiled
def _nearest_others(
    X: np.ndarray, asked: np.ndarray, own: np.ndarray, candidates: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest candidates of each row except itself, by distance in double precision, then by number."""
    n_candidates = candidates.shape[1]
    indices = np.empty((len(asked), k), np.int64)
    distances = np.empty((len(asked), k))
    length = np.empty(n_candidates)
    other = np.empty(n_candidates, np.int64)
    for i in range(len(asked)):
        n_others = 0
        for j in candidates[i]:
            if j == own[i]:
                continue
            total = 0.0
            for c in range(X.shape[1]):
                difference = np.float64(asked[i, c]) - np.float64(X[j, c])
                total += difference * difference
            distance = np.sqrt(total)
            p = n_others
            while p > 0 and (length[p - 1] > distance or (length[p - 1] == distance and other[p - 1] > j)):
                length[p] = length[p - 1]
                other[p] = other[p - 1]
                p -= 1
            length[p] = distance
            other[p] = j
            n_others += 1
        indices[i] = other[:k]
        distances[i] = length[:k]
    return indices, distances
