"""How far apart the pixels of a layer lie."""

from typing import Any

import numpy as np


def pixel_steps(scale: Any, rotate: Any = None, affine: Any = None) -> np.ndarray:
    """Return the distance in the world between neighbouring pixels along each axis of a layer.

    Parameters
    ----------
    scale : array-like, shape (n_axes,)
        Negative along axes that are mirrored.
    rotate : array-like, shape (n_axes, n_axes), optional
        The rotation that follows the scale.
    affine : array-like, shape (n_axes + 1, n_axes + 1), optional
        The transform that follows both; programs that stitch images keep the size of pixels here.

    Returns
    -------
    ndarray of float, shape (n_axes,)

    Examples
    --------
    >>> pixel_steps((-2, 3), affine=np.diag([0.5, 0.5, 1])).tolist()
    [1.0, 1.5]
    """
    steps: np.ndarray = np.abs(np.asarray(scale, dtype=float))
    if affine is None:
        return steps
    n = len(steps)
    turned = np.asarray(affine, dtype=float)[:n, :n] @ (
        np.eye(n) if rotate is None else np.asarray(rotate, dtype=float)
    )
    # Without what rounding leaves of a turn, so that pixels of size 1 stay pixels.
    stretched: np.ndarray = steps * np.round(np.linalg.norm(turned, axis=0), 9)
    return stretched
