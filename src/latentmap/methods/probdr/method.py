"""What forms say of ProbDR, and what it can do."""

from latentmap.methods.fields import METRIC, N_COMPONENTS, SEED, STARTS, Field, iterations_field, neighbors_field
from latentmap.methods.method import Method
from latentmap.methods.probdr.probdr import ProbDR

METHOD = Method(
    ProbDR,
    "For a map of UMAP's kind, with groups of cells drawn together, of which one can say what it makes "
    "likeliest. It takes tens of thousands of cells, with the normalised Wishart model up to 5000. It places "
    "no new cells and says nothing of how uncertain a cell's place is.",
    {
        "n_neighbors": neighbors_field(
            "How many of the most similar cells each cell is tied to, from 1; 5 to 30 are usual. As it "
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
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "n_negatives": Field(
            "Negatives",
            "With how many other cells each neighbour is contrasted. As they grow, groups move apart.",
            minimum=1,
            maximum=100,
            is_whole=True,
            is_advanced=True,
        ),
        "init": Field(
            "Start",
            "Where the cells start: at the smoothest places along the graph of neighbours, with some noise, or "
            "at random.",
            choices=STARTS,
            is_advanced=True,
        ),
        "learning_rate": Field(
            "Step length",
            "How long the first steps are; 1 in the paper. As it grows, the map settles sooner or not at all.",
            minimum=0.01,
            maximum=100,
            step=0.1,
            is_advanced=True,
        ),
        "max_iter": iterations_field("Steps. As they grow, the map takes longer and settles further."),
        "random_state": SEED,
    },
)
