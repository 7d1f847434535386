"""Processes that are killed while they write: the old file is there, or the new one, and nothing in between."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.cli.embed import write_record
from latentmap.session import LayerSnapshot, Session, load, save, write_script
from latentmap.table import CellTable, MapTable, atomic_file, read_provenance, read_table, write_into_h5ad, write_table

OLD, NEW = 1, 2
"""The versions of a file."""
N_ROWS = 6000
"""Rows of the tables that are written."""


class Format(NamedTuple):
    """Something that is written.

    Attributes
    ----------
    name : str
        The name of its file.
    write : callable
        ``write(path, version)``.
    read : callable
        ``read(path)`` returns which version is there, and raises anything if it is not whole.
    """

    name: str
    write: Callable[[Path, int], Any]
    read: Callable[[Path], int]


class Kill(NamedTuple):
    """What came of a kill.

    Attributes
    ----------
    format : str
    version : int
        Which version was there afterwards; 0 if there was none that is whole.
    is_midway : bool
        Whether the process had begun and not ended the file, as the hidden half of it shows.
    trouble : str
        What was wrong; "" if nothing.
    """

    format: str
    version: int
    is_midway: bool
    trouble: str = ""


def formats(n_rows: int = N_ROWS) -> dict[str, Format]:
    """Return all that latentmap writes, with two versions of each at hand."""
    tables = {version: _table(version, n_rows) for version in (OLD, NEW)}
    made = {version: _Session(version) for version in (OLD, NEW)}
    found = {
        f"{kind} with its record": Format(
            f"map{ending}", lambda path, version: write_table(tables[version], path), _of_table
        )
        for kind, ending in (("CSV", ".csv"), ("TSV", ".tsv"), ("Parquet", ".parquet"), ("AnnData", ".h5ad"))
    }
    found["AnnData that gets a map"] = Format(
        "cells.h5ad", lambda path, version: _into(path, tables[version]), _of_anndata
    )
    found["session"] = Format("tissue.latentmap", lambda path, version: made[version].save(path), _of_session)
    found["script and its table"] = Format(
        "map.py", lambda path, version: write_script(made[version].run, path), _of_script
    )
    found["record"] = Format("map.json", lambda path, version: write_record(_record(version), path), _of_record)
    found["counts"] = Format("map.counts.csv", lambda path, version: _counts(path, tables[version]), _of_counts)
    with contextlib.suppress(ImportError):
        figures = {version: made[version].figure() for version in (OLD, NEW)}
        for ending in (".svg", ".png"):
            found[f"figure {ending}"] = Format(f"map{ending}", _figure_writer(figures), _figure_reader(ending))
    with contextlib.suppress(ImportError):
        pages = {version: _Page(version) for version in (OLD, NEW)}
        found["HTML export"] = Format("map.html", lambda path, version: pages[version].write(path), _of_page)
    return found


def kill_often(
    n: int, seed: int = 0, only: tuple[str, ...] = (), n_rows: int = N_ROWS, minutes: float = math.inf
) -> list[Kill]:
    """Kill processes that write, at random moments, and look at what is left each time.

    Parameters
    ----------
    n : int
        Kills, of one format after the other.
    seed : int
    only : tuple of str
        The formats; all by default.
    n_rows : int
        Rows of the tables.
    minutes : float
        After so many there are no more kills.
    """
    latest = time.monotonic() + 60 * minutes
    rng, known = np.random.default_rng(seed), formats(n_rows)
    chosen = {name: one for name, one in known.items() if not only or name in only}
    kills = []
    with tempfile.TemporaryDirectory() as folder:
        targets = {name: _Target(name, one, Path(folder, str(at))) for at, (name, one) in enumerate(chosen.items())}
        for number in range(n):
            if time.monotonic() > latest:
                break
            target = list(targets.values())[number % len(targets)]
            # Every second one waits for the file: before, much of the time goes into making what is written.
            is_aimed = bool(number // len(targets) % 2)
            kills.append(target.kill(float(rng.uniform(0, 0.4 if is_aimed else 1.5)), is_aimed))
    return kills


class _Target:
    """A file that is written, by processes that do not live long."""

    def __init__(self, title: str, kind: Format, folder: Path) -> None:
        self._title, self._kind = title, kind
        folder.mkdir()
        self._folder, self._path = folder, folder / kind.name
        # The first time, libraries are imported; the second tells how long it takes.
        for version in (NEW, OLD):
            begun = time.perf_counter()
            kind.write(self._path, version)
            self._seconds = time.perf_counter() - begun
            assert kind.read(self._path) == version, f"{title} is not read back"
        self._usual = {path.name for path in folder.iterdir()}

    def kill(self, share: float, is_aimed: bool) -> Kill:
        """Have a process write the new version, and kill it after a share of the time that this takes.

        The time counts from when there is a file, if it is aimed at that.
        """
        self._kind.write(self._path, OLD)
        ready, tell = os.pipe()
        process = os.fork()
        if not process:
            with contextlib.suppress(BaseException):
                os.write(tell, b"x")
                self._kind.write(self._path, NEW)
            os._exit(0)
        os.read(ready, 1)
        latest = time.perf_counter() + 20 * self._seconds
        while is_aimed and time.perf_counter() < latest and not any(self._folder.glob(".*.part")):
            time.sleep(0.0005)
        time.sleep(share * self._seconds)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(ready)
        os.close(tell)
        return self._looked_at()

    def _looked_at(self) -> Kill:
        left = [path for path in self._folder.iterdir() if path.name not in self._usual]
        trouble, version = "", 0
        if strange := [path.name for path in left if not (path.name.startswith(".") and path.suffix == ".part")]:
            trouble = f"there are other files: {strange}"
        for path in left:
            path.unlink()
        try:
            version = self._kind.read(self._path)
        except Exception as error:
            trouble = f"{type(error).__name__}: {error}"
        return Kill(self._title, version, bool(left), trouble)


class _Session:
    """A session with a map whose name tells the version."""

    def __init__(self, version: int) -> None:
        calls: SimpleQueue[Any] = SimpleQueue()
        self.session = Session(calls.put)
        parameters = self.session.parameters
        parameters.features, parameters.max_iter, parameters.n_neighbors = ("area", "DNA"), 3, 5
        rng = np.random.default_rng(version)
        rows = pd.DataFrame(rng.normal(size=(500, 2)), columns=["area", "DNA"]).assign(label=np.arange(1, 501))
        self.run = self.session.embed(CellTable.read(rows, layer=f"version {version}"))
        while self.session.runs.running:
            calls.get()()
        self._layers = [LayerSnapshot("image", "image", {"data": rng.integers(0, 999, (300, 300))}, {})]

    def save(self, path: Path) -> None:
        save(self.session, path, self._layers)

    def figure(self) -> Any:
        from latentmap.presenters.figure import figure_of

        self.session.runs.rename(self.run, f"version {self.run.result.cells.keys[0][0][-1]}")  # type: ignore[union-attr]
        return figure_of(self.session, [self.run], [], np.zeros((2, 4)))


class _Page:
    """An explorer with a map, as in a notebook."""

    def __init__(self, version: int) -> None:
        import asyncio

        from latentmap.jupyter import explore

        self._version = version
        rng = np.random.default_rng(version)
        rows = pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc")).assign(label=np.arange(1, 501))

        async def make() -> Any:
            shown = explore(rows)
            shown.session.parameters.features, shown.session.parameters.max_iter = ("a", "b", "c"), 3
            shown.embed()
            while shown.session.runs.running:
                await asyncio.sleep(0.01)
            return shown

        self._shown = asyncio.run(make())

    def write(self, path: Path) -> None:
        self._shown.export_html(path, title=f"version {self._version}")


def _table(version: int, n: int) -> MapTable:
    rng = np.random.default_rng(version)
    rows = pd.DataFrame({"layer": f"version {version}", "frame": 0, "label": np.arange(1, n + 1)})
    rows = rows.assign(
        **{f"f{at}": rng.normal(size=n) for at in range(6)}, map_1=float(version), map_2=rng.normal(size=n)
    )
    return MapTable(rows, ("f0", "f1"), ("map_1", "map_2"), provenance=_record(version))


def _record(version: int) -> dict[str, Any]:
    return {"version": version, "notes": [f"version {version}"] * 5000, "end": version}


def _of_table(path: Path) -> int:
    rows = read_table(path, layer="?").features
    (layer,) = {*rows.index.get_level_values("layer")}
    version = int(layer[-1])
    _check(rows.equals(_reread(version, len(rows), path)), "the table has other values")
    try:
        _check(read_provenance(path)["end"] == version, "the record is of another table")
    except ValueError as error:
        # The table was replaced and its record not yet: nobody takes the one for the record of the other.
        _check("is not the record of" in str(error), str(error))
    return version


_REREAD: dict[tuple[int, str], pd.DataFrame] = {}


def _reread(version: int, n: int, path: Path) -> pd.DataFrame:
    """A version as it is read back where nothing is killed."""
    if (version, path.name) not in _REREAD:
        with tempfile.TemporaryDirectory() as folder:
            other = write_table(_table(version, n), Path(folder, path.name))
            _REREAD[version, path.name] = read_table(other, layer="?").features
    return _REREAD[version, path.name]


def _into(path: Path, table: MapTable) -> None:
    import anndata

    rows = table.rows
    if not path.exists():
        obs = rows[["label", "frame"]].set_axis([f"cell {label}" for label in rows["label"]])
        adata = anndata.AnnData(rows[["f0", "f1"]].to_numpy(), obs=obs, var=pd.DataFrame(index=["f0", "f1"]))
        with atomic_file(path) as unfinished:
            adata.write_h5ad(unfinished)
    write_into_h5ad(path, MapTable(rows.assign(layer="nuclei"), table.features, table.coordinates), layer="nuclei")


def _of_anndata(path: Path) -> int:
    import anndata

    adata = anndata.read_h5ad(path)
    (version,) = {*adata.obsm["X_latentmap"][:, 0]}
    _check(np.isfinite(adata.X).all() and adata.obs["label"].is_unique, "the AnnData has lost what it had")
    return int(version)


def _of_session(path: Path) -> int:
    found = load(path)
    _check(found.layers[0].arrays["data"].shape == (300, 300), "the image is not whole")
    return int(found.runs[0].table.features.index[0][0][-1])


def _of_script(path: Path) -> int:
    text, table = path.read_text(encoding="utf-8"), path.with_name(f"{path.stem}_cells.csv")
    compile(text, path.name, "exec")
    version = int(text.split('layer="version ' if 'layer="version ' in text else "layer='version ")[1][0])
    of_table = int(pd.read_csv(table)["layer"].iloc[-1][-1])
    head = text[: text.index("rows = pd.read_csv")]
    with contextlib.chdir(path.parent):
        try:
            exec(head, {})
        except SystemExit as refused:
            _check(of_table != version and "not the table" in str(refused), "the script refuses its own table")
            return version
    _check(of_table == version, "the script takes the table of another one")
    return version


def _of_record(path: Path) -> int:
    return int(json.loads(path.read_text(encoding="utf-8"))["end"])


def _counts(path: Path, table: MapTable) -> None:
    with atomic_file(path) as unfinished:
        table.rows.to_csv(unfinished, index=False)


def _of_counts(path: Path) -> int:
    rows = pd.read_csv(path)
    _check(len(rows) == rows["label"].max() and not rows.isna().any(axis=None), "the counts are not whole")
    (version,) = {*rows["map_1"]}
    return int(version)


def _figure_writer(figures: dict[int, Any]) -> Callable[[Path, int], Any]:
    from latentmap.presenters.figure import save_figure

    return lambda path, version: save_figure(figures[version], path)


def _figure_reader(ending: str) -> Callable[[Path], int]:
    def of_svg(path: Path) -> int:
        import xml.etree.ElementTree as ET

        text = "".join(ET.parse(path).getroot().itertext())
        return OLD if f"version {OLD}" in text else NEW if f"version {NEW}" in text else 0

    def of_png(path: Path) -> int:
        from PIL import Image

        with Image.open(path) as picture:
            picture.load()
            text = " ".join(map(str, picture.info.values()))
        return OLD if f"version {OLD}" in text else NEW if f"version {NEW}" in text else 0

    return of_svg if ending == ".svg" else of_png


def _of_page(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    _check(text.rstrip().endswith("</html>"), "the page has no end")
    return OLD if f"<h1>version {OLD}" in text else NEW if f"<h1>version {NEW}" in text else 0


def _check(right: bool, otherwise: str) -> None:
    if not right:
        raise AssertionError(otherwise)


def summary(kills: list[Kill]) -> dict[str, dict[str, int]]:
    """Count, for each format, what was there after the kills."""
    found: dict[str, dict[str, int]] = {}
    for kill in kills:
        of_format = found.setdefault(kill.format, {"kills": 0, "midway": 0, "old": 0, "new": 0, "lost": 0})
        of_format["kills"] += 1
        of_format["midway"] += kill.is_midway
        of_format["lost" if kill.trouble or not kill.version else "old" if kill.version == OLD else "new"] += 1
    return found
