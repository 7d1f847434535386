"""A session saved in one front end opens in the other."""

import asyncio
import base64
import time

import numpy as np
import pandas as pd
import pytest

from latentmap.jupyter import explore, open_session
from latentmap.napari_plugin.commands import panel_of
from latentmap.napari_plugin.panel.panel import MapPanel

rng = np.random.default_rng(0)
NUMBERS = np.arange(1, 31) * 7
LABELS = np.zeros((60, 50), dtype=np.int32)
for at, number in enumerate(NUMBERS):
    LABELS[10 * (at // 5) + 1 : 10 * (at // 5) + 9, 10 * (at % 5) + 1 : 10 * (at % 5) + 9] = number
FEATURES = pd.DataFrame({"label": NUMBERS, **{f"f{column}": rng.normal(size=30) for column in range(4)}})


def in_a_kernel(act):
    """Do something where an event loop runs, as it does in a notebook's kernel."""

    async def main():
        return await act()

    return asyncio.run(main())


@pytest.mark.slow
def test_finished_waits_for_the_run_and_gives_what_it_has_made():
    async def act():
        shown = explore(FEATURES)
        at_once = await shown.finished()
        shown.session.parameters.n_neighbors = 6
        begun = shown.embed()
        first = await shown.finished()
        shown.session.live.on = True
        shown.session.parameters.n_neighbors = 8
        second = await shown.finished()
        shown.close()
        return at_once, begun, first, second

    at_once, begun, first, second = in_a_kernel(act)
    assert at_once is None
    assert first is begun
    assert first.status == "done"
    assert second.parameters["n_neighbors"] == 8
    assert second.result is not None


def test_finished_raises_what_the_run_has_raised_and_only_that():
    async def act():
        shown = explore(FEATURES)
        shown.session.parameters.n_components = 50
        shown.embed()
        with pytest.raises(ValueError, match="Lower n_components"):
            await shown.finished()
        shown.session.parameters.n_components = 2
        again = await shown.finished()
        shown.session.parameters.max_iter = 100_000
        shown.embed()
        waiting = asyncio.create_task(shown.finished())
        await asyncio.sleep(0.05)
        shown.close()
        return again, await waiting

    assert in_a_kernel(act) == (None, None)


async def saved(path):
    shown = explore(FEATURES, {"DNA": 1.0 * (LABELS > 0)}, LABELS, scale=(0.5, 0.5), unit="um")
    shown.session.parameters.n_neighbors = 6
    shown.embed()
    await shown.finished()
    shown.selection.select_keys([("cells", 0, 7), ("cells", 0, 21)], how="lasso on the map")
    shown.classes.assign("dividing", shown.selection.numbers)
    shown.save(path)
    embedding = shown.session.runs.current.result.embedding
    shown.close()
    return embedding


async def opened(path):
    shown = open_session(path)
    run = shown.session.runs.current
    found = {
        "embedding": run.result.embedding,
        "classes": shown.session.cell_index.keys(shown.classes.members("dividing")).tolist(),
        "selected": shown.selection.keys.tolist(),
        "k": shown.session.parameters.n_neighbors,
        "pictures": shown.images.pane.pictures,
        "lit": shown.images.pane.selected.tolist(),
        "table": shown.table(),
    }
    shown.embed()
    await shown.finished()
    found["again"] = shown.session.runs.current.result.embedding
    shown.close()
    return found


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.latentmap"


def check(found, embedding, unit):
    np.testing.assert_array_equal(found["embedding"], embedding)
    np.testing.assert_array_equal(found["again"], embedding)
    assert found["classes"] == found["selected"] == [("cells", 0, 7), ("cells", 0, 21)]
    assert found["k"] == 6
    (picture,) = found["pictures"]
    np.testing.assert_array_equal(picture.labels, LABELS)
    assert list(picture.channels) == ["DNA"]
    assert (picture.scale, picture.unit) == ((0.5, 0.5), unit)
    assert len(found["lit"]) == 2
    assert found["table"]["class"].eq("dividing").sum() == 2


def test_a_notebook_opens_its_own(path):
    embedding = in_a_kernel(lambda: saved(path))
    check(in_a_kernel(lambda: opened(path)), embedding, "um")


def test_napari_opens_a_notebooks(qtbot, make_napari_viewer, path):
    embedding = in_a_kernel(lambda: saved(path))
    viewer = make_napari_viewer()
    panel = panel_of(viewer)
    panel.saving.open_session(path)
    qtbot.wait_until(lambda: not panel.running and panel.result is not None, timeout=60_000)
    np.testing.assert_array_equal(panel.result.embedding, embedding)
    assert panel.selection.keys.tolist() == [("cells", 0, 7), ("cells", 0, 21)]
    assert panel.session.classes.names == ("dividing",)
    assert [layer.name for layer in viewer.layers][:2] == ["DNA", "cells"]
    np.testing.assert_allclose(viewer.layers["cells"].scale, 0.5)
    assert [str(unit) for unit in viewer.layers["cells"].units] == ["micrometer"] * 2
    assert "map of cells" in viewer.layers
    panel.embed()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    np.testing.assert_array_equal(panel.result.embedding, embedding)


def test_a_notebook_opens_naparis(qtbot, make_napari_viewer, path):
    viewer = make_napari_viewer()
    where = {"scale": (0.5, 0.5), "units": ("um", "um")}
    viewer.add_image(1.0 * (LABELS > 0), name="DNA", **where)
    viewer.add_labels(LABELS, name="cells", features=FEATURES, **where)
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    assert isinstance(panel, MapPanel)
    panel.form.fields["n_neighbors"].value = 6
    panel.embed()
    qtbot.wait_until(lambda: not panel.running, timeout=60_000)
    panel.selection.select_keys([("cells", 0, 7), ("cells", 0, 21)])
    panel.session.classes.assign("dividing", panel.selection.numbers)
    panel.saving.save_session(path)
    qtbot.wait_until(lambda: not panel.running and path.exists(), timeout=60_000)
    check(in_a_kernel(lambda: opened(path)), panel.result.embedding, "micrometer")


def test_a_closed_widget_leaves_nothing(qtbot):
    """ipywidgets keeps all that is not closed."""

    async def act():
        import gc
        import weakref

        import ipywidgets

        def alive():
            gc.collect()
            return set(ipywidgets.widgets.widget._instances)

        before = alive()
        shown = explore(FEATURES, {"DNA": 1.0 * (LABELS > 0)}, LABELS)
        shown.session.parameters.n_neighbors = 6
        for _ in range(2):
            shown.embed()
            await shown.finished()
        shown.selection.select(range(3))
        shown.classes.assign("dividing", shown.selection.numbers)
        await shown.finished()
        kept = [shown, shown.session, shown.images.pane, shown.maps.shown[0].pane, shown.gallery, shown.form.features]
        held = {type(one).__name__: weakref.ref(one) for one in kept}
        kept.clear()
        shown.close()
        del shown

        def left():
            widgets = [type(ipywidgets.widgets.widget._instances[one]).__name__ for one in alive() - before]
            return widgets, [name for name, one in held.items() if one() is not None]

        # What is under way in threads and in the event loop lets go of things when its turn comes.
        deadline = time.monotonic() + 30
        while any(left()) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        return left()

    assert in_a_kernel(act) == ([], [])


@pytest.mark.slow
def test_a_figure_is_drawn_and_stored_beside_the_widget(tmp_path):
    async def act():
        shown = explore(FEATURES, {"DNA": 1.0 * (LABELS > 0)}, LABELS, layer="cells", scale=(0.5, 0.5), unit="µm")
        with pytest.raises(ValueError, match="There is no map yet"):
            shown.figure()
        before = shown._repr_mimebundle_()
        shown.session.parameters.n_neighbors = 6
        shown.embed()
        await shown.finished()
        figure = shown.figure(width=85)
        (image,) = [axis.images[0] for axis in figure.axes if axis.images]
        shown.keep.name.value = str(tmp_path / "figure")
        shown.keep.kind.value = next(kind for _, kind in shown.keep.kind.options if kind.ending == ".svg")
        shown.keep.button.click()
        after, said = shown._repr_mimebundle_(), shown.status.value
        shown.close()
        return before, after, figure.caption, np.asarray(image.get_array()), said

    before, after, caption, picture, said = in_a_kernel(act)
    assert "image/png" not in before
    assert base64.b64decode(after["image/png"])[:4] == b"\x89PNG"
    assert after["application/vnd.jupyter.widget-view+json"] == before["application/vnd.jupyter.widget-view+json"]
    assert "30 cells on the map" in caption
    assert "DNA (" in caption
    assert picture.shape == (60, 50, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10  # cells in the colours of the map
    assert "Saved the figure in" in said
    assert (tmp_path / "figure.svg").read_text().count("30 cells on the map") == 1
