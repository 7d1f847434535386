"""A small network from features to places, and the loss by which it learns from pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


class Network:
    """Layers of neurons with rectifiers between them.

    Parameters
    ----------
    sizes : sequence of int
        Inputs, the neurons of each hidden layer, and outputs.
    rng : Generator
        Draws the weights to begin with, of a variance of 2 / inputs (He et al., ICCV 2015).

    Attributes
    ----------
    values : ndarray of shape (n_weights,)
        All weights; they may be replaced.
    widest : int
        Numbers of the layer that has most.

    Examples
    --------
    >>> Network((4, 8, 2), np.random.default_rng(0)).places(np.ones((3, 4))).shape
    (3, 2)
    """

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        self._shapes = list(pairwise(sizes))
        self.widest = max(sizes)
        # One row more, for the constant.
        layers = [np.vstack([rng.normal(0, np.sqrt(2 / a), (a, b)), np.zeros((1, b))]) for a, b in self._shapes]
        self.values = np.concatenate([layer.ravel() for layer in layers])

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the outputs for rows.

        Parameters
        ----------
        rows : ndarray of shape (m, inputs)

        Returns
        -------
        ndarray of shape (m, outputs)
        """
        return self.activations(rows)[-1]

    def activations(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return rows as each layer sees them, and the outputs last."""
        seen = [rows]
        layers = self._layers(self.values)
        for number, layer in enumerate(layers, start=1):
            sums = seen[-1] @ layer[:-1] + layer[-1]
            seen.append(np.maximum(sums, 0) if number < len(layers) else sums)
        return seen

    def gradient(self, seen: list[np.ndarray], slopes: np.ndarray) -> np.ndarray:
        """Return the gradient by all weights, given that by the outputs.

        Parameters
        ----------
        seen : list of ndarray
            From :meth:`activations`.
        slopes : ndarray of shape (m, outputs)

        Returns
        -------
        ndarray of shape (n_weights,)
        """
        result = np.empty_like(self.values)
        layers = list(zip(self._layers(self.values), self._layers(result), seen[:-1], strict=True))
        for number, (layer, change, rows) in enumerate(reversed(layers)):
            change[:-1], change[-1] = rows.T @ slopes, slopes.sum(axis=0)
            if number < len(layers) - 1:
                slopes = (slopes @ layer[:-1].T) * (rows > 0)
        return result

    def _layers(self, values: np.ndarray) -> list[np.ndarray]:
        """Return views of numbers, as the weights of each layer."""
        layers, start = [], 0
        for a, b in self._shapes:
            layers.append(values[start : start + (a + 1) * b].reshape(a + 1, b))
            start += (a + 1) * b
        return layers


def contrastive(one: np.ndarray, other: np.ndarray, is_similar: np.ndarray, margin: float) -> tuple[float, np.ndarray]:
    """Return the loss that draws similar pairs together and pushes dissimilar ones apart, up to a margin.

    Parameters
    ----------
    one, other : ndarray of shape (m, d)
        Places of the two of each pair.
    is_similar : ndarray of bool, shape (m,)
    margin : float
        The distance beyond which a dissimilar pair costs nothing.

    Returns
    -------
    loss : float
        The mean over pairs.
    gradient : ndarray of shape (m, d)
        By the places of the first; that by the second is its opposite.

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
    # A dissimilar pair at one place has no direction to part in.
    pushes = lack / np.maximum(distances, np.finfo(float).tiny)
    pulls = np.where(is_similar, 1.0, -pushes)[:, None] * away
    losses = np.where(is_similar, np.square(distances), np.square(lack)) / 2
    return float(losses.mean()), pulls / len(away)
