"""A network of rectifiers, and the loss of Hadsell, Chopra and LeCun (2006), neuron by neuron and pair by pair."""

import numpy as np


def places(X, layers):
    """Outputs for rows; each layer is (weights, constants)."""
    result = []
    for row in X:
        seen = list(row)
        for number, (weights, constants) in enumerate(layers, start=1):
            sums = [
                constants[b] + sum(seen[a] * weights[a, b] for a in range(len(seen))) for b in range(len(constants))
            ]
            seen = sums if number == len(layers) else [max(0.0, one) for one in sums]
        result.append(seen)
    return np.array(result)


def loss(one, other, is_similar, margin):
    """(4), where Y = 0 is similar; the mean over pairs."""
    total = 0.0
    for a, b, similar in zip(one, other, is_similar, strict=True):
        distance = np.sqrt(np.sum((a - b) ** 2))
        total += 0.5 * distance**2 if similar else 0.5 * max(0.0, margin - distance) ** 2
    return total / len(one)
