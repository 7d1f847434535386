"""The range of grey levels of each channel of a large image, from the same pixels as in memory."""

from collections.abc import Mapping, Sequence

import numpy as np

from latentmap.measuring.blocks import Blocks
from latentmap.measuring.cell_boxes import BlockCensus
from latentmap.measuring.texture import grey_range, thinned


class GreyLevels:
    """Chooses pixels of cells, every so many in the order of each frame, and finds the range of their values.

    Parameters
    ----------
    blocks : Blocks
    census : mapping of int to BlockCensus
    """

    def __init__(self, blocks: Blocks, census: Mapping[int, BlockCensus]) -> None:
        self._first: dict[int, np.ndarray] = {}
        self._steps: list[int] = []
        n = len(blocks) // blocks.n_frames
        for frame in range(blocks.n_frames):
            numbers = range(frame * n, (frame + 1) * n)
            # How many pixels of cells each block has in each row; rows of all planes, and blocks along a row.
            in_rows = np.zeros((*blocks.shape[:-1], blocks.counts[-1]), dtype=np.int64)
            at = {number: self._place(blocks, number) for number in numbers}
            for number in numbers:
                in_rows[at[number]] = census[number].in_rows
            ends = np.cumsum(in_rows).reshape(in_rows.shape)
            self._first |= {number: (ends - in_rows)[at[number]] for number in numbers}
            self._steps.append(thinned(int(in_rows.sum()), blocks.n_frames))
        self._n_in_frame = n

    def asked(self, number: int) -> tuple[np.ndarray, int]:
        """Return what `sample` needs for a block: the rank of the first pixel of cells in each row, and the step."""
        return self._first[number], self._steps[number // self._n_in_frame]

    @staticmethod
    def ranges(sampled: Mapping[int, Mapping[str, np.ndarray]], names: Sequence[str]) -> dict[str, tuple[float, float]]:
        """Return the range of each channel from the samples of all blocks."""
        return {
            name: grey_range(np.concatenate([np.empty(0), *(one[name] for one in sampled.values())])) for name in names
        }

    @staticmethod
    def _place(blocks: Blocks, number: int) -> tuple[slice | int, ...]:
        window = blocks[number]
        rows = (slice(*ends) for ends in zip(window.low[:-1], window.high[:-1], strict=True))
        return (*rows, window.low[-1] // blocks.side[-1])


def chosen_pixels(labels: np.ndarray, first: np.ndarray, step: int) -> np.ndarray:
    """Return which pixels of a flattened block are sampled, as `GreyLevels.asked` says."""
    inside = np.flatnonzero(labels > 0)
    rows = inside // labels.shape[-1]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    within = np.arange(len(inside)) - np.repeat(starts, np.diff(starts, append=len(inside)))
    chosen: np.ndarray = inside[(first.reshape(-1)[rows] + within) % step == 0]
    return chosen
