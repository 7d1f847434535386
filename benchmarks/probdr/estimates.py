"""Whether the determinant of a Wishart model may be estimated, by random probes or by landmarks."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from sklearn.metrics.pairwise import euclidean_distances

from benchmarks.drawing import panels, save
from benchmarks.markdown import table, whole
from benchmarks.probdr.likeness import K
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ProbDR
from latentmap.methods.probdr.landmarks import LANDMARKS, LandmarkWishart
from latentmap.methods.probdr.probdr import MOST_ROWS, Likelihood
from latentmap.methods.probdr.wishart import WishartLikelihood
from latentmap.model.adam import Adam
from latentmap.model.thread_limits import limit_threads
from latentmap.model.workers import Workers
from latentmap.quality import neighbor_recall

NEGATIVES = 5
_COUNTS = (10, 30, 100)
# Products with the matrix for each probe.
_PRODUCTS = 30
_SEEDS = 2


class _Probes:
    """(5) given which rows are neighbours, with an estimate of the determinant by random signs."""

    def __init__(self, A: sp.csr_array, small: float, seed: int, count: int) -> None:
        self.n, self.small, self.seed, self.count = A.shape[0], small, seed, count
        self.laplacian = laplacian(A).toarray() / small

    def value(self, points: np.ndarray) -> float:
        """Estimate the log posterior."""
        trace = (self.laplacian * self._covariance(points)).sum() - np.trace(self.laplacian)
        return self.n * self._estimated(points, 0)[0] / 2 - trace / 2

    def gradient(self, points: np.ndarray, step: int) -> np.ndarray:
        """Estimate its gradient."""
        slopes = (self.n * self._estimated(points, step)[1] - self.laplacian) / 2
        own = slopes * self.small * np.square(self._near(points))
        pulled = 4 * (own @ points - own.sum(axis=1)[:, None] * points)
        return pulled + 4 * self.small * slopes @ points

    def _near(self, points: np.ndarray) -> np.ndarray:
        return 1 / (1 + euclidean_distances(points, squared=True))

    def _covariance(self, points: np.ndarray) -> np.ndarray:
        """Return C."""
        M = self.small * self._near(points) + 2 * self.small * points @ points.T
        return np.eye(self.n) + M - M.mean(axis=0) - M.mean(axis=1)[:, None] + M.mean()

    def _estimated(self, points: np.ndarray, step: int) -> tuple[float, np.ndarray]:
        """Return log|C| and H C^-1 H: z' log(C) z and C^-1 z of each z of signs are those of Lanczos' small matrix."""
        n, count = self.n, self.count
        signs = np.random.default_rng([self.seed, step]).choice([-1.0, 1.0], (n, count))
        basis, alphas, betas = _lanczos(self._covariance(points), signs / np.sqrt(n), min(_PRODUCTS, n - 1))
        total, solved = 0.0, np.empty((n, count))
        for at in range(count):
            T = np.diag(alphas[:, at]) + np.diag(betas[:-1, at], 1) + np.diag(betas[:-1, at], -1)
            values, vectors = np.linalg.eigh(T)
            total += float(np.square(vectors[0]) @ np.log(values))
            solved[:, at] = np.sqrt(n) * ((vectors * (vectors[0] / values)).sum(axis=1) @ basis[:, :, at])
        signs -= signs.mean(axis=0)
        solved -= solved.mean(axis=0)
        half = solved @ signs.T / (2 * count)
        return n * total / count, half + half.T


def _lanczos(C: np.ndarray, start: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bases, of shape (steps, n, m), and the diagonals of m tridiagonal matrices."""
    m = start.shape[1]
    basis, alphas, betas = np.zeros((steps, *start.shape)), np.zeros((steps, m)), np.zeros((steps, m))
    vector = start
    for step in range(steps):
        basis[step] = vector
        vector = C @ vector
        alphas[step] = np.einsum("nm,nm->m", basis[step], vector)
        # Against all before, for rounding.
        for _ in range(2):
            past = basis[: step + 1]
            vector = vector - np.einsum("snm,sm->nm", past, np.einsum("snm,nm->sm", past, vector))
        betas[step] = np.linalg.norm(vector, axis=0)
        vector = vector / np.maximum(betas[step], 1e-12)
    return basis, alphas, betas


def _by_landmarks(A: sp.csr_array, small: float, seed: int, count: int) -> Likelihood:
    return LandmarkWishart(A, small, Workers(1), seed, count)


_WAYS: dict[str, Callable[[sp.csr_array, float, int, int], Likelihood]] = {
    "probes": _Probes,
    "landmarks": _by_landmarks,
}


def measure(run: Run) -> Numbers:
    sizes = {}
    for n in (run.n // 2, run.n):
        X, _ = read("digits", n)
        seen, method = climbed(X, run.max_iter)
        with limit_threads(1, "blas"):
            sizes[str(n)] = _compared(method.adjacency_, *seen[run.max_iter // 2 :][:2])
    return {"sizes": sizes, "rows": len(X), "maps": _maps(run, X, seen[0], seen[-1], method.adjacency_)}


def climbed(X: np.ndarray, max_iter: int) -> tuple[list[np.ndarray], ProbDR]:
    """Return the maps of an ascent of (5), first the start, and what has climbed."""
    seen: list[np.ndarray] = []
    method = ProbDR(K, model="wishart", max_iter=max_iter, callback=lambda state: seen.append(state.embedding))
    return seen, method.fit(X)


def _compared(A: sp.csr_array, points: np.ndarray, after: np.ndarray) -> Numbers:
    """Return how far estimates are off at a map in mid-ascent, and how much one step changes what they estimate."""
    small = NEGATIVES * K / len(points)
    exact = WishartLikelihood(A, small, False)
    begun = time.perf_counter()
    value, gradient = exact.value(points), exact.gradient(points, 0)
    seconds = time.perf_counter() - begun
    away = 1 + np.square(np.subtract(*points[np.array(A.nonzero())])).sum(axis=1)
    half = value + (away - 1 / away).sum() / 2
    size = np.linalg.norm(gradient)
    changed = float(np.linalg.norm(exact.gradient(after, 0) - gradient) / size)
    found = {"step": float(abs(exact.value(after) - value)), "turn": changed, "seconds": seconds, "ways": {}}
    for way, make in _WAYS.items():
        for count in _COUNTS:
            estimates, begun = [make(A, small, seed, count) for seed in range(_SEEDS)], time.perf_counter()
            values = [estimate.value(points) - value for estimate in estimates]
            gradients = [estimate.gradient(points, 0) - gradient for estimate in estimates]
            found["ways"][f"{count} {way}"] = {
                "value": float(np.sqrt(np.mean(np.square(values)))),
                "relative": float(np.sqrt(np.mean(np.square(values))) / abs(half)),
                "gradient": float(np.mean([np.linalg.norm(wrong) for wrong in gradients]) / size),
                "seconds": (time.perf_counter() - begun) / _SEEDS,
            }
    return found


def _maps(run: Run, X: np.ndarray, start: np.ndarray, end: np.ndarray, A: sp.csr_array) -> Numbers:
    """Return what maps become when each step goes up an estimated gradient."""
    small = NEGATIVES * K / len(X)
    maps = {"exact": end}
    for way, make in _WAYS.items():
        for count in _COUNTS[: 1 if run.quick else None]:
            maps[f"{count} {way}"] = ascended(make(A, small, 0, count), start, run.max_iter)
    _draw(run, maps)
    exact = WishartLikelihood(A, small, False)
    values = {name: exact.value(points) for name, points in maps.items()}
    begun = exact.value(start)
    return {
        name: {
            "recall": float(neighbor_recall(X, points, K, n_jobs=-1)),
            "climbed": (values[name] - begun) / (values["exact"] - begun),
        }
        for name, points in maps.items()
    }


def ascended(estimate: Likelihood, start: np.ndarray, max_iter: int) -> np.ndarray:
    """Return where Adam gets up an estimate of the gradient, as ``ProbDR`` goes."""
    points, adam = start, Adam(start.shape, float, 0.9, 1.0)
    for iteration in range(max_iter):
        with limit_threads(1, "blas"):
            slopes = estimate.gradient(points, iteration)
        points = adam.moved(points, slopes, max(1 - iteration / max_iter, 0.01))
    return points


def _draw(run: Run, maps: dict[str, np.ndarray]) -> None:
    figure, axes = panels(1, len(maps), 2.2)
    for axis, (name, points) in zip(axes[0], maps.items(), strict=True):
        axis.scatter(*points.T, s=1, color="#4e79a7", linewidths=0)
        axis.set(xticks=[], yticks=[], aspect="equal", title=name)
    save(figure, run.image("estimates"))


def claims(numbers: Numbers) -> list[Claim]:
    maps, sizes = numbers["maps"], numbers["sizes"]
    last = sizes[max(sizes, key=int)]
    fit = [name for name, one in maps.items() if name != "exact" and one["recall"] > 0.95 * maps["exact"]["recall"]]
    faster = [name for name in fit if last["ways"][name]["seconds"] < last["seconds"]]
    sharp = [name for name, one in last["ways"].items() if one["value"] < last["step"]]
    return [
        Claim(
            "The Wishart models may do without the determinant itself (not in the paper)",
            f"Maps by estimated gradients keep 95% of the exact one's neighbours with {_listed(fit)}; of these are "
            f"faster than the exact gradient, for {whole(int(max(sizes, key=int)))} rows, {_listed(faster)}. The value "
            f"is known to less than what one step changes with {_listed(sharp)}",
            None,
        )
    ]


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def tables(numbers: Numbers) -> list[str]:
    lines: list[str] = []
    for n, found in numbers["sizes"].items():
        off = [("exact", "0", "0 %", "0 %", f"{found['seconds']:.2f}")]
        for name, one in found["ways"].items():
            shares = f"{one['relative']:.1%}", f"{one['gradient']:.0%}"
            off.append((name, f"{one['value']:.0f}", *shares, f"{one['seconds']:.2f}"))
        lines += [
            f"{SOURCES['digits']}, {whole(int(n))} rows, halfway: one step changes the log posterior by "
            f"{found['step']:.0f} and the gradient by {found['turn']:.0%} of its length. Estimates are off by:",
            "",
            *table(["n/2 log of the determinant by", "log posterior", "of it", "gradient", "seconds"], off),
        ]
    rows = [(name, f"{one['recall']:.3f}", f"{one['climbed']:.0%}") for name, one in numbers["maps"].items()]
    return [
        *lines,
        f"Maps of {whole(numbers['rows'])} rows by estimated gradients; climbed is how much of the exact map's rise of "
        "the log posterior they have. Probes are Lanczos' of random signs, landmarks rows whose columns of P stand for "
        "all (Nystrom). Either way all pairs are still gone over. "
        f"`ProbDR` takes the determinant itself up to {whole(MOST_ROWS)} rows and {LANDMARKS} landmarks beyond:",
        "",
        *table(["gradient", f"recall of {K}", "climbed"], rows),
    ]


EXPERIMENT = Experiment(
    "estimates",
    "Estimates of the determinant (5)",
    2000,
    160,
    measure,
    claims,
    {"estimates": "Maps of digits by the exact gradient and by estimates of it"},
    tables,
)
