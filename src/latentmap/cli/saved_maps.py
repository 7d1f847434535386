"""Maps that were saved: in tables with their record, and in session files."""

import re
from collections.abc import Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any

from latentmap.images.image_files import file_stem
from latentmap.session import Run, load
from latentmap.session.parameters import Parameters
from latentmap.session.replay import result_of
from latentmap.table import CellTable, read_provenance, read_table
from latentmap.table.files.anndata_io import from_anndata
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.reading import read_anndata
from latentmap.table.map_table import OWN_COLUMNS
from latentmap.table.wording import listed

SESSION = ".latentmap"
"""What the names of session files end in."""
# What `write_into` puts before the names of the columns of a map in an AnnData.
_IN_ANNDATA = re.compile(r"latentmap_(variance|start_\d+|start_variance|class|class_\d+)")


def read_run(path: Path, name: str | None = None) -> Run:
    """Return a saved map as a run.

    Parameters
    ----------
    path : pathlib.Path
        A table that was saved with the record of its map, or a session file.
    name : str, optional
        Which map of a session; needed if there are several.

    Raises
    ------
    ValueError
        If there is no map.
    """
    if path.suffix == SESSION:
        return _of_session(path, name)
    if name is not None:
        raise ValueError(f'"{path.name}" is a table with one map: leave --run out.')
    record, cells = map_in(path)
    result = result_of(cells, record)
    return Run(file_stem(path), cells, result.parameters, status="stopped" if result.stopped else "done", result=result)


def map_in(path: Path) -> tuple[dict[str, Any], CellTable]:
    """Return the record in a table, and the table with the columns of the map.

    Raises
    ------
    ValueError
        If it has no record.
    """
    record = read_provenance(path)
    if elsewhere := record.get("made_elsewhere"):
        raise ValueError(
            f'The map in "{path.name}" was made elsewhere (coordinates from {elsewhere}), so nothing is known of how.'
        )
    if "method" not in record:
        raise ValueError(
            f'"{path.name}" has no record of how a map was made. Tables that "latentmap embed" or the '
            "front ends save have one; beside a CSV it is the file that ends in .csv.json."
        )
    source, layer = features_from(record), _layer_of(record) or file_stem(path)
    if source and is_anndata(path):
        cells = from_anndata(read_anndata(path), layer=layer, use_rep=source)
    else:
        cells = read_table(path, layer=layer)
    cells = as_recorded(cells, record)
    names = {name: found[1] for name in cells.features if (found := _IN_ANNDATA.fullmatch(str(name)))}
    # The map was written beside columns of these names.
    own = [name for name in names.values() if name in cells.features]
    return record, CellTable(cells.features.drop(columns=own).rename(columns=names), cells.notes)


def as_recorded(cells: CellTable, record: Mapping[str, Any]) -> CellTable:
    """Return a table with its columns renamed as they were when a map was saved whose own columns took their names."""
    new = record.get(OWN_COLUMNS)
    names = {old: name for old, name in new.items() if name not in cells.features} if isinstance(new, Mapping) else {}
    return CellTable(cells.features.rename(columns=names), cells.notes)


def _layer_of(record: Mapping[str, Any]) -> str:
    """The layer of rows that name none, such as those of an AnnData that a map was written into; "" if unknown."""
    layers = record.get("layers")
    return str(next(iter(layers))) if isinstance(layers, Mapping) and len(layers) == 1 else ""


def features_from(record: Mapping[str, Any]) -> str:
    """Return the array or layer of an AnnData that the features of a map come from; "" for a table's own columns."""
    source = record.get("features_from")
    return source if isinstance(source, str) and source != "X" else ""


def session_runs(path: Path) -> dict[str, Run]:
    """Return the maps of a session file by name; of several of one name, the others get numbers."""
    found: dict[str, Run] = {}
    for one in load(path).runs:
        result = one.map.result(one.parameters)
        name = next(name for name in chain([one.name], (f"{one.name} ({at})" for at in count(2))) if name not in found)
        found[name] = Run(
            name,
            one.table,
            result.parameters,
            status=one.status,
            result=result,
            number=one.number,
            origin=one.origin,
        )
    return found


def _of_session(path: Path, name: str | None) -> Run:
    runs = session_runs(path)
    if not runs:
        raise ValueError(f'"{path.name}" has no map.')
    if name is None and len(runs) > 1:
        raise ValueError(f'"{path.name}" has several maps: choose one with --run. They are {listed(list(runs))}.')
    if name is not None and name not in runs:
        raise ValueError(f'"{path.name}" has no map "{name}". It has {listed(list(runs))}.')
    return runs[name] if name is not None else next(iter(runs.values()))


def parameters_of_run(run: Run) -> Parameters:
    """Return the parameters of a run."""
    return Parameters(**run.finished().parameters)
