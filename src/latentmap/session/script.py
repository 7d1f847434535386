"""A map as a Python script that reproduces it without a window."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path, PurePath
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from latentmap.session.gate import Gate
from latentmap.session.parameters import Parameters
from latentmap.session.result import VARIANCE_COLUMN, Result, map_columns
from latentmap.session.run import Run
from latentmap.table import Preparation, write_csv
from latentmap.table.files.atomic_write import atomic_file

_WIDTH = 100
# The column of the supervision, if each cell has a class.
_SUPERVISION = "told to the method"

# Where estimators are imported from.
_PUBLIC = ("latentmap", "latentmap.methods")

_SCRIPT = """\
{about}

{checking}import pandas as pd

from {home} import {kind}
{imports}from latentmap.table import CellTable, Preparation
from latentmap.table.text_numbers import EXACT

{check}rows = pd.read_csv({table}, **EXACT){types}
names = pd.read_csv({table}, usecols=[{text}], dtype=str, keep_default_na=False)
rows = rows.assign(**names)  # a name may look like a number or a missing value
if len(rows) != {n_cells}:
    raise SystemExit("The map has {n_cells} cells: restore those dropped since, and save its table again.")

cells = CellTable.read(rows, layer={layer})
features = [{features}]
method = {kind}({model})
pipeline = Preparation({preparation}).pipeline(features, method).fit(cells.features{told})
# pipeline.transform(table) places new cells, if the method can: a DataFrame with these features in the same units.

coordinates = pd.DataFrame(method.embedding_, cells.features.index, {axes})
{gates}coordinates{variances}{classes}.to_csv({out})
"""

_CHECK = """\
with open({table}, "rb") as file:
    if hashlib.file_digest(file, "sha256").hexdigest() != "{digest}":
        raise SystemExit({table} + " is not the table that was saved with this script: save both again.")

"""

_GATES = """
# The gates, in the units of the features. A cell in several of them is in the class of the last one.
# Classes that were made in another way are not among these.
gates = [
{gates}]
classes = pd.Series("", cells.features.index)
for gate in gates:
    names = gate.class_names(cells.features)
    classes = classes.where(names == "", names)

"""


def script_text(run: Run, table_path: str = "cells.csv", gates: Sequence[Gate] = (), *, digest: str = "") -> str:
    """Return a script that reproduces a map, bit for bit on the same kind of machine.

    It reads the table that `write_script` writes, which holds exactly the cells of the map, so cells that were left
    out, dropped or not selected need not be named. It names only the parameters that differ from the defaults.

    Parameters
    ----------
    run : Run
        A run with a result.
    table_path : str
        Where the script finds that table, as CSV. Next to it, the script writes coordinates and variances by key:
        ``cells_map.csv``.
    gates : sequence of Gate
        Gates whose classes the script adds to the coordinates; those of features that the map's table lacks are left
        out.
    digest : str
        The sha256 of the table, by which the script recognises it; "" to take any table with as many cells.

    Returns
    -------
    str
        The text of the script.

    Raises
    ------
    ValueError
        If the run has no map, or was made elsewhere, or continued from another map, or a feature that shaped it, or
        is gated, has the name of a column of the map.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.samples.tissue import tissue
    >>> calls = SimpleQueue()
    >>> session = Session(calls.put)
    >>> session.parameters.features, session.parameters.max_iter = ("area", "dab_mean"), 3
    >>> run = session.embed(tissue().cells)
    >>> while session.runs.running:
    ...     calls.get()()
    >>> [line for line in script_text(run).splitlines() if line.startswith("method")]
    ['method = LVM(max_iter=3)']
    """
    result = run.finished()
    if result.made_elsewhere:
        raise ValueError(
            f'"{run.name}" was made elsewhere, so there is no script that makes it here. Press Embed for a map of our '
            "own, and copy that one."
        )
    if result.start is not None:
        raise ValueError(
            f'"{run.name}" began where its cells lie on the map "{result.start.map}", so a script cannot reproduce it '
            'on its own. Save the map as a table or session: "latentmap replay" makes it again from either.'
        )
    if run.origin is not None:
        raise ValueError(
            f'"{run.name}" continued from the map "{run.origin}" by live tuning, so a script cannot reproduce it on '
            "its own. Press Embed for a new map, and copy that one."
        )
    parameters = Parameters(**result.parameters)
    columns = list(map_columns(result.embedding, result.variances))
    axes, estimator = [name for name in columns if name != VARIANCE_COLUMN], parameters.estimator()
    kind = type(estimator).__name__
    gates = [gate for gate in gates if all(axis.feature in result.cells.features for axis in gate.axes)]
    gated = [axis.feature for gate in gates for axis in gate.axes]
    if taken := [name for name in (*parameters.features, *gated) if name in result.columns]:
        raise ValueError(
            f'The feature "{taken[0]}" has the name of a column that the map adds to the table: rename it, and make '
            "the map again."
        )
    model = _differing(parameters.model, type(estimator)().get_params(deep=False))
    if run.status == "stopped":
        model.append(f"callback=lambda state: state.iteration == {result.n_iter}")
    return _SCRIPT.format(
        about=_about(run.name, table_path, result),
        table=repr(table_path),
        checking="import hashlib\n\n" if digest else "",
        check=_CHECK.format(table=repr(table_path), digest=digest) if digest else "",
        types=_type_conversion(result, dict.fromkeys([*parameters.features, *gated])),
        text=", ".join(f'"{name}"' for name in ("layer", *([_SUPERVISION] if _has_classes(result) else []))),
        n_cells=len(result.embedding),
        features=_arguments(map(repr, parameters.features)),
        layer=repr(str(result.cells.features.index[0][0])),
        preparation=_arguments(_differing(asdict(parameters.preparation), asdict(Preparation()))),
        home=_home(type(estimator)),
        kind=kind,
        model=_arguments(model),
        told=_supervision(result),
        axes=axes,
        imports="from latentmap.session import Axis, Gate\n" if gates else "",
        gates=_GATES.format(gates="".join(f"    {_gate(gate)},\n" for gate in gates)) if gates else "",
        classes='.assign(**{"class": classes})' if gates else "",
        variances=".assign(variance=method.variances_)" if result.has_variances else "",
        out=repr(str(PurePath(table_path).with_name(f"{PurePath(table_path).stem}_map.csv"))),
    )


def write_script(run: Run, path: str | os.PathLike[str], gates: Sequence[Gate] = ()) -> tuple[Path, Path, str]:
    """Write a script that reproduces a map and, next to it, the table that it reads.

    Parameters
    ----------
    run : Run
        A run with a result.
    path : path-like
        The file of the script. Existing files are replaced.
    gates : sequence of Gate
        As in `script_text`.

    Returns
    -------
    script, table : pathlib.Path
        The files written.
    text : str
        The text of the script.

    Raises
    ------
    ValueError
        As in `script_text`.
    OSError
        If the folder is missing, not writable or full.
    """
    path = Path(path)
    table = path.with_name(f"{path.stem}_cells.csv")
    script_text(run, table.name, gates)  # refuses a map that no script makes before anything is written
    # The script is replaced last: if that fails, the old one says that the table is not its own.
    with atomic_file(path) as new:
        write_csv(_rows(run.finished()), table)
        with table.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        text = script_text(run, table.name, gates, digest=digest)
        new.write_text(text, encoding="utf-8")
    return path, table, text


def _home(kind: type[Any]) -> str:
    """The module that a script imports an estimator from: a public one, if that has it."""
    return next(home for home in (*_PUBLIC, kind.__module__) if hasattr(import_module(home), kind.__name__))


def _about(name: str, table_path: str, result: Result) -> str:
    """Comments that say what the script makes, from which table, and which cells are missing there."""
    sentences = [
        f'Reproduces the map "{name}".',
        f'"{table_path}" is the table of that map: its {len(result.embedding)} cells and no others.',
        *result.cells.notes,
    ]
    # The user chooses the names, which must not end the comment.
    plain = ["".join(sign if sign.isprintable() else " " for sign in sentence) for sentence in sentences]
    return "\n".join(f"# {line}" for sentence in plain for line in wrap(sentence, _WIDTH))


def _rows(result: Result) -> pd.DataFrame:
    """The table that the script reads: that of the map, with the cells' classes if the method learned from them."""
    return result.rows().assign(**({_SUPERVISION: result.supervision} if _has_classes(result) else {}))


def _has_classes(result: Result) -> bool:
    """Whether the supervision is a class for each cell."""
    return result.supervision is not None and result.supervision.ndim == 1


def _gate(gate: Gate) -> str:
    axes = ", ".join(f"Axis({axis.feature!r}, {axis.scaling!r}, {axis.cofactor!r})" for axis in gate.axes)
    own = f", {dict(gate.own)!r}" if gate.own else ""
    return f"Gate({gate.kind!r}, ({axes}{',' * (len(gate.axes) == 1)}), {gate.corners!r}, {gate.names!r}{own})"


def _supervision(result: Result) -> str:
    """The supervision, as a second argument of ``fit``."""
    if result.supervision is None:
        return ""
    return f', rows["{_SUPERVISION}"]' if _has_classes(result) else f", {result.supervision.tolist()}"


def _type_conversion(result: Result, features: Iterable[str]) -> str:
    """The conversion to the types of the features that the map was made of, if they are not the usual ones."""
    types = {name: str(result.cells.features[name].dtype) for name in features}
    short = {name: kind for name, kind in types.items() if kind.lower() in ("float16", "float32")}
    return f".astype({{{_arguments(f'{name!r}: {kind!r}' for name, kind in short.items())}}})" if short else ""


def _differing(values: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_literal(value)}" for name, value in values.items() if value != usual[name]]


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain) if not isinstance(plain, float) or np.isfinite(plain) else f'float("{plain}")'


def _arguments(items: Iterable[str]) -> str:
    """Arguments separated by commas; many are written on lines of their own."""
    items = list(items)
    if len(line := ", ".join(items)) <= _WIDTH - 20:
        return line
    return "\n" + "".join(f"    {item},\n" for item in items)
