"""Cases of files: session files and tables that are damaged, and session files that somebody has tampered with."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.robustness.outcomes import Lost
from latentmap.session import LayerSnapshot, Session, SessionSnapshot, cell_colours, load, save, script_text
from latentmap.table import CellTable, MapTable, read_provenance, read_table, write_table

_KINDS = ("flip", "flip", "truncate", "zeros", "insert", "repeat")
_WRONG = (None, True, False, -1, 0, 10**30, 1.5, 1e400, "x", "", [], [[]], {}, {"x": 1}, "../../evil", [1, 2, 3], "nan")
_ARRAYS = ("empty", "huge labels", "negative", "nan", "2-d", "words", "booleans", "complex", "0-d", "float labels")


def draw_file(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a damaged table."""
    return {
        "ending": str(rng.choice([".csv", ".parquet", ".h5ad", ".xlsx", ".latentmap"], p=[0.2, 0.25, 0.1, 0.25, 0.2])),
        **_damage(rng),
    }


def _damage(rng: np.random.Generator) -> dict[str, Any]:
    return {"damage": str(rng.choice(_KINDS)), "n": int(rng.integers(1, 5))}


def draw_session(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a session file whose document or arrays somebody has changed."""
    return {
        "change": str(rng.choice(["value", "value", "value", "array", "swap", "drop key", "add key"])),
        "n": int(rng.integers(1, 3)),
    }


def damaged(data: bytes, case: dict[str, Any], rng: np.random.Generator) -> bytes:
    """Return bytes with damage."""
    found = bytearray(data)
    for _ in range(case["n"]):
        at = int(rng.integers(max(1, len(found))))
        match case["damage"]:
            case "flip":
                found[at] ^= int(rng.integers(1, 256))
            case "truncate":
                del found[at:]
                break
            case "zeros":
                found[at : at + 200] = bytes(len(found[at : at + 200]))
            case "insert":
                found[at:at] = rng.bytes(7)
            case "repeat":
                found[at:at] = found[at : at + 50]
    return bytes(found)


def perform_file(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Read a damaged file; return the sentences heard."""
    ending = case["ending"]
    path = folder / f"damaged{ending}"
    path.write_bytes(damaged(_whole(ending), case, rng))
    if ending == ".latentmap":
        if (found := load(path)).n_started != 2 or len(found.runs) != 2:
            raise Lost("a damaged session was read as another one")
        return []
    cells = read_table(path, layer="nuclei")
    read_provenance(path)
    if len(cells.features) > 10**6:
        raise Lost("a damaged table was read as one of a million cells")
    return list(cells.notes)


def perform_session(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Open a session file that was changed, and use what is in it."""
    path = folder / "changed.latentmap"
    with zipfile.ZipFile(BytesIO(_whole(".latentmap"))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(parts["session.json"])
    for _ in range(case["n"]):
        document = _changed(document, case["change"], parts, rng)
    parts["session.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    used(load(path), folder)
    return []


def used(found: SessionSnapshot, folder: Path) -> None:
    """Do with a session what front ends do: show its maps, colour them, save them."""
    session = Session(SimpleQueue().put)
    try:
        found.restore(session)
        for run in session.runs:
            result = run.result
            if result is None:
                continue
            if len(result.embedding) != len(result.cells.features):
                raise Lost("a map has other cells than its table")
            cell_colours(
                session.display_settings.colour_by,
                result.cells.features,
                result.variances,
                session.classes,
                run.numbers,
            )
            write_table(session.map_table(run), folder / "map.csv")
            script_text(run)
        save(session, folder / "again.latentmap", found.layers)
    finally:
        session.close()


def _changed(document: Any, change: str, parts: dict[str, bytes], rng: np.random.Generator) -> Any:
    names = [name[7:-4] for name in parts if name.startswith("arrays")]
    places = [place for place in _places(document) if place[:1] == ("session",)]
    arrays = [place for place in places if _at(document, place) in names]
    match change:
        case "array":
            data = _odd_array(str(rng.choice(_ARRAYS)), rng)
            name = sha256(data).hexdigest()
            parts[f"arrays/{name}.npy"] = data
            return _replaced(document, arrays[int(rng.integers(len(arrays)))], name)
        case "swap":
            return _replaced(document, arrays[int(rng.integers(len(arrays)))], str(rng.choice(names)))
        case "drop key" | "add key":
            dicts = [place for place in places if isinstance(_at(document, place), dict)]
            place = dicts[int(rng.integers(len(dicts)))]
            own = dict(_at(document, place))
            if change == "add key":
                own["__class__"] = "os.system"
            elif own:
                own.pop(list(own)[int(rng.integers(len(own)))])
            return _replaced(document, place, own)
    return _replaced(document, places[int(rng.integers(len(places)))], _WRONG[int(rng.integers(len(_WRONG)))])


def _places(plain: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ():
        yield from _places(value, (*path, key))


def _at(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain if not isinstance(plain, list) else None


def _replaced(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(plain, dict):
        return {**plain, path[0]: _replaced(plain[path[0]], path[1:], value)}
    return [_replaced(item, path[1:], value) if at == path[0] else item for at, item in enumerate(plain)]


def _odd_array(kind: str, rng: np.random.Generator) -> bytes:
    arrays: dict[str, np.ndarray] = {
        "empty": np.empty(0),
        "huge labels": np.full(40, 2**62),
        "negative": -np.arange(40),
        "nan": np.full((40, 2), np.nan),
        "2-d": rng.normal(size=(40, 40)),
        "words": np.array(["x"] * 40),
        "booleans": np.ones(40, bool),
        "complex": np.ones(40, complex),
        "0-d": np.array(3.0),
        "float labels": np.arange(40) + 0.5,
    }
    buffer = BytesIO()
    np.lib.format.write_array(buffer, arrays[kind], (1, 0), allow_pickle=False)
    return buffer.getvalue()


@cache
def _whole(ending: str) -> bytes:
    """Return the bytes of a file without damage."""
    folder, rng = Path(mkdtemp()), np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(40, 3)), columns=["area", "DNA", "=1+1"])
    rows = rows.assign(
        label=np.arange(1, 41), phase=pd.Categorical(rng.choice(["G1", "S"], 40)), frame=0, layer="nuclei"
    )
    rows.loc[5, "area"] = np.nan
    path = folder / f"whole{ending}"
    if ending == ".latentmap":
        return save(_session(rows), path, [_layer()]).read_bytes()
    if ending == ".xlsx":
        rows.to_excel(path, index=False)
    else:
        write_table(MapTable(rows, ("area", "DNA"), provenance={"seed": 0}), path)
    return path.read_bytes()


def _layer() -> LayerSnapshot:
    labels = np.zeros((30, 30), np.uint16)
    labels[3:9, 4:20] = 7
    return LayerSnapshot("nuclei", "labels", {"data": labels}, {"scale": [0.5, 0.5], "visible": True})


def _session(rows: pd.DataFrame) -> Session:
    calls: SimpleQueue[Any] = SimpleQueue()
    session = Session(calls.put)
    session.parameters.features, session.parameters.max_iter, session.parameters.n_neighbors = ("area", "DNA"), 3, 5
    table = CellTable.read(rows, layer="nuclei")
    cells = session.cell_index.add(table.features.index)
    for only in (None, cells[:30]):
        session.embed(table, only)
        while session.runs.running:
            calls.get()()
    session.classes.assign("B cells", cells[:3])
    session.dropped.drop(cells[[1, 4]])
    session.selection.select(cells[4:9])
    return session
