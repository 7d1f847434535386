"""A plane of an image as it is printed: its channels, and the cells in their colours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from skimage.segmentation import find_boundaries

from latentmap.images.compositing import brightness, composite
from latentmap.images.crops import Channel

MOST_PIXELS = 2048
"""The most pixels along the longer side: 17 cm at 300 dpi."""

_FILL = 0.4


@dataclass(frozen=True, eq=False)
class ImagePlane:
    """A plane of an image, and the cells in it.

    Attributes
    ----------
    title : str
        The name of the image.
    layer, frame : str, int
        The first two parts of the keys of its cells.
    labels : ndarray of int, shape (n_rows, n_columns), or None
        The label of the cell at each pixel; 0 is the background.
    channels : mapping of str to Channel
        The visible channels of this plane, each with the shape of the plane.
    pixel_size : float or None
        The width of a pixel, in `unit`.
    unit : str
    aspect : float
        The height of a pixel, as a multiple of its width.
    """

    title: str
    layer: str
    frame: int
    labels: np.ndarray | None
    channels: Mapping[str, Channel]
    pixel_size: float | None = None
    unit: str = ""
    aspect: float = 1.0

    @classmethod
    def of(
        cls,
        title: str,
        layer: str,
        labels: Any,
        channels: Mapping[str, Channel],
        at: tuple[int, ...],
        *,
        axes: tuple[int, int] | None = None,
        mirrored: tuple[bool, bool] = (False, False),
        frame: int = 0,
        pixel_size: float | None = None,
        unit: str = "",
        aspect: float = 1.0,
        most_pixels: int = MOST_PIXELS,
    ) -> "ImagePlane":
        """Read a plane; of larger ones, every second, third ... row and column.

        Parameters
        ----------
        labels : array-like or None
            At the highest resolution.
        channels : mapping of str to Channel
            The visible channels at the highest resolution; at least one if there are no labels.
        at : tuple of int
            The index along all axes but rows and columns.
        axes : tuple of two int, optional
            Which axes are the rows and the columns; by default those that follow `at`.
        mirrored : tuple of two bool
            Whether the rows are drawn from the last to the first, and whether the columns are.
        most_pixels : int
            The most that are read along the longer side.
        """
        first = next((channel for channel in channels.values()), None)
        shape = labels.shape if labels is not None or first is None else first.image.shape[: len(at) + 2]
        rows, columns = (len(at), len(at) + 1) if axes is None else axes
        step = max(1, -(-max(shape[rows], shape[columns]) // most_pixels))
        rest = iter(at)
        index = tuple(slice(None, None, step) if axis in (rows, columns) else next(rest) for axis in range(len(at) + 2))

        def plane(image: Any) -> np.ndarray:
            pixels = np.asarray(image[index])
            turned = pixels if rows < columns else pixels.swapaxes(0, 1)
            return np.flip(turned, tuple(axis for axis in (0, 1) if mirrored[axis]))

        read = {name: one._replace(image=plane(one.image)) for name, one in channels.items()}
        pixels = None if labels is None else plane(labels)
        return cls(title, layer, frame, pixels, read, None if pixel_size is None else step * pixel_size, unit, aspect)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        pixels = self.labels if self.labels is not None else next(iter(self.channels.values())).image
        return int(pixels.shape[0]), int(pixels.shape[1])

    def picture(self) -> np.ndarray:
        """Return the channels, uint8 of shape (n_rows, n_columns, 3); black if there are none."""
        shown = ((brightness(one.image, one.limits), one.colour) for one in self.channels.values())
        return composite(shown, self.shape)

    def with_cells(self, labels: np.ndarray, colours: np.ndarray, selected: np.ndarray) -> np.ndarray:
        """Return the channels with the cells painted over them.

        Parameters
        ----------
        labels : ndarray of int, shape (n_cells,)
            Ascending. Cells of the plane that are not among them are left as they are.
        colours : ndarray of float, shape (n_cells, 4)
            Fully transparent for cells without a colour.
        selected : ndarray of bool, shape (n_cells,)
            The cells with a white outline; if there are any, all others are only outlined.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_columns, 3)
        """
        picture = self.picture()
        if self.labels is None or not len(labels):
            return picture
        place = np.clip(np.searchsorted(labels, self.labels), 0, len(labels) - 1)
        is_known = (self.labels != 0) & (labels[place] == self.labels)
        colour = 255 * colours[place][..., :3]
        is_painted = is_known & (colours[place][..., 3] > 0)
        outline = find_boundaries(self.labels, mode="inner")
        if not self.channels:
            filled = is_painted.astype(float)
        else:
            filled = _FILL * (is_painted & (selected[place] | ~selected.any()))
        share = np.where(outline & is_painted, 1.0, filled)[..., None]
        mixed: np.ndarray = np.round((1 - share) * picture + share * colour).astype(np.uint8)
        mixed[outline & is_known & selected[place]] = 255
        return mixed
