"""The methods as a form shows them: when to use each, and the parameters that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

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


def _iterations(about: str) -> dict[str, Field]:
    return {"max_iter": replace(FIELDS["max_iter"], about=about)}


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "lvm": Method(
            "For most cells and tables, from a hundred to millions. It keeps neighbours together, and says of each "
            "cell how uncertain its place is. Distances between far groups mean little, as in all maps of neighbours.",
            {
                name: FIELDS[name]
                for name in (
                    *("n_neighbors", "n_steps", "n_levels", "n_components"),
                    *("metric", "dof", "repulsion", "similarity_scale", "solver", "max_iter", "random_state"),
                )
            },
        ),
        "elastic-embedding": Method(
            "For up to 10 000 cells that change by degrees, such as along a cell cycle or a differentiation. It spaces "
            "the cells evenly and tears nothing that is continuous. It does not say how uncertain a place is.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many neighbours in effect draw each cell, from 1; usual are 5 to 50. As it grows, the "
                    "map shows the larger shapes and less of the small ones.",
                ),
                "lam": Field(
                    "λ repulsion",
                    "How much all cells repel each other; auto makes all repulsion 100 000 times all attraction. As it "
                    "grows, cells spread evenly, and groups lose their outline.",
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
            "For up to 2000 cells that lie on a smooth sheet, such as a time course of few measured features. It bends "
            "no more than the data ask, says how uncertain each place is, and its bound compares settings of k and d. "
            "It takes minutes where others take seconds.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many of the most similar cells each cell is tied to, from 1; usual are 4 to 30. As it "
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
                **_iterations("Iterations at most. As they grow, the map takes longer and settles further."),
                **_SEED,
            },
        ),
        "probdr": Method(
            "For a map like UMAP's, with groups drawn together and gaps between them, of which one can say what it "
            "makes likeliest. Two of its models take tens of thousands of cells, the Wishart models up to 5000. It "
            "places no new cells, and does not say how uncertain a place is.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, small groups merge.",
                ),
                "model": Field(
                    "Model",
                    "What the graph of neighbours is taken for: pairs of neighbours among others, as in UMAP; a throw "
                    "for each pair; or a sample of a covariance, which takes fewer cells and longer, and leaves no "
                    "gaps. Normalised wants one negative where there are a few thousand cells.",
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
                "learning_rate": Field(
                    "Step",
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
            "For up to 10 000 cells when distances between far groups must mean something. It draws the plane that "
            "keeps most of all distances, as principal components do. Groups that differ in many small ways overlap.",
            {**_COMMON},
        ),
        "gradient-mds": Method(
            "For up to 3000 cells when distances matter and no plane holds them. It moves the cells until the "
            "distances on the map are as near as may be to those measured. Another start may end in another map.",
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
                **_SEED,
            },
        ),
        "landmark-mds": Method(
            "For a hundred thousand cells and more when distances between far groups must mean something. It draws a "
            "few landmarks by all their distances, and every other cell by its distances to them. It is nearly "
            "classical scaling in a small part of the time.",
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
                    "Which cells are landmarks: each the farthest from those before, or any at random. The farthest "
                    "reach the edges; at random is faster and minds strays less.",
                    choices=(("the farthest", "farthest"), ("at random", "random")),
                    is_seldom=True,
                ),
                **_SEED,
            },
        ),
        "isomap": Method(
            "For up to 10 000 cells that lie along one bent sheet or path without gaps. It measures distances along "
            "the cells and lays them out flat. A shortcut between two folds spoils all of it: lower k then.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, ways are shorter, until they leap from fold to fold.",
                ),
                **_COMMON,
            },
        ),
        "lle": Method(
            "For some thousand cells on one smooth sheet, when only its shape counts. It keeps how each cell is mixed "
            "from its neighbours, and no distance. Groups that are apart it draws as threads and points.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="From how many of the most similar cells each cell is mixed, from 1; usual are 5 to 30. As "
                    "it grows, the sheet is smoother.",
                ),
                "n_components": FIELDS["n_components"],
                "variant": Field(
                    "Weights",
                    "How the weights are found: the usual way, or modified, which holds a sheet together better and "
                    "needs k above d.",
                    choices=(("standard", "standard"), ("modified", "modified")),
                    is_seldom=True,
                ),
            },
        ),
        "laplacian-eigenmaps": Method(
            "For up to 100 000 cells when you ask which groups hang together and by what. It keeps neighbours "
            "together and says nothing of distances. Where groups are far apart it shows little within them.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
                    "grows, small groups are drawn in.",
                ),
                **_COMMON,
                "weights": Field(
                    "Weights",
                    "How much a tie counts: all alike, or less the less alike two cells are.",
                    choices=(("all alike", "binary"), ("by distance", "gaussian")),
                    is_seldom=True,
                ),
            },
        ),
        "comparisons": Method(
            "For when you know by eye which cells are alike, and the features do not. Click three cells at a time: "
            "this one is more like that one than that one, and the map learns which features you mean. Tens of "
            "comparisons are enough to begin with; part of them is kept to tell how often the map agrees with you.",
            {
                "n_components": FIELDS["n_components"],
                "feature_weight": Field(
                    "Features count",
                    "How much the features hold the map, from 0 to 1. At 0 the comparisons alone place the cells, and "
                    "those never compared stay anywhere; as it grows, alike cells stay together.",
                    least=0,
                    most=1,
                    step=0.05,
                ),
                "held_out": Field(
                    "Kept to test",
                    "Which part of the comparisons the map does not see, from 0 to 0.9: they tell how often it agrees "
                    "with you. As it grows, that is known better and less is learned.",
                    least=0,
                    most=0.9,
                    step=0.05,
                    is_seldom=True,
                ),
                **_iterations("Iterations at most. As they grow, the map takes longer and settles further."),
                **_SEED,
            },
        ),
        "siamese": Method(
            "For thousands of cells when you have named some classes, or for placing many new cells later. A small "
            "network learns to draw cells of one class together and others apart; without two classes it learns from "
            "neighbours. It shows the differences between your classes, and can hide others.",
            {
                "n_neighbors": replace(
                    FIELDS["n_neighbors"],
                    about="Without classes: how many of the most similar cells are to lie close to each cell, from 1; "
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
                **_iterations("Epochs: how often the network sees all cells. As they grow, it learns further."),
                **_SEED,
            },
        ),
    }
)
"""What a form says of each method, by its name."""
