"""The spiral, Fig. 2: a homotopy unrolls it."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from benchmarks.drawing import panels, save
from benchmarks.elastic.paths import bounds_of, excess, path
from benchmarks.manifolds import spiral
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding
from latentmap.model.vectors import Vectors

_WIDTH = 0.05
_STRONGEST = 100.0
_N_STRENGTHS = 80
# The bounds that the paper prints with one digit, and how far off ours may be.
_PAPERS, _FACTOR = (4e-5, 1e-4), 2.0
# Beyond that many times the upper bound the most iterations do not come shortly after the points part.
_SHORTLY = 10.0
# From there on a homotopy is far beyond where the points part.
_LATE = 1.0
# The part of the largest affinity from which one counts as positive or negative.
_COUNTS = 1e-3
# What a longer descent may take away of a cost that is near its least.
_UNFINISHED = 0.1


def measure(run: Run) -> Numbers:
    X, along = spiral(run.n)
    method = homotopy(run)
    maps = path(method, X)
    other = clone(method).set_params(splitting="laplacian")
    maps_of_other = path(other, X)
    lower, upper, critical = bounds_of(method)
    half = ElasticEmbedding(12, attraction="gaussian", width=_WIDTH, lam=1.0, max_iter=1).fit(X / 2)
    strengths, counts = np.unique(method.strengths_, return_counts=True)
    # The start is no iteration.
    counts[0] -= 1
    rows = np.array([0, run.n // 3, 2 * run.n // 3, run.n - 1])
    learned = method.learned_affinities(rows)
    _draw(run, X, along, maps, counts, (lower, upper), rows, learned)
    gaps = np.linalg.norm(np.diff(method.embedding_, axis=0), axis=1)
    return {
        "lower": lower,
        "upper": upper,
        "critical": critical,
        "bounds_of_half": bounds_of(half)[:2],
        "order": _in_order(method.embedding_),
        "unevenness": float(gaps.std() / gaps.mean()),
        "full_steps": float((method.steps_[1:] == 1).mean()),
        "fewest_step": float(method.steps_[1:].min()),
        "most_iterations": int(counts.max()),
        "most_iterations_at": float(strengths[counts.argmax()]),
        "most_iterations_before": int(counts[: counts.argmax()].max(initial=0)),
        "most_iterations_until": float(strengths[counts == counts.max()].max()),
        "most_iterations_late": int(counts[strengths > _LATE].max(initial=0)),
        "excess": excess(method, X, maps, maps),
        "excess_of_laplacian": excess(other, X, maps_of_other, maps_of_other),
        "hats": float(np.mean([_is_hat(of, row) for of, row in zip(learned[1:3], rows[1:3], strict=True)])),
        "depth": float((-learned[1:3].min(axis=1) / np.abs(learned[1:3]).max(axis=1)).min()),
    }


def homotopy(run: Run) -> ElasticEmbedding:
    """Return what follows lambda as the paper does, for a spiral of any number of points."""
    return ElasticEmbedding(
        12,
        2,
        attraction="gaussian",
        width=_WIDTH,
        lam=_STRONGEST,
        n_strengths=8 if run.quick else _N_STRENGTHS,
        max_iter=run.max_iter,
        tol=1e-3,
        splitting="degree",
    )


def _draw(
    run: Run,
    X: np.ndarray,
    along: np.ndarray,
    maps: dict[float, np.ndarray],
    counts: np.ndarray,
    bounds: tuple[float, float],
    rows: np.ndarray,
    learned: np.ndarray,
) -> None:
    figure, axes = panels(2, 2, 5, 3.2)
    axes[0, 0].scatter(X[:, 0], X[:, 1], c=along, s=8, cmap="turbo")
    axes[0, 0].set(title="the spiral", aspect="equal")
    for strength, points in maps.items():
        axes[0, 1].scatter(np.full(run.n, strength), _principal(points), c=along, s=1, cmap="turbo")
    axes[0, 1].set(xscale="log", xlabel="λ", ylabel="along the map's longer axis", title="the map as λ grows")
    axes[1, 0].plot(list(maps), counts, ".-", color="black", markersize=3, linewidth=1)
    for bound in bounds:
        axes[1, 0].axvline(bound, color="#4e79a7", linewidth=1)
    axes[1, 0].set(xscale="log", xlabel="λ", ylabel="iterations", title="iterations at each λ")
    for row, affinities in zip(rows, learned, strict=True):
        axes[1, 1].plot(along - along[row], affinities, linewidth=1)
    axes[1, 1].set(xlabel="arc length from the point", title="learned affinities of four points")
    save(figure, run.image("spiral"))


def _is_hat(affinities: np.ndarray, row: int) -> bool:
    """Return whether on both sides of a point they are positive first, then negative, and positive no more."""
    counted = np.where(np.abs(affinities) > _COUNTS * np.abs(affinities).max(), np.sign(affinities), 0)
    sides = [side[side != 0] for side in (counted[row + 1 :], counted[:row][::-1])]
    return all(len(side) > 1 and side[0] > side[-1] and bool((np.diff(side) <= 0).all()) for side in sides)


def _in_order(points: np.ndarray) -> float:
    """Return how many of the inner points lie nearest to those before and after them."""
    nearest = np.sort(Vectors(points, method="exact").kneighbors(2).indices[1:-1], axis=1)
    inner = np.arange(1, len(points) - 1)
    return float((nearest == np.column_stack([inner - 1, inner + 1])).all(axis=1).mean())


def _principal(points: np.ndarray) -> np.ndarray:
    """Return the coordinate along which points vary most."""
    centred = points - points.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][0]


def claims(numbers: Numbers) -> list[Claim]:
    lower, upper, critical = (numbers[name] for name in ("lower", "upper", "critical"))
    apart = _PAPERS[1] / _PAPERS[0]
    return [
        Claim(
            "λ1 lies between 4e-5 and 1e-4, the bounds (11) and (12)",
            f"Between {lower:.1e} and {upper:.1e} for our spiral, at {critical:.1e}; to agree, both bounds must "
            f"be the paper's within a factor of {_FACTOR:g}",
            all(1 / _FACTOR < ours / paper < _FACTOR for ours, paper in zip((lower, upper), _PAPERS, strict=True)),
            "The paper does not say how large its spiral is, and size matters, as σ does not grow with it: for half of "
            f"ours the bounds are {' and '.join(f'{bound:.1e}' for bound in numbers['bounds_of_half'])}",
        ),
        Claim(
            f"The bounds are quite tight: {apart:.1f} times apart",
            f"λ1 lies between them, and they are {upper / lower:.1f} times apart; to agree, {_FACTOR * apart:.0f} at "
            "most",
            lower <= critical <= upper <= _FACTOR * apart * lower,
        ),
        Claim(
            "More iterations are needed shortly after λ1",
            f"The most, {numbers['most_iterations']}, from λ = {numbers['most_iterations_at']:.2g}, "
            f"{numbers['most_iterations_at'] / critical:.0f} times λ1, to {numbers['most_iterations_until']:.2g}; "
            f"{numbers['most_iterations_before']} at most before, and {numbers['most_iterations_late']} at most beyond "
            f"λ = {_LATE:g}. To agree, they must begin at {_SHORTLY:g} times the upper bound at most, and be twice as "
            f"many as beyond λ = {_LATE:g}",
            numbers["most_iterations_at"] <= _SHORTLY * upper
            and numbers["most_iterations"] >= 2 * numbers["most_iterations_late"],
        ),
        Claim(
            "The spiral is unrolled at last, into a perfectly spaced sequence",
            f"{numbers['order']:.1%} of the points have those before and after them on the spiral for the two nearest "
            f"on the map; the gaps vary by {numbers['unevenness']:.1%} of their mean",
            numbers["order"] > 0.98 and numbers["unevenness"] < 0.1,
        ),
        Claim(
            "The step was 1 nearly always, 0.8 occasionally",
            f"{numbers['full_steps']:.1%} of the steps were full; the shortest was {numbers['fewest_step']:.2g}",
            numbers["full_steps"] > 0.9,
        ),
        Claim(
            "The learned affinities become Mexican hats: positive near, negative further away (two interior points)",
            f"{numbers['hats']:.0%} of them have on both sides positive affinities first, then negative ones, and no "
            f"positive ones beyond (above {_COUNTS:.1%} of the largest); the most negative has {numbers['depth']:.0%} "
            "of the largest",
            numbers["hats"] == 1,
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    left = {float(strength): of for strength, of in numbers["excess"].items()}
    most = max(left, key=lambda strength: left[strength])
    unfinished = [strength for strength, of in left.items() if of > _UNFINISHED]
    told = (
        f"it takes away more than {_UNFINISHED:.0%} of the cost from λ = {min(unfinished):.2g} to "
        f"{max(unfinished):.2g}, and {left[most]:.0%} at λ = {most:.2g}"
        if unfinished
        else f"it takes away {left[most]:.1%} of the cost at most"
    )
    return [
        f"How near to a minimum each λ ends, a long descent with 4 L+ from there tells: {told}. With 4 L+ in the "
        f"homotopy itself it takes away {max(numbers['excess_of_laplacian'].values()):.1%} at most.",
        "",
        "Bound (11) divides λ2+ by the largest eigenvalue of L- here, on this page throughout. The text that we have "
        "of the paper has that of L+; it is a conversion, in which a sign may have been lost. With that of L+ the "
        "ratio would stay the same where all w- are doubled, though λ1 halves. With that of L- it is a bound: x'(L+ - "
        "λ L-)x is at least λ2+ less λ times that eigenvalue, for any x of length 1 whose sum is 0.",
        "",
    ]


EXPERIMENT = Experiment(
    "spiral",
    "A spiral (Fig. 2)",
    200,
    60,
    measure,
    claims,
    {
        "spiral": "200 points on a spiral, the longer axis of their map as λ grows, the iterations that each λ took, "
        "with the bounds (11) and (12) in blue, and the affinities learned"
    },
    rows,
)
