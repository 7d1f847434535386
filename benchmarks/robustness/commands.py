"""Cases of the command line: words that may be wrong, on files that may be odd."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.robustness.outcomes import Lost, Refused
from latentmap.cli.main import main
from latentmap.methods import available
from latentmap.table import read_table

_OPTIONS: dict[str, tuple[str, ...]] = {
    "--method": (*available(), "umap", ""),
    "--n-neighbors": ("5", "0", "-1", "1000000", "x", "2.5"),
    "--n-components": ("1", "2", "3", "0", "50", "x"),
    "--metric": ("cosine", "manhattan", "zzz"),
    "--features": ("a", "b", "a b", "zzz", ""),
    "--exclude": ("a", "zzz"),
    "--transform": ("log1p", "arcsinh", "rank", "zzz"),
    "--scaling": ("robust", "none", "zzz"),
    "--missing": ("median", "similar cells", "zzz"),
    "--n-pca": ("1", "2", "50", "-1", "x"),
    "--classes": ("kind", "zzz", "a"),
    "--label": ("label", "a", "zzz"),
    "--layer": ("kind", "zzz"),
    "--frame": ("a", "zzz"),
    "--record": ("record.json", "/nowhere/record.json"),
    "--use-rep": ("X_pca", "X"),
    "--random-state": ("0", "-1", "x"),
    "--scale-within": ("layer", "kind", "zzz"),
}
_TABLES = (
    "plain",
    "plain",
    "plain",
    "plain",
    "gaps",
    "one row",
    "two rows",
    "words only",
    "no key",
    "repeated key",
    "infinite",
    "empty",
    "a folder",
    "nothing",
)
_RECORDS = (
    "[]",
    "{}",
    "null",
    "3",
    '{"file": "../../etc/passwd", "sha256": "0"}',
    '{"file": 3}',
    '{"files": 3}',
    '{"files": [3]}',
    '{"files": [{"file": "cells.csv"}]}',
    '{"files": [{"file": "../cells.csv", "sha256": "0"}], "method": "lvm"}',
    '{"method": "zzz", "files": [{"file": "cells.csv", "sha256": "0"}]}',
    '{"method": "lvm", "model": {"n_neighbors": "x"}, "features": 3, "files": [{"file": "cells.csv", "sha256": "0"}]}',
    '{"method": "lvm", "model": [], "features": ["a"], "files": [{"file": "cells.csv", "sha256": "0"}]}',
    '{"stopped": true, "files": [{"file": "cells.csv", "sha256": "0"}]}',
    '{"stopped": true, "n_iter": "x", "method": "lvm", "features": [], "files": [{"file": "cells.csv", "sha256": 0}]}',
    "[" * 2000,
)


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a command."""
    command = str(rng.choice(["embed", "embed", "embed", "quality", "compare", "transform", "replay", "replay"]))
    words: list[str] = []
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        name = list(_OPTIONS)[int(rng.integers(len(_OPTIONS)))]
        value = str(rng.choice(_OPTIONS[name]))
        words += [name, *(value.split() if name == "--features" else [value])]
    return {
        "command": command,
        "table": str(rng.choice(_TABLES)),
        "ending": str(rng.choice([".csv", ".csv", ".parquet", ".h5ad"])),
        "output": str(
            rng.choice(["map.csv", "map.parquet", "map.h5ad", "map.xlsx", "cells.csv", "nowhere/map.csv", "map"])
        ),
        "words": words if command in ("embed", "compare", "quality") else [],
        "run": str(rng.choice(["lle", "zzz", "lvm preset=zzz", "lvm max_iter=2", "isomap n_neighbors=x", ""])),
        "record": _RECORDS[int(rng.integers(len(_RECORDS)))],
    }


def perform(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Run a command in this process; return what it says."""
    table = _table(case, rng, folder)
    before = table.read_bytes() if table.is_file() else b""
    output = str(folder / case["output"])
    match case["command"]:
        case "embed":
            words = ["embed", str(table), "-o", output, "--max-iter", "2", *case["words"]]
        case "compare":
            words = ["compare", str(table), "--run", "isomap n_neighbors=5", "--run", case["run"], *case["words"]]
        case "quality":
            words = ["quality", str(table), *case["words"]]
        case "transform":
            words = ["transform", str(table), str(table), "-o", output]
        case _:
            record = folder / "record.json"
            record.write_text(case["record"])
            words = ["replay", str(record)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder):
        code = main([*words, "--quiet"])
    said = err.getvalue().strip()
    if code not in (0, 1, 2):
        raise AssertionError(f"exit code {code}: {said}")
    if "latentmap failed" in said or "Traceback" in said:
        raise AssertionError(f"{' '.join(words[:1])}: {said[-300:]}")
    if table.is_file() and table.read_bytes() != before and case["output"] != table.name:
        raise Lost("the table that was read has changed")
    if table.is_file() and table.read_bytes() != before and "--force" not in words:
        raise Lost("a file was replaced without --force")
    if code == 0 and case["command"] == "embed":
        found = read_table(Path(output), layer="cells")
        n, left_out = _n_cells(case["table"]), re.search(r"\d+ of \d+|left out", out.getvalue() + said)
        if len(found.features) < n and not left_out:
            raise Lost(
                f"{n - len(found.features)} of {n} cells are not in the map, and nothing says so: {out.getvalue()}"
            )
    said = said or out.getvalue().strip()
    if code and not said:
        raise AssertionError(f"exit code {code} without a word")
    if code:
        raise Refused(said.splitlines()[-1])
    return [said] if said else []


def _n_cells(table: str) -> int:
    return {"one row": 1, "two rows": 2, "empty": 0}.get(table, 40)


def _table(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> Path:
    kind, path = case["table"], folder / f"cells{case['ending']}"
    rows = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"]).assign(label=np.arange(1, 41), kind="x")
    if kind == "nothing":
        return path
    if kind == "a folder":
        path.mkdir()
        return path
    if kind == "gaps":
        rows.loc[::7, "a"] = np.nan
    elif kind == "one row":
        rows = rows.head(1)
    elif kind == "two rows":
        rows = rows.head(2)
    elif kind == "words only":
        rows = rows[["label", "kind"]]
    elif kind == "no key":
        rows = rows.drop(columns="label")
    elif kind == "repeated key":
        rows["label"] = 3
    elif kind == "infinite":
        rows.loc[3, "a"] = np.inf
    elif kind == "empty":
        rows = rows.head(0)
    if case["ending"] == ".csv":
        rows.to_csv(path, index=False)
    elif case["ending"] == ".parquet":
        rows.to_parquet(path)
    else:
        import anndata

        numbers = rows.select_dtypes(float)
        obs = rows.drop(columns=list(numbers)).set_axis([f"c{at}" for at in range(len(rows))])
        anndata.AnnData(numbers.to_numpy(), obs=obs, var=pd.DataFrame(index=list(numbers))).write_h5ad(path)
    return path
