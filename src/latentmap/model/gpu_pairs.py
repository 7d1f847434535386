"""All pairs of points, without sampling, on a torch device: usually a GPU."""

from __future__ import annotations

import importlib.util
import math
from functools import cache
from typing import Any

import numpy as np

from latentmap.model.sampled_kernels import OUTPUT, REACH, VARIANCE

# Pairs in one block. They take some 200 MB unless fused, when they take none; but many small calls are slow.
_PAIRS_PER_BLOCK = 2**22
_PAIRS_PER_FUSED_BLOCK = 2**28


def check_device(device: str) -> None:
    """Raise unless torch is installed and knows the device.

    Parameters
    ----------
    device : str
        As torch names it.

    Raises
    ------
    ValueError
        Saying what is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise ValueError(
            f'device="{device}" needs torch, which is not installed. Install the extra, '
            'pip install "latentmap[gpu]", or leave device at None.'
        )
    import torch

    try:
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise ValueError(
            f'torch cannot use device="{device}" ({reason}). Choose a device that it supports, such as "cuda" with an '
            'NVIDIA graphics card or "mps" on a Mac, or leave device at None.'
        ) from error


class GpuPairs:
    """All pairs of points, block by block, without sampling.

    On a GPU each block is compiled into one kernel, which never writes its pairs to memory.

    Parameters
    ----------
    device : str
        As torch names it: "cuda", "cuda:1", "mps", "cpu".
    dof : float, default=None
        The degrees of freedom, if they are not as many as dimensions; in the plane.
    """

    def __init__(self, device: str, dof: float | None = None) -> None:
        import torch

        self._device = torch.device(device)
        self._dof = dof
        self._fused = self._device.type == "cuda"
        self._pairs_per_block = _PAIRS_PER_FUSED_BLOCK if self._fused else _PAIRS_PER_BLOCK

    def repel(self, points: np.ndarray, rate: float, step: int, slopes: np.ndarray) -> None:
        """Add the repulsion of all pairs to their slopes.

        Parameters
        ----------
        points : ndarray of shape (n, 2 + d)
            As :mod:`~latentmap.model.sampled_kernels` describes them.
        rate : float
            What each pair's repulsion is multiplied by.
        step : int
            Ignored: nothing is sampled.
        slopes : ndarray of shape (n, 1 + d)
            Changed in place.
        """
        slopes += rate * self._over_blocks(_repulsion, points)

    def log_likelihood(self, points: np.ndarray) -> float:
        """Return the sum of log P(c_Delta = 0) over all pairs, in both directions.

        Parameters
        ----------
        points : ndarray of shape (n, 2 + d)
            As :mod:`~latentmap.model.sampled_kernels` describes them.
        """
        return float(self._over_blocks(_log_apart, points).sum(dtype=float))

    def _over_blocks(self, of_block: Any, points: np.ndarray) -> np.ndarray:
        """Apply a function to some points against all, block by block, and return its result for each point."""
        import torch

        of_block = _compiled(of_block) if self._fused else of_block
        dof = points.shape[1] - OUTPUT if self._dof is None else self._dof
        # Transposed, so that the same number of all points is contiguous.
        columns = torch.from_numpy(np.ascontiguousarray(points.T)).to(self._device)
        number = torch.arange(len(points), device=self._device)
        size = max(1, self._pairs_per_block // len(points))
        with torch.no_grad():
            parts = [
                of_block(columns[:, some, None], number[some, None], columns, number, dof)
                for some in (slice(start, start + size) for start in range(0, len(points), size))
            ]
            return np.asarray(torch.cat(parts).cpu())


@cache
def _compiled(of_block: Any) -> Any:
    """Fuse a function; cached here rather than in GpuPairs because compiled functions cannot be pickled."""
    import torch

    return torch.compile(of_block)


def _repulsion(some: Any, own: Any, others: Any, number: Any, dof: float) -> Any:
    """Return the repulsion of some points by all: Saul (11) and (17) in the odds nu (9)."""
    import torch

    d = len(some) - OUTPUT
    if dof == d:
        q = _separation(some, others)
        spread = c = _odds(some[REACH], q, d) + _odds(others[REACH], q, d)
    else:
        (c, spread), (back, spread_back) = (_light_odds(some, others, end[REACH], dof) for end in (some, others))
        c, spread = c + back, spread + spread_back
    c, spread = (torch.where(own == number, 0.0, one) for one in (c, spread))
    forces = [(c * (some[OUTPUT + k] - others[OUTPUT + k])).sum(dim=1) for k in range(d)]
    return torch.stack([spread.sum(dim=1), *forces], dim=1)


def _log_apart(some: Any, own: Any, others: Any, number: Any, dof: float) -> Any:
    """Return the sum of log(1 - P), from some points to all others: Saul (6)."""
    import torch

    if dof != len(some) - OUTPUT:
        against, *_ = _against(some, others, some[REACH], dof)
        return torch.where(own == number, 0.0, torch.log(against / (against + some[REACH]))).sum(dim=1)
    # P = exp(-t); of the two forms of log(1 - P) each is exact where the other is not.
    t = (len(some) - OUTPUT) / 2 * torch.log1p(_separation(some, others) / some[REACH])
    apart = torch.where(t < math.log(2), torch.log(-torch.expm1(-t)), torch.log1p(-torch.exp(-t)))
    return torch.where(own == number, 0.0, apart).sum(dim=1)


def _light_odds(some: Any, others: Any, scale2: Any, dof: float) -> tuple[Any, Any]:
    """The repulsion in one direction, as :mod:`~latentmap.model.light_tails` has it."""
    against, v, rho = _against(some, others, scale2, dof)
    odds = scale2 / against / (v + rho)
    return odds, odds * (v + rho - dof / 2 * rho) / v


def _against(some: Any, others: Any, scale2: Any, dof: float) -> tuple[Any, Any, Any]:
    """Delta^2 (1 - P)/P, v, and rho = r^2/dof."""
    import torch

    s = some[VARIANCE] + others[VARIANCE]
    v = scale2 + s
    rho = sum((some[OUTPUT + k] - others[OUTPUT + k]) ** 2 for k in range(len(some) - OUTPUT)) / dof
    return s + v * torch.expm1(dof / 2 * torch.log1p(rho / v)), v, rho


def _separation(some: Any, others: Any) -> Any:
    """Q = sigma_i^2 + sigma_j^2 + r^2/d."""
    d = len(some) - OUTPUT
    r2 = sum((some[OUTPUT + k] - others[OUTPUT + k]) ** 2 for k in range(d))
    return some[VARIANCE] + others[VARIANCE] + r2 / d


def _odds(scale2: Any, q: Any, d: int) -> Any:
    """P / ((Delta^2 + q)(1 - P)): the repulsion of a pair, without cancellation."""
    import torch

    growth = q / scale2 if d == 2 else torch.expm1(d / 2 * torch.log1p(q / scale2))
    return 1 / ((scale2 + q) * growth)
