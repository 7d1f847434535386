"""Where cells lie in their images."""

from typing import Any

import numpy as np
import pandas as pd

from latentmap.table.cells import KEY

# Columns that hold centroids, as regionprops, CellProfiler, MCMICRO and others name them; the last axis is x.
_NAMES = (
    ("centroid-0", "centroid-1", "centroid-2"),
    ("centroid-0", "centroid-1"),
    ("centroid_z", "centroid_y", "centroid_x"),
    ("centroid_y", "centroid_x"),
    ("y_centroid", "x_centroid"),
    ("areashape_center_y", "areashape_center_x"),
    ("location_center_y", "location_center_x"),
    ("center_y", "center_x"),
    ("z", "y", "x"),
    ("y", "x"),
)


def centroids(
    labels: Any, *, layer: str, has_frames: bool = False, spacing: tuple[float, ...] | None = None
) -> pd.DataFrame:
    """Return the centroids of the cells in an image.

    Parameters
    ----------
    labels : array-like of int
        The number of the cell at each pixel; 0 is the background. With frames, these come first.
    layer : str
        The layer in the keys of the cells.
    has_frames : bool
        Whether the first axis is time.
    spacing : tuple of float, optional
        The distances between neighbouring pixels along the axes in space; by default 1.

    Returns
    -------
    pandas.DataFrame, shape (n_cells, n_axes)
        Indexed by the keys (layer, frame, label).

    Examples
    --------
    >>> centroids(np.array([[0, 7, 7], [0, 7, 7], [3, 0, 0]]), layer="cells", spacing=(2.0, 1.0)).values.tolist()
    [[4.0, 0.0], [1.0, 1.5]]
    """
    found = []
    for frame in range(len(labels) if has_frames else 1):
        pixels = np.asarray(labels[frame] if has_frames else labels)
        places = np.nonzero(pixels)
        numbers, of_pixel = np.unique(pixels[places], return_inverse=True)
        sizes = np.bincount(of_pixel, minlength=len(numbers))
        steps = (1.0,) * pixels.ndim if spacing is None else spacing[-pixels.ndim :]
        means = {
            axis: step * np.bincount(of_pixel, at, len(numbers)) / np.maximum(sizes, 1)
            for axis, (at, step) in enumerate(zip(places, steps, strict=True))
        }
        keys = pd.MultiIndex.from_product([[layer], [frame], numbers.astype(np.int64)], names=KEY)
        found.append(pd.DataFrame(means, keys))
    return pd.concat(found)


def centroid_columns(features: pd.DataFrame) -> pd.DataFrame | None:
    """Return the columns of a table that hold the centroids of its cells; None if no names are known.

    Examples
    --------
    >>> list(centroid_columns(pd.DataFrame({"X_centroid": [1.0], "Y_centroid": [2.0], "area": [3.0]})))
    ['Y_centroid', 'X_centroid']
    """
    known = {str(name).lower(): name for name in features if pd.api.types.is_numeric_dtype(features[name])}
    for names in _NAMES:
        if all(name in known for name in names):
            return features[[known[name] for name in names]].astype(float)
    return None
