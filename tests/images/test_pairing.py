"""Which image belongs to which labels."""

import pytest

from latentmap.images.pairing import BY_NAME, BY_PLACE, BY_SIZE, BY_USER, LayerGeometry, suggest_pairs

SIDE = 256


def laid(*names, at=(0, 0), side=SIDE):
    box = tuple((place, place + side - 1) for place in at)
    return [LayerGeometry(name, ((side, side),), box, (1, 1)) for name in names]


def paired(labels, images, given=()):
    """Each of the labels' images by channel, and whether all of them are sure."""
    found = suggest_pairs(labels, images, given)
    rows = [found.of(place) for place in range(len(labels))]
    return (
        [{name: images[pair.image].name for name, pair in row.items()} for row in rows],
        [all(pair.is_sure for pair in row.values()) for row in rows],
    )


def test_layers_that_napari_has_numbered_go_by_their_order_and_are_to_be_looked_at():
    found, sure = paired(
        laid("labels", "labels [1]", "labels [2]"), laid("DAPI", "DAPI [1]", "DAPI [2]", "GFP", "GFP [1]", "GFP [2]")
    )
    assert found == [
        {"DAPI": "DAPI", "GFP": "GFP"},
        {"DAPI": "DAPI [1]", "GFP": "GFP [1]"},
        {"DAPI": "DAPI [2]", "GFP": "GFP [2]"},
    ]
    assert sure == [False] * 3


@pytest.mark.parametrize(
    ("labels", "images", "channels"),
    [
        (("field1_labels", "field2_labels"), ("field1_DAPI", "field2_DAPI"), ["DAPI"]),
        (("field01_labels", "field02_labels"), ("Field1_DAPI", "Field2_DAPI"), ["DAPI"]),
        (("labels_f1", "labels_f2"), ("DAPI_f1", "GFP_f1", "DAPI_f2", "GFP_f2"), ["DAPI", "GFP"]),
        (("A01_s1_mask", "A01_s2_mask", "A02_s1_mask"), ("A01_s1_w1", "A01_s2_w1", "A02_s1_w1"), ["w1"]),
        (("img_1_seg", "img_2_seg"), ("img_1_ch_1", "img_1_ch_2", "img_2_ch_1", "img_2_ch_2"), ["ch_1", "ch_2"]),
        (("a_seg_2024", "b_seg_2024"), ("a_DNA_2024", "b_DNA_2024"), ["DNA"]),
        (("pos1 [1]", "pos2 [1]"), ("pos1", "pos2"), ["image"]),
        (("pos1_cp_masks", "pos2_cp_masks"), ("pos1.ome.tif", "pos2.ome.tif"), ["image"]),
    ],
)
def test_names_tell_whatever_the_order(labels, images, channels):
    found, sure = paired(laid(*labels), laid(*reversed(images)))
    assert all(sure)
    assert sorted(found[0]) == channels
    per_field = len(channels)
    for place, row in enumerate(found):
        assert sorted(row.values()) == sorted(images[per_field * place : per_field * (place + 1)])


@pytest.mark.parametrize("stains", [("DAPI", "GFP"), ("C1", "C2"), ("DAPI", "GFP", "DAPI")])
def test_one_image_of_each_field_with_another_stain_is_another_channel(stains):
    names = [f"A{place}_{stain}" for place, stain in enumerate(stains)]
    found, sure = paired(laid(*(f"A{place}_labels" for place in range(len(stains)))), laid(*reversed(names)))
    assert found == [{stain: name} for stain, name in zip(stains, names, strict=True)]
    assert all(sure)


def test_the_place_tells():
    labels = laid("left") + laid("right", at=(0, 300))
    images = laid("DNA", at=(0, 300)) + laid("DNA [1]")
    found, sure = paired(labels, images)
    assert found == [{"DNA": "DNA [1]"}, {"DNA": "DNA"}]
    assert sure == [True, True]
    assert suggest_pairs(labels, images).rows[0][0].why == BY_PLACE


def test_the_size_tells_and_one_channel_has_one_name():
    labels = laid("one", side=200) + laid("two", side=220) + laid("three", side=240)
    images = laid("scan07_DAPI", side=240) + laid("scan02_DAPI", side=200) + laid("x9_DAPI", side=220)
    found, sure = paired(labels, images)
    assert found == [{"DAPI": "scan02_DAPI"}, {"DAPI": "x9_DAPI"}, {"DAPI": "scan07_DAPI"}]
    assert sure == [True] * 3
    assert suggest_pairs(labels, images).rows[0][0].why == BY_SIZE


def test_file_like_names_of_several_channels_in_fields_told_by_their_size():
    labels = laid("one", side=200) + laid("two", side=220)
    images = laid("s7_DAPI", "s7_GFP", side=200) + laid("s8_DAPI", "s8_GFP", side=220)
    found, _ = paired(labels, images)
    assert found == [{"DAPI": "s7_DAPI", "GFP": "s7_GFP"}, {"DAPI": "s8_DAPI", "GFP": "s8_GFP"}]


def test_all_images_of_the_only_labels_are_theirs_by_their_own_names():
    found, sure = paired(laid("field1_labels"), laid("field1_DAPI", "field1_GFP (raw)"))
    assert found == [{"field1_DAPI": "field1_DAPI", "field1_GFP (raw)": "field1_GFP (raw)"}]
    assert sure == [True]


def test_images_of_one_name_at_the_only_labels_are_to_be_looked_at():
    found, sure = paired(laid("nuclei"), laid("DAPI", "DAPI [1]"))
    assert found == [{"DAPI": "DAPI", "DAPI [1]": "DAPI [1]"}]
    assert sure == [False]


def test_two_segmentations_of_one_field_share_its_images_if_the_user_says_so():
    labels, images = laid("nuclei", "cells"), laid("DAPI", "actin")
    found, sure = paired(labels, images)
    assert found == [{"DAPI": "DAPI", "actin": "actin"}] * 2
    assert sure == [False, False]
    given = [(label, image, "") for label in (0, 1) for image in (0, 1)]
    assert paired(labels, images, given) == (found, [True, True])


def test_numbers_without_a_partner_go_by_order_and_channel_numbers_do_not():
    found, sure = paired(laid("a", "b"), laid("img_7", "img_8"))
    assert [list(row.values()) for row in found] == [["img_7"], ["img_8"]]
    assert sure == [False, False]
    found, _ = paired(laid("a", "b"), laid("ch7", "ch8"))
    assert found == [{"ch7": "ch7", "ch8": "ch8"}] * 2


def test_an_image_that_names_do_not_give_to_anyone_is_to_be_looked_at():
    labels = laid("field1_labels", "field2_labels")
    found, sure = paired(labels, laid("field1_DAPI", "field2_DAPI", "illumination"))
    assert [row["DAPI"] for row in found] == ["field1_DAPI", "field2_DAPI"]
    assert [row["illumination"] for row in found] == ["illumination"] * 2
    assert sure == [False, False]


def test_a_field_may_lack_a_channel():
    found, sure = paired(laid("f1_labels", "f2_labels"), laid("f1_DAPI", "f1_GFP", "f2_DAPI"))
    assert found == [{"DAPI": "f1_DAPI", "GFP": "f1_GFP"}, {"DAPI": "f2_DAPI"}]
    assert sure == [True, True]


def test_an_image_that_lies_elsewhere_or_where_its_name_does_not_fit_is_to_be_looked_at():
    labels = laid("nuclei")
    assert paired(labels, laid("DAPI", at=(0, 50))) == ([{"DAPI": "DAPI"}], [False])
    assert paired(labels, laid("DAPI") + laid("GFP", at=(0, 50))) == ([{"DAPI": "DAPI"}], [True])
    labels = laid("f1_labels") + laid("f2_labels", at=(0, 300))
    found, sure = paired(labels, laid("f2_DAPI") + laid("f1_DAPI", at=(0, 300)))
    assert found == [{"DAPI": "f2_DAPI"}, {"DAPI": "f1_DAPI"}]
    assert sure == [False, False]


def test_an_image_of_another_size_is_nobodys():
    assert paired(laid("nuclei"), laid("DAPI", side=99)) == ([{}], [True])


def test_what_the_user_says_counts():
    labels, images = laid("a", "b"), laid("DAPI", "DAPI [1]", "other")
    given = [(0, 0, None), (0, 1, "DAPI"), (1, 1, None), (1, 0, "DAPI"), (0, 2, None), (1, 2, None)]
    assert paired(labels, images, given) == ([{"DAPI": "DAPI [1]"}, {"DAPI": "DAPI"}], [True, True])
    assert suggest_pairs(labels, images, given).rows[0][0].why == BY_USER
    assert paired(labels, images, [(0, 0, "DNA"), (1, 1, "DNA"), *given[4:]])[0] == [
        {"DNA": "DAPI"},
        {"DNA": "DAPI [1]"},
    ]


def test_names_give_each_pair_its_reason():
    labels, images = laid("f1", "f2"), laid("f1_DAPI", "f2_DAPI")
    assert [row[0].why for row in suggest_pairs(labels, images).rows] == [BY_NAME] * 2
