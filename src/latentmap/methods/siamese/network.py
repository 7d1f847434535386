"""A small network from features to positions, and the loss by which it learns from pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from latentmap.memory import check_memory


class Network:
    """Fully connected layers with rectifiers between them.

    Parameters
    ----------
    sizes : sequence of int
        Number of inputs, of neurons in each hidden layer, and of outputs.
    rng : Generator
        Draws the initial weights, with the variance 2 / inputs (He et al., ICCV 2015).

    Attributes
    ----------
    values : ndarray of shape (n_weights,)
        All weights; they may be replaced.
    widest : int
        Size of the widest layer.

    Examples
    --------
    >>> Network((4, 8, 2), np.random.default_rng(0)).positions(np.ones((3, 4))).shape
    (3, 2)
    """

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        self._shapes = list(pairwise(sizes))
        self.widest = max(sizes)
        n_weights = sum((a + 1) * b for a, b in self._shapes)
        # The weights, their gradient, and two moments of it.
        check_memory(4 * 8 * n_weights, f"A network of {n_weights} weights", "Lower n_hidden.")
        # One more row, for the bias.
        layers = [np.vstack([rng.normal(0, np.sqrt(2 / a), (a, b)), np.zeros((1, b))]) for a, b in self._shapes]
        self.values = np.concatenate([layer.ravel() for layer in layers])

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Return the outputs for rows."""
        return self.activations(rows)[-1]

    def activations(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return the input of each layer, followed by the outputs."""
        seen = [rows]
        layers = self._layers(self.values)
        for number, layer in enumerate(layers, start=1):
            sums = seen[-1] @ layer[:-1] + layer[-1]
            seen.append(np.maximum(sums, 0) if number < len(layers) else sums)
        return seen

    def gradient(self, seen: list[np.ndarray], slopes: np.ndarray) -> np.ndarray:
        """Return the gradient with respect to all weights, given :meth:`activations` and that of the outputs."""
        result = np.empty_like(self.values)
        layers = list(zip(self._layers(self.values), self._layers(result), seen[:-1], strict=True))
        for number, (layer, change, rows) in enumerate(reversed(layers)):
            change[:-1], change[-1] = rows.T @ slopes, slopes.sum(axis=0)
            if number < len(layers) - 1:
                slopes = (slopes @ layer[:-1].T) * (rows > 0)
        return result

    def _layers(self, values: np.ndarray) -> list[np.ndarray]:
        """Return views of a flat array as the weights of each layer."""
        layers, start = [], 0
        for a, b in self._shapes:
            layers.append(values[start : start + (a + 1) * b].reshape(a + 1, b))
            start += (a + 1) * b
        return layers


def contrastive(one: np.ndarray, other: np.ndarray, is_similar: np.ndarray, margin: float) -> tuple[float, np.ndarray]:
    """Return the loss that pulls similar pairs together and pushes dissimilar ones apart up to a margin.

    Parameters
    ----------
    one, other : ndarray of shape (m, d)
        Positions of the two rows of each pair.
    is_similar : ndarray of bool, shape (m,)
        Which pairs are similar.
    margin : float
        The distance beyond which a dissimilar pair has no loss.

    Returns
    -------
    loss : float
        The mean over pairs.
    gradient : ndarray of shape (m, d)
        With respect to the first positions; that for the second is its opposite.

    References
    ----------
    Hadsell, Chopra and LeCun, "Dimensionality reduction by learning an invariant mapping", CVPR 2006, equation (4).

    Examples
    --------
    >>> here, there = np.zeros((2, 1)), np.array([[0.5], [0.5]])
    >>> contrastive(here, there, np.array([True, False]), margin=1.0)[0]
    0.125
    """
    away = one - other
    distances = np.sqrt(np.square(away).sum(axis=1))
    lack = np.where(is_similar, 0.0, np.maximum(margin - distances, 0))
    # A dissimilar pair at one position has no direction in which to separate.
    pushes = lack / np.maximum(distances, np.finfo(float).tiny)
    pulls = np.where(is_similar, 1.0, -pushes)[:, None] * away
    losses = np.where(is_similar, np.square(distances), np.square(lack)) / 2
    return float(losses.mean()), pulls / len(away)
