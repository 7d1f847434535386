"""Nuclei in images, measured: their shapes are a continuum."""

from __future__ import annotations

import numpy as np
from skimage.measure import regionprops_table
from sklearn.preprocessing import StandardScaler

from benchmarks.stored import load, memory

SHAPE = (
    "area",
    "eccentricity",
    "solidity",
    "extent",
    "perimeter",
    "axis_major_length",
    "axis_minor_length",
    "feret_diameter_max",
)
INTENSITY = ("intensity_mean", "intensity_std", "intensity_max")


def hela() -> np.ndarray:
    """Return the standardised shapes of the nuclei of HeLa cells in 20 frames, of shape (3271, 8)."""
    return StandardScaler().fit_transform(measured(load("micro_timelapse_masks")["hela_tyx"]))


def in_images() -> np.ndarray:
    """Return the standardised shapes and intensities of nuclei in 14 images, of shape (1249, 11)."""
    arrays = load("micro_bbbc007_2d")
    labels, images = (
        [arrays[f"{what}_{number:02d}"] for number in range(len(arrays["names"]))] for what in ("labels", "image")
    )
    return StandardScaler().fit_transform(measured(labels, images))


@memory.cache
def measured(labels: list[np.ndarray] | np.ndarray, images: list[np.ndarray] | None = None) -> np.ndarray:
    """Measure every nucleus in every image by itself.

    Parameters
    ----------
    labels : sequence of ndarray of shape (y, x), int
        0 where there is no nucleus.
    images : sequence of ndarray of shape (y, x), optional
        Their intensities.

    Returns
    -------
    ndarray of shape (n, 8) or (n, 11)
        Shapes in pixels, then intensities.
    """
    wanted = SHAPE if images is None else SHAPE + INTENSITY
    tables = [
        regionprops_table(mask, image, properties=wanted)
        for mask, image in zip(labels, [None] * len(labels) if images is None else images, strict=True)
    ]
    return np.concatenate([np.column_stack(list(table.values())) for table in tables])
