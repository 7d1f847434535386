"""Sample data for napari's menu File > Open Sample."""

from napari.types import LayerDataTuple

from latentmap.napari_plugin.layers import layer_features
from latentmap.table.tissue import tissue


def tissue_layers() -> list[LayerDataTuple]:
    """Open the tissue: its image, and its nuclei with their features.

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
