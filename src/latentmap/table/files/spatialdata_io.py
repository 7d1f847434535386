"""Cells in a SpatialData: its tables, and the labels and images that they are of."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from latentmap.table.cells import CellTable
from latentmap.table.feature_sets import array_key, name_in_table
from latentmap.table.files.anndata_io import from_anndata, record_of, spatialdata_columns
from latentmap.table.files.anndata_layers import named_layers
from latentmap.table.files.numbered_rows import numbered_cells, with_obs
from latentmap.table.files.spatialdata_keys import ATTRS, is_numbered, layer_of, own_names, part, regions_of
from latentmap.table.files.zarr_folder import attributes_of
from latentmap.table.libraries import import_optional
from latentmap.table.mappable import left_of_a_map
from latentmap.table.wording import listed

_APART = (
    'The table "{name}" does not say which labels its rows belong to, and neither does another table. Their rows have '
    "different names, so they are read as different cells: if they are the same, give their rows the same names."
)
_CALLED = 'Column "{old}" of table "{table}" is called "{new}" here, because the SpatialData says which cell a row is.'


class LabelsElement(NamedTuple):
    """Labels in a SpatialData, and the images that cover the same pixels.

    Attributes
    ----------
    name : str
        The element's name, which is the layer in the keys of its cells.
    levels : list of array-like
        The labels at each of their resolutions, the highest first; lazy.
    channels : dict of str to list of array-like
        The channels of the images, by name, each at its resolutions.
    scale : tuple of float or None
        The distance of neighbouring pixels along each axis, if the coordinates say it.
    """

    name: str
    levels: list[Any]
    channels: dict[str, list[Any]]
    scale: tuple[float, ...] | None


def is_spatialdata(data: object) -> bool:
    """Return whether an object is a SpatialData, without importing the library."""
    return hasattr(data, "tables") and not hasattr(data, "obs")


def is_spatialdata_store(path: Path) -> bool:
    """Return whether a folder is a SpatialData that was written as Zarr."""
    return ATTRS in attributes_of(path)


def read_spatialdata(path: Path) -> Any:
    """Read a SpatialData from its folder; images and labels stay on the disk until they are looked at.

    Raises
    ------
    ValueError
        If it cannot be read, or spatialdata is missing.
    """
    spatialdata = import_optional("spatialdata", f"Reading {path.name}", install="spatialdata")
    try:
        return spatialdata.read_zarr(path)
    except Exception as error:  # the library may raise anything where a store is damaged
        raise ValueError(
            f'"{path.name}" is damaged, or was written by a version of spatialdata unlike this.'
        ) from error


def from_spatialdata(
    sdata: Any, *, layer: str, columns: Mapping[str, str] = MappingProxyType({}), use_rep: str = ""
) -> CellTable:
    """Read the cells in all tables of a SpatialData.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
        A table says by its ``region_key`` which element a row belongs to, the layer in the key of the cell, and by its
        ``instance_key`` which label of it.
    layer : str
        The layer of the cells of a table that annotates no element; see `layer_of`.
    columns : mapping of str to str
        The columns of ``obs`` that hold parts of the key, in place of these.
    use_rep : str
        As for :func:`~latentmap.table.from_anndata`; of the tables that have it.

    Returns
    -------
    CellTable
        Where two tables have the same cells, the second one's columns come to those of the first. Rows that are of no
        labels, such as those of shapes, whose names are no numbers, are numbered, and a note says so.

    Raises
    ------
    ValueError
        If there is no table, or one of labels does not say which cell a row describes.
    """
    tables = dict(sdata.tables)
    if not tables:
        raise ValueError("This SpatialData has no table with measurements of the cells.")
    known = {name for adata in tables.values() for name in ("X", *map(str, adata.obsm), *named_layers(adata))}
    if use_rep and use_rep not in known:
        raise ValueError(
            f'No table of the SpatialData has "{use_rep}" in obsm or layers. There are {listed(sorted(known))}.'
        )
    pooled: list[CellTable] = []
    for name, adata in tables.items():
        has_it = use_rep in ("X", *adata.obsm, *named_layers(adata))
        own = layer_of(sdata, name, layer)
        cells = _cells(sdata, name, own, columns, use_rep if has_it else "")
        if own != layer and not regions_of(adata):
            cells = replace(cells, notes=(*cells.notes, _APART.format(name=name)))
        shared = [bool(one.features.index.isin(cells.features.index).any()) for one in pooled]
        if any(shared):
            at = shared.index(True)
            same = CellTable.pool([one for one, has_some in zip(pooled, shared, strict=True) if has_some])
            pooled = [one for one, has_some in zip(pooled, shared, strict=True) if not has_some]
            pooled.insert(at, _joined(same, cells, name))
        else:
            pooled.append(cells)
    return CellTable.pool(pooled)


def cells_of_element(sdata: Any, element: str) -> CellTable:
    """Read the cells of one labels element, without the rows of all others where a single table has its cells.

    A table that annotates no element is of these labels only if there are no others.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
    element : str
        Its name, which is the layer in the keys of the cells.

    Raises
    ------
    ValueError
        As `from_spatialdata` does, or if no table has a cell of the element.
    """
    tables = {name: adata for name, adata in sdata.tables.items() if element in regions_of(adata)}
    if len(labels := part(sdata, "labels")) == 1:
        tables |= {name: adata for name, adata in sdata.tables.items() if not regions_of(adata)}
    elif len(tables) == 1:
        (name, adata), *_ = tables.items()
        if (key := spatialdata_columns(adata).get("layer")) is not None:
            tables[name] = adata[(adata.obs[key] == element).to_numpy(dtype=bool, na_value=False)]
    cells = from_spatialdata(SimpleNamespace(tables=tables, labels=labels), layer=element)
    own = cells.features[cells.features.index.get_level_values("layer") == element]
    if not len(own):
        raise ValueError(f'No table of the SpatialData has a cell of "{element}".')
    return replace(cells, features=own)


def record_in_spatialdata(sdata: Any) -> dict[str, Any]:
    """Return the record of how the map in the tables of a SpatialData was made; an empty dict if there is none.

    Raises
    ------
    ValueError
        If the tables have different maps.
    """
    records = {name: record for name, adata in sdata.tables.items() if (record := record_of(adata))}
    first: dict[str, Any] = next(iter(records.values()), {})
    # Names of columns are of one table.
    if any({**record, "renamed": ()} != {**first, "renamed": ()} for record in records.values()):
        raise ValueError(f"The tables {listed([*records])} have different maps: write one map into all of them.")
    return first


def labels_elements(sdata: Any) -> tuple[list[LabelsElement], list[str]]:
    """Return the labels in a SpatialData, each with the images that cover the same pixels.

    Returns
    -------
    elements : list of LabelsElement
        Those that a table is of; all if there is no such table.
    notes : list of str
        Which images cover the pixels of no labels.
    """
    of_tables = {region for adata in sdata.tables.values() for region in regions_of(adata)}
    labels, images = part(sdata, "labels"), part(sdata, "images")
    names = [name for name in labels if name in of_tables] or list(labels)
    found, used = [], set[str]()
    sizes = _scales([_places(labels[name], _levels(labels[name])[0].dims) for name in names])
    for name, scale in zip(names, sizes, strict=True):
        levels = _levels(labels[name])
        places = _places(labels[name], levels[0].dims)
        channels: dict[str, list[Any]] = {}
        for image in images:
            of_image = _levels(images[image])
            if of_image[0].shape[1:] == levels[0].shape and _agree(
                places, _places(images[image], levels[0].dims), levels[0].shape
            ):
                used.add(image)
                channels |= _channels(image, of_image, {*channels})
        found.append(LabelsElement(name, [level.data for level in levels], channels, scale))
    apart = [image for image in images if image not in used]
    verb = "has" if len(apart) == 1 else "have"
    note = f"Not shown: {listed(apart)}, which {verb} another size or position than the labels of every table."
    return found, [note] if apart and found else []


def without_counterpart(sdata: Any, layers: Collection[str]) -> list[str]:
    """Say which elements of a SpatialData the cells in its tables lack, and which labels have no cells.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
    layers : collection of str
        Those of the cells in the tables.
    """
    labels = part(sdata, "labels")
    there = {*labels, *part(sdata, "shapes"), *part(sdata, "points")}
    regions = {region for adata in sdata.tables.values() for region in regions_of(adata)}
    notes = []
    # Of a store, the tables may have been read alone.
    if there and (gone := sorted(regions & {*layers} - there)):
        notes.append(f"The tables have cells of {listed(gone)}, but the SpatialData has no such labels or shapes.")
    if unused := [name for name in labels if name not in layers]:
        notes.append(f"Not shown: labels {listed(unused)}, because no table has a cell of them.")
    return notes


def _cells(sdata: Any, name: str, layer: str, columns: Mapping[str, str], use_rep: str) -> CellTable:
    """The cells of one table."""
    adata = sdata.tables[name]
    has_regions = bool(regions_of(adata))
    if not has_regions:
        try:
            return from_anndata(adata, layer=layer, columns=columns, use_rep=use_rep)
        except ValueError:
            if columns:
                raise
    numbered = not has_regions or is_numbered(sdata, name, columns)
    called = own_names(adata, columns, numbered=numbered)
    obs = adata.obs.rename(columns=called)
    notes = [_CALLED.format(old=old, new=new, table=name) for old, new in called.items()]
    if not numbered:
        shown = with_obs(adata, obs, use_rep) if called else adata
        cells = from_anndata(shown, layer=layer, columns=columns, use_rep=use_rep)
    else:
        # Numbers of instances are no feature.
        words = {called.get(key, key): adata.obs[key].astype(str) for key in spatialdata_columns(adata).values()}
        plain = with_obs(adata, obs.assign(**words), use_rep)
        plain.uns.pop(ATTRS, None)
        cells = numbered_cells(plain, layer=name, use_rep=use_rep)
    return replace(cells, notes=(*notes, *cells.notes))


def _joined(first: CellTable, second: CellTable, name: str) -> CellTable:
    """Two tables of the same cells as one; a column of both is one, unless some cell has two values."""
    before, now = (one.features.reindex(second.features.index).astype(object) for one in (first, second))
    names = list(map(str, second.features))
    shared = [column for column in names if column in first.features]
    same = [column for column in shared if not _differ(before[column], now[column])]
    other = {column for column in shared if column not in same}
    # An array is one of either table, also where one has more columns, and another earlier map would be a feature here.
    arrays = {array_key(column) for column in other} - {""}
    other |= {column for column in names if array_key(column) in arrays}
    same = [column for column in same if column not in other]
    left = other & {*left_of_a_map(names)}
    renamed = {column: name_in_table(column, name) for column in other - left}
    further = second.features.drop(columns=[*same, *left]).rename(columns=renamed)
    features = first.features.join(further, how="outer", sort=False)
    for column in same:
        if (before[column].isna() & now[column].notna()).any():
            features[column] = _filled(features[column], second.features[column])
    notes = (*first.notes, *(note for note in second.notes if note not in first.notes))
    return CellTable(features, notes, {**second.colours, **first.colours})


def _differ(before: pd.Series, now: pd.Series) -> bool:
    """Whether two columns have different values somewhere, apart from those missing in one of them."""
    both = before.notna() & now.notna()
    return bool((before[both] != now[both]).any())


def _filled(column: pd.Series, more: pd.Series) -> pd.Series:
    """A column with the values of another one where it has none."""
    if column.dtype != more.dtype and not (is_numeric_dtype(column) and is_numeric_dtype(more)):
        column, more = column.astype(object), more.astype(object)
    return column.where(column.notna(), more.reindex(column.index))


def _levels(element: Any) -> list[Any]:
    """The arrays of a raster element, from the finest to the coarsest."""
    if not hasattr(element, "children"):
        return [element]
    levels = [next(iter(node.ds.data_vars.values())) for node in element.children.values()]
    return sorted(levels, key=lambda level: -level.size)


def _places(element: Any, dims: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The affine matrix of an element in each coordinate system."""
    transformations = import_optional("spatialdata.transformations", "Placing images", install="spatialdata")
    found = {}
    for system, transformation in transformations.get_transformation(element, get_all=True).items():
        with suppress(ValueError, TypeError):
            found[system] = np.asarray(transformation.to_affine_matrix(input_axes=dims, output_axes=dims))
    return found


def _agree(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], shape: tuple[int, ...]) -> bool:
    """Whether two elements lie at the same place in each coordinate system that has both, and some has.

    In "global", where spatialdata puts all that is said to lie nowhere else, tiles of one size agree.
    """
    shared = {*one} & {*other}
    return bool(shared) and all(_is_same_pixel(one[system], other[system], shape) for system in shared)


def _is_same_pixel(one: np.ndarray, other: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether the corners of two elements of a shape lie less than half a pixel apart, whatever the unit."""
    corners = np.array([[*corner, 1] for corner in np.ndindex(*[2] * len(shape))]) * [*shape, 1]
    with suppress(np.linalg.LinAlgError):
        return bool((np.abs(corners @ (np.linalg.solve(one, other) - np.eye(len(one))).T) < 1 / 2).all())
    return False


def _scales(places: Sequence[Mapping[str, np.ndarray]]) -> list[tuple[float, ...] | None]:
    """The size of a pixel in each of some labels; None for all if none has another one than 1.

    All sizes are of one coordinate system, where there is one that has all and says their sizes: units may differ.
    """
    shared = [system for system in (places[0] if places else ()) if all(system in one for one in places)]
    for are_told in (all, any):
        for system in shared:
            sizes = [_size(one[system]) for one in places]
            if None not in sizes and are_told({*(size or ())} != {1.0} for size in sizes):
                return sizes
    found = [_scale(one) for one in places]
    return found if any({*scale} - {1.0} for scale in found if scale) else [None] * len(found)


def _scale(places: Mapping[str, np.ndarray]) -> tuple[float, ...] | None:
    """The size of a pixel in the first coordinate system where it is not 1."""
    found = [size for place in places.values() if (size := _size(place)) is not None]
    return next((size for size in found if {*size} != {1.0}), found[-1] if found else None)


def _size(place: np.ndarray) -> tuple[float, ...] | None:
    """The size of a pixel by a transformation, also of labels that lie turned; None where pixels have no sides."""
    turned = place[:-1, :-1]
    steps = np.linalg.norm(turned, axis=0)
    # Axes may be no longer at right angles.
    if not (steps > 0).all() or not np.allclose(turned.T @ turned, np.diag(steps**2)):
        return None
    return tuple(1.0 if np.isclose(step, 1) else float(step) for step in steps)


def _channels(image: str, levels: list[Any], taken: set[str]) -> dict[str, list[Any]]:
    """The channels of an image by name; those of numbers, and of names that another image has, begin with its own."""
    names = [str(name) for name in levels[0].coords["c"].values] if "c" in levels[0].coords else []
    if len({*names}) < levels[0].shape[0]:
        names = list(map(str, range(levels[0].shape[0])))
    if len(names) == 1 and names[0].isdigit():
        names = [image]
    elif {*names} & taken or any(name.isdigit() or len(name) == 1 for name in names):
        names = [f"{image} {name}" for name in names]
    return {name: [level.data[at] for level in levels] for at, name in enumerate(names)}
