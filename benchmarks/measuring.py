"""What measuring cells takes, in two and in three dimensions: ``python -m benchmarks.measuring``."""

from __future__ import annotations

import argparse
import os
from time import perf_counter, process_time

import numpy as np

from latentmap.measuring import measure

# The side of the box around a cell, and its least and greatest radius, in pixels.
_BOX, _RADII = {2: 32, 3: 16}, {2: (8, 14), 3: (4, 7)}
_ROUGHNESS = 0.1


def cells(n_cells: int, n_axes: int, seed: int = 0) -> np.ndarray:
    """Return labels of rough ellipses or ellipsoids, each in a box of its own.

    Parameters
    ----------
    n_cells : int
    n_axes : {2, 3}
    seed : int

    Returns
    -------
    ndarray of int32, with `n_axes` axes of one length
    """
    rng, side = np.random.default_rng(seed), _BOX[n_axes]
    n_boxes = int(np.ceil(n_cells ** (1 / n_axes)))
    labels = np.zeros((n_boxes * side,) * n_axes, dtype=np.int32)
    at = np.indices((side,) * n_axes) - (side - 1) / 2
    for cell in range(n_cells):
        radii = rng.uniform(*_RADII[n_axes], n_axes).reshape(-1, *[1] * n_axes)
        inside = np.sum((at / radii) ** 2, axis=0) + rng.normal(0, _ROUGHNESS, at[0].shape) < 1
        corner = np.array(np.unravel_index(cell, (n_boxes,) * n_axes)) * side
        labels[tuple(slice(start, start + side) for start in corner)][inside] = cell + 1
    return labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    asked = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before")
    for n_axes in (2, 3):
        labels = cells(asked.cells, n_axes)
        image = np.random.default_rng(0).random(labels.shape, dtype=np.float32)
        start, used = perf_counter(), process_time()
        table = measure(labels, {"DNA": image}, layer="cells")
        took = (perf_counter() - start, process_time() - used)
        seconds, computed = (1e4 * part / len(table.features) for part in took)
        size = np.count_nonzero(labels) / asked.cells
        print(
            f"{n_axes}-D, {asked.cells} cells of {size:.0f} pixels: {seconds:.1f} s for 10 000 cells, "
            f"of processors {computed:.1f} s"
        )


if __name__ == "__main__":
    main()
