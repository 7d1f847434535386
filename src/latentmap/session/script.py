"""A map as a Python script, which makes it anew without a window."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path, PurePath
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from latentmap.session.parameters import Parameters
from latentmap.session.run import VARIANCE_COLUMN, Result, map_columns
from latentmap.session.runs import Run
from latentmap.table import Preparation, write_csv
from latentmap.table.whole import whole_file

_WIDTH = 100
# The column of what a method was told of each cell.
_TAUGHT = "told to the method"

# Where estimators are imported from.
_PUBLIC = ("latentmap", "latentmap.methods")

_SCRIPT = """\
{about}

import pandas as pd

from {home} import {kind}
from latentmap.table import CellTable, Preparation

rows = pd.read_csv({table}, float_precision="round_trip", converters={{{text}}}){types}
if len(rows) != {n_cells}:
    raise SystemExit("The map is of {n_cells} cells: restore those dropped since, and save its table again.")

cells = CellTable.read(rows, layer={layer})
features = [{features}]
method = {kind}({model})
pipeline = Preparation({preparation}).pipeline(features, method).fit(cells.features{told})
# pipeline.transform(table) places new cells, if the method can: a DataFrame with these features in the same units.

coordinates = pd.DataFrame(method.embedding_, cells.features.index, {axes})
coordinates{variances}.to_csv({out})
"""


def script(run: Run, table_path: str = "cells.csv") -> str:
    """Write a script that makes a map anew, bit for bit on one kind of machine.

    It reads the table that `write_script` writes, which holds the cells that the map was made of and no others. So
    neither cells that were left out or dropped nor a selection need be named in it. It names only the parameters that
    differ from the defaults.

    Parameters
    ----------
    run : Run
        It has a result.
    table_path : str
        Where the script finds that table, as CSV. The script writes coordinates and variances by key beside it:
        ``cells_map.csv``.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the run has come to no map, or went on from another map, or a feature that shaped it has the name of a
        coordinate.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.table.tissue import tissue
    >>> calls = SimpleQueue()
    >>> session = Session(calls.put)
    >>> session.parameters.features, session.parameters.max_iter = ("area", "dab_mean"), 3
    >>> run = session.embed(tissue().cells)
    >>> while session.runs.running:
    ...     calls.get()()
    >>> [line for line in script(run).splitlines() if line.startswith("method")]
    ['method = LVM(max_iter=3)']
    """
    result = run.result
    if result is None:
        raise ValueError(f'"{run.name}" has no map yet.')
    if run.origin is not None:
        raise ValueError(
            f'"{run.name}" went on from the map "{run.origin}" by live tuning, so no script can make it anew by '
            "itself. Press Embed for a map of its own, and copy that one."
        )
    parameters = Parameters(**result.parameters)
    columns = list(map_columns(result.embedding, result.variances))
    axes, estimator = [name for name in columns if name != VARIANCE_COLUMN], parameters.estimator()
    kind = type(estimator).__name__
    if taken := [name for name in parameters.features if name in columns]:
        raise ValueError(
            f'The feature "{taken[0]}" has the name of a column that the map adds to its table: rename it, and make '
            "the map again."
        )
    model = _differing(parameters.model, type(estimator)().get_params(deep=False))
    if run.status == "stopped":
        model.append(f"callback=lambda state: state.iteration == {result.n_iter}")
    return _SCRIPT.format(
        about=_about(run.name, table_path, result),
        table=repr(table_path),
        types=_types(result, parameters.features),
        # What looks like a number, or like nothing, may be a name.
        text=", ".join(f'"{name}": str' for name in ("layer", *([_TAUGHT] if _is_of_cells(result) else []))),
        n_cells=len(result.embedding),
        features=_listed(map(repr, parameters.features)),
        layer=repr(str(result.cells.features.index[0][0])),
        preparation=_listed(_differing(asdict(parameters.preparation), asdict(Preparation()))),
        home=_home(type(estimator)),
        kind=kind,
        model=_listed(model),
        told=_told(result),
        axes=axes,
        variances=".assign(variance=method.variances_)" if result.has_variances else "",
        out=repr(str(PurePath(table_path).with_name(f"{PurePath(table_path).stem}_map.csv"))),
    )


def write_script(run: Run, path: str | os.PathLike[str]) -> tuple[Path, Path, str]:
    """Write a script that makes a map anew, and the table that it reads beside it.

    Parameters
    ----------
    run : Run
        It has a result.
    path : path-like
        Where the script goes; existing files are replaced.

    Returns
    -------
    script, table : pathlib.Path
    text : str
        The script's.

    Raises
    ------
    ValueError
        As `script` does.
    OSError
        If the folder is missing, not writable or full.
    """
    path = Path(path)
    table = path.with_name(f"{path.stem}_cells.csv")
    text = script(run, table.name)
    if run.result is not None:
        write_csv(_rows(run.result), table)
    with whole_file(path) as new:
        new.write_text(text, encoding="utf-8")
    return path, table, text


def _home(kind: type[Any]) -> str:
    """The module that a script imports an estimator from: a public one, if that has it."""
    return next(home for home in (*_PUBLIC, kind.__module__) if hasattr(import_module(home), kind.__name__))


def _about(name: str, table_path: str, result: Result) -> str:
    """Comments that say what the script makes, of what, and which cells are not there."""
    sentences = [
        f'Makes the map "{name}" anew.',
        f'"{table_path}" is the table of that map: its {len(result.embedding)} cells and no others.',
        *result.cells.notes,
    ]
    # Names are the user's, and must not end the comment.
    plain = ["".join(sign if sign.isprintable() else " " for sign in sentence) for sentence in sentences]
    return "\n".join(f"# {line}" for sentence in plain for line in wrap(sentence, _WIDTH))


def _rows(result: Result) -> pd.DataFrame:
    """The table that the script reads: that of the map, and what the method was told of each cell."""
    return result.rows().assign(**({_TAUGHT: result.taught} if _is_of_cells(result) else {}))


def _is_of_cells(result: Result) -> bool:
    """Whether the method was told something of each cell."""
    return result.taught is not None and result.taught.ndim == 1


def _told(result: Result) -> str:
    """What the method is told beside the features."""
    if result.taught is None:
        return ""
    return f', rows["{_TAUGHT}"]' if _is_of_cells(result) else f", {result.taught.tolist()}"


def _types(result: Result, features: Iterable[str]) -> str:
    """What turns numbers read as text back into those that the map was made of."""
    types = {name: str(result.cells.features[name].dtype) for name in features}
    short = {name: kind for name, kind in types.items() if kind.lower() in ("float16", "float32")}
    return f".astype({{{_listed(f'{name!r}: {kind!r}' for name, kind in short.items())}}})" if short else ""


def _differing(values: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_literal(value)}" for name, value in values.items() if value != usual[name]]


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain) if not isinstance(plain, float) or np.isfinite(plain) else f'float("{plain}")'


def _listed(items: Iterable[str]) -> str:
    """Items with commas between, on lines of their own if there are many."""
    items = list(items)
    if len(line := ", ".join(items)) <= _WIDTH - 20:
        return line
    return "\n" + "".join(f"    {item},\n" for item in items)
