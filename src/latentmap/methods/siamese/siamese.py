"""Siamese networks: a mapping learned from pairs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.utils import gen_batches

from latentmap.methods.classes import NO_CLASS, read_classes
from latentmap.methods.siamese.network import Network, contrastive
from latentmap.methods.siamese.pairs import Drawn, Pairs
from latentmap.model import distance_checks, parameter_checks, size_checks
from latentmap.model.adam import Adam
from latentmap.model.inputs import CHUNK
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.thread_limits import limit_threads, limit_threads_in_steps
from latentmap.model.validation import read_inputs, read_table
from latentmap.model.vectors import Vectors

# Rows whose pairs make up one step.
_BATCH = 128
_MOMENTUM = 0.9
# Fewer held-out rows are not informative.
_FEWEST_HELD_OUT = 10
# Draws of pairs with which the network is evaluated.
_JUDGED = 10


class Siamese(IterativeMethod):
    """A small network phi from features to positions, learned from pairs.

    Similar pairs are pulled together, dissimilar ones pushed apart up to a margin. New rows are placed by phi itself.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row without a class; any of them may be drawn as similar.
    n_components : int, default=2
        Dimensions (d) of the map.
    margin : float, default=1.0
        The distance beyond which dissimilar pairs no longer repel each other; the unit of the map.
    n_hidden : int, default=128
        Neurons in each of the two hidden layers.
    learning_rate : float, default=0.01
        The length of the first step of a weight, which falls linearly to 0.
    noise : float, default=0.3
        Noise added to the features during learning, in units of their standard deviation over all columns. It prevents
        overfitting: for digits, 8.2 instead of 9.2 % of the new rows lay nearest to a different digit, and even fewer
        with 0.6. Too much of it hides what only a few features show.
    held_out : float, default=0.1
        The fraction of the rows that is held out to evaluate phi, from 0 to below 1.
    max_iter : int, default=50
        Number of epochs.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the rows held out, the initial weights and the pairs.
    n_jobs : int or None, default=-1
        Threads of the neighbour search; -1 uses all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map: phi of all rows, including those held out.
    held_out_auc_ : float
        How well distances on the map separate similar from dissimilar pairs of a held-out and a learned row: the area
        under the ROC curve, 0.5 by chance; NaN if fewer than 10 rows are held out.
    losses_ : ndarray
        The loss on a fixed set of pairs after each epoch.
    n_iter_ : int
        Epochs done.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data, the classes or a parameter is invalid; the message says what to change.

    References
    ----------
    Bromley, Guyon, LeCun, Sackinger and Shah, "Signature verification using a 'Siamese' time delay neural network",
    NIPS 1993; Hadsell, Chopra and LeCun, "Dimensionality reduction by learning an invariant mapping", CVPR 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> method = Siamese().fit(X, y)
    >>> method.transform(X[:3]).shape
    (3, 2)
    >>> method.held_out_auc_ > 0.9
    True
    """

    title = "Siamese network"
    objective_name = "loss"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        margin: float = 1.0,
        n_hidden: int = 128,
        learning_rate: float = 0.01,
        noise: float = 0.3,
        held_out: float = 0.1,
        max_iter: int = 50,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.margin = margin
        self.n_hidden = n_hidden
        self.learning_rate = learning_rate
        self.noise = noise
        self.held_out = held_out
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def iter_fit(self, X: Any, y: Any = None) -> Generator[FitProgress, None, None]:
        """Make the map, epoch by epoch; see :meth:`latentmap.LVM.iter_fit`.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell: features, or the pixels of its picture, such as from
            :meth:`latentmap.images.crops.Crops.pixel_stack`.
        y : array-like of shape (n,), optional
            The class of each cell, numbers or names; -1, None, NaN or "" if it has none. Cells of the same class are
            similar, cells of different classes dissimilar. A cell without a class is similar to its nearest neighbours
            and dissimilar to all other cells.

        Yields
        ------
        FitProgress
            Before each stage, and after each epoch.
        """
        self._check_parameters()
        table = read_table(X, self, precomputed=False)
        n = len(table)
        size_checks.check_size(n, self.n_components)
        read_inputs(table, X, self)
        codes = read_classes(y, n)
        needs_neighbors = bool((codes == NO_CLASS).any())
        k = self._fitting_neighbors(n) if needs_neighbors else 0
        rng = self._generator()
        yield FitProgress("neighbours", 0, self.max_iter)
        learned, kept_back = self._split(n, k, rng)
        pairs = Pairs(codes, learned, self._neighbors(table, learned, kept_back, k) if needs_neighbors else None)
        yield FitProgress("start", 0, self.max_iter)
        rows = (table - table.mean(axis=0)).astype(float)
        # One unit for all columns, since their relative weights are given by the table.
        scale = np.sqrt(np.square(rows).mean())
        rows /= scale
        network = Network((rows.shape[1], self.n_hidden, self.n_hidden, self.n_components), rng)
        judged = _several(pairs, learned, rng)

        def keep(state: State, course: dict[int, float]) -> None:
            network.values = state.learned
            self.losses_, self._network = np.array(list(course.values())), network
            self._mean, self._scale = table.mean(axis=0), scale
            self.held_out_auc_ = _auc(state.embedding, _several(pairs, kept_back, rng))

        epochs = limit_threads_in_steps(_epochs(network, rows, pairs, learned, judged, self, rng))
        yield from self._store_states(X, epochs, self.max_iter, keep)

    def remarks(self) -> list[str]:
        """Return how well the map separates held-out pairs of rows."""
        if np.isnan(self.held_out_auc_):
            return ["Too few cells were held out to evaluate the network."] if self.held_out else []
        return [
            "Of a similar and a dissimilar pair with held-out cells, the similar one lies closer together in "
            f"{self.held_out_auc_:.0%} of cases; half would be chance."
        ]

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows by phi.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows with the same columns.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.
        """
        table = self._read_new(X)
        with limit_threads(1, "blas"):
            return _positions(self._network, (table - self._mean) / self._scale)

    def _split(self, n: int, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows to learn from, more than k, and those held out."""
        n_held_out = min(int(self.held_out * n), n - k - 1)
        order = rng.permutation(n)
        n_held_out = n_held_out if n_held_out >= _FEWEST_HELD_OUT else 0
        return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])

    def _neighbors(self, table: np.ndarray, learned: np.ndarray, kept_back: np.ndarray, k: int) -> np.ndarray:
        """Return the neighbours of every row among the learned ones."""
        inputs = Vectors(table[learned], n_jobs=self.n_jobs)
        result = np.empty((len(table), k), dtype=np.int64)
        found = inputs.kneighbors(k)
        distance_checks.check_neighbors(found.distances)
        result[learned] = learned[found.indices]
        if len(kept_back):
            result[kept_back] = learned[inputs.query(table[kept_back], k).indices]
        return result

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_integer(self.n_hidden, "n_hidden", "neurons", 1, "the neurons of each hidden layer")
        for name, meaning in (
            ("margin", "the distance beyond which dissimilar pairs do not repel each other"),
            ("learning_rate", "the length of the first step"),
        ):
            parameter_checks.check_real(getattr(self, name), name, meaning, lambda value: 0 < value < np.inf, "above 0")
        meaning = "the noise added to the features during learning"
        parameter_checks.check_real(self.noise, "noise", meaning, lambda value: 0 <= value < np.inf, "from 0")


def _epochs(
    network: Network,
    rows: np.ndarray,
    pairs: Pairs,
    learned: np.ndarray,
    judged: Drawn,
    estimator: Siamese,
    rng: np.random.Generator,
) -> Iterator[State]:
    """Yield the map, the loss on fixed pairs and the weights, before the first epoch and after each."""

    def state(epochs: int) -> State:
        embedding = _positions(network, rows)
        ends = embedding[judged.one], embedding[judged.other]
        loss, _ = contrastive(*ends, judged.is_similar, estimator.margin)
        return State.known(epochs, embedding, loss, learned=network.values)

    adam = Adam((len(network.values), 1), np.float64, _MOMENTUM, unit=1.0)
    yield state(0)
    for epoch in range(estimator.max_iter):
        order = rng.permutation(learned)
        for batch in gen_batches(len(order), _BATCH):
            drawn = pairs.draw(order[batch], rng)
            if not len(drawn.one):
                continue
            done = (epoch + batch.start / len(order)) / estimator.max_iter
            one, other = (rows[number] for number in (drawn.one, drawn.other))
            one, other = (some + estimator.noise * rng.standard_normal(some.shape) for some in (one, other))
            gradient = _gradient(network, one, other, drawn.is_similar, estimator.margin)
            moved = adam.moved(network.values[:, None], -gradient[:, None], estimator.learning_rate * (1 - done))
            network.values = moved[:, 0]
        yield state(epoch + 1)


def _gradient(
    network: Network, one: np.ndarray, other: np.ndarray, is_similar: np.ndarray, margin: float
) -> np.ndarray:
    """Return the gradient of the loss of pairs with respect to the weights, which both rows of a pair share."""
    seen = network.activations(np.vstack([one, other]))
    slopes = contrastive(seen[-1][: len(one)], seen[-1][len(one) :], is_similar, margin)[1]
    return network.gradient(seen, np.vstack([slopes, -slopes]))


def _positions(network: Network, rows: np.ndarray) -> np.ndarray:
    batches = gen_batches(len(rows), max(1, CHUNK // network.widest))
    return np.vstack([network.positions(rows[batch]) for batch in batches])


def _several(pairs: Pairs, rows: np.ndarray, rng: np.random.Generator) -> Drawn:
    """Return pairs of rows from several draws."""
    return pairs.draw(np.tile(rows, _JUDGED), rng)


def _auc(embedding: np.ndarray, drawn: Drawn) -> float:
    if len(np.unique(drawn.is_similar)) < 2:
        return np.nan
    return float(
        roc_auc_score(drawn.is_similar, -np.linalg.norm(embedding[drawn.one] - embedding[drawn.other], axis=1))
    )
