"""The texture of cells: which grey levels are neighbours."""

import numpy as np

from latentmap.measuring.cell_pixels import CellPixels

LEVELS = 32
"""The number of grey levels that a channel is divided into."""

TEXTURE = ("contrast", "homogeneity", "energy", "correlation")
"""The texture features of each channel, by scikit-image's names."""

# Pixels that a channel's range of grey levels is estimated from.
_SAMPLE = 1_000_000
_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1))


def thinned(n_pixels: int, n_frames: int) -> int:
    """Return which step thins out the pixels of cells in a frame, so that all frames together give a sample."""
    return max(1, n_pixels * n_frames // _SAMPLE)


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


def textures(pixels: CellPixels, values: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Measure the texture of cells by their grey-level co-occurrence matrices.

    Pairs are neighbouring pixels (distance 1) along rows, columns and both diagonals, both of them inside the cell and
    finite. In 3-D the pairs of all planes are counted together; there are none between planes, because planes lie
    further apart than pixels. Each feature is the mean over the angles that have a pair, and what scikit-image's
    `graycoprops` finds.

    Parameters
    ----------
    pixels : CellPixels
    values : ndarray, shape (n_pixels_of_the_frame,)
        The channel, flattened.
    limits : tuple of float
        The range that is divided into grey levels; values outside count as the first or the last level.

    Returns
    -------
    ndarray of float64, shape (n_cells, 4)
        In the order of `TEXTURE`; NaN for a cell without two neighbouring pixels.
    """
    angles = [_features(*_pairs(pixels, values, limits, step), len(pixels.starts)) for step in _STEPS]
    found: np.ndarray = np.ma.stack(angles).mean(axis=0).filled(np.nan)
    return found


def _pairs(
    pixels: CellPixels, values: np.ndarray, limits: tuple[float, float], step: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cell and both grey levels of each pair of pixels that lie a step apart."""
    there, is_own = pixels.neighbours(*step, np.arange(len(pixels.flat)))
    one, other = values[pixels.flat].astype(float), values[there].astype(float)
    is_pair = is_own & np.isfinite(one) & np.isfinite(other)
    low, high = limits
    scale = LEVELS / (high - low) if high > low else 0.0
    levels = (np.clip((ends[is_pair] - low) * scale, 0, LEVELS - 1).astype(int) for ends in (one, other))
    return pixels.cells[is_pair], *levels


def _features(cells: np.ndarray, one: np.ndarray, other: np.ndarray, n_cells: int) -> np.ma.MaskedArray:
    """The features of cells from their pairs, each of which counts in both orders; masked where a cell has none."""

    def sums(values: np.ndarray, of: np.ndarray = cells) -> np.ndarray:
        return np.bincount(of, values, minlength=n_cells)

    n = np.bincount(cells, minlength=n_cells)
    without = n == 0
    n = np.maximum(n, 1)
    apart = (one - other) ** 2
    means = sums(one + other) / 2
    # In whole numbers, so that a cell of one level has no spread at all; as in scikit-image, its correlation is 1.
    spread, together = n * sums(one**2 + other**2) / 2 - means**2, n * sums(one * other) - means**2
    correlation = np.where(spread > 0, together / np.where(spread > 0, spread, 1), 1)
    low, high = np.minimum(one, other), np.maximum(one, other)
    kinds, counts = np.unique((cells * LEVELS + low) * LEVELS + high, return_counts=True)
    of, is_equal = kinds // LEVELS**2, kinds // LEVELS % LEVELS == kinds % LEVELS
    energy = np.sqrt(sums(np.where(is_equal, 4, 2) * counts**2, of)) / (2 * n)
    found = np.stack([sums(apart) / n, sums(1 / (1 + apart)) / n, energy, correlation], axis=1)
    return np.ma.masked_array(found, np.repeat(without[:, None], len(TEXTURE), axis=1))
