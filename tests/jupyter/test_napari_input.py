"""A widget of the layers of an open napari viewer."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from napari.components import ViewerModel

from latentmap.jupyter import explore

LABELS = np.zeros((4, 40, 60), dtype=np.int32)
for number, left in ((3, 2), (1000, 20), (7, 40)):
    LABELS[:, 5:30, left : left + 12] = number
DNA = 50.0 * (LABELS > 0)


def explored(viewer, look):
    async def main():
        shown = explore(viewer)
        try:
            return look(shown)
        finally:
            shown.close()

    return asyncio.run(main())


def test_labels_with_features_and_their_images():
    viewer = ViewerModel()
    viewer.add_image(DNA, name="DNA", contrast_limits=(10, 60), colormap="green", scale=(0.5, 0.5, 0.5))
    viewer.add_image(DNA, name="hidden", visible=False, scale=(0.5, 0.5, 0.5))
    viewer.add_image(np.zeros((9, 9)), name="another")
    features = pd.DataFrame({"index": [3, 7, 1000], "area": [1.0, 2.0, 3.0]})
    viewer.add_labels(LABELS, name="nuclei", features=features, scale=(0.5, 0.5, 0.5))

    def look(shown):
        (picture,) = shown.images.pane.pictures
        return shown.cells.features, picture

    cells, picture = explored(viewer, look)
    assert cells.index.tolist() == [("nuclei", 0, label) for label in (3, 7, 1000)]
    assert cells["area"].tolist() == [1, 2, 3]
    assert (picture.name, picture.has_frames, picture.scale) == ("nuclei", False, (0.5, 0.5, 0.5))
    assert list(picture.channels) == ["DNA"]
    channel = picture.channels["DNA"]
    assert channel.limits == (10, 60)
    assert channel.colour == (0, 1, 0)


def test_a_film_and_points_are_cells_too():
    viewer = ViewerModel()
    features = pd.DataFrame({"frame": [0, 3], "index": [7, 7], "area": [1.0, 2.0]})
    viewer.add_labels(LABELS, name="film", features=features)
    viewer.add_points(np.zeros((2, 2)), name="spots", features=pd.DataFrame({"label": [1, 2], "area": [5.0, 6.0]}))
    cells, has_frames = explored(viewer, lambda shown: (shown.cells.features, shown.images.pane.pictures[0].has_frames))
    assert has_frames
    assert set(cells.index) == {("film", 0, 7), ("film", 3, 7), ("spots", 0, 1), ("spots", 0, 2)}


def test_labels_without_features_are_measured():
    viewer = ViewerModel()
    viewer.add_image(DNA, name="DNA")
    viewer.add_labels(LABELS, name="nuclei")
    cells = explored(viewer, lambda shown: shown.cells.features)
    assert cells.index.get_level_values("label").tolist() == [3, 7, 1000]
    assert cells["DNA_mean"].tolist() == [50, 50, 50]


def test_a_viewer_without_cells():
    viewer = ViewerModel()
    viewer.add_image(DNA)
    with pytest.raises(ValueError, match="no layer with cells: open labels, or points with features"):
        explored(viewer, lambda shown: None)


async def settled():
    """Until what napari has changed is taken up."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_what_changes_in_a_window_of_napari_is_followed(make_napari_viewer):
    viewer = make_napari_viewer()
    image = viewer.add_image(DNA.copy(), name="DNA", contrast_limits=(10, 60))
    other = viewer.add_image(DNA.copy(), name="H3", contrast_limits=(0, 50))
    features = pd.DataFrame({"index": [3, 7, 1000], "area": [1.0, 2.0, 3.0]})
    labels = viewer.add_labels(LABELS.copy(), name="nuclei", features=features)

    async def main():
        shown = explore(viewer)
        pane = shown.images.pane
        tile = {"picture": 0, "source": -1, "level": 0, "frame": 0, "plane": 0, "row": 0, "column": 0}
        try:
            assert (pane.crop(tile)[10, 5], pane.crop(tile)[10, 55]) == (1, 0)
            pixels = pane._pictures[0]["pixels"]
            # Cells that are painted, also in the same array.
            labels.paint([0, 10, 55], 7)
            await settled()
            assert pane.crop(tile)[10, 55] == shown.session.cell_index.numbers_of([("nuclei", 0, 7)])[0] + 1
            assert pane._pictures[0]["pixels"] == pixels + 1
            # What the user has set in the widget stays, unless napari changes it.
            pane._looks = [[{**look, "limits": [1.0, 9.0]} for look in pane._looks[0]]]
            names = list(pane.pictures[0].channels)
            image.contrast_limits, image.colormap = (5, 40), "red"
            await settled()
            looks = dict(zip(names, pane._looks[0], strict=True))
            assert looks["DNA"]["limits"] == [5, 40]
            assert tuple(looks["DNA"]["colour"]) == (1, 0, 0)
            assert looks["H3"]["limits"] == [1, 9]
            other.visible = False
            labels.name = "kernels"
            await settled()
            assert list(pane.pictures[0].channels) == ["DNA"]
            assert pane._pictures[0]["name"] == "kernels"
            assert pane.pictures[0].name == "nuclei"
            # Features, whose keys keep the layer's first name.
            labels.features = features.assign(area=[9.0, 2.0, 3.0], marker=[0.5, 0.6, 0.7])
            await settled()
            assert shown.cells.features[["area", "marker"]].to_numpy().tolist() == [[9, 0.5], [2, 0.6], [3, 0.7]]
            assert shown.form.features.names == ["area", "marker"]
            labels.features = pd.DataFrame({"index": [3, 99], "area": [8.0, 1.0]})
            await settled()
            assert shown.cells.features["area"].tolist() == [8, 2, 3]
            assert "1 cell that this widget does not have" in shown.status.value
            viewer.layers.remove(labels)
            await settled()
            assert "kernels&quot; was removed in napari" in shown.status.value
            assert pane.crop(tile)[10, 5] == 1
        finally:
            shown.close()

    asyncio.run(main())
    image.contrast_limits = (0, 1)  # nobody follows any more


def followed(act):
    """Act on a viewer with labels while a widget follows it."""
    viewer = ViewerModel()
    features = pd.DataFrame({"index": [3, 7, 1000], "area": [1.0, 2.0, 3.0]})
    labels = viewer.add_labels(LABELS.copy(), name="nuclei", features=features)

    async def main():
        shown = explore(viewer)
        asyncio.get_running_loop().set_exception_handler(lambda _, found: failed.append(found))
        try:
            await act(viewer, labels, shown)
        finally:
            shown.close()

    failed = []
    asyncio.run(main())
    assert not failed


def test_what_is_undone_in_napari_is_undone_in_the_widget():
    async def act(viewer, labels, shown):
        def version():
            return shown.images.pane._pictures[0]["pixels"]

        seen = [version()]
        for change in (lambda: labels.paint([0, 10, 55], 7), labels.undo, labels.redo):
            change()
            await settled()
            seen.append(version())
        assert seen == [seen[0], seen[0] + 1, seen[0] + 2, seen[0] + 3]
        viewer.dims.set_current_step(0, 2)
        await settled()
        assert version() == seen[-1]
        # Pixels that are set in the array show when the layer is refreshed, as in napari.
        labels.data[2, :3, :3] = 3
        labels.refresh()
        await settled()
        assert version() == seen[-1] + 1

    followed(act)


def test_cells_that_were_edited_in_napari_are_told_of_until_that_is_undone():
    async def act(viewer, labels, shown):
        told = []
        for change in (lambda: labels.paint([0, 10, 55], 7), labels.undo):
            shown.status.value = ""
            change()
            await settled()
            told.append(shown.status.value)
        assert "The labels of &quot;nuclei&quot; were edited in napari" in told[0]
        assert not told[1]

    followed(act)


def test_a_film_stays_a_film_when_its_features_tell_no_frames():
    viewer = ViewerModel()
    rows = pd.DataFrame({"index": [3, 7, 1000], "area": [1.0, 2.0, 3.0]})
    film = viewer.add_labels(
        LABELS.copy(), name="film", features=pd.concat([rows.assign(frame=0), rows.assign(frame=1)], ignore_index=True)
    )

    async def main():
        shown = explore(viewer)
        film.features = rows
        film.paint([0, 10, 55], 7)
        await settled()
        has_frames = shown.images.pane.pictures[0].has_frames
        shown.close()
        return has_frames

    assert asyncio.run(main())


def test_a_layer_that_is_new_in_napari_is_told_and_may_change():
    async def act(viewer, labels, shown):
        new = viewer.add_labels(LABELS[::-1].copy(), name="more")
        await settled()
        assert "more&quot; is new in napari: run explore(viewer) again" in shown.status.value
        new.paint([0, 10, 55], 7)
        labels.paint([0, 10, 55], 7)
        await settled()
        assert shown.images.pane._pictures[0]["pixels"] == 1
        viewer.layers.remove(labels)
        viewer.add_labels(LABELS, name="nuclei")
        await settled()
        assert "was removed in napari" in shown.status.value
        assert "is new in napari" in shown.status.value

    followed(act)


def test_rows_and_columns_that_have_gone_from_napari_are_told():
    viewer = ViewerModel()
    features = pd.DataFrame({"index": [3, 7, 1000], "area": [1.0, 2.0, 3.0], "DNA": [5.0, 6.0, 9.0]})
    layer = viewer.add_labels(LABELS, name="nuclei", features=features)

    async def main():
        shown = explore(viewer)
        layer.features = features[1:].reset_index(drop=True)
        await settled()
        said = ["1 cell has no row in napari any more: here it is as it was last." in shown.status.value]
        layer.features = features.rename(columns={"area": "size"})
        await settled()
        told = "No longer in napari, and here as they were last: &quot;area&quot;."
        said += [told in shown.status.value, "no row in napari" not in shown.status.value]
        layer.features = features.assign(area=0.0)
        await settled()
        said += ["&quot;area&quot;." in shown.status.value, told not in shown.status.value]
        shown.close()
        return said

    assert all(asyncio.run(main()))


def test_layers_that_cannot_be_written_to_are_told():
    viewer = ViewerModel()
    rng = np.random.default_rng(0)
    labels = np.kron(np.arange(1, 31).reshape(5, 6), np.ones((4, 4), dtype=int))
    features = pd.DataFrame({"label": np.arange(1, 31), "area": rng.normal(size=30), "DNA": rng.normal(size=30)})
    layer = viewer.add_labels(labels, name="nuclei", features=features)

    async def main():
        shown = explore(viewer)
        shown.session.parameters.max_iter = 3
        shown.embed()
        await shown.finished()
        layer.features = features.drop(columns="label")
        shown.keep.write_button.click()
        said = [shown.status.value]
        viewer.layers.clear()
        shown.keep.write_button.click()
        said.append(shown.status.value)
        shown.close()
        return said

    unlabelled, closed = asyncio.run(main())
    assert "do not say which cell a row is" in unlabelled
    assert "Nothing is written there" in unlabelled
    assert "No layer of these cells is open, so nothing is written" in closed


@pytest.mark.slow
def test_an_affine_transform_is_followed():
    async def act(viewer, labels, shown):
        labels.affine = np.diag([1, 0.5, 0.5, 1])
        await settled()
        assert shown.images.pane.pictures[0].scale == (1, 0.5, 0.5)

    followed(act)


def test_what_changed_just_before_a_widget_was_closed_is_no_error():
    viewer = ViewerModel()
    layer = viewer.add_labels(LABELS, name="nuclei", features=pd.DataFrame({"index": [3, 7], "area": [1.0, 2.0]}))
    errors = []

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
        shown = explore(viewer)
        layer.features = layer.features.assign(area=5.0)
        shown.close()
        await settled()

    asyncio.run(main())
    assert not errors


def test_a_closed_widget_follows_nothing():
    viewer = ViewerModel()
    labels = viewer.add_labels(LABELS.copy(), name="nuclei")
    n_before = len(labels.events.callbacks)
    explored(viewer, lambda shown: None)
    assert len(labels.events.callbacks) == n_before
