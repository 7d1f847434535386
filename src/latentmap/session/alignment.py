"""How a map is turned where it is drawn, so that it lies like the map shown before it. Its coordinates stay."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import orthogonal_procrustes

from latentmap.session.warm_start import WarmStart

# With fewer cells in common, any turn fits.
_FEWEST = 3
# So many say well enough how a map lies, and a front end finds that out for each step of a run.
_ENOUGH = 3000


@dataclass(eq=False)
class Alignment:
    """Turns a map of two axes to lie like another one.

    Parameters
    ----------
    drawn : WarmStart
        The other map, as it is drawn.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_tuples([(1,), (2,), (3,)])
    >>> corner = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> mirrored = corner * [-1, 1]
    >>> turn = Alignment(WarmStart("1", keys, corner, np.ones(3))).turn(keys, mirrored)
    >>> np.allclose(turned(mirrored, turn) - turned(mirrored, turn)[0], corner)
    True
    """

    drawn: WarmStart
    _known: tuple[pd.Index, np.ndarray, np.ndarray] | None = None

    def turn(self, keys: pd.Index, embedding: np.ndarray) -> np.ndarray | None:
        """Return the rotation, with a reflection where that fits better, shape (2, 2); None where none is possible.

        Parameters
        ----------
        keys : pandas.MultiIndex of (layer, frame, label)
            The cells of the map.
        embedding : ndarray, shape (n_cells, 2)
        """
        if embedding.shape[1] != 2 or self.drawn.embedding.shape[1] != 2:
            return None
        ours, theirs = self._common(keys)
        known = np.isfinite(embedding[ours]).all(axis=1)
        ours, theirs = ours[known], theirs[known]
        if len(ours) < _FEWEST:
            return None
        here, there = embedding[ours], self.drawn.embedding[theirs]
        found: np.ndarray = orthogonal_procrustes(here - here.mean(axis=0), there - there.mean(axis=0))[0]
        return found

    def _common(self, keys: pd.Index) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of enough cells that are on both maps: here and on the other one."""
        if self._known is None or self._known[0] is not keys:
            rows = self.drawn.find(keys)
            common = np.flatnonzero(rows >= 0)
            common = common[:: max(1, len(common) // _ENOUGH)]
            self._known = keys, common, rows[common]
        return self._known[1], self._known[2]


def turned(embedding: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Return coordinates as they are drawn."""
    return embedding if turn is None else np.asarray(embedding @ turn)


def describe_turn(turn: np.ndarray | None) -> str:
    """Say how a map is turned where it is drawn; "" if it is not.

    Examples
    --------
    >>> describe_turn(np.array([[0.0, 1.0], [-1.0, 0.0]]))[:50]
    'Drawn turned by 90°, to lie like the map shown bef'
    """
    if turn is None or np.allclose(turn, np.eye(2)):
        return ""
    is_mirrored = bool(np.linalg.det(turn) < 0)
    rotation = np.diag([-1.0, 1.0]) @ turn if is_mirrored else turn
    angle = np.degrees(np.arctan2(rotation[0, 1], rotation[0, 0]))
    parts = ["mirrored"] * is_mirrored + [f"turned by {angle:.0f}°"] * (round(angle) != 0)
    how = " and ".join(parts) or "turned by less than 1°"
    return f"Drawn {how}, to lie like the map shown before it; saved coordinates are as the method gave them."
