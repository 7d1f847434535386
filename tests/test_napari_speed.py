"""The benchmark of napari's window measures what it says, and its page says what was measured and nothing else."""

import importlib
import json
import shutil

import numpy as np
import pytest

pytest.importorskip("napari", reason="napari is not installed")


@pytest.fixture
def front(pytestconfig, monkeypatch):
    """A function that imports a module of benchmarks.napari_front, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return lambda name: importlib.import_module(f"benchmarks.napari_front.{name}")


def test_the_documented_page_is_that_of_the_documented_numbers(front, pytestconfig):
    docs = pytestconfig.rootpath / "docs"
    assert (docs / "napari-speed.md").read_text() == front("page").page(docs)


def test_the_page_says_nothing_of_what_was_not_measured(front, tmp_path):
    page = front("page").page(tmp_path)
    assert "Nothing was measured yet" in page
    assert "##" not in page


def test_every_cell_of_the_image_has_its_row_and_labels_are_sparse(front):
    cells = importlib.import_module("benchmarks.cells")
    image, labels = cells.labels_image(500, 1000)
    assert set(np.unique(image)) == {0, *labels.tolist()}
    assert len(labels) == 500
    large, _ = cells.labels_image(500, 2000)
    assert np.array_equal(np.unique(large), np.unique(image))
    assert labels.max() > 1000
    assert not np.array_equal(labels, np.sort(labels))


def test_a_gap_is_told_with_the_stage_it_was_in(front):
    gaps = importlib.import_module("benchmarks.gaps")
    found = gaps.summary(
        [
            gaps.Gap(0.005, 0.001, 0.0, "graph"),
            gaps.Gap(0.3, 0.02, 0.1, "graph"),
            gaps.Gap(0.06, 0.05, 0.0, "embedding"),
        ]
    )
    assert found["stages"]["graph"] == {
        "ticks": 2,
        "over": 1,
        "longest": 0.3,
        "at_work": 0.02,
        "queued": 0.1,
        "most_work": 0.02,
    }
    assert found["stages"]["embedding"]["over"] == 1


@pytest.fixture
def small_window(front, monkeypatch, make_napari_viewer):
    """A window of this process, with an image that is soon drawn."""
    window, cells = front("window"), importlib.import_module("benchmarks.cells")
    monkeypatch.setattr(window.napari, "Viewer", make_napari_viewer)
    monkeypatch.setattr(window, "SIZE", (1000, 600))
    monkeypatch.setattr(window, "_SETTLED", 0.02)
    monkeypatch.setattr(cells, "SIDE", 400)
    monkeypatch.setattr(cells, "SLIDE", 800)


@pytest.mark.slow
def test_steps_leave_numbers_and_a_page_made_of_them(front, small_window, tmp_path):
    """Of labels, of a slide and of points; windows with more of them would be the same once more."""
    measuring, main = front("measuring"), front("__main__")

    def measure(windows, quick):
        given = [window.split(",") for window in windows]
        return [measuring.measure(what, kind, int(cells), int(repeats)) for what, kind, cells, repeats in given]

    here = main.FRONT._replace(measure=measure)
    each = {one.kind: str(one) for one in here.windows if one.what == "steps"}.values()
    here.main(["run", "--only", *each, "--cells", "600", "--repeats", "1", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "benchmarks" / "napari.json").read_text())
    page = (tmp_path / "napari-speed.md").read_text()
    assert set(found["steps"]) == {"labels, 600", "slide, 600", "points, 600"}
    for steps in found["steps"].values():
        assert all(f"| {name} |" in page for name in steps["times"])
        assert steps["times"]["lasso of 60 cells in the image"]["answer"][0] > 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb-run is not installed")
def test_a_run_in_a_process_of_its_own_leaves_numbers_and_a_page_made_of_them(front, tmp_path):
    window = next(str(one) for one in front("__main__").FRONT.windows if one.what == "runs")
    front("__main__").main(["run", "--only", window, "--cells", "600", "--repeats", "1", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "benchmarks" / "napari.json").read_text())
    (watched,) = found["runs"]["labels, 600"]["watched"]
    assert {"pressing Embed", "embedding", "the finished map"} <= set(watched["stages"])
    assert watched["seconds"] > sum(stage["longest"] for stage in watched["stages"].values())
    page = (tmp_path / "napari-speed.md").read_text()
    assert all(f"| {stage} |" in page for stage in watched["stages"])
