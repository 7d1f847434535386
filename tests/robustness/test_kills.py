"""Processes that are killed while they write; ``python -m benchmarks.robustness kills`` kills more."""

import importlib
import json
import os
import subprocess
import sys

import pytest

for library in ("pyarrow", "anndata"):
    pytest.importorskip(library)

CODE = """
import json
from benchmarks.robustness import kills
found = kills.kill_often(18, seed=5, n_rows=3000, only={formats})
print(json.dumps([list(kill) for kill in found]))
"""
FORMATS = (
    "CSV with its record",
    "Parquet with its record",
    "AnnData with its record",
    "session",
    "script and its table",
)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
def test_the_old_file_or_the_new_one_is_there_after_every_kill(pytestconfig):
    # In a process of its own: this one may have threads, which a fork would not take along.
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(formats=FORMATS)],
        check=True,
        capture_output=True,
        text=True,
        cwd=pytestconfig.rootpath,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 18
    assert {kind for kind, *_ in found} == {*FORMATS}
    assert [kill for kill in found if kill[3] or kill[1] not in (1, 2)] == []
    assert any(is_midway for _, _, is_midway, _ in found)


@pytest.fixture
def kills(pytestconfig, monkeypatch):
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return importlib.import_module("benchmarks.robustness.kills")


def test_half_a_file_in_its_place_is_told(kills, tmp_path, monkeypatch):
    """A writer that goes straight to the file must be caught."""
    whole = kills.Format("x.txt", lambda path, version: path.write_text(f"{version} end"), None)

    def read(path):
        text = path.read_text()
        if not text.endswith(" end"):
            raise AssertionError("half")
        return int(text[0])

    target = kills._Target("text", whole._replace(read=read), tmp_path / "a")
    (tmp_path / "a" / "x.txt").write_text("2 e")
    assert target._looked_at() == kills.Kill("text", 0, False, "AssertionError: half")
    (tmp_path / "a" / "x.txt").write_text("2 end")
    (tmp_path / "a" / "x.txt.tmp").write_text("2")
    assert "other files" in target._looked_at().trouble
