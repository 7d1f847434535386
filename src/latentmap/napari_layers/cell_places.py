"""Where the cells of layers lie."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from napari.layers import Tracks

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.pixel_sizes import WORLD, pixel_sizes
from latentmap.napari_layers.points_source import PointsSource
from latentmap.napari_layers.source import Source
from latentmap.presenters.surroundings import CellPlaces
from latentmap.table.cells import listed
from latentmap.table.centroids import centroids


def cell_places(sources: Sequence[Source]) -> CellPlaces:
    """Return where the cells of these layers lie, in the unit of the layers.

    Raises
    ------
    ValueError
        If there are no layers, or their units cannot be compared.
    """
    if not sources:
        raise ValueError("There are no cells yet.")
    finders: list[Callable[[], pd.DataFrame]] = []
    labels = [source for source in sources if isinstance(source, LabelsSource)]
    unit = ""
    for source in labels:
        sizes, _ = pixel_sizes([one.layer for one in labels], is_time=source.has_frames)
        spacing, unit = sizes[source.layer]
        data = scales(source.layer)[0]
        pixels = data.copy() if isinstance(data, np.ndarray) else data  # the user may keep painting
        finders.append(partial(centroids, pixels, layer=source.name, has_frames=source.has_frames, spacing=spacing))
    points = [source for source in sources if isinstance(source, PointsSource)]
    finders += [partial(_of_points(one).copy) for one in points]
    common = _common_unit([unit, _unit_of_points(points)])
    unit = unit if labels else common
    units = {"": "pixels", WORLD: "units of the scale", "um": "µm"}
    return CellPlaces(finders, units.get(unit, unit))


def _unit_of_points(sources: Sequence[PointsSource]) -> str:
    """The unit in which points and tracks lie, as `pixel_sizes` names it."""
    return _common_unit(
        [pixel_sizes([one.layer], is_time=isinstance(one.layer, Tracks))[0][one.layer][1] for one in sources]
    )


def _common_unit(found: Sequence[str]) -> str:
    """The unit of all layers; those without one may stand beside others."""
    if len(named := sorted({*found} - {"", WORLD})) > 1:
        raise ValueError(f"The layers are in different units, {listed(named)}: give them the same one.")
    return named[0] if named else WORLD if WORLD in found else ""


def _of_points(source: PointsSource) -> pd.DataFrame:
    keys = source.keys()
    positions = source.world_positions()
    if isinstance(source.layer, Tracks):
        positions = positions[:, 1:]  # without the time
    return pd.DataFrame(positions, keys)[keys.get_level_values("label") > 0]
