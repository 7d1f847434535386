"""What the panel of the notebook does, without a browser."""

import asyncio
import threading
import time
import warnings
from functools import wraps
from html import unescape
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentmap import LVM, DataWarning
from latentmap.images.crops import Channel
from latentmap.jupyter import LabelledImage, explore, open_session
from latentmap.jupyter.searchable_list import SearchableList
from latentmap.session import ColourBy

preparing_module = import_module("latentmap.session.neighbor_cache")
rng = np.random.default_rng(0)
N = 40
NUMBERS = np.arange(1, N + 1) * 7
PLACES = [(20 * (at // 5) + 4, 20 * (at % 5) + 4) for at in range(N)]
LABELS = np.zeros((160, 100), dtype=np.int32)
for number, (row, column) in zip(NUMBERS, PLACES, strict=True):
    LABELS[row : row + 10, column : column + 10] = number
FEATURES = pd.DataFrame({"label": NUMBERS, **{f"f{column}": rng.normal(size=N) for column in range(4)}})
# Two clumps.
FEATURES.loc[N // 2 :, ["f0", "f1", "f2"]] += 9


def explored(is_embedded=True, **parameters):
    """A test that is given a widget, with a map or with none yet, in a kernel's event loop."""

    def decorate(test):
        @wraps(test)
        def run(tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)

            async def main():
                red = Channel(255 * (LABELS > 0), (0, 255), (1.0, 0.0, 0.0))
                shown = explore(FEATURES, LabelledImage("cells", LABELS, {"DNA": red}))
                shown.session.parameters.n_neighbors = 6
                shown.session.parameters.max_iter = 60
                for name, value in parameters.items():
                    setattr(shown.session.parameters, name, value)
                if is_embedded:
                    shown.embed()
                    await done(shown.session.runs)
                try:
                    await test(shown)
                finally:
                    shown.close()

            asyncio.run(main())

        # pytest is to see the wrapper's arguments, not those of the test.
        del run.__wrapped__
        return run

    return decorate


async def done(something):
    while something.running:
        await asyncio.sleep(0.01)


@explored()
async def test_the_card_shows_the_cell_under_the_mouse_on_the_map_and_in_the_image(shown):
    assert "Point at a cell" in shown.card.value
    shown.maps.hovered.emit(3)
    shown.maps.hovered.emit(4)
    await asyncio.sleep(0.1)
    assert "Label 35" in shown.card.value
    assert "data:image/png;base64," in shown.card.value
    assert "variance (σ²)" in shown.card.value
    shown.classes.assign("<T>", [4])
    assert "&lt;T&gt;" in shown.card.value
    shown.images.pane.hovered.emit(None)
    await asyncio.sleep(0.1)
    assert "Point at a cell" in shown.card.value


def asked(gallery, content):
    """What the gallery answers the browser, with the pixels."""
    sent = []
    gallery.send = lambda answer, buffers: sent.append((answer, buffers[0]))
    gallery._hear(gallery, {"version": gallery.version, **content}, [])
    return sent


@explored()
async def test_the_gallery_has_the_pictures_of_the_cells_selected(shown):
    gallery = shown.gallery
    assert (gallery.count, gallery.headline) == (0, "Select cells to see their pictures here.")
    shown.selection.select([5, 3, 11])
    assert (gallery.count, gallery.headline) == (3, "3 cells selected")
    ((answer, pixels),) = asked(gallery, {"kind": "wanted", "places": [0, 2], "size": 32})
    assert [label for _, _, label in answer["keys"]] == [4 * 7, 12 * 7]
    assert answer["seen"] == [True, True]
    first, second = np.frombuffer(pixels, np.uint8).reshape(2, 32, 32, 3)
    assert first[16, 16].tolist() == second[16, 16].tolist() == [255, 0, 0]
    assert first[0, 0].tolist() == [0, 0, 0]


@explored()
async def test_uncertain_cells_can_come_first_in_the_gallery(shown):
    shown.selection.select(range(N))
    shown.gallery.order = "uncertain first"
    ((answer, _),) = asked(shown.gallery, {"kind": "wanted", "places": list(range(N)), "size": 16})
    numbers = [label // 7 - 1 for _, _, label in answer["keys"]]
    variances = shown.session.runs.current.result.variances[numbers]
    assert (np.diff(variances) <= 0).all()


@explored()
async def test_a_click_in_the_gallery_goes_to_the_cell(shown):
    shown.selection.select([17])
    asked(shown.gallery, {"kind": "clicked", "place": 0})
    row, column = PLACES[17]
    view = shown.images.pane.view
    assert (view.row, view.column) == (row + 4.5, column + 4.5)
    assert view.zoom >= 2


@explored()
async def test_a_question_about_the_selection_of_before_is_not_answered(shown):
    shown.selection.select([17])
    before = shown.gallery.version
    shown.selection.select([18])
    assert asked(shown.gallery, {"kind": "wanted", "places": [0], "size": 16, "version": before}) == []


@explored()
async def test_pictures_are_shown_as_the_image_is(shown):
    pane = shown.images.pane
    shown.selection.select([0])
    look = {**pane._looks[0][0], "colour": (0.0, 1.0, 0.0)}
    pane._looks = [[look]]
    ((_, pixels),) = asked(shown.gallery, {"kind": "wanted", "places": [0], "size": 32})
    assert np.frombuffer(pixels, np.uint8).reshape(32, 32, 3)[16, 16].tolist() == [0, 255, 0]
    pane._looks = [[{**look, "visible": False}]]
    assert pane.channels("cells") == ()


@explored()
async def test_clusters_become_classes(shown):
    section = shown.explore.clusters
    assert shown.classes.names == ()
    section.method.value, section.parts.value = "k-means", 2
    section.button.click()
    await done(section.presenter)
    assert shown.classes.names == ("cluster 1", "cluster 2")
    assert shown.status.value.count("<summary>2 clusters found, each a class now.</summary>") == 1
    halves = shown.classes.indices_of(np.arange(N))
    assert len(set(halves[: N // 2])) == len(set(halves[N // 2 :])) == 1
    assert halves[0] != halves[-1]


@explored(n_components=3)
async def test_the_axes_of_a_map_can_be_chosen(shown):
    views, (drawn,) = shown.explore.views, shown.maps.shown
    assert views.axes_row.layout.display is None
    assert drawn.pane.axes == 2
    views.depth.value = 2
    assert shown.session.display_settings.axes == (0, 1, 2)
    assert drawn.pane.axes == 3
    embedding = shown.session.runs.current.result.embedding
    places = np.frombuffer(drawn.pane.places, "<f4").reshape(-1, 3)
    for axis, sign in ((0, 1), (1, 1), (2, -1)):
        np.testing.assert_allclose(np.corrcoef(places[:, axis], embedding[:, axis])[0, 1], sign, atol=1e-6)
    shown.session.display_settings.axes = (1, 2)
    assert (views.across.value, views.up.value, views.depth.value) == (1, 2, -1)
    assert drawn.pane.axes == 2


@explored()
async def test_a_flat_map_offers_no_axes(shown):
    assert shown.explore.views.axes_row.layout.display == "none"


FAR = 500.0
"""So far out that the rest of the map would be a dot."""


@explored()
async def test_cells_far_out_are_at_the_edge_until_all_are_shown(shown):
    made = shown.session.runs.current.result
    made.embedding[0] = [FAR, 0]
    shown.session.display_settings.events.axes.emit((0, 1), (0, 1))
    (drawn,) = shown.maps.shown
    flags = np.unpackbits(np.frombuffer(drawn.pane.beyond, np.uint8), count=N)
    assert np.flatnonzero(flags).tolist() == [0]
    assert drawn.beyond == 1
    across = drawn.positions[:, 0]
    assert across[0] == across.max() == pytest.approx(drawn.pane.half[0])
    assert np.ptp(across[1:]) > 0.5
    assert max(drawn.pane.half) == 0.5
    shown.explore.views.show_all.value = True
    assert shown.session.display_settings.show_all
    assert (drawn.beyond, drawn.pane.beyond) == (0, b"")
    across = drawn.positions[:, 0]
    assert across[0] == across.max() == pytest.approx(0.5)
    assert np.ptp(across[1:]) < 0.1
    shown.session.display_settings.show_all = False
    assert not shown.explore.views.show_all.value
    assert drawn.beyond == 1
    shown.session.dropped.drop([0])
    assert drawn.beyond == 0


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".h5ad"])
def test_tables_are_saved(tmp_path, monkeypatch, ending):
    @explored()
    async def save(shown):
        choose(shown.keep, ending)
        shown.keep.button.click()

    save(tmp_path, monkeypatch)
    path = tmp_path / f"map{ending}"
    assert path.is_file()
    if ending == ".csv":
        rows = pd.read_csv(path)
        assert rows["label"].tolist() == NUMBERS.tolist()
        assert "variance" in rows


def choose(keep, ending):
    keep.kind.value = next(kind for _, kind in keep.kind.options if kind.ending == ending)


@explored()
async def test_a_session_and_a_script_are_saved_and_nothing_is_replaced_unasked(shown):
    keep = shown.keep
    shown.selection.select([3])
    choose(keep, ".latentmap")
    keep.button.click()
    assert "Saved the session in" in shown.status.value
    again = open_session("map.latentmap")
    assert again.selection.numbers.tolist() == [3]
    again.close()
    choose(keep, ".py")
    keep.name.value = "made.py"
    Path("made.py").write_text("mine")
    keep.button.click()
    assert "made.py&quot; already exists: press Save again to replace it" in shown.status.value
    assert Path("made.py").read_text() == "mine"
    keep.button.click()
    assert "method = LVM(" in Path("made.py").read_text()
    assert len(pd.read_csv("made_cells.csv")) == N


@explored()
async def test_what_cannot_be_saved_is_said(shown):
    shown.keep.name.value = "nowhere/map"
    shown.keep.button.click()
    assert "No such file or directory" in shown.status.value
    shown.keep.name.value = " "
    shown.keep.button.click()
    assert "Give the file a name first." in shown.status.value


def offered(shown):
    """What the list of colours has, by name."""
    return [title for title, _ in shown.explore.colours.by.options]


@explored(is_embedded=False)
async def test_a_map_made_while_the_kernel_was_busy_can_be_coloured_by_its_features(shown):
    assert offered(shown) == ["variance"]
    shown.embed()
    while "latentmap run" in {thread.name for thread in threading.enumerate()}:
        time.sleep(0.01)
    await done(shown.session.runs)
    assert offered(shown) == ["variance", "lost neighbours", "class", "f0", "f1", "f2", "f3"]


@explored()
async def test_a_session_that_is_opened_again_is_coloured_as_it_was(shown):
    shown.session.display_settings.colour_by = ColourBy("feature", "f1")
    again = open_session(shown.save("map.latentmap"))
    assert offered(again) == offered(shown)
    assert again.session.display_settings.colour_by == again.explore.colours.by.value == ColourBy("feature", "f1")
    again.close()


def known(pane):
    """The labels that are cells in the image."""
    frames_and_labels, _ = next(iter(pane._shown[0].tiles._known.values()))
    return frames_and_labels.tolist()


@explored()
async def test_a_session_that_is_opened_again_has_the_cells_that_are_not_on_its_map(shown):
    shown.selection.select(range(12))
    shown.explore.selected.drop.click()
    shown.selection.select(range(12, N))
    shown.explore.selected.alone.click()
    await done(shown.session.runs)
    for run in list(shown.session.runs)[:-1]:
        shown.session.runs.delete(run)
    again = open_session(shown.save("map.latentmap"))
    assert known(again.images.pane) == NUMBERS.tolist()
    assert again.explore.selected.restore.description == "Bring 12 back"
    again.explore.selected.restore.click()
    again.embed()
    await done(again.session.runs)
    result = again.session.runs.current.result
    assert len(result.embedding) == N
    assert not [note for note in result.cells.notes if "selection" in note or "dropped" in note]
    again.close()


def test_without_images_a_session_has_the_cells_of_all_its_maps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def main():
        shown = explore(FEATURES)
        shown.session.parameters.n_neighbors = 6
        for some in (range(25), range(10, N)):
            shown.session.embed(shown.cells, shown.session.cell_index.add(shown.cells.features.index)[list(some)])
            await done(shown.session.runs)
        again = open_session(shown.save("map.latentmap"))
        pd.testing.assert_frame_equal(again.cells.features.sort_index(), shown.cells.features)
        assert again.cells.notes == ()
        for one in (shown, again):
            one.close()

    asyncio.run(main())


def press(runs, place):
    """Press the name of a map that is kept."""
    runs.lines.children[place].children[1].click()


@explored()
async def test_a_click_on_a_map_shows_it_and_takes_its_parameters(shown):
    shown.session.parameters.n_neighbors = 9
    shown.embed()
    await done(shown.session.runs)
    first, second = shown.session.runs
    press(shown.runs, 0)
    assert shown.session.runs.current is first
    assert shown.maps.runs == [first]
    assert shown.session.parameters.n_neighbors == 6
    assert second in shown.session.runs


@explored()
async def test_a_map_is_renamed_and_compared_with_the_one_above(shown):
    shown.session.parameters.n_neighbors = 9
    shown.embed()
    await done(shown.session.runs)
    runs = shown.runs
    assert unescape(runs.difference.value) == 'Compared with "1: k 6, s 2": k 9 instead of 6.'
    runs.name.value = "tight"
    assert shown.session.runs.current.name == "tight"
    assert runs.lines.children[1].children[1].description == "tight"
    assert runs.lines.children[1].children[1].tooltip.startswith("tight, recall 0.")
    runs.name.value = " "
    assert runs.name.value == "tight"
    assert shown.status.value
    press(runs, 0)
    assert (runs.name.value, runs.difference.value) == ("1: k 6, s 2", "")


@explored()
async def test_cells_above_a_variance_are_selected(shown):
    runs, result = shown.runs, shown.session.runs.current.result
    for share in (10, 50):
        runs.share.value = share
        runs.select_uncertain.click()
        chosen = shown.session.selection.is_selected(shown.session.runs.current.numbers)
        np.testing.assert_array_equal(chosen, result.variances > np.percentile(result.variances, 100 - share))
        assert chosen.mean() == pytest.approx(share / 100)
    assert "variance above" in shown.selection.story[-1].how
    numbers, before = shown.session.runs.current.numbers, runs.variances.value
    shown.session.dropped.drop(shown.session.selection.numbers)
    assert runs.variances.value != before
    runs.select_uncertain.click()
    left = numbers[~shown.session.dropped.is_dropped(numbers)]
    assert shown.session.selection.is_selected(left).mean() == pytest.approx(0.5, abs=0.01)


@explored()
async def test_what_is_special_is_compared_again_when_cells_are_dropped_or_come_back(shown):
    headline, session = shown.explore.distinctive.headline, shown.session
    numbers = session.runs.current.numbers
    session.selection.select(numbers[:9])
    session.dropped.drop(numbers[-5:])
    while "these 9 of 35 cells" not in headline.value:
        await asyncio.sleep(0.01)
    session.dropped.restore()
    while "these 9 of 40 cells" not in headline.value:
        await asyncio.sleep(0.01)


@explored()
async def test_a_click_on_a_distinctive_feature_colours_the_map_by_it(shown):
    section = shown.explore.distinctive
    assert section.features.children == ()
    shown.selection.select(range(N // 2))
    while not section.features.children:
        await asyncio.sleep(0.01)
    assert "these 20 of 40 cells" in section.headline.value
    first = section.features.children[0].children[0]
    assert first.description in ("f0", "f1", "f2")
    first.click()
    assert shown.session.display_settings.colour_by == ColourBy("feature", first.description)


@explored()
async def test_a_click_on_a_map_shows_it_beside_the_one_that_is_made_and_leaves_that_alone(shown):
    (first,) = shown.session.runs
    parameters = shown.session.parameters
    parameters.n_neighbors, parameters.max_iter = 9, 100_000
    begun = shown.embed()
    while begun.progress is None or begun.progress.iteration < 3:
        await asyncio.sleep(0.01)
    press(shown.runs, 0)
    assert shown.maps.runs == [first, begun]
    assert shown.runs.lines.children[0].children[0].value  # the tick, which takes it away again
    await asyncio.sleep(0.05)
    assert shown.session.runs.active is begun
    assert parameters.n_neighbors == 9
    shown.cancel_button.click()
    await done(shown.session.runs)
    assert shown.maps.runs == [first, begun]
    shown.runs.lines.children[0].children[0].value = False
    assert shown.maps.runs == [begun]


@explored()
async def test_the_legend_explains_the_colours_of_all_maps(shown):
    (first,) = shown.session.runs
    shown.session.embed(shown.cells, first.numbers[::2])
    await done(shown.session.runs)
    shown.runs.lines.children[0].children[0].value = True
    second = shown.session.runs.current
    assert shown.maps.runs == [first, second]
    feature = shown.cells.mappable[0]
    shown.session.display_settings.colour_by = ColourBy("feature", feature)
    assert f">{second.name}: " in shown.explore.colours.scale.value
    shown.session.runs.rename(second, "<half>")
    assert ">&lt;half&gt;: " in shown.explore.colours.scale.value
    shown.runs.lines.children[0].children[0].value = False
    assert "half" not in shown.explore.colours.scale.value


@explored()
async def test_a_run_that_fails_half_way_leaves_the_map_of_before(shown):
    (before,), iter_fit = shown.maps.runs, LVM.iter_fit
    begun = shown.maps.shown[0]

    def fail(self, X, y=None):
        for step in iter_fit(self, X):
            yield step
            if step.iteration == 5:
                while shown.maps.runs == [before]:
                    time.sleep(0.01)
                raise ValueError("The values do not fit.")

    LVM.iter_fit = fail
    shown.session.parameters.random_state = 1
    try:
        shown.embed_button.click()
        await done(shown.session.runs)
    finally:
        LVM.iter_fit = iter_fit
    assert "The values do not fit." in shown.status.value
    shown.session.parameters.n_neighbors += 1
    assert shown.status.value == ""
    assert shown.maps.runs == [before]
    assert shown.maps.shown != [begun]
    np.testing.assert_array_equal(shown.table()[["map_1", "map_2"]], before.result.embedding)


@explored(is_embedded=False)
async def test_cancel_says_what_becomes_of_the_map(shown):
    reached, goes_on = threading.Event(), threading.Event()
    fit = preparing_module.fit_preparation

    def slowly(*args):
        reached.set()
        goes_on.wait(60)
        return fit(*args)

    preparing_module.fit_preparation = slowly
    try:
        shown.embed_button.click()
        assert reached.wait(60)
        shown.cancel_button.click()
        assert "Stopping after this step …" in shown.status.value
        goes_on.set()
        await done(shown.session.runs)
    finally:
        preparing_module.fit_preparation = fit
    assert "Stopped before there was a map." in shown.status.value
    assert shown.progress.words.value == ""
    assert shown.session.runs.current is None
    shown.session.parameters.max_iter = 100_000
    begun = shown.embed()
    assert "Stopped" not in shown.status.value
    while begun.progress is None or begun.progress.iteration < 3:
        await asyncio.sleep(0.01)
    shown.cancel_button.click()
    await done(shown.session.runs)
    n_iter = begun.result.n_iter
    assert f"Stopped after {n_iter} iterations, before the map was finished. 40 cells on the map." in shown.status.value
    assert shown.progress.words.value == f"stopped after {n_iter} of 100000 iterations"
    assert shown.runs.lines.children[0].children[1].description == "2: k 6, s 2, stopped"


@explored(is_embedded=False)
async def test_what_a_method_warns_of_is_told_below_the_button(shown):
    shown.session.parameters.method = "classical-mds"
    shown.session.parameters.features = shown.session.parameters.features[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown.embed_button.click()
        await done(shown.session.runs)
    assert "these distances span only 1 dimension" in shown.status.value


@explored()
async def test_while_a_parameter_is_dragged_there_is_always_a_map(shown):
    empty = []
    shown.maps.observe(lambda change: empty.append(shown.maps._empty in change.new), "children")
    shown.session.parameters.max_iter = 100_000
    shown.embed()
    for k in (7, 8, 9):
        begun = shown.session.runs.active
        while begun not in shown.maps.runs:
            await asyncio.sleep(0.01)
        shown.session.parameters.n_neighbors = k
        while shown.session.runs.active is begun:
            await asyncio.sleep(0.01)
        assert len(shown.maps.runs) == 1
    assert empty
    assert not any(empty)


@explored(is_embedded=False)
async def test_before_the_first_map_what_is_said_is_what_is_done(shown):
    assert "press <b>Embed</b>" in shown.maps._empty.value
    shown.session.parameters.max_iter = 100_000
    shown.embed()
    assert "The map is being made." in shown.maps._empty.value
    shown.session.runs.drop()
    assert "press <b>Embed</b>" in shown.maps._empty.value


@explored()
async def test_labels_of_other_cells_are_told_at_once_and_with_the_map(shown):
    assert shown.cells.notes == ()
    shifted = np.where(LABELS > 0, LABELS + 5000, 0)
    other = explore(FEATURES, {"DNA": 1.0 * (LABELS > 0)}, shifted)
    said = ("0 of 40 rows have a cell in the labels", "With labels 5000 higher, 40 of 40 rows would have one")
    assert all(sentence in other.status.value for sentence in said)
    assert f">{said[0]}" in other.status.value
    other.session.parameters.n_neighbors, other.session.parameters.max_iter = 6, 5
    other.embed()
    await done(other.session.runs)
    assert all(sentence in other.status.value for sentence in said)
    assert f">{said[0]}" in other.status.value
    other.close()


@explored()
async def test_a_feature_that_is_not_there_is_told_when_the_map_is_to_be_coloured_by_it(shown):
    look = shown.session.display_settings
    look.colour_by = ColourBy("feature", "f11")
    assert 'no feature "f11"; did you mean "f1"?' in unescape(shown.status.value)
    look.colour_by = ColourBy("feature", "f1")
    with pytest.raises(ValueError, match="Cells cannot be coloured by 'f2': give ColourBy"):
        look.colour_by = "f2"
    assert look.colour_by == ColourBy("feature", "f1")


@explored()
async def test_the_sample_s_own_cells_lie_where_they_lie(shown):
    here = shown.session.runs.current.result.embedding
    np.testing.assert_allclose(shown.estimator.transform(FEATURES), here, atol=1e-6 * here.std())
    placed = shown.place(FEATURES, layer="cells")
    np.testing.assert_allclose(placed[["map_1", "map_2"]], here, atol=1e-6 * here.std())
    assert list(placed) == ["layer", "frame", "label", "map_1", "map_2", "variance"]
    assert placed["label"].tolist() == FEATURES["label"].tolist()


@explored()
async def test_cells_that_cannot_be_placed_are_told(shown):
    some = FEATURES.drop(columns="label").astype(float)
    some.loc[2, "f1"] = np.nan
    with pytest.warns(
        DataWarning, match=r"1 of 40 cells left out, because they cannot be placed: no number in f1 \(1\)"
    ):
        placed = shown.place(some)
    assert len(placed) == N - 1
    assert len(placed.attrs["notes"]) == 2  # the rows are numbered, which is told as well
    with pytest.raises(ValueError, match='The table has no feature "f3"'):
        shown.place(some.drop(columns="f3"))


@explored(method="laplacian-eigenmaps")
async def test_on_a_map_that_places_none_it_is_learned_where_cells_belong(shown):
    with pytest.warns(DataWarning, match='"Laplacian eigenmaps" places no new cells, so each of these is at the mean'):
        placed = shown.place(FEATURES, layer="cells")
    np.testing.assert_allclose(placed[["map_1", "map_2"]], shown.session.runs.current.result.embedding, atol=1e-9)
    assert "How near that comes cannot be told from 40 cells." in placed.attrs["notes"][-1]
    assert list(placed) == ["layer", "frame", "label", "map_1", "map_2"]


@explored()
async def test_a_session_that_is_opened_places_new_cells(shown):
    before = shown.place(FEATURES.assign(f0=3.3))
    opened = open_session(shown.save("cells.latentmap"))
    pd.testing.assert_frame_equal(opened.place(FEATURES.assign(f0=3.3)), before)
    assert list(opened.estimator.named_steps) == ["features", "scaling", "map"]
    opened.close()


@explored(is_embedded=False)
async def test_without_a_map_nothing_is_placed(shown):
    assert shown.estimator is None
    with pytest.raises(ValueError, match="There is no map yet: press Embed"):
        shown.place(FEATURES)


@explored()
async def test_a_closed_widget_has_selection_and_classes_and_says_that_it_is_closed(shown):
    shown.selection.select([3])
    shown.classes.assign("dividing", [3])
    shown.close()
    shown.close()
    assert shown.selection.keys.tolist() == [("cells", 0, 28)]
    assert shown.classes.names == ("dividing",)
    assert shown.estimator is None
    assert await shown.finished() is None
    for ask in (shown.embed, shown.table, shown.code, lambda: shown.save("a"), lambda: shown.export_html("a")):
        with pytest.raises(ValueError, match="The widget is closed: run its cell again"):
            ask()
    shown.session.parameters.n_neighbors = 9  # nobody breaks because of that


@explored()
async def test_classes_are_renamed_in_the_legend_and_in_the_list(shown):
    shown.classes.assign("stroma", range(5))
    shown.session.display_settings.colour_by = ColourBy("class")
    legend = shown.explore.colours.groups
    assert (legend.names, legend.can_rename) == (["stroma"], True)
    legend._hear(legend, {"kind": "renamed", "name": "stroma", "to": "connective tissue"}, [])
    assert shown.classes.names == tuple(legend.names) == ("connective tissue",)
    legend._hear(legend, {"kind": "picked", "name": "connective tissue", "mode": "replace"}, [])
    assert len(shown.selection) == 5
    line = shown.explore.selected.classes.children[0]
    pencil = next(button for button in line.children if getattr(button, "description", "") == "✎")
    pencil.click()
    field = line.children[1]
    field.value = "fibres"
    assert shown.classes.names == ("fibres",)
    classes = shown.explore.selected.classes
    assert classes.children[0].children[1].description == "fibres (5)"
    rename = classes.children[0].children[2].click
    rename()
    assert classes.children[0].children[1].value == "fibres"
    rename()
    assert classes.children[0].children[1].description == "fibres (5)", "A second press leaves the name as it is."
    rename()  # a click on its way while its line was replaced
    assert classes.children[0].children[1].description == "fibres (5)"


def test_a_feature_is_found_among_thousands_by_typing():
    by = SearchableList()
    by.offer([("area", 0)], 0)
    assert (by.search.layout.display, by.list.layout.display) == ("none", None)
    names = [(f"gene {number} {'mean' if number % 2 else 'spread'}", number) for number in range(9000)]
    by.offer(names, 8000)
    assert (by.search.layout.display, len(by.list.options), by.value) == (None, 201, 8000)
    by.search.value = "MEAN 899"
    listed = [name for name, _ in by.list.options]
    assert listed == [*(name for name, _ in names if "mean" in name and "899" in name), "gene 8000 spread"]
    by.list.value = 1899
    assert by.value == 1899
    by.search.value = "no such gene"
    assert [value for _, value in by.list.options] == [1899]
    by.search.value = "gene 77"
    by.search._handle_custom_msg({"event": "submit"}, [])
    assert (by.value, by.search.value, by.list.value) == (77, "", 77)


@explored()
async def test_names_are_on_the_map_while_it_is_coloured_by_groups(shown):
    def names():
        return [one["text"] for one in shown.maps.shown[0].pane.names]

    assert names() == []
    shown.classes.assign("first", range(N // 2))
    shown.classes.assign("second", range(N // 2, N))
    assert shown.explore.colours.by.value == ColourBy("class")
    assert names() == ["first", "second"]
    shown.session.dropped.drop(range(5))
    assert names() == ["second", "first"]
    shown.explore.colours.names.value = False
    assert names() == []
    shown.explore.colours.names.value = True
    run = shown.embed()
    seen = []
    shown.session.runs.progressed.connect(lambda one: seen.append(names()) if one.progress.state is not None else None)
    await done(shown.session.runs)
    assert run.result is not None
    assert [] in seen
    assert names() == ["second", "first"]


@explored()
async def test_cells_are_counted_and_their_mixing_measured(shown):
    shown.classes.assign("first", range(N // 4))
    counts = shown.counts()
    assert counts.values.tolist() == [["cells", "first", 10, 0.25], ["cells", "none", 30, 0.75]]
    section = shown.explore.counts
    assert section.table.value == ""
    section.selected_index = 0
    assert "10 (25 %)" in section.table.value
    shown.classes.assign("second", range(N // 2, N))
    assert "20 (50 %)" in section.table.value
    section.by.value = ColourBy("class")
    section.mixed_button.click()
    await done(section.presenter)
    assert "Classes lie" in section.mixed.value
    ratio = shown.mixing("class").on_map.ratio
    assert f"ratio {ratio:.2f}" in section.mixed.value
    shown.keep.kind.index = [title for title, _ in shown.keep.kind.options].index(
        "counts, as chosen in Explore (.counts.csv)"
    )
    shown.keep.button.click()
    assert list(pd.read_csv("map.counts.csv")) == ["class", "class (counted)", "cells", "share"]


@explored()
async def test_what_lies_around_each_cell_becomes_features(shown):
    shown.surroundings.presenter.add(ColourBy("class"), 0)
    assert "There is no class yet" in shown.surroundings.said.value
    shown.classes.assign("left", [number for number, (_, column) in enumerate(PLACES) if column < 40])
    shown.surroundings.selected_index = 0
    shown.surroundings.radius.value = 21
    shown.surroundings.button.click()
    await done(shown.surroundings.presenter)
    assert "within 21 pixels" in shown.surroundings.said.value
    features = shown.cells.features
    # On the grid, the neighbours are those above, below and on either side.
    assert features["neighbours"].iloc[0] == 2
    assert features["neighbours"].iloc[6] == 4
    third = PLACES.index((24, 44))  # a cell of the third column has one neighbour on the left
    assert features["near left"].iloc[third] == 0.25
    assert features["near none"].iloc[third] == 0.75
    assert {"near left", "near none", "neighbours"} <= {*shown.form.features.names}
    assert shown.session.parameters.features == tuple(shown.form.features.chosen) == ("f0", "f1", "f2", "f3")
    assert {"near left", "neighbours"} <= {*offered(shown)}
    shown.session.display_settings.colour_by = ColourBy("feature", "near left")
    assert shown.maps.colours_of(shown.maps.shown[0]).title == "near left"
    again = open_session(shown.save("map.latentmap"))
    assert again.cells.features["near left"].tolist() == features["near left"].tolist()
    again.close()
    table = shown.add_surroundings(of="class")
    assert table.attrs["radius"] == 60
    assert shown.table()["neighbours"].tolist() == table["neighbours"].tolist()


@explored(is_embedded=False)
async def test_what_was_drawn_on_other_features_selects_nothing(shown):
    """A kernel that was at work hears of other axes first, and then of what was drawn before they could be seen."""
    plot, wanted = shown.gates.plot, {"kind": "wanted", "limits": None, "size": [200, 200], "scale": 1}
    drawn = {"kind": "drawn", "tool": "rectangle", "points": [[-2.0, -2.0], [2.0, 2.0]], "mode": "replace"}
    clicked = {"kind": "clicked", "point": [0.0, 0.0], "reach": [9.0, 9.0], "mode": "replace"}
    shown.gates.presenter.choose_features("f0", "f1")
    plot._hear(plot, wanted, [])
    shown.gates.presenter.choose_features("f3", "f1")
    for message in (drawn, clicked):
        plot._hear(plot, message, [])
    assert shown.selected == ()
    plot._hear(plot, wanted, [])
    plot._hear(plot, drawn, [])
    inside = FEATURES[["f3", "f1"]].abs().max(axis=1) <= 2
    assert shown.selected == tuple(np.flatnonzero(inside))
