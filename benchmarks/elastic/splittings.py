"""The splittings of the gradient: how far each goes down, and how fast, from the same start at one lambda."""

from __future__ import annotations

import time

import numpy as np
from scipy.spatial import procrustes

from benchmarks.drawing import panels, save
from benchmarks.elastic import spiral
from benchmarks.elastic.coil import objects
from benchmarks.figures import CLASS_COLORS
from benchmarks.manifolds import roll
from benchmarks.manifolds import spiral as spiral_points
from benchmarks.markdown import table, whole
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding

_K, _WIDTH = 12, 15.0
_MAX_ITER, _TOL = 300, 1e-6
_OBJECTS = 10
_STRENGTHS = {"Swiss roll": 10.0, "ten objects": 1.0}
# As close to each other as those of the whole roll.
_N_STRENGTHS = 36
_NAMES = {"degree": "4 D+", "laplacian": "4 L+", "both degrees": "4 (D+ + λ D-)", "gradient": "a number"}
_GREATLY = 0.5
# The part of full steps that is as good as all of them, and how many times the lambda with which a homotopy begins,
# about where the points part, is no longer close to it.
_NEARLY_ALL, _BEYOND = 0.9, 100.0
_SPIRAL = 200
_WHY = (
    "4 D+ has nothing of the repulsion's curvature in it. Where λ is large, λ w- of neighbours on the roll is many "
    "times their w+, which on the spiral it is not. What the roll's steps were in the paper, and by which A, it does "
    "not say"
)
# The paper's way to stop, and one that goes on for long.
_PAPERS, _LONGER = {"tol": 1e-3}, {"tol": 1e-6, "max_iter": 500}


def measure(run: Run) -> Numbers:
    max_iter = run.max_iter if run.quick else _MAX_ITER
    X, plane, _ = roll(run.n)
    images = objects(2 if run.quick else _OBJECTS)[0]
    neighbors = {"attraction": "neighbors", "width": _WIDTH}
    # All rows in one place would end the descent by both degrees at once: D- is large there, and a step tiny.
    spread = np.random.default_rng(0).standard_normal((len(images), 2))
    tables = {"Swiss roll": (X, neighbors | {"init": "spectral"}), "ten objects": (images, {"init": spread})}
    figure, axes = panels(1, len(tables), 4.5, 3.2)
    found: Numbers = {}
    for axis, (name, (rows, settings)) in zip(axes[0], tables.items(), strict=True):
        settings |= {"lam": _STRENGTHS[name], "tol": _TOL, "max_iter": max_iter}
        # What is compiled at the first call is not counted.
        first = ElasticEmbedding(_K, **settings | {"max_iter": 1}).fit(rows)
        degrees = np.asarray(first.weights_.attractive.sum(axis=1)).ravel()
        found[name] = {"rows": len(rows), "degrees": float(degrees.max() / degrees.min()), "splittings": {}}
        for color, (splitting, label) in zip(CLASS_COLORS, _NAMES.items(), strict=False):
            seconds, method = _timed(rows, ElasticEmbedding(_K, splitting=splitting, **settings))
            found[name]["splittings"][splitting] = _outcome(seconds, method)
            # Two of them hardly differ: the dashes of one let the other be seen.
            line = "--" if splitting == "gradient" else "-"
            axis.plot(seconds, method.costs_, line, color=color, linewidth=1.2, label=label)
        axis.set(yscale="log", xlabel="seconds", ylabel="objective (6)", title=f"{name}, λ = {_STRENGTHS[name]:g}")
    axes[0, -1].legend()
    save(figure, run.image("splittings"))
    return {
        "iterations": max_iter,
        "data": found,
        "homotopies": _homotopies(run, X, plane),
        "spiral": _full_steps(spiral.homotopy(run).fit(spiral_points(60 if run.quick else _SPIRAL)[0])),
    }


def _timed(X: np.ndarray, method: ElasticEmbedding) -> tuple[np.ndarray, ElasticEmbedding]:
    """Make a map, and return the seconds at each state, from when the weights are there."""
    seconds, start = [], 0.0
    for progress in method.iter_fit(X):
        if progress.stage == "start":
            start = time.perf_counter()
        elif progress.state is not None:
            seconds.append(time.perf_counter() - start)
    return np.array(seconds), method


def _outcome(seconds: np.ndarray, method: ElasticEmbedding) -> Numbers:
    return {
        "iterations": method.n_iter_,
        "seconds": float(seconds[-1]),
        "cost": method.cost_,
        "full_steps": float((method.steps_[1:] == 1).mean()),
    }


def _full_steps(method: ElasticEmbedding) -> Numbers:
    """Return what part of a homotopy's steps were full, in all, close to where the points part, and beyond."""
    full, strengths = method.steps_[1:] == 1, method.strengths_[1:]
    close = strengths < _BEYOND * method.strengths_[0]
    parts = {"full_steps": full, "full_steps_close": full[close], "full_steps_beyond": full[~close]}
    return {name: float(part.mean()) if len(part) else None for name, part in parts.items()}


def _homotopies(run: Run, X: np.ndarray, plane: np.ndarray) -> list[Numbers]:
    """Return how far maps of the roll by homotopies are from the true one, by splitting, start and stop."""
    spread = np.random.default_rng(0).standard_normal(plane.shape)
    starts = {"where the points part": "random", "Laplacian eigenmaps": "spectral", "random, a spread of 1": spread}
    sorts = [
        ("laplacian", "where the points part", _PAPERS),
        *(("degree", start, _PAPERS) for start in starts),
        *(("degree", start, _LONGER) for start in list(starts)[:2]),
    ]
    found = []
    for splitting, start, stop in sorts:
        method = ElasticEmbedding(
            _K,
            attraction="neighbors",
            width=_WIDTH,
            lam=_STRENGTHS["Swiss roll"],
            n_strengths=6 if run.quick else _N_STRENGTHS,
            splitting=splitting,
            init=starts[start],
        ).set_params(**{"max_iter": run.max_iter} | (_PAPERS if run.quick else stop))
        misfit = float(procrustes(plane, method.fit_transform(X))[2])
        found.append(
            {
                "splitting": splitting,
                "start": start,
                "tol": method.tol,
                "iterations": method.max_iter,
                "misfit": misfit,
                "cost": method.cost_,
            }
            | _full_steps(method)
        )
    return found


def claims(numbers: Numbers) -> list[Claim]:
    data, homotopies = numbers["data"], numbers["homotopies"]
    best, first = homotopies[0], homotopies[1]
    others = [of for of in homotopies if of["splitting"] == "degree"]
    gradient = {name: of["splittings"]["gradient"]["cost"] for name, of in data.items()}
    ratios = {
        splitting: [of["splittings"][splitting]["cost"] / gradient[name] for name, of in data.items()]
        for splitting in _NAMES
        if splitting != "gradient"
    }
    told = ", ".join(f"{' and '.join(f'{one:.2f}' for one in of)} ({_NAMES[name]})" for name, of in ratios.items())
    full = {name: of["splittings"]["degree"]["full_steps"] for name, of in data.items()}
    differing = " and ".join(f"{of['degrees']:.1f} times ({name})" for name, of in data.items())
    return [
        Claim(
            "The splittings improve greatly over the gradient (A = I), in particular 4 D+",
            f"Their cost at the end is, in parts of the gradient's, {told}, on the {' and the '.join(data)}",
            max(max(of) for of in ratios.values()) < _GREATLY,
            "The bar, half the gradient's cost with each of them, is ours. The gradient is divided by one number here, "
            f"4 times the largest degree, and 4 D+ is nearly that: the largest degree is {differing} the smallest",
        ),
        Claim(
            "Following λ, 4 D+ needs no line search (η = 1), except where λ is close to a bifurcation: on the spiral",
            _shares(numbers["spiral"]),
            numbers["spiral"]["full_steps_beyond"] > _NEARLY_ALL,
            _WHY,
        ),
        Claim("The same on the roll", _shares(first), first["full_steps_beyond"] > _NEARLY_ALL, _WHY),
        Claim(
            "The same where λ is fixed, and the start is far from a minimum",
            " and ".join(f"{share:.0%} of its steps were full ({name})" for name, share in full.items()),
            min(full.values()) > _NEARLY_ALL,
            "The paper does not say which of its runs it speaks of; its section is about a λ that is fixed, and two of "
            "its three experiments follow λ. Far from a minimum near points repel each other many times as much as "
            "they attract, and 4 D+ knows of attraction alone",
        ),
        Claim(
            "A homotopy unfolds the Swiss roll (Fig. 3)",
            f"Misfit (Procrustes) of its map at λ = {_STRENGTHS['Swiss roll']:g}: {first['misfit']:.3f} with 4 D+, "
            f"{best['misfit']:.3f} with 4 L+",
            max(first["misfit"], best["misfit"]) < 0.1,
            f"4 D+ leaves {min(of['misfit'] for of in others):.2f} to {max(of['misfit'] for of in others):.2f}, by "
            "where it starts and when each λ stops (the second table). The paper does not say which A its roll was "
            "made with",
        ),
    ]


def _shares(of: Numbers) -> str:
    return (
        f"{of['full_steps']:.0%} of its steps were full ({of['full_steps_close']:.0%} up to {_BEYOND:g} times the λ "
        f"that it begins with, {of['full_steps_beyond']:.0%} beyond)"
    )


def rows(numbers: Numbers) -> list[str]:
    lines = [
        (
            f"{name}, {whole(of['rows'])} rows, λ = {_STRENGTHS[name]:g}",
            _NAMES[splitting],
            one["iterations"],
            f"{one['seconds']:.2f}",
            f"{one['cost']:.4g}",
            f"{one['full_steps']:.0%}",
        )
        for name, of in numbers["data"].items()
        for splitting, one in of["splittings"].items()
    ]
    return [
        "The roll starts from Laplacian eigenmaps, the objects from random places with a spread of 1. Seconds count "
        "from when the weights are there, and with the time to factor L+.",
        "",
        *table(["of", "A", "iterations", "seconds", "objective at the end", "full steps"], lines),
        f"Homotopies of the roll, from where the points part to λ = {_STRENGTHS['Swiss roll']:g}, by where they start "
        "and when each λ stops; the cost is in parts of the first's.",
        "",
        *table(["A", "start", "stop", "misfit (Procrustes)", "cost", "full steps"], _told(numbers["homotopies"])),
    ]


def _told(homotopies: list[Numbers]) -> list[tuple]:
    return [
        (
            _NAMES[of["splitting"]],
            of["start"],
            f"{of['tol']:g} or {of['iterations']}",
            f"{of['misfit']:.3f}",
            f"{of['cost'] / homotopies[0]['cost']:.2f}",
            f"{of['full_steps']:.0%}",
        )
        for of in homotopies
    ]


EXPERIMENT = Experiment(
    "splittings",
    "The splittings (section 4.3)",
    1000,
    100,
    measure,
    claims,
    {"splittings": "The objective against seconds, by what the gradient is divided by"},
    rows,
)
