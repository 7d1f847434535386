"""The page of pictures shows whole maps, and says what was measured of these very maps and nothing else."""

import importlib
import json
import os
import re

import numpy as np
import pytest

from latentmap.quality import frame_fill, groups_found, knn_error

pytest.importorskip("matplotlib", reason="matplotlib, of the dependency group benchmarks, is not installed")

from matplotlib.figure import Figure

N = 90


@pytest.fixture
def benchmarks(pytestconfig, monkeypatch, tmp_path):
    """A function that imports a module of benchmarks, which is not installed; maps are kept in a folder."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    monkeypatch.setattr(importlib.import_module("benchmarks.pictures.maps"), "CACHE", tmp_path / "kept")
    return lambda name: importlib.import_module(f"benchmarks.{name}")


@pytest.fixture
def made(benchmarks, monkeypatch):
    """The methods that were run, none of them truly: each takes the first two columns, and a slope."""
    run = []

    def run_alone(method, path, fits, compiled):
        run.append(method)
        slope = np.linspace(0, len(run), fits[0]["rows"])
        return fits, [np.load(path)[:, :2] + slope[:, None]]

    monkeypatch.setattr(benchmarks("pictures.maps"), "run_alone", run_alone)
    return run


@pytest.fixture
def run(benchmarks, tmp_path):
    """A function that gives an order, and returns the records that are there after it."""

    def run(command="run", data=("digits", "cube"), methods=("latentmap", "latentmap-density-kept")):
        order = [command, "--data", *data, "--methods", *methods, "--rows", str(N), "--out", str(tmp_path)]
        benchmarks("pictures.__main__").main(order)
        return json.loads((tmp_path / "benchmarks" / "pictures.json").read_text())["records"]

    return run


@pytest.mark.slow
def test_maps_are_made_once_and_the_page_says_what_they_are(benchmarks, made, run, tmp_path):
    records = run()
    assert made == ["latentmap", "latentmap-density-kept"] * 2
    assert [(record["data"], record["method"]) for record in records[1:3]] == [
        ("digits", "latentmap-density-kept"),
        ("cube", "latentmap"),
    ]
    embedding = np.load(benchmarks("pictures.maps").file_of(records[1]))
    y = benchmarks("peers.data_sets").read("digits", N).y
    assert records[1]["quality"]["fill"] == frame_fill(embedding)
    assert records[1]["quality"]["error_9"] == knn_error(embedding, y, n_neighbors=9)
    found = groups_found(np.load(benchmarks("pictures.maps").file_of(records[3])))
    assert (records[3]["quality"]["groups"], records[3]["quality"]["strays"]) == found
    page = (tmp_path / "pictures.md").read_text()
    line = f"| density kept | {100 * frame_fill(embedding):.1f} | {100 * records[1]['quality']['error_9']:.2f} |"
    assert line in page
    assert "No map was made by DETAIL, PAPER, umap-learn, PaCMAP, openTSNE." in page
    for alternative, name in re.findall(r"!\[(.+)\]\(images/pictures-([\w-]+)\.png\)", page):
        assert f"density kept fills {100 * numbers(records, name)['fill']:.0f} %" in alternative
        assert (tmp_path / "images" / f"pictures-{name}.png").is_file()
    assert run() == records
    assert len(made) == 4


def numbers(records, data):
    (record,) = (one for one in records if (one["data"], one["method"]) == (data, "latentmap-density-kept"))
    return record["quality"]


@pytest.mark.slow
def test_pictures_are_drawn_again_without_making_maps(made, run, tmp_path):
    run()
    image = tmp_path / "images" / "pictures-cube.png"
    before = image.read_bytes()
    image.unlink()
    run("page")
    assert image.read_bytes() == before
    assert len(made) == 4


@pytest.mark.slow
def test_other_code_rows_or_settings_make_another_map(benchmarks, made, run, monkeypatch, tmp_path):
    (first,) = run(data=["digits"], methods=["latentmap"])
    tasks, methods = benchmarks("peers.tasks"), benchmarks("peers.methods")
    monkeypatch.setattr(tasks, "code_of_ours", lambda: "other")
    (second,) = run(data=["digits"], methods=["latentmap"])
    assert (len(made), second["code"]) == (2, "other")
    monkeypatch.setitem(methods.METHODS, "latentmap", methods.Method("latentmap", "latentmap", "LVM", {"dof": 3}))
    assert "to be made again: latentmap.**" in benchmarks("pictures.page").page(tmp_path)
    run(data=["digits"], methods=["latentmap"])
    assert len(made) == 3
    assert "`LVM(dof=3)`" in (tmp_path / "pictures.md").read_text()
    assert benchmarks("pictures.maps").file_of(first).is_file()


def test_a_method_that_is_not_there_is_left_out_and_named(benchmarks, made, run, monkeypatch, capsys, tmp_path):
    methods = benchmarks("peers.methods")
    monkeypatch.setitem(methods.METHODS, "pacmap", methods.Method("no-such", "no_such_module", "X"))
    run(data=["digits"], methods=["latentmap", "pacmap"])
    assert made == ["latentmap"]
    assert "pacmap is left out: no-such is not installed" in capsys.readouterr().err
    assert re.search(r"No map was made by .*PaCMAP", (tmp_path / "pictures.md").read_text())


def test_a_method_that_fails_does_not_stop_the_others(benchmarks, made, run, monkeypatch, tmp_path):
    maps, failed = benchmarks("pictures.maps"), benchmarks("peers.process").RunFailed
    works = maps.run_alone

    def run_alone(method, *rest):
        if method == "latentmap":
            raise failed("out of luck")
        return works(method, *rest)

    monkeypatch.setattr(maps, "run_alone", run_alone)
    with pytest.raises(SystemExit, match="latentmap on digits failed:\nout of luck"):
        run(data=["digits"])
    assert "| density kept |" in (tmp_path / "pictures.md").read_text()


def test_a_map_is_drawn_whole_in_a_square_with_one_scale(benchmarks):
    embedding = np.random.default_rng(0).normal(size=(200, 2))
    embedding[7] = [60, -5]
    axes = Figure().subplots()
    benchmarks("pictures.panels").draw_whole(axes, embedding, np.zeros((200, 4)))
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert right - left == pytest.approx(top - bottom)
    assert axes.get_box_aspect() == 1
    assert ((embedding > [left, bottom]) & (embedding < [right, top])).all()
    (points,) = axes.collections
    assert len(points.get_offsets()) == 200


def test_a_class_has_one_colour_and_a_continuum_a_scale(benchmarks, tmp_path):
    Colors, DataSet = benchmarks("pictures.panels").Colors, benchmarks("peers.data_sets").DataSet
    X = np.linspace(0, 1, 12)[:, None] * [[3, 4]]
    of = Colors.of(DataSet(X, np.array(list("abcabcabcabc")), None, tmp_path))
    assert list(of.names) == ["a", "b", "c"]
    assert len(np.unique(of.of_rows, axis=0)) == 3
    np.testing.assert_array_equal(of.of_rows[::3], [of.names["a"]] * 4)
    along = Colors.of(DataSet(X[[5, 0, 11, *range(1, 5), *range(6, 11)]], None, None, tmp_path)).of_rows
    assert len(np.unique(along, axis=0)) == 12
    ends = along[[1, 2]]
    assert all(abs(ends[0] - ends[1]).sum() >= abs(one - other).sum() - 0.2 for one in along for other in along)


def test_one_group_is_one_group(benchmarks):
    in_words = benchmarks("pictures.panels").in_words
    assert in_words({"fill": 0.573}) == "fills 57 %"
    assert in_words({"fill": 0.573, "groups": 1.0}).endswith(", 1 group found")
    assert in_words({"fill": 0.573, "groups": 4.0}).endswith(", 4 groups found")


def test_all_tables_of_the_peers_are_pictured_but_parts_of_the_digits(benchmarks):
    left_out = set(benchmarks("peers.data_sets").COMPARED) - set(benchmarks("pictures.__main__").DATA)
    assert left_out == {"mnist-1k", "mnist-3k", "mnist-30k"}


def test_the_page_says_nothing_of_what_was_not_measured(benchmarks, tmp_path):
    page = benchmarks("pictures.page").page(tmp_path)
    assert "Nothing was measured yet" in page
    assert "##" not in page
    assert "images/" not in page


def test_the_documented_page_is_that_of_documented_numbers(benchmarks, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    images = {path.name for path in (docs / "images").glob("pictures-*.png")}
    if not (docs / "pictures.md").is_file():
        assert not images
        pytest.skip("docs/pictures.md was not made yet: python -m benchmarks.pictures run")
    page = (docs / "pictures.md").read_text()
    assert page == benchmarks("pictures.page").page(docs)
    assert images == set(re.findall(r"images/(pictures-[\w-]+\.png)", page))


@pytest.mark.slow
def test_a_map_is_that_of_the_estimator(benchmarks, run, monkeypatch):
    from latentmap import LVM

    def run_alone(method, path, fits, compiled):
        # What is compiled for the tests themselves need not be compiled once more.
        return benchmarks("peers.process").run_alone(method, path, fits, os.environ.get("NUMBA_CACHE_DIR", ""))

    monkeypatch.setattr(benchmarks("pictures.maps"), "run_alone", run_alone)
    (record,) = run(data=["digits"], methods=["latentmap-density-kept"])
    X = benchmarks("peers.data_sets").read("digits", N).X
    wanted = LVM(local_scaling=0.0, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(np.load(benchmarks("pictures.maps").file_of(record)), wanted)
