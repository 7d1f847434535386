"""Sentences on files that disagree on the size or the place of their pixels."""

from collections.abc import Mapping, Sequence

import numpy as np

from latentmap.images.image_files import ImageFile

# Pixels of another level are shifted by half of one.
_HALF = 0.5


def sizes_apart(known: Sequence[tuple[str, Mapping[str, float]]]) -> list[str]:
    """Say which files tell another size of a pixel than the first one, by which lengths are measured."""
    said = []
    for name, size in known[1:]:
        first, used = known[0]
        if not np.allclose([*size.values()], [*used.values()], rtol=1e-3, atol=0):
            said.append(
                f'The size of a pixel is {_size(used)} in "{first}", but {_size(size)} in "{name}": lengths are '
                "measured by the first one. If it is wrong, give --spacing."
            )
    return said


def sizes_not_known(files: Sequence[ImageFile], axes: str) -> list[str]:
    """Say which file tells the size of a pixel in another unit, or along some axes only, so that it cannot be used."""
    if unknown := [file.unknown_size for file in files if file.unknown_size]:
        return unknown[-1:]
    for file in files:
        if there := [axis for axis in axes if axis in file.spacing]:
            missing = ", ".join(axis for axis in axes if axis not in there)
            return [
                f'"{file.name}" tells the size of a pixel along {", ".join(there)}, but not along {missing}: lengths '
                "are in pixels, as if these were as long on all sides. Give --spacing."
            ]
    return []


def places_apart(labels: ImageFile, images: Sequence[ImageFile]) -> list[str]:
    """Say which images do not start where the labels do, by what the files say."""
    said = []
    for image in images:
        shared = [axis for axis in "zyx" if axis in labels.origin and axis in image.origin]
        far = {axis: labels.origin[axis] - image.origin[axis] for axis in shared}
        if any(abs(step) > _HALF for step in far.values()):
            where = ", ".join(f"{axis} {step:.3g}" for axis, step in far.items())
            said.append(
                f'By what their files say, "{labels.name}" and "{image.name}" do not start at the same place (pixels '
                f"between them: {where}), but they were measured as if they did."
            )
    return said


def _size(spacing: Mapping[str, float]) -> str:
    return f"{' x '.join(f'{step:.4g}' for step in spacing.values())} µm"
