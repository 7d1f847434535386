"""The texture of cells: which grey levels are neighbours."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from skimage.feature import graycomatrix, graycoprops

LEVELS = 32
"""The number of grey levels that a channel is divided into."""

TEXTURE = ("contrast", "homogeneity", "energy", "correlation")
"""The texture features of each channel, by scikit-image's names."""

_ANGLES = np.pi * np.arange(4) / 4


def grey_range(values: np.ndarray) -> tuple[float, float]:
    """Find the range that is divided into a channel's grey levels.

    Parameters
    ----------
    values : ndarray, shape (n_values,)
        Intensities inside cells; those that are not finite are ignored.

    Returns
    -------
    low, high : float
        The first and the last percentile, so that a few hot pixels do not matter.

    Examples
    --------
    >>> grey_range(np.append(np.arange(101.0), np.nan))
    (1.0, 99.0)
    """
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, (1, 99)) if len(finite) else (0.0, 0.0)
    return float(low), float(high)


def textures(regions: Sequence[Any], image: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Measure the texture of cells by their grey-level co-occurrence matrices.

    Pairs are neighbouring pixels (distance 1) along rows, columns and both diagonals, both of them inside the cell and
    finite. In 3-D the pairs of all planes are counted together; there are none between planes, because planes lie
    further apart than pixels. Each feature is the mean over the angles that have a pair.

    Parameters
    ----------
    regions : sequence
        The cells: each with a `slice`, its bounding box, and an `image`, its pixels there, as
        `skimage.measure.RegionProperties` has them.
    image : ndarray, shape ([n_planes, ]n_rows, n_columns)
        The channel.
    limits : tuple of float
        The range that is divided into grey levels; values outside count as the first or the last level.

    Returns
    -------
    ndarray of float64, shape (n_cells, 4)
        In the order of `TEXTURE`; NaN for a cell without two neighbouring pixels.
    """
    matrices = np.concatenate([_matrix(region, image, limits) for region in regions], axis=2)
    without = matrices.sum(axis=(0, 1)) == 0
    features = [np.ma.masked_array(graycoprops(matrices, name), without) for name in TEXTURE]
    return np.stack([feature.mean(axis=1).filled(np.nan) for feature in features], axis=1)


def _matrix(region: Any, image: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Count the pairs of levels in a cell, for every angle: shape (LEVELS, LEVELS, 1, 4)."""
    values, (low, high) = image[region.slice].astype(float), limits
    inside = region.image & np.isfinite(values)
    scale = LEVELS / (high - low) if high > low else 0.0
    levels = np.clip((np.where(inside, values, low) - low) * scale, 0, LEVELS - 1).astype(np.uint8) + 1
    levels[~inside] = 0
    # Planes side by side, separated by a column outside the cell, so that no pair spans two planes.
    planes = np.pad(levels.reshape(-1, *levels.shape[-2:]), ((0, 0), (0, 0), (0, 1)))
    flat = planes.transpose(1, 0, 2).reshape(planes.shape[1], -1)
    counts: np.ndarray = graycomatrix(flat, [1], _ANGLES, levels=LEVELS + 1, symmetric=True)
    return counts[1:, 1:]
