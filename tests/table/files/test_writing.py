import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentmap.table import MapTable, read_provenance, read_table, write_csv, write_table

FORMATS = [".csv", ".tsv", ".parquet", ".h5ad"]
KEYS = {
    "layer": ['Zellen µ, "a/b"', "NA", "NA", "nuclei\nB"],
    "frame": [0, 0, 19, 19],
    "label": [3, 3, 3, 2**40],
}
MAP = {"map_1": [0.1, 1 / 3, -1e-300, 4.0], "map_2": [1.0, 2.0, 3.0, np.nan], "variance": [0.5, 1.0, 2.0, 4.0]}
FEATURES = {"CD3/CD28, mean": [1 / 3, np.nan, np.inf, -7.25], "Fläche (µm²)": [4, 5, 6, 7]}
OTHERS = {
    "touches, border": [True, False, True, True],
    'ratio "a"/b': [0.1, 0.2, 0.3, np.nan],
    "_index": [1.5, 2.5, 3.5, 4.5],
    "a_b": [1, 2, 3, 4],
    "a/b": [5, 6, 7, 8],
    "divisions": pd.array([1, None, 3, 2**60 + 1], dtype="Int64"),
    "alive": pd.array([True, None, False, True], dtype="boolean"),
    "phase": pd.Categorical(["G1", "S", None, "G1"]),
    "class": ["", "None", "T cells", "T, B"],
}
PROVENANCE = {"date": "2026-01-01T00:00:00+00:00", "features": list(FEATURES), "model": {"dof": "inf"}, "stain": "µ/2"}


class Unwritable:
    def __str__(self):
        raise RuntimeError("no text for this")


@pytest.fixture
def map_table():
    rows = pd.DataFrame({**KEYS, **FEATURES, **OTHERS, **MAP})
    return MapTable(rows, tuple(FEATURES), ("map_1", "map_2"), ("variance", "class"), PROVENANCE)


def small(**columns):
    rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4.0, 9.0], **columns})
    return MapTable(rows, features=("area",))


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_is_written_is_read_back(tmp_path, map_table, suffix):
    path = write_table(map_table, tmp_path / f"map{suffix}")
    cells = read_table(path, layer="unused").features
    assert cells.index.tolist() == list(zip(*KEYS.values(), strict=True))
    assert set(cells.columns) == {*FEATURES, *OTHERS, *MAP}
    for name in cells:
        written, found = map_table.rows[name], cells[name]
        missing = written.isna().to_numpy()
        assert found.isna().tolist() == missing.tolist(), name
        values = found[~missing].astype(object).tolist()
        if suffix in (".csv", ".tsv") and name in ("divisions", "alive"):
            # Text has no types: whole numbers with gaps come back as the nearest floats.
            assert [float(value) for value in values] == [float(value) for value in written[~missing]]
        else:
            assert values == written[~missing].tolist(), name


@pytest.mark.parametrize("suffix", [".parquet", ".h5ad"])
def test_types_are_kept_where_the_format_has_them(tmp_path, map_table, suffix):
    cells = read_table(write_table(map_table, tmp_path / f"map{suffix}"), layer="unused").features
    dtypes = {name: str(cells[name].dtype) for name in ("touches, border", "divisions", "alive", "phase")}
    assert dtypes == {"touches, border": "bool", "divisions": "Int64", "alive": "boolean", "phase": "category"}


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_record_of_what_made_the_map_travels_with_it(tmp_path, map_table, suffix):
    path = write_table(map_table, tmp_path / f"map{suffix}")
    record = read_provenance(path)
    record.pop("renamed", None)
    assert record == PROVENANCE


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_table_without_a_record(tmp_path, suffix):
    path = write_table(small(), tmp_path / f"map{suffix}")
    assert read_provenance(path) == {}
    assert list(tmp_path.iterdir()) == [path]


def test_the_record_beside_a_csv_is_plain_json_and_belongs_to_that_table(tmp_path, map_table):
    path = write_table(map_table, tmp_path / "map.csv")
    record = json.loads((tmp_path / "map.csv.json").read_text(encoding="utf-8"))
    assert record["file"] == "map.csv"
    assert record["stain"] == "µ/2"
    path.write_text(path.read_text().replace("T cells", "B cells"))
    with pytest.raises(ValueError, match=r"\"map\.csv\.json\" is not the record of \"map\.csv\""):
        read_provenance(path)


def test_what_scanpy_expects_is_where_it_expects_it(tmp_path, map_table):
    adata = pytest.importorskip("anndata").read_h5ad(write_table(map_table, tmp_path / "map.h5ad"))
    assert adata.var_names.tolist() == list(FEATURES)
    np.testing.assert_array_equal(adata.X, np.column_stack(list(FEATURES.values())))
    np.testing.assert_array_equal(adata.obsm["X_latentmap"], np.column_stack([MAP["map_1"], MAP["map_2"]]))
    assert adata.obs_names.tolist()[1:3] == ["NA/0/3", "NA/19/3"]
    assert adata.obs_names.is_unique
    assert adata.obs["variance"].tolist() == MAP["variance"]
    assert not any("/" in name for name in adata.obs)
    renamed = json.loads(adata.uns["latentmap"])["renamed"]
    assert renamed == {'ratio "a"/b': 'ratio "a"_b', "_index": "_index_", "a/b": "a_b_"}


@pytest.mark.parametrize("suffix", [".parquet", ".h5ad"])
def test_columns_of_objects_find_a_type(tmp_path, suffix):
    map_table = small(
        mixed=[1, "G1"],
        seen=[None, True],
        nothing=[None, None],
        sets=[{1}, {2}],
        count=pd.Series([None, 2], dtype=object),
        grade=pd.Categorical([1, "II"]),
    )
    cells = read_table(write_table(map_table, tmp_path / f"map{suffix}"), layer="nuclei").features
    assert cells["mixed"].tolist() == ["1", "G1"]
    assert cells["grade"].tolist() == ["1", "II"]
    assert cells["sets"].tolist() == ["{1}", "{2}"]
    assert cells["seen"].isna().tolist() == cells["count"].isna().tolist() == [True, False]
    assert cells["seen"].iloc[1] is np.True_
    assert cells["count"].iloc[1] == 2
    assert cells["nothing"].isna().all()


@pytest.mark.parametrize("suffix", FORMATS)
def test_dates_and_missing_numbers_of_pandas(tmp_path, suffix):
    dates = pd.to_datetime(["2026-01-02 03:04", None])
    numbers = pd.array([0.5, None], dtype="Float64")
    map_table = small(day=dates, ratio=numbers, since=pd.to_timedelta([1, None], unit="h"))
    cells = read_table(write_table(map_table, tmp_path / f"map{suffix}"), layer="nuclei").features
    assert pd.to_datetime(cells["day"]).tolist()[0] == dates[0]
    assert pd.to_timedelta(cells["since"]).tolist()[0] == pd.Timedelta(hours=1)
    assert cells[["day", "since", "ratio"]].isna().iloc[1].all()
    assert cells["ratio"].iloc[0] == 0.5


@pytest.mark.parametrize("suffix", FORMATS)
def test_two_columns_of_one_name_are_refused(tmp_path, suffix):
    rows = pd.DataFrame([["nuclei", 0, 3, 1.0, 2.0]], columns=["layer", "frame", "label", "1", 1])
    with pytest.raises(ValueError, match='Several columns are named "1"'):
        write_table(MapTable(rows), tmp_path / f"map{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_ending_is_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r'"map\.xlsx": a table is saved as \.csv'):
        write_table(small(), tmp_path / "map.xlsx")


@pytest.mark.parametrize(("suffix", "name"), [(".h5ad", "anndata"), (".parquet", "pyarrow")])
def test_a_missing_library_is_a_sentence(tmp_path, monkeypatch, suffix, name):
    monkeypatch.setitem(sys.modules, name, None)
    for module in ("pyarrow.parquet",):
        monkeypatch.setitem(sys.modules, module, None)
    for act in (lambda path: write_table(small(), path), lambda path: read_table(path, layer="nuclei")):
        with pytest.raises(ValueError, match=rf'{name}: pip install "latentmap\[files\]"'):
            act(tmp_path / f"map{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="no text for this"):
        write_csv(pd.DataFrame({"label": [*range(10_000), Unwritable()]}), path, {"seed": 0})
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error(tmp_path):
    for suffix in FORMATS:
        with pytest.raises(FileNotFoundError):
            write_table(small(), tmp_path / "missing" / f"cells{suffix}")


def test_a_table_that_cannot_be_replaced_keeps_its_record(tmp_path, map_table, monkeypatch):
    path = write_table(map_table, tmp_path / "map.csv")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def refuse(self, target):
        # As Windows does while a spreadsheet has the file open.
        if Path(target).name == "map.csv":
            raise PermissionError(13, "Permission denied", str(self), None, str(target))
        return os.replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError) as caught:
        write_table(MapTable(map_table.rows.head(2), provenance={"seed": 1}), path)
    assert caught.value.filename == str(path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


# It imports what a format needs once, and has a process of its own write each table.
HARD_TIMES = """
import os, resource, signal, sys
import numpy as np, pandas as pd
from latentmap.table import MapTable, write_table

def write(how, path):
    if how == "killed before it is on the disk":
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    else:
        # No file may grow beyond this, as on a disk that is full.
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    if how == "killed in a write":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the kernel ends the process at the write that goes too far
    try:
        write_table(sheet, path)
    except OSError as error:
        # At once: what a library still holds of the file must not be flushed in an orderly end.
        print(error, file=sys.stderr, flush=True)
        os._exit(3)
    os._exit(0)

rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": np.arange(1, 20_001)})
rows = rows.assign(area=np.random.default_rng(0).normal(size=20_000))
sheet = MapTable(rows, ("area",), provenance={"seed": 0})
# Whatever is imported on the way must be there before files are limited: Python would cut its own caches short.
write_table(sheet, sys.argv[1])
for line in sys.stdin:
    process = os.fork()
    if not process:
        write(*line.rstrip("\\n").split(": ", 1))
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def write_in_hard_times(tmp_path_factory):
    """A function that has another process write a table, and returns how it ended."""
    with ExitStack() as started:

        @cache
        def starter(suffix):
            practice = tmp_path_factory.mktemp("practice") / f"map{suffix}"
            # -B: no bytecode is written, least of all under a limit.
            command = [sys.executable, "-B", "-c", HARD_TIMES, practice]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            return started.enter_context(subprocess.Popen(command, **pipes))

        def write(how, path):
            process = starter(path.suffix)
            process.stdin.write(f"{how}: {path}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield write


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("how", ["full", "killed before it is on the disk", "killed in a write"])
def test_the_old_table_stays_whole(tmp_path, write_in_hard_times, map_table, suffix, how):
    path = write_table(map_table, tmp_path / f"map{suffix}")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    ended = write_in_hard_times(how, path)
    if how == "full":
        assert ended == 3
        assert {file.name for file in tmp_path.iterdir()} == before.keys()
    else:
        assert ended in (-signal.SIGKILL, -signal.SIGXFSZ)
        leftovers = {file.name for file in tmp_path.iterdir()} - before.keys()
        assert leftovers
        assert all(name.startswith(".") and name.endswith(".part") for name in leftovers)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert len(read_table(path, layer="unused").keys) == 4
