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
    image, labels = cells.labels_image(500)
    assert set(np.unique(image)) == {0, *labels.tolist()}
    assert len(labels) == 500
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


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb-run is not installed")
def test_a_run_leaves_numbers_and_a_page_made_of_them(front, tmp_path):
    main = front("__main__")
    # Larger windows with such cells would be the same once more, with so few.
    for window in {(one.what, one.kind): str(one) for one in main.FRONT.windows}.values():
        main.main(["run", "--only", window, "--cells", "600", "--repeats", "1", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "benchmarks" / "napari.json").read_text())
    page = (tmp_path / "napari-speed.md").read_text()
    times = found["steps"]["labels, 600"]["times"]
    assert all(f"| {name} |" in page for name in times)
    assert times["lasso of 60 cells in the image"]["answer"][0] > 0
    (watched,) = found["runs"]["labels, 600"]["watched"]
    assert {"pressing Embed", "embedding", "the finished map"} <= set(watched["stages"])
    assert watched["seconds"] > sum(stage["longest"] for stage in watched["stages"].values())
