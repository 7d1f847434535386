"""Word vectors: Fig. 4 and Table 1, with a thousand common words."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA

from benchmarks import figures
from benchmarks.drawing import panels, save
from benchmarks.markdown import table, whole
from benchmarks.paper import data
from benchmarks.paper.fitting import fit
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.model.graph import neighbor_graph
from latentmap.model.vectors import Vectors
from latentmap.quality import neighbor_recall

_DIMENSIONS = [2, 5, 10]
_PCA_DIMENSIONS = [2, 5, 10, 20, 30, 40, 60, 80, 100, 150]
_LEVELS = (0, 2)
_RANKS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
# At this rank Fig. 4 is summed up in one number.
_RANK = 10
_SHOWN = [
    "people",
    "school",
    "government",
    "million",
    "mother",
    "doctor",
    "red",
    "french",
    "seven",
    "more",
    "war",
    "city",
]


def measure(run: Run) -> Numbers:
    words, X = data.load_words(run.n)
    maps = {
        str(levels): {
            d: fit(X, run.max_iter, n_neighbors=4, n_steps=3, n_levels=levels, n_components=d).embedding
            for d in _DIMENSIONS
        }
        for levels in _LEVELS
    }
    components = PCA(svd_solver="covariance_eigh").fit_transform(X)
    maps["PCA"] = {d: components[:, :d] for d in _PCA_DIMENSIONS if d < run.n}
    ranks = [r for r in _RANKS if r < run.n]
    recall = {
        name: {str(d): (100 * neighbor_recall(X, Y, 1, ranks)).tolist() for d, Y in some.items()}
        for name, some in maps.items()
    }
    shown = np.flatnonzero(np.isin(words, _SHOWN))
    before, after = (words[Vectors(table).kneighbors(4).indices[shown]].tolist() for table in (X, maps["0"][10]))
    _draw(recall, ranks, run)
    neighbors = {str(word): pair for word, *pair in zip(words[shown], before, after, strict=True)}
    inputs = Vectors(X)
    n_parts = neighbor_graph(inputs, inputs.kneighbors(4), 3).n_components
    return {"n": run.n, "parts": n_parts, "ranks": ranks, "recall": recall, "neighbors": neighbors}


def _draw(recall: Numbers, ranks: list[int], run: Run) -> None:
    figure, axes = panels(1, 3, 3.2)
    for panel, d in zip(axes[0], _DIMENSIONS, strict=True):
        for name in ("PCA", *map(str, _LEVELS)):
            label = name if name == "PCA" else f"LVM, l = {name}"
            panel.plot(ranks, recall[name][str(d)], "o-", color=figures.METHOD_COLORS[name], label=label, ms=3)
        panel.set(xscale="log", xlabel="r nearest on the map", ylim=(0, 100), title=f"d = {d}")
        panel.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes[0, 0].set_ylabel("first neighbour among them (%)")
    axes[0, -1].legend(loc="lower right")
    save(figure, run.image("words"))


def claims(numbers: Numbers) -> list[Claim]:
    at = numbers["ranks"].index(_RANK)
    recall = {name: {d: curve[at] for d, curve in some.items()} for name, some in numbers["recall"].items()}
    ours = recall["0"]
    needed = {d: next((i for i, value in recall["PCA"].items() if value >= ours[d]), None) for d in ours}
    times = {d: int(i) / int(d) for d, i in needed.items() if i}
    kept = np.mean([len({*before} & {*after}) for before, after in numbers["neighbors"].values()])
    return [
        Claim(
            "At the same recall PCA needs 8 to 10 times as many dimensions (Fig. 4; 207 147 words)",
            f"Recall at r = {_RANK}: "
            + "; ".join(
                f"LVM {ours[d]:.0f} % in {d}, which PCA reaches in {needed[d] or 'none measured'} "
                f"({recall['PCA'][d]:.0f} % in {d})"
                for d in ours
            ),
            bool(times) and min(times.values()) >= 8,
        ),
        Claim("LVM keeps more first neighbours than PCA in the same dimensions (Fig. 4)",
            "; ".join(f"d = {d}: {ours[d]:.0f} % against {recall['PCA'][d]:.0f} %" for d in ours),
            all(ours[d] > recall["PCA"][d] for d in ours),
        ),
        Claim(
            "Many of the four nearest words are the same before and after (Table 1)",
            f"Of the words below {kept:.1f} of 4 on average",
        ),
    ]  # fmt: skip


def rows(numbers: Numbers) -> list[str]:
    lines = [
        f"The paper embeds the 207 147 words of the model that are in WordNet; here are {whole(numbers['n'])}, among "
        f"the most common. Parts of their graph of 4 neighbours: {numbers['parts']}.",
        "",
    ]
    return lines + table(
        ["word", "4 nearest before", "4 nearest after (d = 10, l = 0)"],
        [(word, ", ".join(before), ", ".join(after)) for word, (before, after) in numbers["neighbors"].items()],
    )


EXPERIMENT = Experiment(
    "words",
    "Words (Fig. 4, Table 1)",
    1000,
    200,
    measure,
    claims,
    {"words": "Recall of the first neighbour at r, of common words of word2vec (k = 4, s = 3)"},
    rows,
)
