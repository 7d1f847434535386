"""The methods as a form shows them: when to use each, and the parameters that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from latentmap.display.fields import FIELDS, Field


@dataclass(frozen=True)
class Method:
    """What a form says of a method.

    Attributes
    ----------
    about : str
        When to use it, in three sentences.
    fields : mapping of str to Field
        Its own parameters by name, in the order of the form.
    """

    about: str
    fields: Mapping[str, Field]


_AUTO = (("auto", "auto"),)
_COMMON = {name: FIELDS[name] for name in ("n_components", "metric")}
_SEED = {"random_state": FIELDS["random_state"]}
_SEED_OF_START = {"random_state": replace(FIELDS["random_state"], with_name="init", with_values=("random",))}


_STARTS = (("smoothest on the graph", "spectral"), ("random", "random"))


def _width(about: str, with_name: str, *with_values: str) -> Field:
    return Field(
        "σ width",
        about,
        words=_AUTO,
        least=1e-4,
        most=1e6,
        step=1e-4,
        first=1,
        is_seldom=True,
        with_name=with_name,
        with_values=with_values,
    )


def _held_out(about: str) -> Field:
    return Field("Kept to test", about, least=0, most=0.9, step=0.05, is_seldom=True)


def _neighbors(about: str) -> Field:
    return replace(FIELDS["n_neighbors"], about=about)


def _iterations(about: str) -> dict[str, Field]:
    return {"max_iter": replace(FIELDS["max_iter"], about=about)}


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "lvm": Method(
            "For most cells and tables, from a hundred to millions. It keeps neighbours together and says of "
            "each cell how uncertain its place is. Distances between far groups mean little, as in all maps "
            "of neighbours.",
            {
                name: FIELDS[name]
                for name in (
                    *("n_neighbors", "n_steps", "n_levels", "n_components", "local_scaling"),
                    *("metric", "dof", "repulsion", "similarity_scale", "min_neighbors", "row_normalized"),
                    *("tied_variances", "vote_power", "connect", "init", "solver", "max_iter", "random_state"),
                )
            },
        ),
        "elastic-embedding": Method(
            "For up to 10 000 cells that change by degrees, such as along a cell cycle or a differentiation, when the "
            "map should be evenly spaced. With lambda raised in steps it unrolled the Swiss roll, which t-SNE did not. "
            "It says nothing of how uncertain a cell's place is.",
            {
                "n_neighbors": _neighbors(
                    "How many neighbours in effect draw each cell, from 1; usual are 5 to 50. As it grows, the "
                    "map shows the larger shapes and less of the small ones.",
                ),
                "lam": Field(
                    "λ repulsion",
                    "How much all cells repel each other; auto finds the number from the cells, so that neighbours "
                    "stay together and the map is filled. As it grows, cells spread evenly, and groups lose their "
                    "outline.",
                    words=_AUTO,
                    least=1e-4,
                    most=1e6,
                    step=1e-4,
                    first=1,
                ),
                **_COMMON,
                "n_strengths": Field(
                    "λ in steps",
                    "In how many steps λ rises from where the cells begin to part; 1 starts with λ itself. As it "
                    "grows, the map depends less on the start and takes longer.",
                    least=1,
                    most=1000,
                    is_whole=True,
                    is_seldom=True,
                ),
                "attraction": Field(
                    "Attraction",
                    "Whom a cell draws, and how much: k neighbours in effect with a width of its own, k neighbours at "
                    "one width for all, or all cells at one width.",
                    choices=(
                        ("k in effect, own width", "perplexity"),
                        ("k, one width", "neighbors"),
                        ("all, one width", "gaussian"),
                    ),
                    is_seldom=True,
                ),
                "width": _width(
                    "Within which distance a cell draws others, in the unit of the distances; auto takes the median "
                    "one of the k-th neighbour. As it grows, larger shapes are kept and small ones are lost.",
                    *("attraction", "neighbors", "gaussian"),
                ),
                "repulsion": Field(
                    "Repel by",
                    "How much each pair repels: by its squared distance, as in the paper, so that unlike cells are "
                    "driven further apart, or all pairs alike.",
                    choices=(("squared distance", "distance"), ("all alike", "uniform")),
                    is_seldom=True,
                ),
                "init": Field(
                    "Start",
                    "Where the cells start: close together at random, or where the graph of neighbours puts them. The "
                    "second depends on no chance.",
                    choices=(("random", "random"), ("spectral", "spectral")),
                    is_seldom=True,
                ),
                **_iterations(
                    "Iterations at most, for each λ. As they grow, the map takes longer and settles further."
                ),
                **_SEED,
            },
        ),
        "ll-lvm": Method(
            "For up to some 2000 cells on one smooth sheet, such as a time course of few measured features, when you "
            "want to know how many dimensions the sheet has, or what would be measured of a cell between others: it "
            "gives every cell its own linear map. The variance that it gives each place is that of its own model, and "
            "did not tell which cells had lost their neighbours on the map. Where cells fall into separate kinds "
            "other methods tell these apart better, and it takes minutes where they take seconds.",
            {
                "n_neighbors": _neighbors(
                    "How many of the most similar cells each cell is tied to, from 1; usual are 4 to 30. As it "
                    "grows, the map is stiffer, and shortcuts between far parts become likelier.",
                ),
                "n_components": FIELDS["n_components"],
                "alpha": Field(
                    "α to the centre",
                    "How strongly the places are drawn to the middle: learned from the data, or a number; 0.001 in the "
                    "authors' program. As it grows, the map is smaller.",
                    words=(("learned", "learned"),),
                    least=1e-4,
                    most=100,
                    step=1e-4,
                    first=1e-3,
                    is_seldom=True,
                ),
                "likelihood": Field(
                    "Likelihood",
                    "How a cell's differences from its neighbours are fitted: all at once, as in the authors' "
                    "programs, or each by itself, as in the paper's equations, which is faster.",
                    choices=(("normalised, all at once", "normalised"), ("each by itself", "paper")),
                    is_seldom=True,
                ),
                "init": Field(
                    "Start",
                    "Where it starts: the cells at the smoothest places along the graph of neighbours, which hangs "
                    "on no seed but in the last digits, or their maps at random, as in the paper.",
                    choices=_STARTS,
                    is_seldom=True,
                ),
                "n_init": Field(
                    "Random starts",
                    "How many random starts are tried, one after the other; the map of the highest bound is kept. As "
                    "they grow, it takes as many times longer and depends less on chance.",
                    least=1,
                    most=1000,
                    is_whole=True,
                    is_seldom=True,
                    with_name="init",
                    with_values=("random",),
                ),
                **_iterations(
                    "Iterations at most, of each start. As they grow, the map takes longer and settles further."
                ),
                **_SEED_OF_START,
            },
        ),
        "probdr": Method(
            "For a map of UMAP's kind, with groups of cells drawn together, of which one can say what it makes "
            "likeliest. It takes tens of thousands of cells, with the normalised Wishart model up to 5000. It places "
            "no new cells and says nothing of how uncertain a cell's place is.",
            {
                "n_neighbors": _neighbors(
                    "How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, small groups merge.",
                ),
                "model": Field(
                    "Model",
                    "What the graph of neighbours is taken for: pairs of neighbours among others, as in UMAP; a throw "
                    "for each pair; or a sample of a covariance, which takes longer. Normalised takes up to 5000 "
                    "cells, and wants one negative where there are a few thousand.",
                    choices=(
                        ("contrast, like UMAP", "cne"),
                        ("Bernoulli", "bernoulli"),
                        ("Wishart", "wishart"),
                        ("Wishart, normalised", "wishart-normalised"),
                    ),
                ),
                **_COMMON,
                "n_negatives": Field(
                    "Negatives",
                    "With how many other cells each neighbour is contrasted. As they grow, groups move apart.",
                    least=1,
                    most=100,
                    is_whole=True,
                    is_seldom=True,
                ),
                "init": Field(
                    "Start",
                    "Where the cells start: at the smoothest places along the graph of neighbours, with some noise, or "
                    "at random.",
                    choices=_STARTS,
                    is_seldom=True,
                ),
                "learning_rate": Field(
                    "Step length",
                    "How long the first steps are; 1 in the paper. As it grows, the map settles sooner or not at all.",
                    least=0.01,
                    most=100,
                    step=0.1,
                    is_seldom=True,
                ),
                **_iterations("Steps. As they grow, the map takes longer and settles further."),
                **_SEED,
            },
        ),
        "classical-mds": Method(
            "For up to 10 000 cells when you want the plainest picture of which differ most from which, or "
            "(from Python) when all you have is a table of the distances between them. What lies apart on the map does "
            "differ, but what lies together may still differ in directions that the map leaves out. It has no"
            " random start and nothing to tune.",
            {**_COMMON},
        ),
        "gradient-mds": Method(
            "For up to a few thousand cells in place of classical scaling, when some of the distances are "
            "wrong and should not spoil the map. It goes down a cost step by step, so you see the map settle."
            " It may end in a map that is not the best; starting from the classical one, as it does unless "
            "told otherwise, is the safest.",
            {
                **_COMMON,
                "cost": Field(
                    "Misfit",
                    "What is lowered: the differences of squared distances, as in the lecture, so that a few bad pairs "
                    "count little, or the squares of these.",
                    choices=(("difference", "absolute"), ("squared difference", "squared")),
                ),
                "init": Field(
                    "Start",
                    "Where the cells start: on the map of classical scaling, or at random.",
                    choices=(("classical scaling", "classical"), ("random", "random")),
                    is_seldom=True,
                ),
                **_iterations("Iterations at most. As they grow, the map takes longer and settles further."),
                **_SEED_OF_START,
            },
        ),
        "landmark-mds": Method(
            "For the map of classical scaling when there are too many cells for it, up to half a million. It "
            "compares each cell with some hundred landmark cells only, and takes seconds. The fewer features "
            "the cells have, or the more landmarks you allow, the nearer it comes to the map of all "
            "distances.",
            {
                "n_landmarks": Field(
                    "Landmarks",
                    "How many cells are landmarks, from d + 1; usual are 50 to 1000. As they grow, the map nears that "
                    "of all distances and takes longer.",
                    least=2,
                    most=10_000,
                    is_whole=True,
                ),
                **_COMMON,
                "landmarks": Field(
                    "Chosen",
                    "Which cells are landmarks: each the farthest from those before, any at random, or the one in the "
                    "middle of each of so many clusters. The farthest reach the edges; at random is faster and minds "
                    "strays less; k-means needs Euclidean distances.",
                    choices=(("the farthest", "farthest"), ("at random", "random"), ("by k-means", "kmeans")),
                    is_seldom=True,
                ),
                **_SEED,
            },
        ),
        "isomap": Method(
            "For up to 10 000 cells that change along one or two smooth paths, such as a differentiation, "
            "when distances on the map should say how far it is along the path. Cells of separate kinds are "
            "not for it: they are tied together by bridges whose lengths say little. If the map looks folded,"
            " lower the number of neighbours.",
            {
                "n_neighbors": _neighbors(
                    "How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, ways are shorter, until they leap from fold to fold.",
                ),
                **_COMMON,
            },
        ),
        "lle": Method(
            "For up to 10 000 cells on one smooth sheet, when you want the sheet flattened and its sizes do "
            "not matter. The map is as wide as it is long, whatever the data. If the cells fall into separate"
            " groups take another method: each group would become a point.",
            {
                "n_neighbors": _neighbors(
                    "From how many of the most similar cells each cell is mixed, from 1; usual are 5 to 30. As "
                    "it grows, the sheet is smoother.",
                ),
                "n_components": FIELDS["n_components"],
                "variant": Field(
                    "Weights",
                    "How it is said in what way a cell lies among its neighbours: by one set of weights, by several, "
                    "which holds a sheet together better, by second derivatives or by tangent planes. All need k above "
                    "d, and the second derivatives above d (d + 3) / 2.",
                    choices=(
                        ("standard", "standard"),
                        ("modified", "modified"),
                        ("second derivatives (Hessian)", "hessian"),
                        ("tangent planes (LTSA)", "ltsa"),
                    ),
                    is_seldom=True,
                ),
                "reg": Field(
                    "Evened out",
                    "How much the weights of a cell's neighbours are evened out, needed where k exceeds the features. "
                    "As it grows, they become more alike and the sheet smoother.",
                    least=0,
                    most=1000,
                    step=1e-4,
                    is_seldom=True,
                    with_name="variant",
                    with_values=("standard",),
                ),
            },
        ),
        "laplacian-eigenmaps": Method(
            "For up to 20 000 cells when you ask which groups hang together and in what order they follow. "
            "The first dimension sets the two least connected halves apart, the next ones split them further."
            " Long paths come out as a curve, which is no finding about the cells.",
            {
                "n_neighbors": _neighbors(
                    "How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, small groups are drawn in.",
                ),
                **_COMMON,
                "weights": Field(
                    "Weights",
                    "How much a tie counts: all alike, or less the less alike two cells are.",
                    choices=(("all alike", "binary"), ("by distance", "gaussian")),
                    is_seldom=True,
                ),
                "width": _width(
                    "At which distance a tie counts less, in the unit of the distances; auto takes the median one of "
                    "the k-th neighbour. As it grows, all ties count alike.",
                    *("weights", "gaussian"),
                ),
            },
        ),
        "comparisons": Method(
            "When you see in the images which cells are alike, better than the features say, and can tell it "
            'of a few tens of cells by clicks such as "this one is more like that one than like the other". '
            "The map starts from the features and bends where you say something, for the cells you named and "
            "for those with like features. A part of what you say is held out, and how much of that the map "
            "keeps to tells whether it learned anything.",
            {
                "n_components": FIELDS["n_components"],
                "feature_weight": Field(
                    "Features' share",
                    "How much the features hold the map, from 0 to 1. At 0 the comparisons alone place the cells, and "
                    "those never compared stay anywhere; as it grows, alike cells stay together.",
                    least=0,
                    most=1,
                    step=0.05,
                ),
                "dof": replace(
                    FIELDS["dof"],
                    about="How far a comparison that the map does not keep to still pulls at it: with heavy tails (1) "
                    "hardly, so that a few may be wrong. As the degrees of freedom grow, from 0.1, all are to hold.",
                    words=(("Gaussian (∞)", np.inf),),
                    first=1,
                ),
                "held_out": _held_out(
                    "Which part of the comparisons the map does not see, from 0 to 0.9: they tell how often it agrees "
                    "with you. As it grows, that is known better and less is learned."
                ),
                **_iterations("Iterations at most. As they grow, the map takes longer and settles further."),
                **_SEED,
            },
        ),
        "siamese": Method(
            "When you have named the classes of many cells and want new cells to be placed by them, or when "
            "thousands of pictures of cells are all that you have. It learns a mapping from the features, or "
            "from the pixels of the pictures, that draws cells of one class together, and then places any new"
            " cell at once. On a few hundred cells it learns them by heart; look at the held-out accuracy "
            "before you believe the map.",
            {
                "n_neighbors": _neighbors(
                    "Without classes: how many of the most similar cells are to lie close to each cell, from 1; "
                    "usual are 5 to 30. As it grows, the map shows the larger groups.",
                ),
                "n_components": FIELDS["n_components"],
                "margin": Field(
                    "Margin",
                    "How far apart cells that are not alike are driven. As it grows, the map is larger.",
                    least=0.01,
                    most=100,
                    step=0.1,
                    is_seldom=True,
                ),
                "n_hidden": Field(
                    "Hidden units",
                    "How many units the network has. As they grow, it learns finer differences, and learns by heart "
                    "where cells are few.",
                    least=1,
                    most=4096,
                    is_whole=True,
                    is_seldom=True,
                ),
                "noise": Field(
                    "Noise",
                    "How much noise is added to the features while it learns, in units of their spread; 0 is none. As "
                    "it grows, cells are less learned by heart, and what a few features tell is lost.",
                    least=0,
                    most=10,
                    step=0.05,
                    is_seldom=True,
                ),
                "learning_rate": Field(
                    "Step length",
                    "How long the first steps are. As it grows, the network learns sooner or not at all.",
                    least=1e-4,
                    most=1,
                    step=1e-3,
                    is_seldom=True,
                ),
                "held_out": _held_out(
                    "Which part of the cells it does not learn from, from 0 to 0.9: they tell how good the mapping is. "
                    "As it grows, that is known better and less is learned."
                ),
                **_iterations("Epochs: how often the network sees all cells. As they grow, it learns further."),
                **_SEED,
            },
        ),
    }
)
"""What a form says of each method, by its name."""
