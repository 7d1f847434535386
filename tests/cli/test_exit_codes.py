"""How each command ends, one by one: its exit code, what is on stdout, and what --json has."""

import json
from importlib import import_module

import pytest

from latentmap.cli import parser as parsing
from latentmap.cli.main import DONE, INTERRUPTED, NOT_UNDERSTOOD, REFUSED, main

pytest.importorskip("pyarrow")

SHORT = ["--max-iter", "3"]
# Of each command: words that succeed, the keys of their JSON, words that are refused, words that are not understood.
COMMANDS = {
    "demo": (["demo", "new"], {"image", "labels"}, ["demo", "cells.parquet/x"], ["demo", "a", "b"]),
    "measure": (
        ["measure", "image.ome.tif", "labels.tif", "-o", "new.parquet"],
        {"output", "n_cells", "features", "notes"},
        ["measure", "image.ome.tif", "no.tif", "-o", "new.parquet"],
        ["measure", "image.ome.tif", "labels.tif"],
    ),
    "embed": (
        ["embed", "cells.parquet", "-o", "new.parquet", *SHORT],
        {"output", "n_cells", "n_left_out", "sentence", "record"},
        ["embed", "cells.parquet", "-o", "map.parquet", *SHORT],
        ["embed", "cells.parquet", "-o", "new.parquet", "--max-iter", "few"],
    ),
    "transform": (
        ["transform", "map.parquet", "cells.parquet", "-o", "new.csv"],
        {"output", "n_cells", "n_left_out", "notes"},
        ["transform", "cells.parquet", "cells.parquet", "-o", "new.csv"],
        ["transform", "map.parquet", "-o", "new.csv"],
    ),
    "quality": (
        ["quality", "map.parquet"],
        {"n_cells", "n_neighbors", "recall", "trustworthiness", "continuity", "triplets", "frame_fill"},
        ["quality", "map.parquet", "-k", "100000"],
        ["quality", "map.parquet", "-k", "some"],
    ),
    "compare": (
        ["compare", "cells.parquet", "--run", "lvm max_iter=3"],
        {"features", "runs"},
        ["compare", "cells.parquet", "--run", "umap"],
        ["compare"],
    ),
    "choose": (
        ["choose", "cells.parquet", "--try", "n_neighbors=5,10", "--folds", "2", "--held-out", "20", *SHORT],
        {"n_cells", "features", "best", "simplest", "sentence", "n_folds", "true_neighbors", "candidates"},
        ["choose", "cells.parquet", "--try", "zzz=3"],
        ["choose", "cells.parquet", "--folds", "two"],
    ),
    "replay": (["replay", "map.parquet"], {"agrees", "maps"}, ["replay", "cells.parquet"], ["replay"]),
    "methods": (["methods", "isomap"], {"title", "about", "parameters", "presets"}, None, ["methods", "umap"]),
    "completion": (["completion", "bash"], {"script"}, None, ["completion", "fish"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample tissue, its cells, and a map of them."""
    where = tmp_path_factory.mktemp("exits")
    assert main(["demo", str(where), "--quiet"]) == DONE
    images = [str(where / "image.ome.tif"), str(where / "labels.tif")]
    assert main(["measure", *images, "-o", str(where / "cells.parquet"), "--quiet"]) == DONE
    cells, made = str(where / "cells.parquet"), str(where / "map.parquet")
    assert main(["embed", cells, "-o", made, "--quiet", *SHORT]) == DONE
    return where


@pytest.fixture
def ended(folder, monkeypatch, capsys):
    """Runs a command in the folder, and returns its exit code, stdout and stderr; new files are taken away again."""
    monkeypatch.chdir(folder)
    there = {*folder.iterdir()}

    def run(words):
        capsys.readouterr()
        code = main([*words, "--quiet"])
        return code, *capsys.readouterr()

    yield run
    for path in {*folder.iterdir()} - there:
        for inside in path.iterdir() if path.is_dir() else ():
            inside.unlink()
        path.rmdir() if path.is_dir() else path.unlink()


def test_no_command_is_left_out():
    assert set(COMMANDS) == set(parsing.COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_done_with_json_and_with_sentences(ended, name):
    words, keys, _, _ = COMMANDS[name]
    code, out, err = ended([*words, "--json"])
    assert (code, err) == (DONE, "")
    said = json.loads(out)
    assert isinstance(said, dict)
    assert keys <= {*said}
    again = [*words, "--force"] if "-o" in words or name == "demo" else words
    code, out, err = ended(again)
    assert (code, err) == (DONE, "")
    assert out.strip()
    assert not out.lstrip().startswith("{")


@pytest.mark.parametrize("name", [name for name, (_, _, refused, _) in COMMANDS.items() if refused])
def test_refused_in_a_sentence_and_without_json(ended, folder, name):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    code, out, err = ended([*COMMANDS[name][2], "--json"])
    assert (code, out) == (REFUSED, "")
    assert err.startswith("latentmap: ")
    assert err.rstrip().endswith(".")
    assert len(err.splitlines()) == 1
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("name", COMMANDS)
def test_not_understood(ended, name):
    for words in (COMMANDS[name][3], [name, "--no-such-option"]):
        code, out, err = ended([*words, "--json"])
        assert (code, out) == (NOT_UNDERSTOOD, "")
        assert err.startswith("usage: latentmap")


@pytest.mark.parametrize("name", COMMANDS)
def test_interrupted(ended, folder, monkeypatch, name):
    def interrupt(options, talk):
        talk.say("half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module(f"latentmap.cli.{name}"), "run", interrupt)
    code, out, err = ended([*COMMANDS[name][0], "--json"])
    assert (code, out, err) == (INTERRUPTED, "", "latentmap: Interrupted: nothing more is written.\n")


def test_a_map_that_is_not_the_same_is_1_with_json(ended, folder):
    record = folder / "odd.json"
    assert ended(["embed", "cells.parquet", "-o", "odd.parquet", "--record", "odd.json", *SHORT])[0] == DONE
    said = json.loads(record.read_text())
    said["map"]["sha256"] = "0" * 64
    record.write_text(json.dumps(said))
    code, out, err = ended(["replay", "odd.json", "--json"])
    assert (code, err) == (REFUSED, "")
    assert json.loads(out)["agrees"] is False


def test_the_whole(ended):
    assert ended([])[0] == NOT_UNDERSTOOD
    assert main(["--help"]) == DONE
    assert main(["--version"]) == DONE
