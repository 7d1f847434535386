"""A sample of real tissue that comes with scikit-image, segmented and measured."""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from skimage import color, data, feature, filters, measure, morphology, segmentation

from latentmap.measuring.in_memory import measure as measure_cells
from latentmap.table.cells import CellTable

SMOOTHING = 1.0
"""Standard deviation, in pixels, of the Gaussian that smooths the stain."""
NEIGHBOURHOOD = 51
"""Side, in pixels, of the window of the local threshold: about three nuclei."""
SMALLEST = 80
"""Area, in pixels, up to which an object counts as debris."""


@dataclass(frozen=True, eq=False)
class Tissue:
    """An image, its nuclei and their features.

    Attributes
    ----------
    image : ndarray of uint8, shape (512, 512, 3)
        Colon, stained with haematoxylin (nuclei, blue) and with DAB against FHL2 (brown).
    labels : ndarray of int32, shape (512, 512)
        The nuclei, numbered from 1; 0 is background.
    cells : CellTable
        Shape, and the amount of each stain, of every nucleus.
    """

    image: np.ndarray
    labels: np.ndarray
    cells: CellTable


def tissue(layer: str = "cells") -> Tissue:
    """Segment and measure the nuclei of `skimage.data.immunohistochemistry`; nothing is downloaded.

    Parameters
    ----------
    layer : str
        The name of the labels layer in the cells' keys.

    Returns
    -------
    Tissue
        The image, about 300 labelled nuclei and their features.

    Examples
    --------
    >>> sample = tissue()
    >>> bool(sample.labels.max() == len(sample.cells.features) > 250)
    True
    """
    image = data.immunohistochemistry()
    haematoxylin, _, dab = np.moveaxis(color.rgb2hed(image), -1, 0)
    labels = _nuclei(haematoxylin)
    return Tissue(image, labels, measure_cells(labels, {"haematoxylin": haematoxylin, "dab": dab}, layer=layer))


def _nuclei(stain: np.ndarray) -> np.ndarray:
    """Label the nuclei: a local threshold (the epithelium is darker than the stroma), then a watershed."""
    smooth = filters.gaussian(stain, SMOOTHING)
    # The global threshold keeps the local one from finding nuclei in empty glass.
    threshold = np.maximum(filters.threshold_local(smooth, NEIGHBOURHOOD), 0.8 * filters.threshold_otsu(smooth))
    mask = morphology.opening(smooth > threshold, morphology.disk(3))
    mask = ndimage.binary_fill_holes(mask)
    # Depth times stain: touching nuclei are split where they are narrow and where they are pale.
    depth = filters.gaussian(ndimage.distance_transform_edt(mask), SMOOTHING) * filters.gaussian(stain, 2 * SMOOTHING)
    peaks = feature.peak_local_max(depth, min_distance=7, labels=measure.label(mask), exclude_border=False)
    seeds = np.zeros(mask.shape, dtype=np.int32)
    seeds[tuple(peaks.T)] = np.arange(1, len(peaks) + 1)
    nuclei = segmentation.watershed(-depth, seeds, mask=mask)
    nuclei = morphology.remove_small_objects(nuclei, max_size=SMALLEST)
    labels: np.ndarray = segmentation.relabel_sequential(nuclei)[0]
    return labels.astype(np.int32)
