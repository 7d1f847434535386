"""What is said of layers that were measured."""

from dataclasses import replace

import numpy as np
from napari.layers import Labels

from latentmap.measuring import measure
from latentmap.napari_layers.measuring_layers import Task, measured_words


def measured(name, n_cells, *notes, channel="DNA", picture_size=0):
    labels = np.repeat(np.arange(1, n_cells + 1), 4).reshape(1, -1)
    settings = {"layer": name, "has_frames": False, "spacing": None, "unit": "", "texture": False}
    images, channels = ({channel: f"{channel} of {name}"}, {channel: labels}) if channel else ({}, {})
    task = Task(Labels(labels, name=name), name, labels, images, channels, {**settings, "picture_size": picture_size})
    return task, replace(measure(labels, layer=name), notes=notes)


def test_of_one_layer_its_image_is_named():
    said = measured_words([measured("A", 3, "Too dark.")])
    assert said == 'Measured 3 cells of "A": shape, and intensities in DNA (image "DNA of A"). Too dark.'


def test_of_many_layers_each_sentence_is_said_once_with_counts():
    dark, noisy = "Too dark.", "2 labels below 0 count as background."
    said = measured_words([measured("A", 3, dark), measured("B", 5, dark, noisy), measured("C", 1)])
    assert said == (
        'Measured 9 cells of 3 layers, from "A" to "C": shape, and intensities in DNA. '
        f'In 2 of 3 layers: {dark} In "B": {noisy}'
    )
    everywhere = measured_words([measured("A", 3, dark), measured("B", 5, dark)])
    assert everywhere.endswith(f"intensities in DNA. {dark}")


def test_layers_without_images_are_told_apart():
    said = measured_words([measured("A", 3), measured("B", 2, channel="")])
    assert said == (
        'Measured 3 cells of "A": shape, and intensities in DNA. '
        'Measured 2 cells of "B": shape only, because no image of their size is ticked.'
    )


def test_pictures_are_explained_once():
    said = measured_words([measured("A", 3, picture_size=16), measured("B", 3, picture_size=16)])
    assert said.count("256 more features") == 1


def test_nothing_measured_is_nothing_to_say():
    assert measured_words([]) == ""
