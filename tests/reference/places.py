"""Whether a place lies within a line, and how far it is from one: literally."""

from itertools import pairwise

import numpy as np


def winds_round(place, corners):
    """Whether the angle under which a place sees a closed line adds up to a full turn or more."""
    way = (np.array(corners) - place) @ [1, 1j]
    return abs(np.angle(np.roll(way, -1) / way).sum()) > np.pi


def distance_to(place, path):
    """How far a place is from a line."""
    nearest = np.linalg.norm(path - place, axis=1).min()
    for start, end in pairwise(path):
        share = np.clip((place - start) @ (end - start) / max((end - start) @ (end - start), 1e-12), 0, 1)
        nearest = min(nearest, np.linalg.norm(start + share * (end - start) - place))
    return nearest
