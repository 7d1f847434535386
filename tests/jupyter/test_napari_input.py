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
