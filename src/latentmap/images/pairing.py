"""Which images belong to which labels: suggested from sizes, positions and names."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

import numpy as np

UserPair = tuple[int, int, str | None]
"""The user's word on a pair: the index of the labels, the index of the image, and the name of the channel. The name is
None if the image does not belong to the labels, and "" if it does and the name is to be found."""

BY_NAME, BY_PLACE, BY_SIZE, BY_USER = "name", "place", "size", "you"
"""Why a pair is sure."""

_ORDER = "only the order of the layers says which image belongs to which labels"
_SHARED = "several labels have the size and position of these images: they may share them, or each has its own"
_ELSEWHERE = "the image has the size of the labels, but lies elsewhere"
_CONTRARY = "the position points to these labels, the name to others"
_TWICE = "several images of these labels have the same name: they may belong to other fields"

_ENDING = re.compile(r"(\.ome)?\.(tiff?|png|jpe?g|bmp|czi|nd2|lif|lsm|stk|zarr|h5|hdf5|npy|mrc)$", re.IGNORECASE)
# napari's suffix for a second layer of the same name.
_NUMBER = re.compile(r" \[\d+\]$")
# Numbers of channels, not of fields.
_CHANNEL = re.compile(r"(c|ch|chan|channel|w|wavelength)\d*")
_NAMELESS = "image"


@dataclass(frozen=True)
class LayerGeometry:
    """What pairing needs to know of a layer.

    Attributes
    ----------
    name : str
    shapes : tuple of tuple of int
        For labels, their shape. For an image, the shapes of labels that it fits: its own and, if the first axis may be
        channels, its own without that axis.
    box : tuple of tuple of float, or None
        For each axis, the world coordinates of the first pixel, and of the last ones along the last axis, the one
        before it, and so on: mirrored or turned layers differ in them. None if unknown.
    step : tuple of float
        The distance between neighbouring pixels along each axis; for labels only.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    box: tuple[tuple[float, ...], ...] | None = None
    step: tuple[float, ...] = ()


class Pair(NamedTuple):
    """An image that belongs to some labels.

    Attributes
    ----------
    image : int
        Its index among the images.
    why : str
        "name", "place", "size" or "you"; if the pair is not sure, a sentence without its full stop.
    is_sure : bool
        Whether the user need not check the pair.
    """

    image: int
    why: str
    is_sure: bool = True


@dataclass(frozen=True)
class Pairing:
    """Labels and their images, channel by channel.

    Attributes
    ----------
    channels : tuple of str
        The names of the channels, common to all labels: "DAPI" for "field1_DAPI" and "field2_DAPI".
    rows : tuple of tuple of Pair or None
        A row for each of the labels, with an entry for each channel.

    Examples
    --------
    >>> labels = [LayerGeometry(f"{field}_labels", ((256, 256),)) for field in ("A01", "A02")]
    >>> images = [LayerGeometry(f"{field}_{stain}", ((256, 256),)) for field in ("A02", "A01")
    ...     for stain in ("DAPI", "GFP")]
    >>> found = suggest_pairs(labels, images)
    >>> found.channels, [[pair.image for pair in row] for row in found.rows], found.rows[0][0].why
    (('DAPI', 'GFP'), [[2, 3], [0, 1]], 'name')
    """

    channels: tuple[str, ...]
    rows: tuple[tuple[Pair | None, ...], ...]

    def of(self, labels: int) -> dict[str, Pair]:
        """Return the images of some labels, by channel.

        Parameters
        ----------
        labels : int
            Their index among the labels.
        """
        return {name: pair for name, pair in zip(self.channels, self.rows[labels], strict=True) if pair is not None}


def has_same_shape(labels: LayerGeometry, image: LayerGeometry) -> bool:
    """Return whether an image has as many pixels along each axis as some labels."""
    return labels.shapes[0] in image.shapes


def suggest_pairs(
    labels: Iterable[LayerGeometry], images: Iterable[LayerGeometry], given: Iterable[UserPair] = ()
) -> Pairing:
    """Suggest which images belong to which labels.

    An image belongs to labels of its size: to those at its position, if there are any, and among several to those whose
    name has most in common with its own. A pair that follows only from the order of the layers, or that shares an image
    among labels, is suggested but not sure.

    Parameters
    ----------
    labels, images : iterable of LayerGeometry
        All of them, including those not to be measured: an image may belong to these.
    given : iterable of (int, int, str or None)
        What the user has decided already.

    Examples
    --------
    >>> labels = [LayerGeometry("labels", ((9, 9),)), LayerGeometry("labels [1]", ((9, 9),))]
    >>> images = [LayerGeometry("DAPI", ((9, 9),)), LayerGeometry("DAPI [1]", ((9, 9),))]
    >>> found = suggest_pairs(labels, images)
    >>> found.channels, found.rows[1][0].image, found.rows[1][0].is_sure
    (('DAPI',), 1, False)
    >>> suggest_pairs(labels, images, [(0, 0, ""), (1, 1, "")]).rows[1][0].is_sure
    True
    """
    return _suggest(tuple(labels), tuple(images), tuple(given))


@lru_cache(maxsize=4)
def _suggest(
    labels: tuple[LayerGeometry, ...], images: tuple[LayerGeometry, ...], given: tuple[UserPair, ...]
) -> Pairing:
    pairs = _pairs_by_labels(labels, images)
    decided = {(label, image): name for label, image, name in given if has_same_shape(labels[label], images[image])}
    for (label, image), name in decided.items():
        pairs[label].pop(image, None)
        if name is not None:
            pairs[label][image] = Pair(image, BY_USER)
    names = _channel_names(labels, images, pairs) | {key: name for key, name in decided.items() if name}
    return _as_table(images, pairs, names)


def _pairs_by_labels(labels: Sequence[LayerGeometry], images: Sequence[LayerGeometry]) -> list[dict[int, Pair]]:
    """The images of each of the labels, by index."""
    fitting = [[place for place, one in enumerate(labels) if has_same_shape(one, image)] for image in images]
    near = [
        [label for label in own if _same_place(labels[label], image)]
        for own, image in zip(fitting, images, strict=True)
    ]
    has_near = {label for own in near for label in own}
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for image in range(len(images)):
        groups[tuple(near[image] or [label for label in fitting[image] if label not in has_near])].append(image)
    pairs: list[dict[int, Pair]] = [{} for _ in labels]
    for own, group in groups.items():
        for label, pair in _distribute(own, group, labels, images, fitting):
            if not near[pair.image] and pair.is_sure and pair.why != BY_NAME:
                pair = Pair(pair.image, _ELSEWHERE, is_sure=False)
            pairs[label][pair.image] = pair
    return pairs


def _distribute(
    own: Sequence[int],
    group: Sequence[int],
    labels: Sequence[LayerGeometry],
    images: Sequence[LayerGeometry],
    fitting: list[list[int]],
) -> list[tuple[int, Pair]]:
    """Distribute images among labels that all of them fit equally well."""
    if not own:
        return []
    if len(own) == 1:
        return [(own[0], _sole_pair(own[0], image, labels, images, fitting[image])) for image in group]
    by_name = {image: _by_name(images[image], own, labels) for image in group}
    if set(by_name.values()) >= set(own):
        named = [(label, Pair(image, BY_NAME)) for image, label in by_name.items() if label is not None]
        nameless = [image for image, label in by_name.items() if label is None]
        return named + [(label, Pair(image, _SHARED, is_sure=False)) for image in nameless for label in own]
    for key in (_stem, _without_numbers):
        alike: dict[str, list[int]] = defaultdict(list)
        for image in group:
            alike[key(images[image].name)].append(image)
        if max(map(len, alike.values())) > 1:
            return [
                (label, Pair(image, _ORDER, is_sure=False))
                for several in alike.values()
                for label, image in zip(own if len(several) > 1 else [], several, strict=False)
            ] + [
                (label, Pair(several[0], _SHARED, is_sure=False))
                for several in alike.values()
                if len(several) == 1
                for label in own
            ]
    return [(label, Pair(image, _SHARED, is_sure=False)) for image in group for label in own]


def _sole_pair(
    label: int, image: int, labels: Sequence[LayerGeometry], images: Sequence[LayerGeometry], fitting: Sequence[int]
) -> Pair:
    """The pair of an image and the only labels that it fits."""
    named = _by_name(images[image], fitting, labels) if len(fitting) > 1 else None
    if named is not None and named != label and _by_name(labels[label], fitting, labels) == label:
        return Pair(image, _CONTRARY, is_sure=False)
    return Pair(image, BY_PLACE if len(fitting) > 1 else BY_SIZE)


def _same_place(labels: LayerGeometry, image: LayerGeometry) -> bool:
    if labels.box is None or image.box is None:
        return labels.box is image.box
    n = len(labels.box)
    near, far = np.array(labels.box), np.array(image.box)[-n:, : n + 1]
    return bool((np.abs(near - far) <= np.array(labels.step)[:, None] / 2).all())


def _by_name(one: LayerGeometry, among: Sequence[int], labels: Sequence[LayerGeometry]) -> int | None:
    """The labels whose name shares most words with that of a layer and, in a tie, the longest run of words."""
    words = _words(one.name)
    scores = [_common(words, _words(labels[label].name)) for label in among]
    best = max(scores)
    return among[scores.index(best)] if scores.count(best) == 1 else None


def _common(words: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    blocks = [block.size for block in SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()]
    return sum(blocks), max(blocks)


def _stem(name: str) -> str:
    """A name without napari's suffix and the file's ending."""
    return _ENDING.sub("", _NUMBER.sub("", name))


def _spelled(name: str) -> list[str]:
    """The words of a name, as they are written."""
    return re.findall(r"[^\W_]+", _stem(name))


def _word(spelled: str) -> str:
    """A word in the form in which it is compared: "Field01" becomes "field1"."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", spelled.casefold())


def _words(name: str) -> list[str]:
    return [_word(word) for word in _spelled(name)]


def _without_numbers(name: str) -> str:
    return " ".join(word if _CHANNEL.fullmatch(word) else re.sub(r"\d+", "", word) for word in _words(name))


def _channel_names(
    labels: Sequence[LayerGeometry], images: Sequence[LayerGeometry], pairs: Sequence[dict[int, Pair]]
) -> dict[tuple[int, int], str]:
    """Name the channels so that no labels have two images of one name, with as few names as possible."""
    fields = {label: list(own) for label, own in enumerate(pairs) if own}
    everywhere = _in_all([_in_any(images, own) for own in fields.values()])
    n_most = max(map(len, fields.values()), default=0)
    common = _in_all([set(_words(images[image].name)) for own in fields.values() for image in own])

    def of_field(label: int, image: int) -> set[int]:
        blocks = SequenceMatcher(None, _words(images[image].name), _words(labels[label].name), autojunk=False)
        return {place for block in blocks.get_matching_blocks() for place in range(block.a, block.a + block.size)}

    def of_own(label: int, image: int) -> set[int]:
        if len(fields[label]) == 1:  # the words of one image are those of its stain, too
            return of_field(label, image)
        own = _in_all([set(_words(images[one].name)) for one in fields[label]]) - everywhere
        return {place for place, word in enumerate(_words(images[image].name)) if word in own}

    def of_image(label: int, image: int) -> set[int]:
        return {place for place, word in enumerate(_words(images[image].name)) if word not in common}

    ways: list[Callable[[int, int], set[int]]] = [lambda label, image: set(), of_field, of_own]
    if len(fields) > 1:  # of two ways with as many names, the first is taken: that without the words of the field
        ways[:2] = ways[1::-1]
    # Words beside those that an image shares with its labels may be those of its stain.
    if len(fields) > 1 and n_most == 1 and not all(of_field(label, image) for label, (image,) in fields.items()):
        ways.append(of_image)
    best: dict[tuple[int, int], str] = {}
    fewest = np.inf
    for way in ways:
        names = {
            (label, image): _without_words(images[image].name, way(label, image))
            for label, own in fields.items()
            for image in own
        }
        found = [[names[label, image].casefold() for image in own] for label, own in fields.items()]
        n_names = len({name for own in found for name in own})
        if all(len(set(own)) == len(own) for own in found) and n_names < fewest:
            best, fewest = names, n_names
    return best or {(label, image): images[image].name for label, own in fields.items() for image in own}


def _in_any(images: Sequence[LayerGeometry], some: Iterable[int]) -> set[str]:
    return {word for image in some for word in _words(images[image].name)}


def _in_all(sets: Sequence[set[str]]) -> set[str]:
    return set.intersection(*sets) if sets else set()


def _without_words(name: str, without: set[int]) -> str:
    """A name without the words at these indices."""
    rest = "_".join(word for place, word in enumerate(_spelled(name)) if place not in without)
    return (rest if without else _stem(name)) or _NAMELESS


def _as_table(
    images: Sequence[LayerGeometry], pairs: Sequence[dict[int, Pair]], names: dict[tuple[int, int], str]
) -> Pairing:
    spelled: dict[str, str] = {}
    rows: list[dict[str, Pair]] = []
    for label, own in enumerate(pairs):
        row: dict[str, Pair] = {}
        stems = [_stem(images[image].name) for image in own]
        for image in sorted(own):
            name, pair = names.get((label, image)) or images[image].name, own[image]
            if name.casefold() in row:
                name = images[image].name
            if pair.is_sure and pair.why != BY_USER and stems.count(_stem(images[image].name)) > 1:
                pair = Pair(image, _TWICE, is_sure=False)
            row[name.casefold()] = pair
            spelled.setdefault(name.casefold(), name)
        rows.append(row)
    return Pairing(tuple(spelled.values()), tuple(tuple(row.get(name) for name in spelled) for row in rows))
