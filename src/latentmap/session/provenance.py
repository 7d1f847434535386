"""The record of how a map was made, and the table that it belongs to."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import chain, count
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from latentmap.session.cell_index import CellIndex
from latentmap.session.classes import CLASS_COLUMN, Classes
from latentmap.session.dropped import Dropped
from latentmap.session.gate import Gate
from latentmap.session.parameters import Parameters
from latentmap.session.result import (
    FOUND_COLUMNS,
    VARIANCE_COLUMN,
    GroupStart,
    MapCheck,
    MapStability,
    Result,
    map_columns,
)
from latentmap.table import CellTable, MapTable, Preparation
from latentmap.table.fingerprints import fingerprint_array, fingerprint_table
from latentmap.table.key_parts import n_distinct
from latentmap.table.libraries import machine, versions
from latentmap.table.map_table import CLASSES_FROM, OWN_COLUMNS
from latentmap.table.mappable import left_of_a_map

# Whole numbers of more than 15 digits are kept as words when they are read from text.
_LONG = 10**15


def map_table(
    result: Result, classes: Classes, cell_index: CellIndex, dropped: Dropped, gates: Sequence[Gate] = ()
) -> MapTable:
    """Return the table of a map, for `~latentmap.table.write_table`.

    Parameters
    ----------
    result : Result
        The map. Where it adds a column of a name that the table has for one of its own, that one gets a number in the
        table saved: ``variance_1``. Columns of an earlier map are replaced.
    classes : Classes
        If there are any, the table has a column ``class``, with "" for cells in no class. If it has one of its own with
        other words than the names of classes, or the map was made of it, that one stays, the classes are in
        ``class_1``, and the record says so.
    cell_index : CellIndex
        The numbers of the session's cells.
    dropped : Dropped
        The cells to leave out; the record says how many.
    gates : sequence of Gate
        The gates that give some of the classes; the record holds them.

    Returns
    -------
    MapTable
        The table, with the record of how the map was made. Its notes say which columns have other names.

    Raises
    ------
    ValueError
        If no cell is left.

    Examples
    --------
    >>> from latentmap.generators import result_of
    >>> from latentmap.session import Parameters, iter_run
    >>> from latentmap.samples.tissue import tissue
    >>> result = result_of(iter_run(tissue().cells, Parameters(features=("area", "dab_mean"), max_iter=2)))
    >>> cell_index = CellIndex()
    >>> saved = map_table(result, Classes(cell_index), cell_index, Dropped(cell_index))
    >>> saved.features, saved.coordinates, saved.added
    (('area', 'dab_mean'), ('map_1', 'map_2'), ('variance', 'lost_neighbors'))
    >>> saved.provenance["n_iter"], saved.provenance["layers"] == {"cells": len(saved.rows)}
    (2, True)
    """
    began = {} if result.start is None else result.start.columns
    result = _without_earlier_map(result)
    result, gates, new = _with_names_apart(result, gates, {*result.columns, *began})
    notes = [*map(_renamed, new, new.values())]
    left = dropped.without(CellTable(result.features.assign(**began), result.cells.notes))
    added = [name for name in FOUND_COLUMNS if name in result.columns] + list(began)
    rows = left.features.reset_index()
    record = provenance(result, left, classes, cell_index, gates) | ({OWN_COLUMNS: new} if new else {})
    if len(classes):
        column = class_column(rows, {"", *classes.names}, result.parameters["features"])
        rows[column] = classes.names_of(cell_index.numbers_of(left.features.index))
        added.append(column)
        if column != CLASS_COLUMN:
            record |= {CLASSES_FROM: column}
            notes.append(f'The classes are in the column "{column}": "{CLASS_COLUMN}" is a column of the cells\' own.')
    coordinates = [name for name in map_columns(result.embedding, result.variances) if name != VARIANCE_COLUMN]
    features = tuple(result.parameters["features"])
    return MapTable(rows, features, tuple(coordinates), tuple(added), record, notes=tuple(notes))


def _without_earlier_map(result: Result) -> Result:
    """The map of a table without columns of an earlier one, but for those that it was made of."""
    own, features = result.cells.features, result.parameters["features"]
    left = [name for name in left_of_a_map(own) if name not in features]
    return replace(result, cells=replace(result.cells, features=own.drop(columns=left))) if left else result


def _with_names_apart(
    result: Result, gates: Sequence[Gate], added: Collection[str]
) -> tuple[Result, Sequence[Gate], dict[str, str]]:
    """The map, with new names for the table's own columns that have those of columns added; and these names."""
    own, features = result.cells.features, result.parameters["features"]
    clash = [str(name) for name in own if name in added]
    if not clash:
        return result, gates, {}
    new: dict[str, str] = {}
    for name in clash:
        free = (f"{name}_{number}" for number in count(1))
        new[name] = next(one for one in free if one not in own and one not in {*added, *new.values()})
    named = {part: new.get(result.parameters[part], result.parameters[part]) for part in ("scale_within", "harmony_by")}
    named["features"] = tuple(new.get(name, name) for name in features)
    cells = replace(
        result.cells, features=own.rename(columns=new), notes=(*result.cells.notes, *map(_renamed, new, new.values()))
    )
    gates = [
        replace(gate, axes=tuple(replace(axis, feature=new.get(axis.feature, axis.feature)) for axis in gate.axes))
        for gate in gates
    ]
    return replace(result, cells=cells, parameters=MappingProxyType({**result.parameters, **named})), gates, new


def _renamed(old: str, new: str) -> str:
    return f'The column "{old}" is called "{new}": the map adds a "{old}".'


def class_column(rows: pd.DataFrame, known: Collection[str], features: Collection[str]) -> str:
    """Return a column for the names of classes, which overwrites none but those that were saved before.

    Parameters
    ----------
    rows : pandas.DataFrame
        The table that the column is for.
    known : collection of str
        The names of classes; a column with other words is not one of classes.
    features : collection of str
        The features of the map, which stay in any case.

    Examples
    --------
    >>> [class_column(pd.DataFrame({"class": words}), ("", "T"), ()) for words in (["T", ""], ["T", "B"])]
    ['class', 'class_1']
    """
    names = chain([CLASS_COLUMN], (f"{CLASS_COLUMN}_{number}" for number in count(1)))
    return next(
        name
        for name in names
        if name not in rows or (name not in features and {*rows[name].dropna().astype(str)} <= {*known})
    )


def provenance(
    result: Result, cells: CellTable, classes: Classes, cell_index: CellIndex, gates: Sequence[Gate] = ()
) -> dict[str, Any]:
    """Return the record of how a map was made.

    Parameters
    ----------
    result : Result
        The map.
    cells : CellTable
        Those of its cells that are saved, and the notes on the others.
    classes : Classes
        The user's classes.
    cell_index : CellIndex
        The numbers of the session's cells.
    gates : sequence of Gate
        The gates that give some of the classes.

    Returns
    -------
    dict
        Values that JSON can hold. Numbers that it cannot hold are text: "inf".
    """
    keys = cells.features.index
    members = np.bincount(classes.indices_of(cell_index.numbers_of(keys)) + 1, minlength=len(classes) + 1)[1:]
    parameters = dict(result.parameters)
    record: dict[str, Any] = _plain(
        {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "machine": machine(),
            "input": _input(result),
            "map": {"sha256": fingerprint_array(result.embedding)},
            "n_cells": len(keys),
            "layers": keys.get_level_values("layer").value_counts(sort=False).to_dict(),
            "n_frames": n_distinct(keys, "frame"),
            "features": parameters["features"],
            "preparation": {name: parameters[name] for name in asdict(Preparation())},
            **({"made_elsewhere": result.made_elsewhere} if result.made_elsewhere else _method(result)),
            "drawn_turned_by": None if result.turn is None else result.turn.tolist(),
            "quality": result.quality,
            **({} if result.check is None else {"check": _check(result.check)}),
            **({} if result.stability is None else {"stability": _stability(result.stability)}),
            **({} if result.start is None else {"opened_from": _start(result.start)}),
            **({} if result.members is None else {"landmarks_of": int((result.members >= 0).sum())}),
            "taught": _supervision(result),
            "remarks": result.remarks,
            "notes": cells.notes,
            "classes": [
                {
                    "name": one.name,
                    "colour": one.colour,
                    "n_cells": n,
                    "story": [asdict(choice) for choice in one.story],
                }
                for one, n in zip(classes, members, strict=True)
            ],
            "gates": [asdict(gate) for gate in gates],
        }
    )
    return record


def _method(result: Result) -> dict[str, Any]:
    made_by = Parameters(**result.parameters).estimator()
    return {
        "method": result.method,
        "model": {name: value for name, value in made_by.get_params().items() if name != "verbose"},
        "seed": result.parameters["random_state"],
        "n_iter": result.n_iter,
        "stopped": result.stopped,
        "n_levels": result.n_levels,
        "objective": {made_by.objective_name: result.objective[-1:].tolist()},
    }


def _input(result: Result) -> dict[str, Any]:
    """What recognises the cells and features that the map was made of, and their types where text would lose them."""
    features, names = result.cells.features, list(result.parameters["features"])
    types = {name: str(features[name].dtype) for name in names if _is_changed_by_text(features[name])}
    return {"sha256": fingerprint_table(features, names), "types": types}


def _is_changed_by_text(column: pd.Series) -> bool:
    """Whether a column of numbers is read from text as another type: long numbers are taken for identifiers."""
    if pd.api.types.is_integer_dtype(column):
        return bool((column.abs() >= _LONG).any()) if len(column) else False
    return str(column.dtype).lower() in ("float16", "float32")


def _start(start: GroupStart) -> dict[str, Any]:
    """The map that a group was opened from, and what recognises where its cells lay there."""
    return {"map": start.map, "n_cells": start.n_cells, "sha256": fingerprint_array(start.positions)}


def _check(check: MapCheck) -> dict[str, float]:
    """How the cells were tested, and how many are sure."""
    return {
        "n_sure": int(check.is_sure.sum()),
        "false_rate": check.false_rate,
        "agreement": check.agreement,
        "agreement_by_chance": check.null,
    }


def _stability(stability: MapStability) -> dict[str, Any]:
    """How it was found out how stable the neighbourhoods are."""
    return {"n_maps": stability.n_maps, "cells_left_out": stability.leaves_out, "mean": float(stability.kept.mean())}


def _supervision(result: Result) -> Any:
    """The supervision: comparisons of three cells each, or the number of cells per class."""
    if result.supervision is None:
        return None
    if result.supervision.ndim == 1:
        return {
            name: int(n) for name, n in zip(*np.unique(result.supervision, return_counts=True), strict=True) if name
        }
    keys = result.cells.features.index
    return [[list(keys[row]) for row in triplet] for triplet in result.supervision]


def _plain(value: Any) -> Any:
    """A value converted to dicts, lists, text and finite numbers."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
