"""Cells of a pancreas: a network that learns from their pictures, beside one that learns from a table of means."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS, draw_map
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load
from latentmap.images.crops import Channel, Crops
from latentmap.methods import Siamese

_SIZE = 16
_BRIGHTEST = 0.99
_FOLDS = 5
# Two standard errors of an error of a quarter among 362 cells, rounded up; in percent.
_TELLING = 5
# Of each type so many cells, in these channels as red, green and blue; and a colour that is far from the others.
_SHOWN = 8
_SHOWN_CHANNELS = [0, 1, 4]
_COLORS = [0, 4, 2]


def measure(run: Run) -> Numbers:
    arrays = load("micro_imc_pancreas_5ch")
    chosen = np.random.default_rng(0).permutation(len(arrays["cell_type"]))[: run.n]
    frames, labels = arrays["cell_image"][chosen].tolist(), arrays["cell_label"][chosen].tolist()
    names, y = np.unique(arrays["cell_type"][chosen], return_inverse=True)
    counts = arrays["images"]
    channels = [
        Channel(counts[:, c], (0, float(np.quantile(counts[:, c], _BRIGHTEST)))) for c in range(counts.shape[1])
    ]
    pictures = Crops(arrays["labels"], channels, has_frames=True).pixel_stack(zip(frames, labels, strict=True), _SIZE)
    means = np.arcsinh(arrays["cell_mean_counts"][chosen])
    tables = {"pictures": pictures.reshape(len(y), -1), "means": (means - means.mean(axis=0)) / means.std(axis=0)}
    short = {"max_iter": 2} if run.quick else {}
    methods = {"principal components": PCA(2, random_state=0), "network": Siamese(**short)}
    errors, placed = {}, {}
    for source, rows in tables.items():
        for name, method in methods.items():
            errors[f"{source}, {name}"] = _error(rows, y, method)
        placed[source] = clone(methods["network"]).fit(rows[::2], y[::2]).transform(rows[1::2])
    _draw(run, pictures, placed, y, names)
    return {
        "iterations": Siamese(**short).max_iter,
        "errors": errors,
        "largest_class": 100 * float(np.bincount(y).max() / len(y)),
        "size": _SIZE,
    }


def _error(rows: np.ndarray, y: np.ndarray, method: PCA | Siamese) -> float:
    """Return how many cells lie nearest to one of another type, each placed by a mapping that has not seen it."""
    wrong = 0
    for one, other in StratifiedKFold(_FOLDS, shuffle=True, random_state=0).split(rows, y):
        mapping = clone(method).fit(rows[one], y[one])
        nearest = KNeighborsClassifier(1).fit(mapping.transform(rows[one]), y[one])
        wrong += int((nearest.predict(mapping.transform(rows[other])) != y[other]).sum())
    return 100 * wrong / len(y)


def _draw(run: Run, pictures: np.ndarray, placed: dict[str, np.ndarray], y: np.ndarray, names: np.ndarray) -> None:
    labels = [str(name).replace("celltype_", "type ") for name in names]
    figure, axes = panels(1, 1, 4.6, 2.2)
    framed = np.pad(pictures[..., _SHOWN_CHANNELS], ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=1)
    rows = [np.flatnonzero(y == number)[:_SHOWN] for number in range(len(names))]
    axes[0, 0].imshow(np.vstack([np.hstack(list(framed[row])) for row in rows]))
    axes[0, 0].set_yticks(framed.shape[1] * (np.arange(len(names)) + 0.5), labels)
    axes[0, 0].set(xticks=[])
    axes[0, 0].grid(False)
    save(figure, run.image("crops-pictures"))
    figure, axes = panels(1, len(placed), 3.4)
    colors = CLASS_COLORS[_COLORS]
    for axis, (source, places) in zip(axes[0], placed.items(), strict=True):
        draw_map(axis, places, colors[y[1::2]], f"new cells, by {source}", 1.0)
    for color, label in zip(colors, labels, strict=False):
        axes[0, 0].scatter([], [], color=color, s=14, label=label)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names))
    save(figure, run.image("crops"))


def claims(numbers: Numbers) -> list[Claim]:
    errors = numbers["errors"]
    return [
        Claim(
            "One expects a network that sees the pictures of cells to place new cells by their type better than "
            "principal components of the same pixels",
            f"{errors['pictures, network']:.1f} % of the cells lie nearest to one of another type, "
            f"{errors['pictures, principal components']:.1f} % with principal components; "
            f"{100 - numbers['largest_class']:.1f} % would be wrong if all were taken for the commonest type",
            errors["pictures, network"] < errors["pictures, principal components"] - _TELLING,
            f"Less than {_TELLING} % is chance among so few cells. Some 290 are few for 1280 numbers each, and the "
            "network learns them by heart",
        ),
        Claim(
            "With the table of means, a network does better than principal components",
            f"{errors['means, network']:.1f} % against {errors['means, principal components']:.1f} %",
            errors["means, network"] < errors["means, principal components"],
        ),
        Claim(
            "One may hope that pictures tell more than a table of means",
            f"{errors['pictures, network']:.1f} % with pictures, {errors['means, network']:.1f} % with means",
            errors["pictures, network"] < errors["means, network"],
            "The types were told by means of markers, most likely, and so few cells do not teach a network what shape "
            "and neighbours add. Pictures are for thousands of named cells without a good feature",
        ),
    ]


EXPERIMENT = Experiment(
    "crops",
    "Pictures of cells",
    362,
    120,
    measure,
    claims,
    {
        "crops-pictures": "Cells of a pancreas (imaging mass cytometry): H3 red, CD99 green, CDH blue; black is beyond "
        "the image",
        "crops": "Every second cell, placed by a network that learned from the others",
    },
)
