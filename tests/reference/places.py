"""Whether a place lies within a line, and how far it is from one: literally, and of one place or many."""

from itertools import pairwise

import numpy as np


def winds_round(places, corners):
    """Whether the angle under which a place sees a closed line adds up to a full turn or more."""
    way = (np.array(corners) - places[..., None, :]) @ [1, 1j]
    return abs(np.angle(np.roll(way, -1, axis=-1) / way).sum(axis=-1)) > np.pi


def distance_to(places, path):
    """How far a place is from a line."""
    nearest = np.linalg.norm(path - places[..., None, :], axis=-1).min(axis=-1)
    for start, end in pairwise(path):
        way = end - start
        share = np.clip((places - start) @ way / max(way @ way, 1e-12), 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(start + share[..., None] * way - places, axis=-1))
    return nearest
