import errno
import os
import runpy
import subprocess
import sys
from contextlib import chdir

import numpy as np
import pandas as pd
import pytest

from latentmap.session import Axis, Gate, Parameters, SessionSnapshot, script_text, write_script
from latentmap.table import CellTable, write_csv
from latentmap.table.text_numbers import EXACT


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    features = rng.gamma(2, size=(80, 4)) + 6 * (np.arange(80) % 2)[:, None]
    rows = pd.DataFrame(features, columns=["area", 'DNA "total"', "actin, mean", "myosin"])
    rows["myosin"] = rows["myosin"].astype(np.float32)
    return rows.assign(
        spots=rng.integers(0, 9, 80), label=np.arange(1, 81)[::-1], type="NA", plate=np.tile(["07", "8"], 40)
    )


@pytest.fixture
def session(session, rows):
    session.parameters.features = ("area", 'DNA "total"', "actin, mean", "myosin", "spots")
    session.parameters.n_neighbors, session.parameters.max_iter = 6, 20
    return session


@pytest.fixture
def embed(session, loop):
    def embed(rows, only=None):
        run = session.embed(CellTable.read(rows, layer="NA"), only)
        loop.turn(lambda: not session.runs.running, seconds=60)
        return run

    return embed


def start(folder):
    """Run the script of a folder in a process of its own."""
    return subprocess.run([sys.executable, "again.py"], cwd=folder, capture_output=True, text=True)


def start_here(folder):
    """Run it in this one, which has imported the libraries already; what it does not import itself it has not."""
    with chdir(folder):
        runpy.run_path("again.py", run_name="__main__")


def write(run, rows, folder):
    write_csv(rows, folder / "cells.csv")
    (folder / "again.py").write_text(script_text(run), encoding="utf-8")


def check(run, folder, start=start_here):
    """Save the table and the script, run it, and compare what it wrote with the map."""
    write(run, run.result.rows(), folder)
    start(folder)
    written = pd.read_csv(folder / "cells_map.csv", **EXACT, dtype={"layer": str}, keep_default_na=False)
    again = written.set_index(["layer", "frame", "label"])
    axes = [f"map_{axis}" for axis in range(1, run.result.embedding.shape[1] + 1)]
    assert list(again.columns) == [*axes, "variance"]
    assert again.index.tolist() == run.result.cells.keys
    np.testing.assert_array_equal(again[axes], run.result.embedding)
    np.testing.assert_array_equal(again["variance"], run.result.variances)


def test_the_map_of_few_cells(session, embed, rows, tmp_path):
    session.parameters.n_neighbors = 22
    run = embed(rows.head(14))
    assert "n_neighbors=4" in script_text(run)
    check(run, tmp_path)
    (stored,) = SessionSnapshot.of(session).runs
    assert stored.parameters == Parameters(**run.result.parameters)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"transform": "arcsinh", "cofactor": 3.0, "scaling": "robust", "n_components": 3},
        {"transform": "rank", "scaling": "none", "n_pca": 2, "metric": "cosine", "random_state": 5},
        {"transform": "log1p", "n_pca": 3, "metric": "correlation", "n_levels": 1, "ramp": (0.1, 0.5)},
        {"tied_variances": True, "connect": "largest"},
        {"transform": "log1p", "n_pca": 3, "scale_within": "plate"},
    ],
)
def test_the_script_makes_the_same_map(session, embed, rows, tmp_path, changes):
    for name, value in changes.items():
        setattr(session.parameters, name, value)
    check(embed(rows), tmp_path)


def test_the_script_gates_the_cells_again(session, embed, rows, tmp_path):
    rows["myosin_raw"] = rows["myosin"]
    run = embed(rows)
    axes = (Axis('DNA "total"', "arcsinh", 2.5), Axis("actin, mean", "log"))
    features = run.result.cells.features
    at = tuple(float(value) for value in features["myosin_raw"].nlargest(20))[-1:]
    gates = [
        Gate("threshold", (Axis("myosin_raw"),), (at,), ("M+", "M-")),
        Gate(
            "polygon", axes, ((0.0, 0.5), (9.0, 0.5), (9.0, 8.0), (1.0, 7.0)), ('T "cells"',), {"NA": ((0.0, 0.5),) * 3}
        ),
        Gate("rectangle", axes[:1], ((4.0,), (8.0,)), ("D",)),
    ]
    for gate in gates:
        session.gates.add(gate, features)
    write_csv(run.result.rows(), tmp_path / "cells.csv")
    unknown = Gate("threshold", (Axis("CD4"),), ((0.0,),), ("CD4+", ""))
    (tmp_path / "again.py").write_text(script_text(run, gates=[*gates, unknown]), encoding="utf-8")
    start_here(tmp_path)
    again = pd.read_csv(tmp_path / "cells_map.csv", **EXACT, keep_default_na=False)
    expected = session.classes.names_of(session.cell_index.numbers_of(features.index))
    assert again["class"].tolist() == expected.tolist()
    assert {"M+", "M-", "D"} <= set(expected)
    np.testing.assert_array_equal(again["map_1"], run.result.embedding[:, 0])
    assert "Gate" not in script_text(run)


@pytest.mark.slow
def test_it_does_so_in_a_process_of_its_own(embed, rows, tmp_path):
    def start_there(folder):
        ended = start(folder)
        assert ended.returncode == 0, ended.stderr

    check(embed(rows), tmp_path, start_there)


def test_the_largest_part_alone(session, embed, rows, tmp_path):
    far = ["area", 'DNA "total"', "actin, mean", "myosin"]
    rows.loc[:9, far] += 1000
    rows.loc[50, "area"] = np.nan
    session.parameters.connect = "largest"
    run = embed(rows)
    assert 'connect="largest"' in script_text(run).replace("'", '"')
    assert len(run.result.embedding) < len(rows) - 10
    check(run, tmp_path)


def test_the_paper_s_model(session, embed, rows, tmp_path):
    session.parameters.take("paper")
    run = embed(rows)
    assert 'dof=float("inf")' in script_text(run)
    check(run, tmp_path)


@pytest.mark.parametrize("missing", ["leave out", "median", "similar cells"])
def test_missing_values(session, embed, rows, tmp_path, missing):
    rows.loc[[3, 8, 40], "area"] = np.nan
    rows.loc[[8, 41], "myosin"] = np.inf
    session.parameters.missing = missing
    check(embed(rows), tmp_path)


def test_the_selection_alone_without_what_was_dropped(session, embed, rows, tmp_path):
    cells = session.cell_index.add(CellTable.read(rows, layer="NA").features.index)
    session.dropped.drop(cells[:4])
    run = embed(rows, cells[:50])
    written = script_text(run)
    assert "# 4 cells dropped by hand left out." in written
    assert "# Only 46 of 76 cells: the selection." in written
    check(run, tmp_path)


def test_a_run_that_was_stopped(session, embed, rows, tmp_path, loop):
    session.parameters.max_iter = 100_000
    run = session.embed(CellTable.read(rows, layer="NA"))
    loop.turn(lambda: run.progress is not None and run.progress.iteration > 3)
    session.runs.stop()
    loop.turn(lambda: not session.runs.running, seconds=60)
    check(run, tmp_path)


@pytest.mark.slow
def test_another_table_is_refused(embed, rows, tmp_path):
    run = embed(rows)
    write(run, run.result.rows().iloc[1:], tmp_path)
    ended = start(tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.strip().startswith("The map has 80 cells: restore those dropped since")
    assert not (tmp_path / "cells_map.csv").exists()


def test_names_that_look_like_code_are_only_names(session, embed, rows, tmp_path):
    run = embed(rows)
    session.runs.rename(run, 'x"""\nraise SystemExit(3)\u2028\0 #')
    check(run, tmp_path)


def test_what_cannot_be_made_anew_is_said(session, embed, rows):
    with pytest.raises(ValueError, match="has no map yet"):
        script_text(session.embed(CellTable.read(rows, layer="NA")))
    session.parameters.features = ("map_1", "spots")
    with pytest.raises(ValueError, match='"map_1" has the name of a column'):
        script_text(embed(rows.rename(columns={"area": "map_1"})))
    session.parameters.features = ("spots", "area")
    run = embed(rows.assign(lost_neighbors=rows["spots"]))
    with pytest.raises(ValueError, match='"lost_neighbors" has the name of a column'):
        script_text(run, gates=[Gate("threshold", (Axis("lost_neighbors"),), ((1.0,),), ("many", ""))])


@pytest.mark.slow
def test_a_script_takes_no_other_table(embed, rows, tmp_path):
    """Killed between the two files, the new table would stand beside the old script."""
    made = embed(rows)
    script, table, text = write_script(made, tmp_path / "map.py")
    assert "hashlib" in text
    table.write_text(table.read_text().replace("1", "2", 1))
    done = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "map_cells.csv is not the table that was saved with this script" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("_map.csv")] == []


def test_a_table_that_cannot_be_written_leaves_the_old_script(embed, rows, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    made = embed(rows)
    script, *_ = write_script(made, tmp_path / "map.py")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr("latentmap.session.script.write_csv", full)
    with pytest.raises(OSError, match="No space left"):
        write_script(made, script)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
