"""Weather stations by their rain, Fig. 6: how much of their geography is on the map."""

from __future__ import annotations

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from sklearn.cross_decomposition import CCA
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_map
from benchmarks.llvm.gplvm import gplvm
from benchmarks.llvm.starts import ALPHA
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load
from latentmap.methods import LLLVM
from latentmap.quality import neighbor_recall

_K, _WIDE, _STARTS = 12, 50, 3
_OTHERS = ("Isomap", "LLE", "LTSA")
# Two rows nearer to each other than this part of a map's size are drawn as one.
_UNSEEN = 1e-4


def measure(run: Run) -> Numbers:
    arrays = load("ushcn_prcp_2005_2014")
    half = arrays["half_index"][: run.n]
    X, lat, lon = arrays["prcp_mean"][half].astype(float), arrays["lat"][half], arrays["lon"][half]
    # In degrees of latitude, as on a map of the country.
    ground = np.column_stack([lon * np.cos(np.deg2rad(lat.mean())), lat])
    settings = {"max_iter": run.max_iter, "tol": 0}
    fits = {"spectral": LLLVM(_K, **settings).fit(X)}
    for seed in range(1 if run.quick else _STARTS):
        fits[f"random {seed}"] = LLLVM(_K, init="random", alpha=ALPHA, random_state=seed, **settings).fit(X)
    best = max(fits, key=lambda name: fits[name].lower_bound_)
    maps = {"LL-LVM": fits[best].embedding_, "PCA": PCA(2).fit_transform(X)}
    if (by_gp := gplvm(X)) is not None:
        maps["GP-LVM"] = by_gp
    for k, name in ((_K, ""), (_WIDE, f", k = {_WIDE}")):
        maps |= {f"{way}{name}": other.fit_transform(X) for way, other in _others(k).items()}
    maps[f"LL-LVM, k = {_WIDE}"] = LLLVM(_WIDE, **settings).fit(X).embedding_
    maps["LL-LVM, paper's equations"] = LLLVM(_K, likelihood="paper", **settings).fit(X).embedding_
    # Without GPy, PCA has the panel.
    last = "GP-LVM" if "GP-LVM" in maps else "PCA"
    _draw(run, "rain", ground, {name: maps[name] for name in ("LL-LVM", *_OTHERS, last)})
    _draw(run, "rain-wide", ground, {name: maps[f"{name}, k = {_WIDE}"] for name in ("LL-LVM", *_OTHERS)})
    return {
        "maps": {name: _quality(ground, points) for name, points in maps.items()},
        "starts": {
            name: {"bound": float(one.lower_bound_)} | _quality(ground, one.embedding_) for name, one in fits.items()
        },
        "best": best,
        "unlike": {name: float(procrustes(maps["LL-LVM"], maps[name])[2]) for name in (*_OTHERS, "PCA")},
        "unlike_starts": max(float(procrustes(fits[best].embedding_, one.embedding_)[2]) for one in fits.values()),
    }


def _others(k: int) -> dict[str, Isomap | LocallyLinearEmbedding]:
    return {
        "Isomap": Isomap(n_neighbors=k),
        "LLE": LocallyLinearEmbedding(n_neighbors=k, random_state=0),
        "LTSA": LocallyLinearEmbedding(n_neighbors=k, method="ltsa", eigen_solver="dense"),
    }


def _quality(ground: np.ndarray, points: np.ndarray) -> Numbers:
    """Return what part of the stations' places a linear function of the map tells, and the canonical correlations."""
    centred = ground - ground.mean(axis=0)
    design = np.column_stack([np.ones(len(points)), points])
    left = centred - design @ np.linalg.lstsq(design, centred, rcond=None)[0]
    one, other = CCA(2, max_iter=5000).fit_transform(points / points.std(axis=0), ground)
    return {
        "explained": float(1 - np.square(left).sum() / np.square(centred).sum()),
        "correlations": [float(np.corrcoef(one[:, c], other[:, c])[0, 1]) for c in range(2)],
        "recall": float(neighbor_recall(ground, points, 12, n_jobs=-1)),
        "piled": _piled(points),
    }


def _piled(points: np.ndarray) -> float:
    """Return the part of the rows that lie at one place, as far as can be seen."""
    away = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    return float((away < _UNSEEN * away.max()).mean())


def _draw(run: Run, image: str, ground: np.ndarray, maps: dict[str, np.ndarray]) -> None:
    ranks = np.argsort(np.argsort(ground, axis=0), axis=0) / (len(ground) - 1)
    east, north = ranks.T
    colors = np.column_stack([0.15 + 0.8 * east, 0.25 + 0.45 * north, 0.9 - 0.75 * east])
    figure, axes = panels(2, 3, 3.4, 2.6)
    shown = {"the stations": ground} | maps
    for axis in axes.flat[len(shown) :]:
        axis.set_axis_off()
    for axis, (name, points) in zip(axes.flat, shown.items(), strict=False):
        # Turned as near to the ground as it goes.
        turned = points @ orthogonal_procrustes(points - points.mean(axis=0), ground - ground.mean(axis=0))[0]
        draw_map(axis, turned, colors, name, share=0.98)
    save(figure, run.image(image))


def claims(numbers: Numbers) -> list[Claim]:
    maps = numbers["maps"]
    ours, others = maps["LL-LVM"], {name: maps[name] for name in (*_OTHERS, "PCA", "GP-LVM") if name in maps}
    wide = {name: maps[f"{name}, k = {_WIDE}"]["explained"] for name in ("LL-LVM", *_OTHERS)}
    unlike = numbers["unlike"]
    return [
        Claim(
            "LL-LVM recovers the topological arrangement of the stations to a large degree (Fig. 6)",
            f"A linear function of the map tells {ours['explained']:.0%} of the variance of their places; canonical "
            f"correlations {ours['correlations'][0]:.2f} and {ours['correlations'][1]:.2f}",
            ours["correlations"][1] > 0.5,
            "The second canonical correlation is low on most other maps too (below). Misfits (Procrustes) from this "
            f"map are {unlike['Isomap']:.2f} for Isomap, {unlike['PCA']:.2f} for PCA and {unlike['LLE']:.2f} for LLE",
        ),
        Claim(
            "LL-LVM arranges them more accurately than Isomap, LLE, LTSA and, in places, GP-LVM; the order of these "
            "the paper does not say (section 4.3, Fig. 6)",
            f"By variance told: {_order(maps, 'explained', '.0%')}. By recall: {_order(maps, 'recall', '.2f')}"
            + ("" if "GP-LVM" in maps else ". GP-LVM not measured, for want of GPy"),
            ours["explained"] > max(one["explained"] for one in others.values()),
            "The starts of LL-LVM, random or not, end in maps whose misfits from that of the highest bound are at most "
            f"{numbers['unlike_starts']:.2g}. The paper shows maps and gives no number, nor which 609 of 1218 stations "
            "it took",
        ),
        Claim(
            "With too many neighbours others suffer from short-circuits (Fig. 7, k = 50)",
            ", ".join(f"{share:.0%} ({name})" for name, share in wide.items()),
            wide["LL-LVM"] > max(share for name, share in wide.items() if name != "LL-LVM"),
            "With k from 12 to 50 it goes "
            + ", ".join(f"from {maps[name]['explained']:.0%} to {wide[name]:.0%} ({name})" for name in _OTHERS)
            + "".join(
                f". With k = {_K}, {name} lays {maps[name]['piled']:.0%} of the stations at one place"
                for name in _OTHERS
                if maps[name]["piled"] > 0.5
            ),
        ),
    ]


def _order(maps: dict[str, Numbers], what: str, form: str) -> str:
    """Return the methods from the most of something to the least."""
    compared = (name for name in ("LL-LVM", *_OTHERS, "PCA", "GP-LVM") if name in maps)
    names = sorted(compared, key=lambda name: -maps[name][what])
    return ", ".join(f"{name} {maps[name][what]:{form}}" for name in names)


def rows(numbers: Numbers) -> list[str]:
    head = ["map", "variance of places told", "canonical correlations", "recall of the 12 nearest stations"]

    def line(name: str, one: Numbers) -> tuple[str, ...]:
        both = " and ".join(f"{value:.2f}" for value in one["correlations"])
        return name, f"{one['explained']:.0%}", both, f"{one['recall']:.2f}"

    lines = table(head, [line(name, one) for name, one in numbers["maps"].items()])
    lines += [
        f"LL-LVM of the first line is from the start of highest bound, {numbers['best']}; random ones have α = 0.001:",
        "",
    ]
    return lines + table(
        ["start", "bound", *head[1:]],
        [(name, f"{one['bound']:.0f}", *line(name, one)[1:]) for name, one in numbers["starts"].items()],
    )


EXPERIMENT = Experiment(
    "rain",
    "Weather stations by their rain (Fig. 6)",
    609,
    100,
    measure,
    claims,
    {
        "rain": "609 stations, coloured from west (blue) to east (red), lighter to the north, and their maps by twelve "
        "months of rain with k = 12, turned as they fit the country best; without the farthest 2 % in each direction",
        "rain-wide": "The same with k = 50, as in Fig. 7",
    },
    rows,
)
