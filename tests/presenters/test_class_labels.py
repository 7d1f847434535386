"""Labels images of classes."""

import numpy as np
import pytest
from skimage.io import imread

from latentmap.presenters.class_labels import (
    ALL_CLASSES,
    LabelsImage,
    class_choices,
    class_images,
    made_sentence,
    save_class_images,
)

FRAMES = np.array([[[1, 1, 2], [3, 3, 0]], [[1, 2, 2], [3, 0, 3]]], dtype=np.uint16)


@pytest.fixture
def classed(session):
    # The label of the last cell does not fit into the image's type.
    keys = [("film", 0, 1), ("film", 0, 3), ("film", 1, 1), ("film", 1, 2), ("other", 0, 1), ("film", 1, 65537)]
    numbers = session.cell_index.add(keys)
    session.classes.assign("T", numbers[[0, 3, 5]])
    session.classes.assign("B", numbers[[1]])
    return session


def film():
    return LabelsImage("film", "my film", lambda: FRAMES, has_frames=True)


def unread():
    raise AssertionError("An image without cells of the class is read.")


def test_a_class_keeps_the_labels_of_its_cells_in_each_frame(classed):
    others = [LabelsImage("other", "other", unread), LabelsImage("absent", "absent", unread)]
    (made,) = class_images(classed, "T", [film(), *others])
    assert made.title == "T of my film"
    assert made.pixels.dtype == FRAMES.dtype
    assert made.pixels.tolist() == [[[1, 1, 0], [0, 0, 0]], [[0, 2, 2], [0, 0, 0]]]


def test_of_all_classes_each_pixel_has_the_number_of_its_class(classed):
    (made,) = class_images(classed, ALL_CLASSES, [film()])
    assert made.title == "classes of my film"
    assert made.pixels.dtype == np.uint8
    assert made.pixels.tolist() == [[[1, 1, 0], [2, 2, 0]], [[0, 1, 1], [0, 0, 0]]]
    assert made_sentence(classed, ALL_CLASSES, ["a"]) == 'Made "a". The numbers: 0 no class, 1 T, 2 B.'


def test_cells_of_later_frames_are_not_in_an_image_without_frames(classed):
    (made,) = class_images(classed, "T", [LabelsImage("film", "my film", lambda: FRAMES)])
    assert made.pixels.tolist() == [[[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]]


def test_dropped_cells_are_in_no_image(classed):
    classed.dropped.drop(classed.classes.members("T")[:1])
    (made,) = class_images(classed, "T", [film()])
    assert made.pixels.tolist() == [[[0, 0, 0], [0, 0, 0]], [[0, 2, 2], [0, 0, 0]]]
    (made,) = class_images(classed, ALL_CLASSES, [film()])
    assert made.pixels.tolist() == [[[0, 0, 0], [2, 2, 0]], [[0, 1, 1], [0, 0, 0]]]


def test_a_mask_of_one_cell_can_be_of_booleans(session):
    session.classes.assign("T", session.cell_index.add([("mask", 0, 1)]))
    mask = np.array([[True, False]])
    (made,) = class_images(session, "T", [LabelsImage("mask", "mask", lambda: mask)])
    assert made.pixels.tolist() == [[1, 0]]


def test_without_a_class_none_is_offered_and_it_is_said(session):
    assert class_choices(session) == []
    with pytest.raises(ValueError, match="There is no class yet"):
        next(class_images(session, ALL_CLASSES, [film()]))
    assert made_sentence(session, "T", []) == 'No labels here have cells of the class "T".'


def test_files_say_what_their_numbers_mean(classed, tmp_path):
    said = save_class_images(classed, ALL_CLASSES, [film()], tmp_path / "map.labels.tif")
    assert said == f'Saved "map.labels.tif" in {tmp_path}. The numbers: 0 no class, 1 T, 2 B.'
    assert imread(tmp_path / "map.labels.tif").tolist() == [[[1, 1, 0], [2, 2, 0]], [[0, 1, 1], [0, 0, 0]]]
    assert b"1 T, 2 B" in (tmp_path / "map.labels.tif").read_bytes()


def test_each_image_gets_a_file_of_its_own(classed, tmp_path):
    classed.classes.assign("B", classed.cell_index.add([("other", 0, 1)]))
    classed.classes.rename("T", "T µ")
    other = LabelsImage("other", "a/b", lambda: np.ones((2, 2), int))
    save_class_images(classed, "B", [film(), other], tmp_path / "map.labels.tif")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map-a_b.labels.tif", "map-my_film.labels.tif"]
    assert imread(tmp_path / "map-a_b.labels.tif").tolist() == [[1, 1], [1, 1]]
    assert "1 T µ" in save_class_images(classed, ALL_CLASSES, [film()], tmp_path / "all.tif")
    with pytest.raises(ValueError, match='No labels here have cells of the class "T µ"'):
        save_class_images(classed, "T µ", [other], tmp_path / "none.tif")
