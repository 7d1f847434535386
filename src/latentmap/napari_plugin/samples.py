"""Sample data for napari's menu File > Open Sample."""

from typing import Any

from napari.types import LayerDataTuple

from latentmap.napari_layers.layers import layer_features
from latentmap.samples.synthetic import Sample, time_lapse, volume
from latentmap.samples.tissue import tissue

COLOURS = ("blue", "green")
"""The colours of the channels of the generated samples."""


def tissue_layers() -> list[LayerDataTuple]:
    """Open the tissue: an image, and the labels of its nuclei with their features.

    Returns
    -------
    list of layer data tuples
        An RGB image "tissue" and a labels layer "cells".

    Examples
    --------
    >>> [(kind, options["name"]) for _, options, kind in tissue_layers()]
    [('image', 'tissue'), ('labels', 'cells')]
    """
    sample = tissue(layer="cells")
    return [
        (sample.image, {"name": "tissue", "rgb": True}, "image"),
        (sample.labels, {"name": "cells", "features": layer_features(sample.cells), "opacity": 0.3}, "labels"),
    ]


def time_lapse_layers() -> list[LayerDataTuple]:
    """Open the generated time-lapse: its channels, and the labels of its cells with features and ground truth.

    Returns
    -------
    list of layer data tuples
        Two images and a labels layer "moving cells", of shape (12, 256, 256); its features have the columns
        ``index`` and ``frame``, because numbers repeat from frame to frame.

    Examples
    --------
    >>> [(kind, options["name"]) for _, options, kind in time_lapse_layers()]
    [('image', 'DNA'), ('image', 'marker'), ('labels', 'moving cells')]
    """
    return _layers(time_lapse(layer="moving cells"), "moving cells")


def three_d_layers() -> list[LayerDataTuple]:
    """Open the generated volume: its channels, and the labels of its nuclei with features and ground truth.

    Returns
    -------
    list of layer data tuples
        Two images and a labels layer "nuclei", of shape (24, 160, 160).

    Examples
    --------
    >>> [(kind, options["scale"]) for _, options, kind in three_d_layers()]
    [('image', (0.9, 0.36, 0.36)), ('image', (0.9, 0.36, 0.36)), ('labels', (0.9, 0.36, 0.36))]
    """
    return _layers(volume(layer="nuclei"), "nuclei")


def _layers(sample: Sample, name: str) -> list[LayerDataTuple]:
    axes = ("z", "y", "x")[-len(sample.spacing) :]
    # Frames have napari's default unit.
    has_frames = sample.labels.ndim > len(axes)
    place: dict[str, Any] = {
        "scale": (1.0,) * has_frames + sample.spacing,
        "units": ("pixel",) * has_frames + (sample.unit,) * len(axes),
        "axis_labels": ("t",) * has_frames + axes,
    }
    images: list[LayerDataTuple] = [
        (image, {"name": channel, "colormap": colour, "blending": "additive", **place}, "image")
        for (channel, image), colour in zip(sample.image.items(), COLOURS, strict=True)
    ]
    options = {"name": name, "features": layer_features(sample.cells), "opacity": 0.3, **place}
    return [*images, (sample.labels, options, "labels")]
