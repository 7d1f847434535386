"""``latentmap replay``: a map made again from its record."""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from latentmap.cli.making import followed
from latentmap.cli.parser import add_keys
from latentmap.cli.saved_maps import SESSION, as_recorded, features_from, map_in, parameters_of_run, session_runs
from latentmap.cli.tables import read_cells
from latentmap.cli.talk import Talk
from latentmap.model.data_warnings import collect_warnings
from latentmap.session import Run
from latentmap.session.replay import Replayed, compare, iter_again, parameters_of, result_of
from latentmap.table.files.anndata_io import record_of
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.reading import read_anndata, reading_errors


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "record",
        type=Path,
        metavar="RECORD",
        help=f"a record (.json), a table that was saved with one, an AnnData of latentmap.tl, or a {SESSION} session",
    )
    parser.add_argument(
        "--input",
        nargs="+",
        type=Path,
        default=[],
        metavar="TABLE",
        help="the tables that a .json record is of (default: those that it names, beside it)",
    )
    add_keys(parser)


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command; 1 if a map is not the same."""
    path: Path = options.record
    if not path.exists():
        raise ValueError(f'There is no file "{path}".')
    if path.suffix == SESSION:
        found = {name: _again_in_session(one, talk) for name, one in session_runs(path).items()}
        if not found:
            raise ValueError(f'"{path.name}" has no map.')
    elif path.suffix == ".json":
        found = {path.name: _again_from_record(path, options, talk)}
    elif is_anndata(path) and not record_of(adata := read_anndata(path)):
        found = _again_in_anndata(path, adata)
    else:
        found = {path.name: _again_in_table(path, talk)}
    for name, one in found.items():
        talk.say(" ".join([f"{name}:", *one.sentences]) if len(found) > 1 else " ".join(one.sentences))
    agrees = all(one.agrees for one in found.values())
    talk.give(
        {
            "agrees": agrees,
            "maps": {name: {"agrees": one.agrees, "sentences": one.sentences} for name, one in found.items()},
        }
    )
    return 0 if agrees else 1


def _again_in_table(path: Path, talk: Talk) -> Replayed:
    record, cells = map_in(path)
    then = result_of(cells, record)
    stopped = then.n_iter if then.stopped else None
    steps = iter_again(
        then.cells, parameters_of(record), supervision=then.supervision, stopped_at=stopped, start=then.start
    )
    return compare(then, followed(steps, talk), record)


def _again_from_record(path: Path, options: argparse.Namespace, talk: Talk) -> Replayed:
    with reading_errors(path, "a record of latentmap"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise TypeError("a record is an object")
    if "file" in record and not options.input:
        # The record beside a CSV: the table has the map.
        return _again_in_table(_beside(path, record["file"]), talk)
    parameters, changed, files = parameters_of(record), list[str](), _files(path, record)
    inputs = options.input or [_beside(path, one["file"]) for one in files]
    if not inputs:
        raise ValueError(f'"{path.name}" does not name the tables that the map was made of: give them with --input.')
    if record.get("opened_from"):
        raise ValueError("The map began where its cells lay on another one: replay the table that was saved with it.")
    if isinstance(record.get("taught"), Mapping):
        raise ValueError("The map was learned from classes: replay the table that was saved with it.")
    if absent := [one for one in inputs if not one.exists()]:
        raise ValueError(f'There is no file "{absent[0]}", which the record names: give the tables with --input.')
    for one, said in zip(inputs, files, strict=False):
        if one.name == said["file"] and _digest(one) != said["sha256"]:
            changed.append(f'"{one.name}" has changed since.')
    stopped = _iterations(path, record) if record.get("stopped") else None
    options.features_from = features_from(record)
    steps = iter_again(as_recorded(read_cells(inputs, options), record), parameters, stopped_at=stopped)
    found = compare(None, followed(steps, talk), record)
    return Replayed(found.agrees, (found.sentences[0], *changed, *found.sentences[1:]))


def _files(path: Path, record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tables that a record names, each with the digest of its bytes."""
    files = record.get("files", [])
    if not isinstance(files, list) or not all(
        isinstance(one, Mapping) and {"file", "sha256"} <= {*one} for one in files
    ):
        raise ValueError(f'"{path.name}" is damaged: it does not name its tables as latentmap writes them.')
    return files


def _beside(path: Path, name: object) -> Path:
    """The file of a name that a record says, which may come from anybody: in the folder of the record, and no other."""
    if not isinstance(name, str) or name in ("", ".", "..") or {"/", "\\", "\0"} & {*name}:
        raise ValueError(
            f'"{path.name}" names the table {name!r:.60}, which is no file beside it: give the tables with --input.'
        )
    return path.with_name(name)


def _iterations(path: Path, record: Mapping[str, Any]) -> int:
    n_iter = record.get("n_iter")
    if not isinstance(n_iter, int):
        raise ValueError(f'"{path.name}" is damaged: it does not say after how many iterations the map was stopped.')
    return n_iter


def _again_in_session(made: Run, talk: Talk) -> Replayed:
    result, parameters = made.finished(), parameters_of_run(made)
    if result.made_elsewhere:
        return Replayed(
            False, (f"It was made elsewhere, of {result.made_elsewhere}, so it cannot be made again here.",)
        )
    if made.origin is not None and result.start is None:
        return Replayed(False, (f'It went on from the map "{made.origin}", so it cannot be made again on its own.',))
    stopped = result.n_iter if made.status == "stopped" else None
    steps = iter_again(result.cells, parameters, supervision=result.supervision, stopped_at=stopped, start=result.start)
    return compare(result, followed(steps, talk), {"features": list(parameters.features)})


def _again_in_anndata(path: Path, adata: Any) -> dict[str, Replayed]:
    """Make the maps of latentmap.tl again."""
    from latentmap.tl import replay

    keys = [key for key, said in adata.uns.items() if isinstance(said, Mapping) and "record" in said]
    if not keys:
        raise ValueError(f'"{path.name}" has no record of how a map was made.')
    with collect_warnings([]):
        return {key: replay(adata, key) for key in keys}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
