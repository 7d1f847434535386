"""Measuring cells: shape from the labels, intensities from the images."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from skimage.measure import regionprops_table

from latentmap.table.cells import CellTable

SHAPE = {
    2: ("area", "perimeter", "eccentricity", "solidity", "extent", "axis_major_length", "axis_minor_length"),
    3: ("area", "extent", "equivalent_diameter_area"),
}
"""The shape features by the number of the image's axes, in scikit-image's words."""

INTENSITY = ("intensity_mean", "intensity_std", "intensity_min", "intensity_max")
"""The intensity features, for each channel."""


def measure(labels: ArrayLike, channels: Mapping[str, ArrayLike] | None = None, *, layer: str) -> CellTable:
    """Measure every labelled cell with scikit-image's `~skimage.measure.regionprops_table`.

    Parameters
    ----------
    labels : array_like of int, shape (n_rows, n_columns) or (n_planes, n_rows, n_columns)
        Each cell's number at the pixels it covers; 0 is background.
    channels : mapping of str to array_like, optional
        Images of the labels' shape, by name; the name starts the features' names (``DNA_mean``).
    layer : str
        The name of the labels layer, the first part of each cell's key.

    Returns
    -------
    CellTable
        Lengths in pixels, areas in pixels (volumes in voxels), intensities in the channel's own unit.

    Raises
    ------
    ValueError
        If there is no cell, the labels are neither 2-D nor 3-D, or a channel has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.zeros((8, 8), dtype=int)
    >>> labels[1:4, 1:4], labels[5:8, 2:8] = 3, 1000
    >>> cells = measure(labels, {"DNA": np.where(labels == 3, 200, 50)}, layer="nuclei")
    >>> cells.features[["area", "DNA_mean"]].loc[("nuclei", 0, 1000)].tolist()
    [18.0, 50.0]
    """
    labels = np.asarray(labels)
    if labels.ndim not in SHAPE:
        raise ValueError(f'"{layer}" has {labels.ndim} axes: cells can be measured in images of 2 or 3 axes.')
    if not labels.any():
        raise ValueError(f'"{layer}" holds no cell: every pixel is 0, the background.')
    images = {name: np.asarray(image) for name, image in (channels or {}).items()}
    for name, image in images.items():
        if image.shape != labels.shape:
            raise ValueError(
                f'Channel "{name}" has the shape {image.shape}, "{layer}" {labels.shape}: they must agree.'
            )
    if not images:
        return CellTable.read(
            pd.DataFrame(regionprops_table(labels, properties=("label", *SHAPE[labels.ndim]))), layer=layer
        )

    measured = regionprops_table(
        labels,
        intensity_image=np.stack(list(images.values()), axis=-1),
        properties=("label", *SHAPE[labels.ndim], *INTENSITY),
    )
    # scikit-image numbers the channels; a biologist knows them by name.
    names = {
        f"{prop}-{number}": f"{name}_{prop.removeprefix('intensity_')}"
        for prop in INTENSITY
        for number, name in enumerate(images)
    }
    return CellTable.read(pd.DataFrame(measured).rename(columns=names), layer=layer)
