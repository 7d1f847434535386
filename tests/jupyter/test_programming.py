"""The widget from code: the trait of the selection, links between explorers, and events. No browser."""

import asyncio
from functools import wraps

import ipywidgets as w
import numpy as np
import pandas as pd
import pytest
import traitlets

from latentmap.jupyter import LabelledImage, explore, link
from latentmap.jupyter.image_messages import ImageDrawing

pytestmark = pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
LABELS = np.arange(1, 31) * 7
FEATURES = pd.DataFrame({"label": LABELS, **{f"f{at}": np.random.default_rng(at).normal(size=30) for at in range(3)}})


def in_a_kernel(test):
    """Run a test where an event loop runs, as it does in a notebook's kernel."""

    @wraps(test)
    def run():
        asyncio.run(test())

    return run


@in_a_kernel
async def test_the_trait_follows_the_selection_and_the_selection_the_trait():
    shown = explore(FEATURES)
    heard = []
    shown.observe(lambda change: heard.append(change["new"]), "selected")
    shown.selected = [4, 2, 2]
    assert shown.selected == (2, 4)
    assert shown.selection.keys.get_level_values("label").tolist() == [21, 35]
    assert shown.selection.story[-1].how == "code"
    shown.selection.select_keys(shown.cells.features.index[[5]], "add")
    assert shown.selected == (2, 4, 5)
    shown.selection.undo()
    assert shown.selected == (2, 4)
    shown.selection.clear()
    assert heard == [(2, 4), (2, 4, 5), (2, 4), ()]
    shown.close()


@in_a_kernel
async def test_masks_and_what_is_no_row():
    shown = explore(FEATURES)
    shown.selected = (shown.cells.features["f0"] > 0).to_numpy()
    assert shown.selected == tuple(np.flatnonzero(FEATURES["f0"] > 0))
    before = shown.selected
    for wrong in ([30], [-1], [0.5], ["a"], [True, False], [[1, 2]]):
        with pytest.raises(traitlets.TraitError, match="from 0 to 29"):
            shown.selected = wrong
    assert shown.selected == before
    shown.selected = np.array([], dtype=int)
    assert len(shown.selection) == 0
    shown.close()


@in_a_kernel
async def test_dropped_cells_are_not_selected_by_code():
    shown = explore(FEATURES)
    shown.selected = [3, 4]
    shown.session.dropped.drop(shown.selection.numbers[:1])
    assert shown.selected == (4,)
    shown.selected = [3, 5]
    assert shown.selected == (5,)
    assert shown.selection.keys.get_level_values("label").tolist() == [42]
    shown.close()


@in_a_kernel
async def test_other_widgets_are_linked_to_it():
    shown, others = explore(FEATURES), w.SelectMultiple(options=range(30))
    traitlets.link((shown, "selected"), (others, "value"))
    shown.selected = [1, 2]
    assert others.value == (1, 2)
    others.value = (7,)
    assert shown.selection.keys.get_level_values("label").tolist() == [56]
    assert "selected" in shown.get_state()
    assert w.jslink((shown, "selected"), (others, "index")).source == (shown, "selected")
    shown.close()


@in_a_kernel
async def test_two_explorers_are_linked_by_key_whatever_their_rows():
    first, second = explore(FEATURES), explore(FEATURES.iloc[::-1].iloc[:20])
    linked = link(first, second)
    first.selected = [0, 12, 29]
    assert second.selected == (0, 17)
    assert first.selected == (0, 12, 29)
    second.selected = [1]
    assert first.selected == (28,)
    second.selection.undo()
    assert first.selected == (12, 29)
    linked.unlink()
    first.selected = [1]
    assert second.selected == (0, 17)
    link(first, second)
    second.close()
    first.selected = [29]
    with pytest.raises(ValueError, match="two different"):
        link(first, first)
    first.close()


@in_a_kernel
async def test_explorers_whose_rows_were_numbered_are_linked_if_the_rows_are_the_same():
    rows = FEATURES.drop(columns="label")
    shown, same, other = explore(rows), explore(rows.copy()), explore(rows.sort_values("f0", ignore_index=True))
    link(shown, same).unlink()
    with pytest.raises(ValueError, match="rows of the same number have other features"):
        link(shown, other)
    for one in (shown, same, other):
        one.close()


@in_a_kernel
async def test_what_the_page_promises_of_events():
    shown, heard = explore(FEATURES), []
    shown.selection.changed.connect(lambda added, removed: heard.append(("selected", len(added), len(removed))))
    shown.classes.changed.connect(lambda: heard.append(("classes", *shown.classes.names)))
    shown.session.runs.ended.connect(lambda run: heard.append(("ended", run.status)))
    shown.selected = [0, 1]
    shown.classes.assign("B", shown.selection.numbers)
    shown.session.parameters.max_iter = 3
    shown.embed()
    await shown.finished()
    assert heard == [("selected", 2, 0), ("classes", "B"), ("ended", "done")]
    shown.close()


@in_a_kernel
async def test_classes_are_a_trait_that_is_followed_and_set():
    shown, heard = explore(FEATURES), []
    assert shown.class_names == ("",) * 30
    shown.observe(lambda change: heard.append(change["new"]), "class_names")
    shown.selected = [0, 2]
    shown.classes.assign("B", shown.selection.numbers)
    assert shown.class_names == ("B", "", "B", *[""] * 27)
    shown.class_names = ["T", "T", " B ", *[""] * 27]
    assert shown.classes.names == ("B", "T")
    assert shown.session.cell_index.keys(shown.classes.members("T")).get_level_values("label").tolist() == [7, 14]
    assert shown.class_names[:3] == ("T", "T", "B")
    shown.class_names = [""] * 30
    assert len(shown.classes.members("B")) == 0
    shown.classes.rename("B", "B cells")
    shown.class_names = ["B cells", *[""] * 29]
    shown.classes.rename("B cells", "plasma")
    assert shown.class_names[0] == "plasma"
    shown.classes.delete("plasma")
    assert shown.class_names == ("",) * 30
    assert heard[0] == ("B", "", "B", *[""] * 27)
    for wrong in (["B"], "B", [3] * 30):
        with pytest.raises(traitlets.TraitError, match="each of the 30 rows"):
            shown.class_names = wrong
    assert "class_names" not in shown.get_state()  # it may be long, and no browser needs it
    shown.close()
    shown.classes.assign("late", [0])


@in_a_kernel
async def test_runs_are_traits_and_another_map_is_shown_by_its_name():
    shown, chosen = explore(FEATURES), w.Dropdown(options=[""])
    heard = []
    shown.observe(lambda change: heard.append((change["name"], change["new"])), ["running", "current_run"])
    assert (shown.current_run, shown.run_names, shown.running) == ("", (), False)
    shown.session.parameters.max_iter = 3
    for k in (5, 8):
        shown.session.parameters.n_neighbors = k
        shown.embed()
        assert shown.running
        await shown.finished()
    first, second = shown.run_names
    assert (shown.current_run, shown.running) == (second, False)
    assert [new for name, new in heard if name == "running"] == [True, False, True, False]
    chosen.options = shown.run_names
    linked = traitlets.link((shown, "current_run"), (chosen, "value"))
    chosen.value = first
    assert shown.session.runs.current.name == first
    linked.unlink()  # a dropdown refuses what is not among its options, such as another name
    with pytest.raises(traitlets.TraitError, match="There is no run 'none of these'"):
        shown.current_run = "none of these"
    with pytest.raises(traitlets.TraitError, match="read-only"):
        shown.running = True
    shown.session.runs.rename(shown.session.runs.current, "the best")
    assert shown.current_run == "the best"
    assert shown.run_names == ("the best", second)
    shown.current_run = ""
    assert shown.session.runs.current is None
    assert {"current_run", "run_names", "running"} <= shown.get_state().keys()
    shown.close()


@in_a_kernel
async def test_labels_that_the_notebook_changes_afterwards_stay_those_of_the_map():
    labels = np.kron(LABELS.reshape(5, 6), np.pad(np.ones((4, 4), dtype=int), 1))
    before = labels.copy()
    one, other = explore(FEATURES, labels=labels), explore(FEATURES, LabelledImage("cells", [labels, labels[::2, ::2]]))
    labels[labels == 7] = 14
    np.testing.assert_array_equal(one.images.pane.pictures[0].labels, before)
    loop = ImageDrawing("cells", 0, 0, np.array([(0, 0), (0, 6), (6, 6), (6, 0)]), "lasso", 0.0, "replace")
    for shown in (one, other):
        shown.images.pane.drawn.emit(loop)
        assert shown.selection.keys.tolist() == [("cells", 0, 7)]
        shown.close()
