"""Which cells are measured with which block, and in which windows they lie whole."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from latentmap.images.crops import margin_of_picture
from latentmap.measuring.blocks import Blocks, Window
from latentmap.measuring.cell_boxes import CellBoxes

# Windows that all together hold the image so many times are a sign of numbers that stand for several cells; windows of
# few pixels are soon read.
_MOST_OFTEN, _LITTLE = 12, 1e8


class CellWindow(NamedTuple):
    """A window, and the cells that are measured in it.

    Attributes
    ----------
    window : Window
    labels : ndarray of int64
        Each lies in the window whole, with what its picture shows around it.
    """

    window: Window
    labels: np.ndarray


def cell_windows(blocks: Blocks, boxes: Sequence[CellBoxes], has_pictures: bool) -> dict[int, list[CellWindow]]:
    """Give every cell to the block of its first corner, and find the windows of each block.

    Cells that reach no further than half a block beyond it share a window; each larger one has its own.

    Parameters
    ----------
    blocks : Blocks
    boxes : sequence of CellBoxes
        Of each frame.
    has_pictures : bool
        Whether windows need room for pictures of the cells.

    Returns
    -------
    dict of int to list of CellWindow
        By number, of blocks with cells.
    """
    found: dict[int, list[CellWindow]] = {}
    for frame, of_frame in enumerate(boxes):
        owners = blocks.of_corners(frame, of_frame.low)
        margin = np.zeros_like(of_frame.low)
        if has_pictures:
            margin[:, -2:] = margin_of_picture(of_frame.low[:, -2:], of_frame.high[:, -2:])[:, None]
        low, high = np.maximum(of_frame.low - margin, 0), np.minimum(of_frame.high + margin, blocks.shape)
        order = np.argsort(owners, kind="stable")
        cuts = np.flatnonzero(np.diff(owners[order], prepend=-1))
        for cells in np.split(order, cuts[1:]) if len(order) else ():
            number = int(owners[cells[0]])
            found[number] = _of_block(blocks, number, of_frame.labels[cells], low[cells], high[cells])
    return found


def _of_block(blocks: Blocks, number: int, labels: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[CellWindow]:
    block, half = blocks[number], np.array(blocks.side) // 2
    is_large = ((low < np.array(block.low) - half) | (high > np.array(block.high) + half)).any(axis=1)
    groups = [np.flatnonzero(~is_large), *np.flatnonzero(is_large)[:, None]]
    return [
        CellWindow(blocks.around(block.frame, low[group], high[group]), labels[group]) for group in groups if len(group)
    ]


def check_windows(
    windows: Mapping[int, list[CellWindow]], blocks: Blocks, layer: str, bytes_per_pixel: float, free: float
) -> None:
    """Refuse cells whose windows do not fit into memory, and numbers that plainly stand for several cells.

    Raises
    ------
    ValueError
        Saying which label it is, and what to do.
    """
    every = [one for of_block in windows.values() for one in of_block]
    largest = max(every, key=lambda one: one.window.size)
    sides = " x ".join(str(b - a) for a, b in zip(largest.window.low, largest.window.high, strict=True))
    advice = (
        "If such numbers stand for several cells, as where tiles were segmented one by one, number the cells anew over "
        "the whole image."
    )
    if (needed := bytes_per_pixel * largest.window.size) > free:
        is_one = len(largest.labels) == 1
        what = f"label {largest.labels[0]} needs" if is_one else f"{len(largest.labels)} cells share"
        raise ValueError(
            f'In "{layer}" {what} a window of {sides} pixels, which takes about {needed / 2**30:.1f} GiB of memory, '
            f"but {free / 2**30:.1f} GiB are free for it. {advice if is_one else _advice_on(blocks)}"
        )
    n_pixels = blocks.n_frames * np.prod(blocks.shape, dtype=float)
    if sum(one.window.size for one in every) > _MOST_OFTEN * n_pixels + _LITTLE:
        raise ValueError(
            f'In "{layer}" many cells reach far beyond their blocks, such as label {largest.labels[0]} '
            f"over {sides} pixels. {advice}"
        )


def _advice_on(blocks: Blocks) -> str:
    """What helps where a block of many cells does not fit into memory."""
    if blocks.have_large_chunks:
        return "The labels are stored in chunks as large as this: save them in smaller ones, of 1024 pixels a side."
    return "Close other programs; on a cluster, give each worker more memory, or fewer threads."
