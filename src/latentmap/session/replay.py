"""Making a map again from the record of how it was made, and comparing the two bit by bit."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from latentmap.methods import METHODS
from latentmap.session.classes import CLASS_COLUMN
from latentmap.session.embedding import RunProgress, iter_run
from latentmap.session.parameters import Parameters, fields_of
from latentmap.session.result import VARIANCE_COLUMN, GroupStart, Result, start_columns
from latentmap.session.supervision import Supervision
from latentmap.session.warm_start import WarmStart
from latentmap.session.wording import counted
from latentmap.table import KEY, CellTable
from latentmap.table.fingerprints import fingerprint_array, fingerprint_table
from latentmap.table.libraries import machine, versions
from latentmap.table.map_table import CLASSES_FROM


@dataclass(frozen=True)
class Replayed:
    """What came of making a map again.

    Attributes
    ----------
    agrees : bool
        Whether the map is the same, bit for bit.
    sentences : tuple of str
        What was found, and what differs.
    """

    agrees: bool
    sentences: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Told:
    """The supervision of an earlier run, row by row."""

    supervision: np.ndarray | None

    def of(self, _: pd.Index) -> tuple[np.ndarray | None, str]:
        """Return it as it was."""
        return self.supervision, ""


def parameters_of(record: Mapping[str, Any]) -> Parameters:
    """Return the parameters that a record names.

    Parameters
    ----------
    record : mapping
        As :func:`~latentmap.session.provenance` writes it.

    Raises
    ------
    ValueError
        If it is no such record, is damaged, or names a method or parameters that there are not.

    Examples
    --------
    >>> model = {"n_neighbors": 30, "dof": "inf"}
    >>> parameters = parameters_of({"method": "lvm", "features": ["area"], "model": model})
    >>> parameters.n_neighbors, parameters.dof
    (30, inf)
    """
    if not {"method", "features", "model"} <= record.keys():
        raise ValueError(
            "This is not a record of how latentmap made a map: it names no method, features or parameters."
        )
    name = str(record["method"])
    if name not in METHODS:
        raise ValueError(f'The record names the method "{name}", which this version does not have.')
    try:
        return _parameters(name, record)
    # Somebody may have written into it.
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"The record of the map is damaged ({type(error).__name__}: {error}).") from error


def _parameters(name: str, record: Mapping[str, Any]) -> Parameters:
    features = record["features"]
    if not isinstance(features, list | tuple) or not all(isinstance(one, str) for one in features):
        raise TypeError("the features are no list of names")
    parameters = Parameters(method=name, features=tuple(features))
    parameters.take_all(dict(record.get("preparation", {})))
    for part, value in dict(record["model"]).items():
        if part == "callback":
            continue
        default = METHODS[name].defaults.get(part)
        value = _as_before(value, default)
        if part in fields_of(name) or value != default:
            try:
                parameters.set_of_method(part, value)
            except KeyError:
                raise ValueError(f'"{METHODS[name].title}" has no parameter "{part}" in this version.') from None
    return parameters


def result_of(table: CellTable, record: Mapping[str, Any]) -> Result:
    """Return the map in a table that was saved with its record.

    Parameters
    ----------
    table : CellTable
        The cells, with their features, coordinates and variances. Cells without coordinates are not on the map.
    record : mapping
        The record of how the map was made.

    Returns
    -------
    Result
        Without a fitted estimator.

    Raises
    ------
    ValueError
        If the table lacks coordinates or features that the record names.
    """
    parameters = parameters_of(record)
    axes = [f"map_{axis}" for axis in range(1, parameters.n_components + 1)]
    if absent := [name for name in (*axes, *parameters.features) if name not in table.features]:
        raise ValueError(f"The table has no column {', '.join(absent)}, which the record of the map names.")
    is_on_map = table.features[axes].notna().all(axis=1).to_numpy()
    rows = table.features[is_on_map]
    start = _start(rows, record, len(axes))
    of_map = [*axes, *({} if start is None else start.columns), *([VARIANCE_COLUMN] if VARIANCE_COLUMN in rows else [])]
    kinds = dict(dict(record.get("input", {})).get("types", {}))
    cells = CellTable(rows.drop(columns=of_map).astype(kinds), tuple(record.get("notes", ())))
    has_variances = VARIANCE_COLUMN in of_map
    return Result(
        cells=cells,
        embedding=np.ascontiguousarray(rows[axes].to_numpy(dtype=float)),
        variances=rows[VARIANCE_COLUMN].to_numpy(dtype=float) if has_variances else np.full(len(rows), np.nan),
        parameters=MappingProxyType({part.name: getattr(parameters, part.name) for part in fields(Parameters)}),
        quality=MappingProxyType(dict(record.get("quality", {}))),
        n_iter=int(record["n_iter"]),
        n_levels=record.get("n_levels"),
        objective=np.zeros(0),
        objective_iterations=np.zeros(0, dtype=np.int64),
        supervision=_supervision(cells, record),
        remarks=tuple(record.get("remarks", ())),
        stopped=bool(record.get("stopped", False)),
        start=start,
    )


def iter_again(
    cells: CellTable,
    parameters: Parameters,
    *,
    supervision: np.ndarray | Supervision | None = None,
    stopped_at: int | None = None,
    start: GroupStart | None = None,
) -> Generator[RunProgress, bool | None, Result | None]:
    """Make a map again, step by step.

    Parameters
    ----------
    cells : CellTable
        The cells of the map.
    parameters : Parameters
        Those of the map.
    supervision : ndarray or Supervision, optional
        What the method learned from, beside the features.
    stopped_at : int, optional
        The iteration after which the user stopped it.
    start : GroupStart, optional
        Where it began, if it is the map of a group.

    Yields
    ------
    RunProgress
        After every stage and every iteration; True sent to the generator ends it.

    Returns
    -------
    Result or None
    """
    told = Told(supervision) if isinstance(supervision, np.ndarray) else supervision
    begun = None if start is None else _as_warm_start(start, cells.features.index)
    steps = iter_run(cells, parameters, supervision=told, start=begun)
    send: bool | None = None
    while True:
        try:
            progress = steps.send(send)
        except StopIteration as end:
            result: Result | None = end.value
            return result
        at_end = stopped_at is not None and progress.state is not None and progress.iteration >= stopped_at
        send = bool((yield progress)) or at_end


def compare(then: Result | None, now: Result, record: Mapping[str, Any]) -> Replayed:
    """Say whether a map that was made again is the same as before, and what differs.

    Parameters
    ----------
    then : Result or None
        The map of before; None if only its record is known.
    now : Result
        The map that was made again.
    record : mapping
        The record of how it was made before.

    Returns
    -------
    Replayed
    """
    differences = [*_input_differences(now, record), *environment_differences(record)]
    n = counted(len(now.embedding), "cell")
    digest = dict(record.get("map", {})).get("sha256")
    if then is None:
        if digest is None:
            return Replayed(False, ("The record is of an older version, and does not tell the bits of its map.",))
        agrees, far = fingerprint_array(now.embedding) == digest, ""
    else:
        agrees = _same(then.embedding, now.embedding) and (
            not then.has_variances or _same(then.variances, now.variances)
        )
        far = "" if agrees else _how_far(then.embedding, now.embedding)
    if agrees:
        return Replayed(True, (f"The map of {n} is the same, bit for bit.", *differences))
    reasons = differences or (
        "Input, versions and machine are the same as far as the record says. Was the map made from another one, as by "
        "live tuning? Then it cannot be made again on its own.",
    )
    return Replayed(False, (f"The map of {n} is not the same.{far}", *reasons))


def environment_differences(record: Mapping[str, Any]) -> list[str]:
    """Say which libraries have other versions than in a record, and whether the machine is another."""
    sentences = []
    for what, now in (("version", versions()), ("machine", machine())):
        then = dict(record.get("versions" if what == "version" else what, {}))
        # A library may have been installed since; what an older record does not say of the machine is not known.
        new = [name for name in now if name not in then] if then and what == "version" else []
        for name in [*then, *new]:
            if now.get(name) != then.get(name):
                here, there = now.get(name, "not installed"), then.get(name, "not known")
                sentences.append(f"{name} is {here} here, and was {there}.")
    return sentences


def _input_differences(now: Result, record: Mapping[str, Any]) -> list[str]:
    digest = dict(record.get("input", {})).get("sha256")
    if digest is None or digest == fingerprint_table(now.cells.features, list(record["features"])):
        return []
    n = record.get("n_cells")
    count = f": there are {len(now.embedding)} cells, and were {n}" if n not in (None, len(now.embedding)) else ""
    return [f"The input differs from that of the map, in its cells, their order or their features{count}."]


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and fingerprint_array(one) == fingerprint_array(other)


def _how_far(then: np.ndarray, now: np.ndarray) -> str:
    if then.shape != now.shape:
        return ""
    width = float(np.ptp(then, axis=0).max()) or 1.0
    away = np.linalg.norm(now - then, axis=1) / width
    half, all_ = np.median(away), away.max()
    return f" Half of the cells are within {half:.2g} of its width of where they were, all within {all_:.2g}."


def _start(rows: pd.DataFrame, record: Mapping[str, Any], d: int) -> GroupStart | None:
    """Where the map of a group began, as the table and its record hold it."""
    said, names = record.get("opened_from"), start_columns(d)
    if not isinstance(said, Mapping):
        return None
    if absent := [name for name in names if name not in rows]:
        raise ValueError(f"The map began on another one, and the table has no column {absent[0]} that says where.")
    positions = rows[names].to_numpy(dtype=float)
    return GroupStart(str(said.get("map", "")), int(said.get("n_cells", 0)), positions)


def _as_warm_start(start: GroupStart, keys: pd.Index) -> WarmStart:
    return WarmStart(start.map, keys, start.positions[:, :-1], start.positions[:, -1], start.n_cells)


def _supervision(cells: CellTable, record: Mapping[str, Any]) -> np.ndarray | None:
    """What the method was told, as far as record and table hold it."""
    said = record.get("taught")
    if isinstance(said, list):
        keys = pd.MultiIndex.from_tuples([tuple(key) for triplet in said for key in triplet], names=KEY)
        rows = cells.features.index.get_indexer(keys).reshape(-1, 3)
        if (rows < 0).any():
            raise ValueError("The map was learned from comparisons of cells that are not in this table.")
        return rows
    if isinstance(said, Mapping):
        classes = cells.features.get(record.get(CLASSES_FROM) or CLASS_COLUMN)
        names = np.asarray([] if classes is None else classes.astype(object).fillna("").astype(str), dtype=str)
        known = dict(zip(*np.unique(names[names != ""], return_counts=True), strict=True))
        if known != dict(said):
            raise ValueError("The map was learned from classes that the table no longer holds as they were then.")
        return names
    return None


def _as_before(value: Any, default: Any) -> Any:
    """A parameter as it was before JSON, which knows no infinity and no tuples."""
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    return tuple(value) if isinstance(value, list) and isinstance(default, tuple) else value
