"""Notes on what was measured, and what could not be."""

from collections.abc import Mapping, Sequence

from latentmap.table.wording import counted, listed

# The start of a note on the images in which cells were measured.
_SEEN = "Measured: "


def looks_like_time_note(layer: str, n_apart: int, n_followed: int) -> str:
    """Return the sentence on labels whose planes look like frames.

    Parameters
    ----------
    layer : str
        The name of the labels layer.
    n_apart, n_followed : int
        How many numbers are in two neighbouring planes, and how many of them in separate pieces; see
        `latentmap.images.frames.compare_planes`.
    """
    if not n_followed:
        return (
            f'The first axis of "{layer}" looks like time: no number lies in two neighbouring planes. If it is depth, '
            "the cells were found plane by plane, and each counts as many times as it has planes."
        )
    return (
        f'The first axis of "{layer}" looks like time: {n_apart} of {n_followed} numbers lie in separate pieces from '
        "one plane to the next. Taken as depth, such pieces count as one cell."
    )


def looks_like_mask_note(layer: str, number: int) -> str:
    """Return the sentence on labels that may be a mask: all cells have one number."""
    return (
        f'The only number in "{layer}" is {number}, in separate pieces, which count as one cell. If it is a mask, '
        "number its cells first, for instance with skimage.measure.label."
    )


def measured_in_note(layer: str, images: Mapping[str, str]) -> str:
    """Return a note on the images in which a layer was measured.

    Parameters
    ----------
    layer : str
        The name of the labels layer.
    images : mapping of str to str
        The names of the images, by channel.

    Examples
    --------
    >>> measured_in_note("field 2", {"DAPI": "DAPI [1]"})
    'Measured: "field 2", DAPI in "DAPI [1]".'
    """
    listed = ", ".join(f'{channel} in "{name}"' for channel, name in images.items())
    return f'{_SEEN}"{layer}", {listed}.'


def is_measured_in_note(note: str) -> bool:
    """Return whether a note only records in which images cells were measured."""
    return note.startswith(_SEEN)


def without_image(has_texture: bool, has_pictures: bool) -> list[str]:
    """Return a note on each thing that was to be measured in images, of which there are none."""
    asked = {"No texture is measured": has_texture, "No pictures are taken": has_pictures}
    return [f"{what}: there is no image of the labels' shape." for what, is_asked in asked.items() if is_asked]


def below_zero(count: int) -> str:
    """Return the note on numbers below 0 in the labels."""
    return f"Numbers below 0 are not cells: {count} left out."


def without_texture(channel: str, count: int) -> str:
    """Return the note on cells too small for the texture of a channel."""
    return f"Cells without texture of {channel}, because no two of their pixels touch: {count}."


def kept_values(n_altered: int, columns: Sequence[str]) -> list[str]:
    """Return a note on columns that were not measured again, although cells are not where they were; none if all are.

    Examples
    --------
    >>> kept_values(2, ["type"])
    ['2 cells are not where they were when they were last measured, and keep what was known of them in "type".']
    """
    if not n_altered:
        return []
    are, they, were, keep = ("is", "it", "was", "keeps") if n_altered == 1 else ("are", "they", "were", "keep")
    return [
        f"{counted(n_altered, 'cell')} {are} not where {they} {were} when {they} {were} last measured, and {keep} what "
        f"was known of {'it' if n_altered == 1 else 'them'} in {listed(list(columns))}."
    ]
