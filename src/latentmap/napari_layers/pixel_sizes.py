"""The pixel sizes of labels layers, in a common unit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from napari.layers import Layer

from latentmap.images.pixel_steps import pixel_steps
from latentmap.table.cells import listed

WORLD = "world"
"""The unit, in the names of features, of a scale without one: scales lead to what napari calls world coordinates."""
_PIXEL = ("", "pixel", "px")


def pixel_sizes(
    layers: Sequence[Layer], *, is_time: bool
) -> tuple[dict[Layer, tuple[tuple[float, ...] | None, str]], str]:
    """Return the distances between neighbouring pixels of layers.

    Parameters
    ----------
    layers : sequence of napari.layers.Layer
        Layers to be measured together.
    is_time : bool
        Whether the first axis is time in layers with three or more axes.

    Returns
    -------
    sizes : dict of napari.layers.Layer to (tuple of float or None, str)
        The distances along the axes in space, None if sizes are in pixels; and the unit: that of the first layer with
        one, "" for pixels, "world" for a scale without a unit.
    told : str
        A sentence for the user on scales without a unit or on incompatible units, or "".

    Raises
    ------
    ValueError
        If the layers have incompatible units, so that their cells cannot be compared.

    Examples
    --------
    >>> from napari.layers import Labels
    >>> layer = Labels(np.eye(8, dtype=int), scale=(500, 0.5), units=("nm", "um"))
    >>> list(pixel_sizes([layer], is_time=False)[0].values())
    [((0.5, 0.5), 'um')]
    """
    found = {layer: _size(layer, int(is_time and layer.ndim > 2)) for layer in layers}
    units = [unit for _, unit, _ in found.values() if unit not in ("", WORLD)]
    kinds: dict[str, list[str]] = {}
    for layer, (_, unit, quantity) in found.items():
        is_alike = unit in ("", WORLD) or quantity.is_compatible_with(units[0])
        kinds.setdefault(unit if unit in ("", WORLD) or not is_alike else units[0], []).append(layer.name)
    if len(kinds) > 1:
        words = {"": "in pixels", WORLD: "in a scale without a unit"}
        each = "; ".join(f"{listed(names)} {words.get(unit, f'in {unit}')}" for unit, names in kinds.items())
        raise ValueError(
            f"Sizes of cells in these layers cannot be compared: {each}. Set the scale and unit of all layers, or "
            "measure them one at a time."
        )
    sizes: dict[Layer, tuple[tuple[float, ...] | None, str]] = {}
    for layer, (steps, unit, quantity) in found.items():
        factor = 1.0 if unit in ("", WORLD) else float((1 * quantity).to(units[0]).magnitude)
        sizes[layer] = None if steps is None else tuple(step * factor for step in steps), units[0] if units else unit
    odd = [layer.name for layer in layers if sizes[layer][0] is None and (world_steps(layer) != 1).any()]
    nameless = {" × ".join(f"{step:g}" for step in steps or ()) for steps, unit, _ in found.values() if unit == WORLD}
    told = f"The scale ({', '.join(sorted(nameless))}) has no unit, so sizes are called area_world2 and the like."
    if odd:
        return sizes, f"The axes of {listed(odd)} have incompatible units, so sizes are in pixels."
    return sizes, told if nameless else ""


def world_steps(layer: Layer) -> np.ndarray:
    """Return the distance in the world between neighbouring pixels along each axis of a layer, shape (n_axes,)."""
    return pixel_steps(layer.scale, layer.rotate, layer.affine.affine_matrix)


def _size(layer: Layer, first: int) -> tuple[tuple[float, ...] | None, str, Any]:
    """The distances between pixels along a layer's axes in space, the name of the unit, and the unit itself."""
    steps, units = world_steps(layer)[first:], layer.units[first:]
    names = [f"{unit:~}" for unit in units]
    if all(name in _PIXEL for name in names):
        return (None, "", None) if (steps == 1).all() else (tuple(steps.tolist()), WORLD, None)
    if not all(one.is_compatible_with(units[-1]) for one in units):
        return None, "", None
    lengths = tuple(float((step * one).to(units[-1]).magnitude) for step, one in zip(steps, units, strict=True))
    return lengths, names[-1].replace("µ", "u").replace("μ", "u"), units[-1]
