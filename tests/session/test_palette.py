"""The colours of groups can be told apart, and seen on white and on black."""

import numpy as np
from skimage.color import deltaE_ciede2000, rgb2lab

from latentmap.session.palette import PALETTE, group_colours, next_colour

OKABE_ITO = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")


def rgb(colours):
    return np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colours]) / 255


def test_thirty_colours_differ():
    lab = rgb2lab(rgb([*PALETTE, "#737373"])[None])[0]  # the last is the grey of cells without a group
    apart = deltaE_ciede2000(*np.broadcast_arrays(lab[:, None], lab[None]))
    np.fill_diagonal(apart, np.inf)
    assert PALETTE[:7] == OKABE_ITO
    assert len(PALETTE) == 30
    assert apart.min() > 16
    assert apart[:20, :20].min() > 21


def test_they_are_seen_on_white_and_on_black():
    colours = rgb(PALETTE)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]  # WCAG 2
    with_white, with_black = 1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05
    assert with_white[7:].min() >= 2
    assert with_black.min() >= 2.5


def test_no_group_gets_the_colour_of_another():
    names = [str(number) for number in range(40)]
    assert len(set(group_colours(names, {"3": PALETTE[0], "39": PALETTE[1]}))) == 40
    assert group_colours(names[:2]) == tuple(PALETTE[:2])
    assert next_colour(PALETTE) not in PALETTE
