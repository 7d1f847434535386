"""Which images of a viewer the cells of its labels layers are measured and seen in."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from napari.layers import Image, Labels, Layer

from latentmap.napari_layers.source import OWN
from latentmap.table.pairing import Laid, fits, suggest

SAID = "latentmap_images"
"""The entry in a labels layer's metadata with what the user has said: by an image's id what the channel is called, ""
if it is named as suggested, None if the image is not these labels'."""
MEASURED = "latentmap_measured"
"""The entry in a labels layer's metadata with the images that it was measured in: by channel what they were called."""


class Paired(NamedTuple):
    """An image that a labels layer is measured in.

    Attributes
    ----------
    image : napari.layers.Image
    why, is_sure
        As in `~latentmap.table.pairing.Pair`.
    """

    image: Image
    why: str
    is_sure: bool


def paired(layers: Iterable[Layer]) -> dict[Labels, dict[str, Paired]]:
    """Pair all labels layers with their images: as the user has said, else as names, places and sizes suggest.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
        All of a viewer; those that latentmap made itself are passed over.

    Returns
    -------
    dict of napari.layers.Labels to dict of str to Paired
        The images of each labels layer by channel, which has one name for all layers.

    Examples
    --------
    >>> import numpy as np
    >>> fields = [Image(np.zeros((8, 8)), name=f"{name}_DNA") for name in ("f1", "f2")]
    >>> labels = [Labels(np.eye(8, dtype=int), name=f"{name}_cells") for name in ("f2", "f1")]
    >>> [{name: pair.image.name for name, pair in own.items()} for own in paired([*fields, *labels]).values()]
    [{'DNA': 'f2_DNA'}, {'DNA': 'f1_DNA'}]
    """
    own = [layer for layer in layers if OWN not in layer.metadata]
    labels, images = (
        [layer for layer in own if isinstance(layer, Labels)],
        [one for one in own if isinstance(one, Image)],
    )
    places = {str(image.unique_id): place for place, image in enumerate(images)}
    given = [
        (at, places[image], channel)
        for at, layer in enumerate(labels)
        for image, channel in layer.metadata.get(SAID, {}).items()
        if image in places
    ]
    found = suggest([_laid(layer) for layer in labels], [_laid(image) for image in images], given)
    return {
        layer: {name: Paired(images[pair.image], pair.why, pair.is_sure) for name, pair in found.of(at).items()}
        for at, layer in enumerate(labels)
    }


def say(labels: Labels, said: Mapping[Image, str | None]) -> None:
    """Keep what the user has said of a labels layer's images.

    Parameters
    ----------
    labels : napari.layers.Labels
    said : mapping of napari.layers.Image to str or None
        The channel's name, "" if it is named as suggested; None if the image is not these labels'.
    """
    labels.metadata[SAID] = labels.metadata.get(SAID, {}) | {str(one.unique_id): name for one, name in said.items()}


def kept(labels: Labels, layers: Iterable[Layer]) -> dict[str, list[list[str | bool]]]:
    """Return what a session file keeps of a labels layer's images: what the user has said, and what was measured.

    Returns
    -------
    dict of str to list of pairs
        "images": an image's name and the channel's, False if the image is not these labels'. "measured": a channel's
        name and the image's. Without what there is not.
    """
    said = labels.metadata.get(SAID, {})
    channels = [(one.name, said[str(one.unique_id)]) for one in layers if str(one.unique_id) in said]
    found = {
        "images": [[name, False if channel is None else channel] for name, channel in channels],
        "measured": [[channel, name] for channel, name in labels.metadata.get(MEASURED, {}).items()],
    }
    return {name: pairs for name, pairs in found.items() if pairs}


def restore(labels: Labels, found: Mapping[str, Iterable[Iterable[str | bool]]], images: Mapping[str, Image]) -> None:
    """Restore to a labels layer what `kept` has returned.

    Parameters
    ----------
    labels : napari.layers.Labels
    found : mapping of str to pairs
    images : mapping of str to napari.layers.Image
        By the names that they had.
    """
    said = {images[str(name)]: channel for name, channel in found.get("images", ()) if str(name) in images}
    if said:
        say(labels, {image: None if channel is False else str(channel) for image, channel in said.items()})
    if measured := {str(channel): str(name) for channel, name in found.get("measured", ())}:
        labels.metadata[MEASURED] = measured


def fitting(labels: Labels, layers: Iterable[Layer]) -> list[Image]:
    """Return all images that have a labels layer's pixels, wherever they lie."""
    laid = _laid(labels)
    return [one for one in layers if isinstance(one, Image) and OWN not in one.metadata and fits(laid, _laid(one))]


def _laid(layer: Image | Labels) -> Laid:
    data = layer.data[0] if layer.multiscale else layer.data
    shape = tuple(data.shape)
    if isinstance(layer, Labels):
        shapes: tuple[tuple[int, ...], ...] = (shape,)
    else:
        shapes = (shape[:-1],) if layer.rgb else (shape, shape[1:])
    box = tuple((float(low), float(high)) for low, high in layer.extent.world.T)
    return Laid(layer.name, shapes, box, tuple(abs(float(step)) for step in layer.scale))
